"""How long the boundary of a 1 MB answer takes: ordinary, named adversaries, and worst cases.

Run by hand: `python -m tests.benchmarks.scripts_boundary`. Prints milliseconds of processor time
(best of three), and per kB, at 1 MB and at 4 MB: the second column of a linear reader stays. With
`--renderer` also what markdown-it-py takes for the same 1 MB. Above 50 ms, and linear: short lines
of marks in random order where most of them may open or end display math or HTML.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence

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


def numbered(text: str, end: str = "") -> Callable[[int], str]:
    """`text` again and again, with ever another number in it, then `end`."""

    def make(size: int) -> str:
        count = size // len(text.format(size // len(text))) + 1
        return "".join(map(text.format, range(count))) + end

    return make


def parted(text: str) -> Callable[[int], str]:
    """`text` three hundred times, then a word, ever another; again and again."""
    return numbered(text * 300 + "\nw{}\n\n")


MARKS = "-+*> `~<a1.\\$[]:#=_/'"
TOKENS = (
    "- ", "> ", "1. ", "2. ", "* ", "# ", "---", "  ", "   ", "    ", "```", "~~~", "a", "<div>",
    "</div>", "<x>", "<!--", "-->", "<pre>", "</pre>", "$$", "\\[", "\\]", "[a]: /b", "",
)  # fmt: skip


def random_lines(length: int, marks: Sequence[str] = MARKS, end: str = "") -> Callable[[int], str]:
    """Lines of random marks, always the same."""

    def make(size: int) -> str:
        draw = random.Random(1)
        line = length * sum(map(len, marks)) / len(marks) + 1
        lines = ("".join(draw.choices(marks, k=length)) for _ in range(int(size / line)))
        return "\n".join(lines) + end

    return make


def random_containers(first: str) -> Callable[[int], str]:
    """Containers behind random blanks, then an indented fence."""

    def make(size: int) -> str:
        draw = random.Random(1)
        lines = [first]
        for _ in range(size // 14):
            mark = draw.choice(["- ", "* ", "> ", "1. ", "", "```", "$$"])
            lines.append(first + " " * draw.randint(0, 20) + mark + "a")
        return "\n".join([*lines, "   ```"])

    return make


FENCE = "\n   ```"
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
    "angle brackets on one line": followed("<", FENCE),
    "numbers on one line": followed("1. ", f"a{FENCE}"),
    "definitions without an end, fence": followed("[a]:\n", FENCE),
    "definitions over two lines, fence": followed("[a]:\n/b\n", FENCE),
    "definitions with titles, fence": followed("[a]: /b\n'x'\n", FENCE),
    "tags after words, fence": followed("a\n<x>\n", FENCE),
    "blanks at line ends, fence": followed("a  \n", FENCE),
    "deep quotes": lambda _: "\n".join(">" * k + " a" for k in range(1, 1400)) + FENCE,
    "quotes and bullets deepening": lambda _: "\n".join("> - " * k for k in range(1, 700)) + FENCE,
    "bullets, each another": numbered("- a{}\n"),
    "numbers, each another": numbered("{}. a\n"),
    "headings, each another": numbered("# {}\n"),
    "tags, each another": numbered("<{}\n"),
    "tags, each another, of letters": lambda n: "\n".join(f"<{k:x}q" for k in range(n // 8)),
    "bullets without a blank line, fence": numbered("- a{}\n", FENCE),
    "numbers without a blank line, fence": numbered("{}. a\n", FENCE),
    "tags without a blank line, fence": numbered("<a{}\n", FENCE),
    "line breaks as tags, fence": numbered("<br>{}\n", FENCE),
    "words, underlined, fence": numbered("a{}\n---\n", FENCE),
    "lazy lines, each another, and fences": numbered("- a{0}\nb{0}\n  ```\n"),
    "definitions, each another": numbered("[a{}]: /b\n", FENCE),
    "definitions over two lines, another": numbered("[a{}]:\n/b\n", FENCE),
    "raw HTML, each another": numbered("<pre>{}</pre>\n"),
    "raw HTML of three lines, another": numbered("<pre>\n{}\n</pre>\n"),
    "comments, each another": numbered("<!-- {} -->\n"),
    "declarations, each another": numbered("<!{}\n"),
    "fences, each another word": numbered("```w{}\nx\n```\n"),
    "tildes, each another word": numbered("~~~ w{}\nx\n~~~\n"),
    "fences, each another program": numbered("```\nx{}\n```\n"),
    "items with fences, each another": numbered("- a{}\n  ```\n  x\n  ```\n"),
    "items with fences, in parts": parted("- a\n  ```\n"),
    "items with math, in parts": parted("- a\n  $$\n"),
    "lazy lines of 70 characters, and fences": numbered("- a\n{}" + "x" * 65 + "\n  ```\n"),
    "display math, each another": numbered("$$\nx{}\n$$\n"),
    "bracket math, each another": numbered("\\[\nx{}\n\\]\n"),
    "math that another opening ends": numbered("$$ x{}\n"),
    "random containers, fence": random_containers(""),
    "random containers in an item": random_containers("  "),
    "lines of one random mark": random_lines(1, end=FENCE),
    "lines of two random marks": random_lines(2),
    "lines of three random marks": random_lines(3),
    "lines of four random marks": random_lines(4),
    "lines of seven random marks": random_lines(7),
    "lines of random math, three": random_lines(3, "$\\[] a-"),
    "lines of random math, seven": random_lines(7, "$\\[] a-"),
    "lines of random HTML, seven": random_lines(7, "<>/!-a p?", FENCE),
    "lines of random definitions, seven": random_lines(7, "[]:/a '\"()", FENCE),
    "lines of two random tokens": random_lines(2, TOKENS),
    "lines of four random tokens": random_lines(4, TOKENS),
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
