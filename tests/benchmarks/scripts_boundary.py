"""How long the boundary of a 1 MB answer takes: ordinary, named adversaries, and worst cases.

Run by hand: `python -m tests.benchmarks.scripts_boundary`. Prints milliseconds of processor time
(best of three), and per kB, at 1 MB and at 4 MB: the second column of a linear reader stays. With
`--renderer` also what markdown-it-py takes for the same 1 MB. Above 50 ms, and linear: tens of
thousands of lines of a few characters of which each is another structure (containers, definitions,
HTML that ends on its line, two letters), and one line of ever new containers.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable

from markdown_it import MarkdownIt

from otel_footprint.scripts.boundary import read
from otel_footprint.scripts.recognition import find

MB = 1_000_000
RENDERER = MarkdownIt("commonmark").parse


def repeated(text: str) -> Callable[[int], str]:
    """`text` again and again."""
    return lambda size: (text * (size // len(text) + 1))[:size]


def followed(text: str, end: str) -> Callable[[int], str]:
    """`text` again and again, then `end`."""
    return lambda size: repeated(text)(size) + end


def random_lines(size: int, length: int) -> str:
    """Lines of random marks, always the same."""
    draw = random.Random(1)
    return "\n".join(
        "".join(draw.choices("-+*> `~<a1.\\$[]:#=_/'", k=length))
        for _ in range(size // (length + 1))
    )


CHAT = (
    "The function reads the `rows` and returns **one** sum for each of them, as asked.\n" * 9
    + "\n1. Install it:\n\n   ```bash\n   pip install thing\n   ```\n\n2. Then run this:\n\n"
    + "```python\n" + "    total = total + compute(row, scale)\n" * 20 + "```\n\n- a point\n\n"
)  # fmt: skip
ORDINARY = {
    "chat, all closed": lambda size: CHAT * (size // len(CHAT)),
    "chat, fence open": followed(CHAT, "\n```py\nx"),
    "prose without a mark": repeated("A line of prose that opens nothing at all.\n"),
    "one long fence": lambda size: "```\n" + repeated("x = 1\n")(size),
}
ADVERSARIES = {
    "100,000 backticks": lambda _: "`" * 100_000,
    "10,000 nested quotes": lambda _: ">" * 10_000 + " a",
    "10,000 nested quotes, again and again": lambda n: (
        (">" * 9_999 + "\n") * (n // 10_000) + " ```"
    ),
    "backticks only": repeated("`"),
    "fences of growing length": lambda n: "\n".join("`" * k for k in range(3, int((2 * n) ** 0.5))),
    "short fences": repeated("```\n"),
    "short indented fences": repeated("   ```\n"),
    "line feeds": followed("\n", "   ```"),
    "tabs": repeated("\t"),
    "comments never closed": repeated("<!--\n"),
    "angle brackets": repeated("<"),
    "math never closed": lambda n: "$$ x\n" + repeated("a\n")(n),
    "deep lists": lambda _: "\n".join(" " * (2 * k) + "- a" for k in range(1000)) + "\n   ```",
    "open brackets": followed("[", "\n   ```"),
    "breaks": followed("* * *\n", "   ```"),
}
WORST = {
    "bullets, then an indented fence": followed("-\n", "   ```"),
    "items with fences": repeated("- a\n  ```\n  x\n  ```\n"),
    "one line of bullets": followed("- ", "a\n   ```"),
    "comments on one line": repeated("<!-- -->\n"),
    "display math": repeated("$$\n"),
    "angle brackets, line by line": followed("<\n", "   ```"),
    "mixed nesting": followed("> - " * 2000 + "\n", "   ```"),
    "bullets, each another": lambda n: "\n".join(f"- a{k}" for k in range(n // 9)),
    "numbers, each another": lambda n: "\n".join(f"{k}. a" for k in range(n // 9)),
    "headings, each another": lambda n: "\n".join(f"# {k}" for k in range(n // 9)),
    "tags, each another": lambda n: "\n".join(f"<{k}" for k in range(n // 8)),
    "tags, each another, of letters": lambda n: "\n".join(f"<{k:x}q" for k in range(n // 8)),
    "bullets without a blank line, fence": lambda n: "\n".join(
        [*(f"- a{k}" for k in range(n // 9)), "   ```"]
    ),
    "numbers without a blank line, fence": lambda n: "\n".join(
        [*(f"{k}. a" for k in range(n // 9)), "   ```"]
    ),
    "tags without a blank line, fence": lambda n: "\n".join(
        [*(f"<a{k}" for k in range(n // 9)), "   ```"]
    ),
    "lines of three random marks": lambda n: random_lines(n, 3),
    "lines of seven random marks": lambda n: random_lines(n, 7),
    "definitions, each another": lambda n: "\n".join(
        [*(f"[a{k}]: /b" for k in range(n // 13)), "   ```"]
    ),
    "raw HTML, each another": lambda n: "\n".join(f"<pre>{k}</pre>" for k in range(n // 17)),
    "a tag of attributes": lambda size: "<a" + repeated(" b")(size) + "\n   ```",
}


def milliseconds(text: str, reader: Callable[[str], object]) -> float:
    """Best of three."""
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        reader(text)
        best = min(best, time.process_time() - begin)
    return best * 1000


def main() -> None:
    """Prints the tables."""
    for title, cases in (
        ("ordinary answers", ORDINARY),
        ("adversaries", ADVERSARIES),
        ("worst cases found (line by line)", WORST),
    ):
        print(f"\n{title:40} {'size':>9} {'ms':>8} {'us/kB':>8} {'us/kB at 4x':>12}  verdict")
        for name, make in cases.items():
            text, more = make(MB), make(4 * MB)
            once, four = milliseconds(text, read), milliseconds(more, read)
            said, reason = read(text)
            print(
                f"{name:40} {len(text):9} {once:8.1f} {once * 1e6 / len(text):8.1f} "
                f"{four * 1e6 / len(more):12.1f}  {said.kind} {reason}"
            )
            if "--renderer" in sys.argv:
                print(f"{'  markdown-it-py':40} {len(text):9} {milliseconds(text, RENDERER):8.1f}")
    text = repeated("Recorded program 1 of 1: call `c` to `t` completed; x\n")(MB)
    print(f"\n{'recognition among imitations':40} {MB:9} {milliseconds(text, find):8.1f}")


if __name__ == "__main__":
    main()
