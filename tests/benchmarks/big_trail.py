"""A trail of 100,000 spans (about 280 MB): listing it, indexing it, reading one turn of it.

    python -m tests.benchmarks.big_trail [SPANS] [FOLDER]

Makes the file (once; it is kept in FOLDER, default a temporary one) and prints, each from a
process of its own: seconds until the first line of `show --list` and until its end, seconds and
memory of the first command that asks for one turn (it builds the index) beside a plain parse of
the file, and of the same command when the index is there.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.trail.builder import (
    Piece,
    Row,
    Turn,
    Writer,
    as_lines,
    assistant,
    result,
    system,
    tool,
    user,
)

CALLS = 40
PROSE = "The policy says what applies to an order of this kind, and from which day on it does. "


class Remembering(Writer):
    """A writer that hashes each piece once."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.rows: dict[int, tuple[Piece, Row]] = {}

    def row(self, piece: Piece) -> Row:
        if id(piece) not in self.rows:
            self.rows[id(piece)] = (piece, super().row(piece))
        return self.rows[id(piece)][1]


def make(path: Path, spans: int) -> str:
    """Writes turns of 40 calls, about 120 spans each; returns the id of one in the middle."""
    written = turns = 0
    middle = ""
    with path.open("wb") as out:
        while written < spans:
            writer = Remembering(turns)
            writer.now += turns * 10**11
            turn = Turn(writer, agent=f"agent-{turns % 7}", conversation=f"c-{turns // 3}")
            rules = [system(f"Rules of {turns}. {PROSE * 20}")]
            look = [tool("look", "Looks something up. " + PROSE * 4)]
            history = [user(f"Why {turns}?")]
            for n in range(CALLS):
                answer = assistant(None, (f"c{n}", "look", json.dumps({"q": f"why {n}"})))
                turn.call(rules, history, look, [answer], bytes_=False)
                found = f"found {turns} {n} {PROSE * (20 + n)}"
                turn.tool("look", f"c{n}", json.dumps({"q": f"why {n}"}), found)
                history = [*history, answer, result(f"c{n}", found)]
            turn.end()
            out.write(as_lines(writer.spans))
            written += len(writer.spans)
            turns += 1
            if written <= spans // 2:
                middle = turn.id
    return middle


def run(*arguments: str) -> tuple[float, float, float, float, int]:
    """Seconds to the first line and to the end, CPU seconds, memory in MB, exit code."""
    program = (
        "import resource, sys\n"
        "from otel_footprint.cli.main import main\n"
        "code = main(sys.argv[1:])\n"
        "sys.stdout.flush()\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "sys.stderr.write(f'{used.ru_utime + used.ru_stime} {used.ru_maxrss}\\n')\n"
        "sys.exit(code)\n"
    )
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "COLUMNS": "120"},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    first = time.perf_counter() - begin
    process.stdout.read()
    errors = process.stderr.read().decode().split()
    code = process.wait()
    whole = time.perf_counter() - begin
    return first, whole, float(errors[-2]), int(errors[-1]) / 1024, code


def parsed(path: Path) -> float:
    """CPU seconds that a plain parse of every line takes."""
    begin = time.process_time()
    with path.open("rb") as lines:
        for line in lines:
            json.loads(line)
    return time.process_time() - begin


def main() -> None:
    spans = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp())
    path, note = folder / f"big-{spans}.jsonl", folder / f"big-{spans}.turn"
    if not note.exists():
        note.write_text(make(path, spans))
    turn = note.read_text()
    print(f"{path}: {path.stat().st_size / 1e6:.0f} MB")
    plain = parsed(path)
    print(f"plain parse          {plain:6.2f} s of CPU")
    for name, arguments in (
        ("show --list", ["show", "--list", "--from", str(path)]),
        ("first show TURN", ["show", "--from", str(path), turn]),
        ("second show TURN", ["show", "--from", str(path), turn]),
        ("list, indexed", ["show", "--list", "--from", str(path)]),
    ):
        first, whole, used, memory, code = run(*arguments)
        print(
            f"{name:20} first line {first:6.2f} s, all {whole:6.2f} s "
            f"{used:6.2f} s of CPU ({used / plain:.2f} parses), {memory:5.0f} MB, exit {code}"
        )


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
