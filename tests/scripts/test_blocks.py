"""The boundary reader says what reading every line by itself says; what that says of a text."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from otel_footprint.scripts.blocks import FENCE, NONE, PARAGRAPH, RAW
from otel_footprint.scripts.boundary import read
from tests.quick import examples

from . import reference
from .markdown import MARKS, texts
from .reference import read_all

MANY = settings(max_examples=examples(800), deadline=None, suppress_health_check=list(HealthCheck))
SOME = settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck))
NEW = ["<h7>", "<h2 a", "12. ", "01. ", "- a9", "# 7", "$$ x", "x $$", "<pre>a</pre>", "<qx", "a>b",
       "  \n", "1. 1. 2. a", "[a]: /b\n'", "\n\nend\n"]  # fmt: skip
"""Marks that the reader has names for."""
long = st.lists(
    st.tuples(st.lists(st.sampled_from(MARKS + NEW), max_size=8).map("".join), st.integers(1, 900)),
    max_size=6,
).map(lambda runs: "".join(text * count for text, count in runs))
"""Texts of several stretches."""


@MANY
@given(text=texts)
def test_the_shortcuts_of_the_reader_change_nothing(text):
    assert read(text) == reference.read(text)


@SOME
@given(text=long)
def test_the_shortcuts_of_the_reader_change_nothing_in_long_texts(text):
    assert read(text) == reference.read(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{0}\n```\n{0}", "closed"),
        ("{0}\n\n```\n{0}\n```\n\n{0}", "clean"),
        ("- a\n{0}\n  ```\n{0}", "clean"),
        ("- a\n\n{0}\n\n  ```\n{0}", "closed"),
        ("<!-- {0}\n\n```\n", "unsettled"),
        ("<pre>\n{0}\n```\n</pre>\n~~~ py\n{0}\n```", "closed"),
        ("$$\n{0}\n```\n$$\n```\n", "unsettled"),
        ("$$\n{0}\n```\n{0}\n```\n$$\n{0}", "clean"),
        ("<div>\n{0}\n```\n{0}", "clean"),
        ("[a]: /b\n{0}\n<x>\n```", "closed"),
        ("``````````````````py\n{0}\n````````````````", "closed"),
    ],
)
@pytest.mark.parametrize("line", ["a {}", "- a{}", "{}. a", "# {}", "<t{}", "> {}", "{0}"])
def test_what_is_open_is_known_over_thousands_of_lines(text, kind, line):
    lines = "\n".join(line.format(number) for number in range(1500))
    for whole in (text.format(lines), text.format(lines + "\n\nend")):
        assert read(whole) == reference.read(whole)
    assert read(text.format("end"))[0].kind == kind


QUOTE = -1


@pytest.mark.parametrize(
    ("text", "inside", "leaf"),
    [
        ("> a", [QUOTE], PARAGRAPH),
        ("> a\nlazy", [QUOTE], PARAGRAPH),
        ("> a\n\nout", [], PARAGRAPH),
        ("> a\n>", [QUOTE], NONE),
        ("> > a\n> b", [QUOTE, QUOTE], PARAGRAPH),
        ("> > a\n>\n> b", [QUOTE], PARAGRAPH),
        ("> > a\n\nb", [], PARAGRAPH),
        ("> a\n> > b", [QUOTE, QUOTE], PARAGRAPH),
        ("> ```\n> > b", [QUOTE], FENCE),
        ("> ```\n> ```", [QUOTE], NONE),
        ("> ```\nout", [], PARAGRAPH),
        (">     code\nout", [], PARAGRAPH),
        ("> ~~~\n> ~~\n> ~~~ x", [QUOTE], FENCE),
        ("> <!--\n> -->", [QUOTE], NONE),
        ("> <!--\n> b", [QUOTE], RAW),
        ("> <div>\n> b", [QUOTE], RAW),
        ("> <div>\n>", [QUOTE], NONE),
        (">     >", [QUOTE], NONE),
        ("    > code", [], NONE),
        ("- a", [2], PARAGRAPH),
        ("-  a\n   b", [3], PARAGRAPH),
        ("-     code", [2], NONE),
        ("10) a\n\n    b", [4], PARAGRAPH),
        ("- a\n  - b\n    c", [2, 4], PARAGRAPH),
        ("- a\n  - b\n\n  c", [2], PARAGRAPH),
        ("- a\n  - b\n- c", [2], PARAGRAPH),
        ("-\n  a", [2], PARAGRAPH),
        ("-\n\n  a", [], PARAGRAPH),
        ("- a\n\n\n  b", [2], PARAGRAPH),
        ("a\n2. b", [], PARAGRAPH),
        ("a\n1. b", [3], PARAGRAPH),
        ("a\n-", [], NONE),
        ("a\n*", [], PARAGRAPH),
        ("a\n---", [], NONE),
        ("- - -", [], NONE),
        ("- * a", [2, 4], PARAGRAPH),
        ("- + - * a", [2, 4, 6, 8], PARAGRAPH),
        ("  > - > + * a", [QUOTE, 2, QUOTE, 2, 4], PARAGRAPH),
        ("a\n- > - b\n  > c", [2, QUOTE, 2], PARAGRAPH),
        ("- - * * *", [2, 4], NONE),
        ("- + - -", [2, 4, 6, 8], NONE),
        ("- - -   a", [2, 4, 8], PARAGRAPH),
        ("- > ```", [2, QUOTE], FENCE),
        ("> - > a\n> - b", [QUOTE, 2], PARAGRAPH),
        ("> - a\n>   > b", [QUOTE, 2, QUOTE], PARAGRAPH),
        ("> - a\n>   > b\n>", [QUOTE, 2], NONE),
        ("> - a\n>   > b\n>   > c", [QUOTE, 2, QUOTE], PARAGRAPH),
        ("> - a\n>   > b\n    > c", [QUOTE, 2, QUOTE], PARAGRAPH),
        ("- > a\n  > b", [2, QUOTE], PARAGRAPH),
        ("- > a\n\n  b", [2], PARAGRAPH),
        ("# h", [], NONE),
        ("#h", [], PARAGRAPH),
        ("====", [], PARAGRAPH),
        ("a\n====", [], NONE),
        ("***", [], NONE),
        ("**", [], PARAGRAPH),
        ("* *\t*", [], NONE),
        ("    code", [], NONE),
        ("a\n    more", [], PARAGRAPH),
        ("<x>", [], RAW),
        ("<x> y", [], PARAGRAPH),
        ("a\n<x>", [], PARAGRAPH),
        ("a\n<div>", [], RAW),
        ("<div>\n\na", [], PARAGRAPH),
        ("<?a?>", [], NONE),
    ],
)
def test_containers_and_the_open_leaf(text, inside, leaf):
    blocks = read_all(text)
    assert (blocks.inside, blocks.leaf) == (inside, leaf)
    assert blocks.quotes == [i for i, kind in enumerate(inside) if kind == QUOTE]


@pytest.mark.parametrize(
    "definition",
    [
        "[foo]: /url",
        "[foo]: </my url>",
        "[foo]: <>",
        "[foo]:\n/url",
        "[foo\nbar]: /url",
        "[f\\]o]: /url",
        "[foo]: /url 'title'",
        '[foo]: /url "a \\" b"  ',
        "[foo]: /url (title)",
        "[foo]: /url\n'title'",
        "[foo]: /url\n'two\nlines'",
        "[foo]: /url 'two\nlines'",
        "[foo]: /u(r)l",
        "[foo]: /url'title'",
        "[foo]: /u\\(rl",
        "[foo]: /a\n[bar]: /b",
        "> [foo]: /url",
    ],
)
def test_what_follows_a_complete_definition_begins_a_block(definition):
    prefix = "> " if definition.startswith(">") else ""
    assert read_all(f"{definition}\n{prefix}<x>").leaf == RAW


@pytest.mark.parametrize(
    "paragraph",
    [
        "[foo]",
        "[foo] : /url",
        "[ ]: /url",
        "[fo[o]: /url",
        "[foo]:",
        "[foo]: /url more",
        "[foo]: /url 'title' more",
        "[foo]: /u(rl",
        "[foo]: /url)",
        "[foo]: <url",
        "[foo]: " + "(" * 40 + ")" * 40,
        "[foo]: /url\n'title' more",
        "[foo]: /url 'open",
        "[foo]: /url (a (b))",
        "[foo]: /url\n(a (b)",
        "[foo]:\n2. x",
        "[" + "a\n" * 12 + "]: /url",
        "[" + "a" * 5000 + "]: /url",
        "a\n[foo]: /url",
    ],
)
def test_what_is_no_definition_stays_a_paragraph(paragraph):
    assert read_all(f"{paragraph}\n<x>").leaf == PARAGRAPH


def test_a_title_that_never_ends_is_no_title():
    assert read_all("[foo]: /url\n'open\n<x>").leaf == PARAGRAPH
    assert read_all("1. [foo]: /url\n'open\n   ```").inside == []
