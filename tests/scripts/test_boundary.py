"""What a text leaves open for a block behind it."""

from __future__ import annotations

import pytest

from otel_footprint.scripts.boundary import read, read_boundary

CLEAN, UNSETTLED = ("clean", "", 0), ("unsettled", "", 0)


def closed(line):
    return ("closed", line[0], len(line))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain text",
        "```\nx\n```",
        "```\nx\n``````",
        "```a`b\nx",
        "    ```\nx",
        "text `` ``` inline",
        "~~~\n```\n~~~\n",
        "- ```\n  open in the item",
        "1. a\n\n   ```py\n   open",
        "> ```\n> open",
        "> <!-- open in the quote",
        "- <pre>\n  open in the item",
        "<div>\n<p>no blank line",
        "<x-y>\nstill open",
        "<div>\n```\nno fence, this is HTML",
        "<!-- closed -->",
        "<pre>\n</pre>",
        "a line with <!-- inside",
        "$$\nx\n$$",
        "$$ x $$",
        "\\[ x \\]",
        "It cost $$ and more",
        "- $$\n  in an item",
        "```\n$$\n```",
        "`$$`",
    ],
)
def test_nothing_at_top_level_is_open(text):
    assert read_boundary(text) == CLEAN
    assert read_boundary(text + "\n") == CLEAN


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("see\n```", "```"),
        ("see\n\n`````md\n```\n", "`````"),
        ("~~~~ `x\nopen\n~~~", "~~~~"),
        (" ```\nopen", "```"),
        ("   ~~~\nopen", "~~~"),
        ("- item\n```\nleft the item", "```"),
        ("- item\n\n  ```\n  x\n  ```\n\n```\nopen", "```"),
        ("> quote\n```\nleft the quote", "```"),
        ("```\n$$\n", "```"),
        ("```\n<!--\n", "```"),
        ("```\r\nx\r\n", "```"),
        ("```\n\t```", "```"),
        ("`" * 20 + "\n" + "`" * 18, "`" * 20),
        ("`" * 20 + "\n" + "`" * 18 + "\n" + "`" * 20 + "\n~~~", "~~~"),
        ("```\na\n```\n~~~\nb\n~~~\n```\nopen", "```"),
        ("1. a\n   " + "`" * 18 + "\n   " + "`" * 17 + "\n" + "~~~~", "~~~~"),
        ("<div>\n\n```\nafter the blank line", "```"),
        ("paragraph\n<x>\n```\nkind 7 interrupts nothing", "```"),
    ],
)
def test_an_open_fence_is_closed_by_its_own_character_and_length(text, line):
    assert read_boundary(text) == closed(line)
    assert read_boundary(text).closing_line == line


@pytest.mark.parametrize(
    "opening",
    ["<!--", "<pre", "<SCRIPT>", "<style>", "<textarea>", "<?php", "<!DOCTYPE", "<![CDATA["],
)
def test_html_that_no_blank_line_ends_is_unsettled(opening):
    for indent in ("", " ", "   "):
        assert read(f"text\n\n{indent}{opening}\n\nmore") == (UNSETTLED, "html")
    assert read_boundary(f"text\n\n    {opening}\n\nindented code") == CLEAN


@pytest.mark.parametrize(
    "text", ["$$", "a\n$$\nx = 1", "  $$ x\n\ny", "\\[", "a\n\\[ x\n", "- i\n$$\n"]
)
def test_display_math_that_has_no_end_is_unsettled(text):
    assert read(text) == (UNSETTLED, "math")


@pytest.mark.parametrize(
    "text",
    [
        "$$\na\n- b\n$$",
        "$$\n- b $$",
        "\\[\nx\n\\] and so on",
        "$$\n```\nx\n```\n$$\n",
        "$$ a\nb $$",
    ],
)
def test_display_math_is_ended_by_its_mark_where_it_stands_in_text(text):
    assert read_boundary(text) == CLEAN


def test_the_end_mark_of_math_does_not_count_inside_code():
    assert read("$$\n```\n$$\n```\n") == (UNSETTLED, "math")
    assert read("$$\n~~~ $$\nx\n~~~\n") == (UNSETTLED, "math")
    assert read("$$\n<div $$\n") == (UNSETTLED, "math")


def test_a_tab_is_as_wide_as_its_column_says():
    assert read_boundary("-\ta\n\n\t```\n\tin the item") == CLEAN
    assert read_boundary("\t```\nindented code") == CLEAN


def test_the_character_zero_is_what_renderers_replace_it_by():
    assert read_boundary("<a b=\0>\n```\n\n") == CLEAN


def test_a_line_that_goes_on_a_paragraph_lazily_leaves_the_item_open():
    assert read_boundary("- a\nlazy\n  ```\n  in the item") == CLEAN
    assert read_boundary("- a\n\nout\n  ```\n  at top level") == closed("```")


def test_a_lazy_line_behind_four_blanks_is_text_whatever_it_looks_like():
    """As the specification says; markdown-it and cmark-gfm take `<x>` for HTML here."""
    assert read_boundary("1.   a\n    ```\n<x>\n```\nfence") == closed("```")


def test_a_definition_ends_where_it_is_complete():
    assert read_boundary("[foo]: /url\n<x>\n```\nHTML") == CLEAN
    assert read_boundary("[foo]: /url\n'title'\n<x>\n```\nHTML") == CLEAN
    assert read_boundary("[foo]: /url garbage\n<x>\n```\nfence") == closed("```")


@pytest.mark.parametrize(
    "text",
    [
        "`" * 100_000,
        ">" * 10_000 + "a\n" + ">" * 10_000 + "\n   ```",
        "> - " * 2_000 + "x\n" + "   ```\n",
        "- " * 5_000 + "x\n   ```\n" + " " * 10_000 + "```",
        "\n".join(" " * (2 * n) + "- a" for n in range(300)) + "\n   ```",
        "[" * 20_000 + "\n   ```",
        "<a" + " b" * 20_000 + "\n   ```",
        "* " * 20_000 + "a *\n   ```",
        "* - " * 10_000 + "\n   ```",
        "$$\n" * 20_000,
        "\n \n" * 20_000 + "   ```",
        "\n".join("`" * n for n in range(3, 500)),
    ],
)
def test_hostile_texts_are_read_to_the_end(text):
    assert read_boundary(text).kind in ("clean", "closed", "unsettled")


def test_the_work_grows_no_faster_than_the_text(looked_at):
    for count in (100, 1000):
        items = "- a\n\n  ```\n  x\n  ```\n" * count
        assert looked_at(items + "1. b\n   ```\n" * count) <= 8 * count
