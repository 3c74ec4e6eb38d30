"""Most lines need not be read: what is passed over changes nothing, and little is left to read."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from otel_footprint.scripts.boundary import _Reader, read
from tests.quick import examples

from . import reference

MANY = settings(max_examples=examples(800), deadline=None, suppress_health_check=list(HealthCheck))
TOKENS = [
    "- ", "> ", "1. ", "2. ", "* ", "-\n", "# ", "---", "=", " ", "  ", "   ", "    ", "```", "~~~",
    "````", "`", "a", " x", "<div>", "</div>", "<x>", "<!--", "-->", "<pre>", "</pre>", "<", "$$",
    "$", "\\[", "\\]", "[a]: /b", "[a]:", "'t", "'t'", "\n  ", "\n   ", "\n\n",
]  # fmt: skip
few = st.lists(st.sampled_from(TOKENS), min_size=2, max_size=8).flatmap(
    lambda tokens: st.lists(st.sampled_from([*tokens, "\n", "\n"]), max_size=60)
)
"""Texts of a few marks: the same lines before ever another one."""


@MANY
@given(tokens=few, times=st.sampled_from([1, 1, 1, 3, 200]))
def test_texts_of_a_few_marks_are_read_as_line_by_line(tokens, times):
    text = "".join(tokens) * times
    assert read(text) == reference.read(text)


@pytest.mark.parametrize("marks", ["-+*> `~<a1.\\$[]:#=_/'", "-> a1.`", "$\\[] a-", "<>/!-a p"])
@pytest.mark.parametrize("length", [3, 7])
def test_lines_of_random_marks_are_read_as_line_by_line(marks, length):
    draw = random.Random(length)
    for _ in range(3):
        lines = ("".join(draw.choices(marks, k=length)) for _ in range(1500))
        text = "\n".join([*lines, "   ```"])
        assert read(text) == reference.read(text)


FAR = "\n\nThere is nothing here that opens anything.\n" * 10
"""So much that the line behind it is looked at by itself."""


@pytest.mark.parametrize(
    "text",
    [
        "- a{far}\n  ```",
        "- a\n{far}- b\n  ```",
        "- a\n  ```\n{item}   ~~~\n{item}  <pre>\nb",
        "- a\nlazy\n  ```",
        "2. a\nlazy\n   ```",
        "a\n2. b\n   ```",
        "{far}a\n-\n  ```",
        "1.\n{far}   ```",
        "- a\n{far}$$ x\n  ```\n",
        "$$\n# a\n{far}$$\n- b\n  ```",
        "{far}$$\n{far}- $$\n  ```",
        "{far}$$\n{far}- ```\n  $$\n",
        "{far}$$\n{far}> ```\n> $$\n",
        "{far}$$\n{far}    $$\n",
        "{far}$$\n{far}# $$\n",
        "$$\n{far}~~~ $$\n{far}\n~~~\n{far}$$",
        "$$\n{far}\\[\n{far}<div> $$\n\n{far}\\]\n$$\n\\[\n{far}\\] $$",
        "$$\n{far}$$$\n{far}$$\n```\n{far}$$\n```\n{far}",
        "{far}$$\n{far}2. $$\n",
        "\\[\n-```\\]",
        "\\[\n    # \\]",
        "1. a\n{far}10. b\n   ```",
        "1    \n```\n.\n\n1. 1.   1. ``1. \n   `  \n1. \n\n   ```\n1. \n   1. 1   \n\n   `\n"
        "1. \n\n   ```",
        "- a\n10. b\n   ```",
        "a\n10. b\n   ```",
        "{far}$$ a $$\n{far}$$$ a\n{far}a $$ b\n   ~~~",
        "{far}\\[ a \\]\n{far}\\[ a\n{far}- a \\] b\n   ~~~",
        "{far}<div>\n```\n\n{far}<div>\n```",
        "{far}a\n<x>\n```",
        "{far}\n<x>\n```",
        "{far}[a]:\nfoo\n<x>\n```",
        "{far}<!--\na -->\n<x>\n```",
        "{far}<h7>\n```",
        "{far}a\n</h6>\n```",
        "{far}a\n<H1>\n```",
        "{far}```a`b\n{far}~~~ a`b\n",
        "{far}```\n{far}$$\n```\n{far}",
        "- - - b\n{far}- + > - 1. a\n  ```",
        "- a\n{item}{far}\n{item}  $$\n  ```\n  b $$\n- c\n\n  ```\n   d\n\n   ```py\n```",
        "1. a\n\n   ```\n   b\n   ```\n2. c\n{far}   ```",
        "$$\n- a\n{item}   ```\n{item}  $$\n  ```",
    ],
)
def test_what_a_line_does_that_is_looked_at_by_itself(text):
    item = "  a line of the item that opens nothing\n" * 10
    whole = text.format(far=FAR, item=item)
    for more in ("", "\n", "\n\nend", FAR + "   ```\n"):
        assert read(whole + more) == reference.read(whole + more)


@pytest.mark.parametrize("mark", ["- ", "1. ", "* > ", "> - + ", "12) "])
@pytest.mark.parametrize("end", ["a", "```", "<!--", "# a", "", "- - -"])
def test_of_what_one_line_nests_only_so_much_counts_as_others_reach(mark, end):
    for reach in ("", "  ", " " * 600, " " * 3000, "> " * 800, ">   " * 300):
        for more in (f"{reach}```", f"{reach}a\n\n   ```", f"\n{reach}```\n  ~~~"):
            text = f"{mark * 1500}{end}\n{more}"
            assert read(text) == reference.read(text)


@pytest.mark.parametrize(
    "line",
    [
        "a{}", "- a{}", "{}. a", "> a{}", "# {}", "<x{}>\n", "</x{}>", "<div id={}>\n", "<br>{}",
        "<pre>{}</pre>", "<pre>\n{}\n</pre>", "<!-- {} -->", "<?{}?>", "```w{}\nx\n```",
        "~~~ w{}\nx\n~~~", "```\nx{}\n```", "$$\nx{}\n$$", "$$ x{}", "$$ x{} $$", "\\[\nx{}\n\\]",
        "[a{}]: /b", "[a{}]:\n/b", "[a]: /b\n'{}'", "[a{}", "\\{}", "`{}`", "- a{}\n  ```\n  ```",
        "1. a{}\n   ```py\n   x\n   ```", "> ```{}\n> ```", "    {}", "{}\n===", "**{}**",
    ],
)  # fmt: skip
def test_lines_that_are_ever_new_are_hardly_looked_at_one_by_one(looked_at, line):
    text = "\n".join(line.format(number) for number in range(5000))
    for whole in (text, text + "\n   ```", "- a\n" + text + "\n   ```"):
        assert looked_at(whole) < 500


@pytest.mark.parametrize(
    "marks", ["-+*> `~<a1.\\$[]:#=_/'", "-> a1.`", "$\\[] a-", "<>/!-a p", "[]:/a '\"()"]
)
def test_most_lines_of_random_marks_are_not_looked_at(looked_at, marks):
    draw = random.Random(1)
    lines = ["".join(draw.choices(marks, k=7)) for _ in range(20_000)]
    assert looked_at("\n".join([*lines, "   ```"])) < 4000


@pytest.mark.parametrize("line", ["[a]: /b c", "- [a]: /b<!-- #", "[a] b", "[]: /b", "[a]: <b"])
def test_what_turns_out_at_once_to_be_no_definition_is_remembered(looked_at, line):
    assert looked_at(f"$$\n\n{line}\n\n$$\n\n  ```\n\n{line}\n\n  ```\n" * 2000) < 500


def test_of_random_containers_only_the_last_are_looked_at(looked_at):
    draw = random.Random(1)
    lines = [
        " " * draw.randint(0, 20) + draw.choice(["- ", "* ", "> ", "1. ", ""]) + "a"
        for _ in range(20_000)
    ]
    assert looked_at("\n".join([*lines, "   ```"])) < 200


def test_what_stands_inside_a_list_item_is_passed_over(looked_at):
    lines = [
        f"  - a{n}\n\n    text {n}\n\n  ```py\n  {n}\n  ```" + "\n  x" * 99 for n in range(200)
    ]
    assert looked_at("- a\n" + "\n".join(lines)) < 200


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"- a{n}\n  ```\n" for n in range(10_000)),
        "".join("- a\n  ```\n" * 300 + f"\nw{n}\n\n" for n in range(30)),
        "".join(f"- a\n{'x' * 70}{n}\n  ```\n" for n in range(5000)),
        "".join(f"- a\n{'x' * 200}{n}\n\n  ```\n" for n in range(5000)),
    ],
)
def test_lines_that_are_close_are_read_in_one_go(monkeypatch, text):
    count = 0
    original = _Reader._look

    def counted(self, line, group):
        nonlocal count
        count += 1
        original(self, line, group)

    monkeypatch.setattr(_Reader, "_look", counted)
    assert read(text).boundary.kind == "clean"
    assert count < 1000
