"""An index beside a big file: the same trail comes back, from the lines of that trace alone."""

from __future__ import annotations

import gzip
import os
import random
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from otel_footprint.cli.main import main
from otel_footprint.errors import TrailError
from otel_footprint.trail import Trail, load
from otel_footprint.trail.sources import NEWEST, index, open_source, paths

from .builder import Turn, Writer, as_lines, user
from .conftest import story
from .otlpjson import document


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every file of lines is big."""
    monkeypatch.setattr(paths, "BIG", 1)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def writers() -> list[Writer]:
    out = []
    for seed in range(1, 5):
        writer = Writer(seed)
        writer.now += seed * 10**12
        story(writer)
        out.append(writer)
    return out


def shuffled(writers: list[Writer], seed: int = 1) -> list[dict[str, Any]]:
    spans = [s for w in writers for s in w.spans]
    random.Random(seed).shuffle(spans)
    return spans


def requests(trail: Trail) -> list[str | None]:
    return [trail.rebuild(c).text for c in trail.calls]


def beside(path: Path) -> Path:
    return path.with_name(path.name + index.ENDING)


def agrees(path: Path, writers: list[Writer]) -> None:
    """Every trace and turn that is read by the index equals the one read alone."""
    for writer in writers:
        alone = open_source(_stream(writer))
        turn = alone.turns[0].id
        for which in (writer.trace, turn, writer.trace[:8], turn[:8]):
            trail = open_source(path, which)
            assert [t.id for t in trail.asked] == [turn]
            assert {s.trace_id for s in trail.spans} == {writer.trace}
            assert requests(trail) == requests(alone)
            assert None not in requests(trail)
            assert not trail.problems
    with pytest.raises(TrailError, match="no turn or trace"):
        open_source(path, "nothing")
    assert open_source(path, NEWEST).asked[0].trace_ids == (writers[-1].trace,)


def _stream(writer: Writer) -> Any:
    import io

    return io.BytesIO(as_lines(writer.spans))


def in_batches(spans: list[dict[str, Any]]) -> bytes:
    """Lines of several spans each, as exporters write them."""
    import json

    groups = [spans[i : i + 7] for i in range(0, len(spans), 7)]
    return b"".join(json.dumps(document(g)).encode() + b"\n" for g in groups)


SHAPES: dict[str, Any] = {
    "a span a line": lambda spans: as_lines(spans),
    "batches": in_batches,
    "no end of the last line": lambda spans: as_lines(spans).rstrip(b"\n"),
    "lines in a list": lambda spans: b"[\n" + as_lines(spans).replace(b"\n", b",\n") + b"]\n",
    "lines of Windows": lambda spans: as_lines(spans).replace(b"\n", b"\r\n"),
    "blank lines and a mark": lambda spans: b"\xef\xbb\xbf\n\n" + as_lines(spans) + b"\n\n",
    "snake case": lambda spans: as_lines(spans).replace(b"resourceSpans", b"resource_spans"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_trace_is_read_by_its_lines(
    shape: str, writers: list[Writer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "trail.jsonl"
    path.write_bytes(SHAPES[shape](shuffled(writers)))
    agrees(path, writers)
    assert beside(path).is_file()
    monkeypatch.setattr(index.Index, "_fill", None)  # what is there is enough
    agrees(path, writers)


def test_a_gzip_file_has_an_index_too(writers: list[Writer], tmp_path: Path) -> None:
    path = tmp_path / "trail.jsonl.gz"
    path.write_bytes(gzip.compress(as_lines(shuffled(writers))))
    agrees(path, writers)
    assert beside(path).is_file()
    path.write_bytes(gzip.compress(as_lines(shuffled(writers[:2]))))
    agrees(path, writers[:2])


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many lines were indexed each time."""
    counts: list[int] = []
    add = index._Filling.add
    fill = index.Index._fill

    def counting(self: Any, raw: bytes, at: int) -> None:
        counts[-1] += 1
        add(self, raw, at)

    def filling(self: Any, db: Any, known: Any) -> None:
        counts.append(0)
        fill(self, db, known)

    monkeypatch.setattr(index._Filling, "add", counting)
    monkeypatch.setattr(index.Index, "_fill", filling)
    return counts


def test_a_file_that_grows_is_indexed_on(
    writers: list[Writer], tmp_path: Path, filled: list[int]
) -> None:
    path = tmp_path / "trail.jsonl"
    data = as_lines(shuffled(writers))
    first = data[: len(data) // 2]  # in the middle of a line
    path.write_bytes(first)
    assert open_source(path, writers[0].trace).problems
    path.write_bytes(data)
    agrees(path, writers)
    lines = data.count(b"\n")
    assert len(filled) == 2
    assert filled[1] == lines - first.count(b"\n")


@pytest.mark.parametrize(
    "change", ["other content", "shorter", "rewritten", "damaged index", "other tables"]
)
def test_an_index_of_another_content_is_made_again(
    change: str, writers: list[Writer], tmp_path: Path, filled: list[int]
) -> None:
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(shuffled(writers)))
    open_source(path, NEWEST)
    if change == "damaged index":
        data = bytearray(beside(path).read_bytes())
        data[100:4000] = b"x" * 3900
        beside(path).write_bytes(data)
    elif change == "other tables":
        with sqlite3.connect(beside(path)) as db:
            db.execute("DROP TABLE runs")
        db.close()
    elif change == "rewritten":
        path.write_bytes(as_lines(shuffled(writers, 2)))
    else:
        writers = writers[:2] if change == "shorter" else [*writers[1:], grown()]
        path.write_bytes(as_lines(shuffled(writers)))
    agrees(path, writers)
    assert len(filled) == 2


