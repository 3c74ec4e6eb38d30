"""The structure read line by line, without any shortcut, says what the boundary reader says."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from otel_footprint.scripts.blocks import FENCE, NONE, PARAGRAPH, RAW, Blocks
from otel_footprint.scripts.boundary import _normal, read

from .markdown import texts


def read_all(text):
    """The blocks after every line of a text."""
    blocks = Blocks(_normal(text))
    while blocks.at < len(blocks.text):
        blocks.line()
    return blocks


def verdict(text):
    blocks = read_all(text)
    if blocks.inside or blocks.leaf not in (FENCE, RAW) or (blocks.leaf == RAW and blocks.kind > 5):
        return ("clean", "", 0)
    if blocks.leaf == FENCE:
        return ("closed", blocks.char, blocks.length)
    return ("unsettled", "", 0)


@settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=texts)
def test_the_shortcuts_of_the_reader_change_nothing(text):
    boundary, reason = read(text)
    if reason != "math":
        assert verdict(text) == boundary


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
