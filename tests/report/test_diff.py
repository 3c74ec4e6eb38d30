"""A comparison in a terminal: signs beside colours, words that changed marked, nothing unsafe."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from otel_footprint.report import diff as printed
from otel_footprint.report.diff_json import as_json
from otel_footprint.report.plain import cells

from ..trail.builder import Turn, Writer, assistant, system, tool, user
from ..trail.conftest import read
from ..trail.test_compare import story

HOSTILE = "x\x1b[2J\u202eevil\u0007 <script>alert(1)</script> 日本 " + "long " * 60


def lines(before: int, after: int, writer: Writer | None = None, **options: Any) -> list[str]:
    trail = read((writer or story()).spans)
    return list(printed.render(trail, trail.diff(before, after), **options))


def test_words_that_changed_are_marked() -> None:
    text = "\n".join(lines(2, 3))
    assert "The fee is [-15-]{+20+} % of the price" in text
    assert "- 1 user · 32 chars" in text
    assert "fact · eu · after lookup" in text
    assert "~ options.seed: 1 → 2" in text
    assert "Looks{+ it up+}." in text


def test_colour_says_nothing_that_signs_do_not() -> None:
    plain = lines(1, 3)
    assert [re.sub(r"\x1b\[[0-9;]*m", "", x) for x in lines(1, 3, color=True)] == plain


@pytest.mark.parametrize("width", [60, 100, 160])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_no_line_is_too_wide_or_unsafe(width: int, ascii_only: bool) -> None:
    writer = Writer()
    turn = Turn(writer)
    turn.call([system(HOSTILE)], [user("a")], [tool("t", HOSTILE)])
    turn.call([system(HOSTILE + "more")], [user(HOSTILE)], [tool("t", "x" + HOSTILE)])
    turn.end()
    for line in lines(1, 2, writer, width=width, ascii_only=ascii_only):
        assert cells(line) <= width
        assert line.isprintable()
        assert line.isascii() or not ascii_only


def test_without_texts_hash_and_size_stand_there() -> None:
    writer = Writer(content="none")
    turn = Turn(writer)
    turn.call([system("one")], [user("a")])
    turn.call([system("two!")], [user("a"), assistant("b")])
    turn.end()
    text = "\n".join(lines(1, 2, writer))
    assert len(re.findall(r"[+-] [0-9a-f]{12}, \d\d chars \(its text is not here\)", text)) == 3
    assert "parameters  the same" in text


def test_as_json_it_holds_the_same() -> None:
    trail = read(story().spans)
    made = json.loads(json.dumps(as_json(trail.diff(2, 3))))
    assert made["same"] is False
    kinds = {s["slot"]: [p["kind"] for p in s["pieces"]] for s in made["slots"]}
    assert kinds == {
        "system": ["changed", "moved"], "messages": ["removed", "added"], "tools": ["changed"],
    }  # fmt: skip
    assert made["parameters"] == [{"path": "options.seed", "before": "1", "after": "2"}]
    assert made["after"]["number"] == 3