def grown() -> Writer:
    writer = Writer(99)
    writer.now += 10**15
    story(writer, turns=1)
    return writer


def test_what_no_index_fits_is_read_whole(writers: list[Writer], tmp_path: Path) -> None:
    import json

    path = tmp_path / "trail.json"
    path.write_text(json.dumps(document(shuffled(writers)), indent=1))
    agrees(path, writers)
    assert not beside(path).exists()


def test_damaged_lines_are_named_by_every_command(
    writers: list[Writer], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "trail.jsonl"
    lines = as_lines(shuffled(writers)).splitlines(keepends=True)
    lines[4:4] = [b'{"resourceSpans":[\n', b"\xff\xfe\n"]
    path.write_bytes(b"".join(lines))
    for _ in range(2):
        for writer in writers:
            trail = open_source(path, writer.trace)
            assert {p.line for p in trail.problems} == {5, 6}
            assert None not in requests(trail)
        assert main(["show", "--from", str(path), writers[0].trace]) == 1
        assert "could not read lines 5, 6" in capsys.readouterr().err


def test_everything_of_a_big_file_is_the_same(writers: list[Writer], tmp_path: Path) -> None:
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(shuffled(writers)))
    assert requests(open_source(path)) == requests(load(path))


def test_several_files_are_one_trail(writers: list[Writer], tmp_path: Path) -> None:
    spans = shuffled(writers)
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_bytes(as_lines(spans[::2]))
    second.write_bytes(as_lines(spans[1::2]))
    trail = open_source([first, second], writers[2].trace)
    assert None not in requests(trail)
    assert beside(first).is_file()
    assert beside(second).is_file()


def test_earlier_traces_are_read_by_the_index(tmp_path: Path) -> None:
    first, second = Writer(1), Writer(2)
    turn = Turn(first, conversation="c")
    turn.call([], [user("a" * 900)])
    second.written, later = first.written, Turn(second, conversation="c")
    later.call([], [user("a" * 900), user("b")])
    second.spans[-1]["links"] = [{"traceId": first.trace, "spanId": turn.span_id, "attributes": [
        {"key": "footprint.link.type", "value": {"stringValue": "text"}}]}]  # fmt: skip
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(first.spans + second.spans))
    trail = open_source(path, second.trace)
    assert len(trail.turns) == 2
    assert None not in requests(trail)


AS_NOBODY = """
import os, sys
from otel_footprint.trail.sources import index, open_source, paths
from otel_footprint.wire import DIALECTS
os.setgid(65534)
os.setuid(65534)
paths.BIG = 1
trail = open_source(sys.argv[1], sys.argv[2])
again = index.Index(sys.argv[1])
print(len(trail.calls), again._held[0].execute("PRAGMA database_list").fetchall()[0][2])
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user who may write nothing")
@pytest.mark.parametrize("cache", ["beneath", "none"])
def test_a_folder_that_cannot_be_written_is_no_obstacle(cache: str, writers: list[Writer]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        path = folder / "trail.jsonl"
        path.write_bytes(as_lines(shuffled(writers)))
        home = folder / "cache"
        if cache == "beneath":
            home.mkdir()
            home.chmod(0o777)
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, str(path), writers[1].trace],
            capture_output=True, check=False, text=True,
            env={**os.environ, "XDG_CACHE_HOME": str(home)},
        )  # fmt: skip
        assert done.stderr == ""
        count, _, where = done.stdout.strip().partition(" ")
        assert count == "4"
        assert where.startswith(str(home)) if cache == "beneath" else where == ""
        assert not beside(path).exists()


def test_progress_is_told(
    writers: list[Writer], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(shuffled(writers)))
    told: list[tuple[str, float]] = []
    open_source(path, NEWEST, progress=lambda what, done: told.append((what, done)))
    assert told[-1] == (f"indexing {path}", 1.0)
    beside(path).unlink()
    assert main(["show", "--from", str(path), "newest"]) == 0
    assert capsys.readouterr().err == f"otel-footprint: indexing {path} ...\n"
    assert main(["show", "--from", str(path), "newest"]) == 0
    assert capsys.readouterr().err == ""


def test_an_index_is_a_whole_database_or_none(writers: list[Writer], tmp_path: Path) -> None:
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(shuffled(writers)))

    def stop(_what: str, _done: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_source(path, NEWEST, progress=stop)
    assert [p.name for p in tmp_path.iterdir()] == ["trail.jsonl"]
    open_source(path, NEWEST)
    with sqlite3.connect(beside(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()
