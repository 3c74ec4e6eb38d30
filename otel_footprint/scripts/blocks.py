"""The block structure of a CommonMark text, read line by line: containers and the open leaf.

Only what a boundary needs: which quotes and list items are open, and whether the block at their
end is a paragraph, a fence or raw HTML. The cost of a line is bounded by its length, however deep
the nesting: runs of quotes and runs of list items are matched at once.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import accumulate, count
from operator import add
from sys import maxsize
from typing import Final

from .definition import Definition
from .patterns import (
    HEADING,
    HTML,
    HTML_END,
    MARKER,
    QUOTES,
    RUN,
    SPACES,
    STEPS,
    TAG,
    UNDERLINE,
)

NONE, PARAGRAPH, FENCE, RAW = range(4)
"""Kinds of the open leaf; `NONE` also stands for indented code, which nothing continues lazily."""

_QUOTE: Final = -1
_SPECIAL: Final = frozenset("`~>#<=-_*+[0123456789")
OTHER, TEXT, TOP_TEXT = range(3)
"""What `Blocks.line` says of a line: no text, text in a container, text outside of any."""


class Blocks:
    """Reads `text`, which begins with a line feed, has no tabs and no carriage returns.

    `at` is the line feed before the next line, or the length of the text at its end.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.inside: list[int] = []
        """Open containers: a quote, or of a list item the column where its content begins."""
        self.quotes: list[int] = []
        """Positions of the quotes in `inside`."""
        self.leaf = NONE
        self.char = ""
        self.length = 0
        """Character and length of an open fence."""
        self.kind = 0
        """Kind of an open HTML block."""
        self.childless = False
        """True while the innermost list item has no content."""
        self.definition: Definition | None = None
        self.base = 0
        """Where the columns of list items are counted from, on the line that is being read."""
        self.stems: dict[str, tuple[int, int]] = {}
        """Of a line (by its end): behind which position there is only this character and blanks."""
        self.moved = False
        """True once a container was opened or ended, since the last `read` began."""
        self.most = maxsize
        """Containers of one line that are kept: no other line reaches so deep."""

    # --- from line to line -------------------------------------------------------------------

    def enter(self, inside: tuple[int, ...]) -> None:
        """Goes on inside these containers."""
        self.inside = list(inside)
        self.quotes = [i for i, kind in enumerate(inside) if kind == _QUOTE]

    def read(self, line: str, ahead: str | None = None) -> int:
        """Reads one line, with the text from it on where that counts; see `line`."""
        self.text = "\n" + (line if ahead is None else ahead)
        self.at = 0
        self.moved = False
        self.stems.clear()
        return self.line()

    # --- one line ----------------------------------------------------------------------------

    def line(self) -> int:
        """Reads a line and says whether it is text: `OTHER`, `TEXT` or `TOP_TEXT`."""
        text = self.text
        start = self.at + 1
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        self.at = end
        self.base = pos = start
        matched = 0
        if self.inside:
            matched, pos = self._continue(start, end)
        first = pos
        if text.startswith(" ", pos):
            first = _skip(text, pos, end)
        if first >= end:
            self._blank(matched)
            return OTHER
        if self.leaf > PARAGRAPH and matched == len(self.inside):
            self._inner(pos, first, end)
            return OTHER
        return self._open(pos, first, end, matched)

    def _continue(self, pos: int, end: int) -> tuple[int, int]:
        """How many containers the line continues, and where its rest begins."""
        text, inside, quotes = self.text, self.inside, self.quotes
        if not quotes:
            first = _skip(text, pos, end)
            matched = bisect_right(inside, first - pos)
            return matched, pos + (inside[matched - 1] if matched else 0)
        if len(quotes) == len(inside):
            count, after = _quotes(text, pos, end)
            if count > len(quotes) and self.leaf < FENCE:
                self._enter(len(quotes), count - len(quotes))
            if count <= len(quotes):
                self.base = after
                return count, after
        return self._step(pos, end)

    def _step(self, pos: int, end: int) -> tuple[int, int]:
        text = self.text
        base, first = pos, _skip(text, pos, end)
        matched = 0
        for want in self.inside:
            if want != _QUOTE:
                if first - base < want:
                    break
                pos = base + want
            elif first >= end or first - pos > 3 or text[first] != ">":
                break
            else:
                base = pos = first + 2 if text.startswith(" ", first + 1, end) else first + 1
                first = _skip(text, pos, end)
            matched += 1
        self.base = base
        return matched, pos

    def _blank(self, matched: int) -> None:
        """The rest of the line is blank: quotes that it does not continue end, items do not."""
        quotes = self.quotes
        if quotes and quotes[-1] >= matched:
            index = len(quotes) - 1
            while index and quotes[index - 1] >= matched:
                index -= 1
            self._truncate(quotes[index])
            return
        if self.leaf == PARAGRAPH or (self.leaf == RAW and self.kind > 5):
            self.leaf = NONE
        self.definition = None
        if self.childless:
            self._truncate(len(self.inside) - 1)

    def _inner(self, pos: int, first: int, end: int) -> None:
        """A line inside an open fence or HTML block: does it end it?"""
        text = self.text
        if self.leaf == FENCE:
            if first - pos <= 3 and text[first] == self.char:
                run = _span(RUN, text, first, end)
                if run - first >= self.length and _skip(text, run, end) >= end:
                    self.leaf = NONE
        elif self.kind < 6:
            pattern = HTML_END[self.kind]
            if pattern is not None and pattern.search(text, first, end):
                self.leaf = NONE

    def _truncate(self, length: int) -> None:
        """Ends the containers from `length` on, and with them the open leaf."""
        if length < len(self.inside):
            self.moved = True
        del self.inside[length:]
        quotes = self.quotes
        del quotes[bisect_left(quotes, length) :]
        self.leaf = NONE
        self.childless = False
        self.definition = None

    # --- beginnings --------------------------------------------------------------------------

    def _open(self, pos: int, first: int, end: int, matched: int) -> int:
        """A line that no fence or HTML block takes: what it begins, or the paragraph's next."""
        text = self.text
        definition = self.definition
        if definition is not None and definition.ended_before(text, first):
            self.leaf, self.definition = NONE, None
        paragraph = self.leaf == PARAGRAPH
        direct = paragraph and matched == len(self.inside)
        top = matched == 0
        while True:
            char = text[first]
            if first - pos > 3:
                if paragraph:
                    break
                self._begin(matched, NONE)
                return OTHER
            if char not in _SPECIAL:
                break
            after = self._container(first, end, matched, paragraph and direct)
            if after:
                paragraph = top = False
                pos = after
                first = _skip(text, pos, end)
                matched = len(self.inside)
                if first >= end:
                    return OTHER
                continue
            if self._leaf(char, first, end, matched, paragraph, direct):
                return OTHER
            break
        self._text(char, first, end, matched, paragraph)
        return TOP_TEXT if top else TEXT

    def _text(self, char: str, first: int, end: int, matched: int, paragraph: bool) -> None:
        if not paragraph:
            self._begin(matched, PARAGRAPH)
            if char == "[":
                self.definition = Definition(self.text[first:end])
        elif self.definition is not None:
            self.definition.add(self.text[first:end])
        if self.definition is not None and self.definition.over:
            self.definition = None

    def _begin(self, matched: int, leaf: int) -> None:
        """A leaf begins inside the first `matched` containers."""
        if matched < len(self.inside):
            self._truncate(matched)
        self.leaf = leaf
        self.childless = False
        self.definition = None

    def _container(self, first: int, end: int, matched: int, interrupts: bool) -> int:
        """Opens a quote or a list item; where its content begins, 0 when there is none."""
        text = self.text
        char = text[first]
        run = None if interrupts and char.isdigit() else STEPS.match(text, first, end)
        if run is not None:
            last = run.end() if char.isdigit() else _alternating(text, first, run.end(), end)
            last = min(last, self._stem("-", end), self._stem("*", end))
            last = text.rfind(" ", first, last) + 1
            if text.count(" ", first, last) > 1:
                return self._steps(first, last, matched)
        if char == ">":
            count, after = _quotes(text, first, end)
            self._enter(matched, count)
            self.base = after
            return after
        if char not in "-+*0123456789":
            return 0
        marker = MARKER.match(text, first, end)
        if marker is None or (interrupts and UNDERLINE.match(text, first, end)):
            return 0
        if char in "-*" and self._is_rule(first, end):
            return 0
        after = marker.end()
        content = _skip(text, after, end)
        empty = content >= end
        if interrupts and (empty or (marker.group(1) and int(marker.group(1)) != 1)):
            self.definition = None  # the line goes on a paragraph, but no definition
            return 0
        blanks = content - after
        pos = after + (blanks if not empty and blanks < 5 else 1)
        self._begin(matched, NONE)
        self.inside.append(pos - self.base)
        self.moved = True
        self.childless = empty
        return pos

    def _steps(self, first: int, after: int, matched: int) -> int:
        """Opens what `STEPS` found: containers that follow one another, one blank behind each."""
        self._begin(matched, NONE)
        self.moved = True
        inside, at, most = self.inside, first - self.base, self.most
        text = self.text
        if text[first].isdigit():
            widths = map(len, text[first : after - 1].split(" ", most)[:most])
            inside.extend(map(add, accumulate(widths), count(at + 1)))
        elif text.find(">", first, after) < 0:
            inside.extend(range(at + 2, at + after - first + 1, 2)[:most])
        else:
            for mark in text[first:after:2][:most]:
                at += 2
                if mark == ">":
                    self.quotes.append(len(inside))
                    at = 0
                inside.append(at or _QUOTE)
            self.base = after - at
        return after

    def _enter(self, matched: int, count: int) -> None:
        """Opens `count` quotes inside the first `matched` containers."""
        self._begin(matched, NONE)
        self.quotes.extend(range(matched, matched + count))
        self.inside.extend([_QUOTE] * count)
        self.moved = True

    def _is_rule(self, first: int, end: int) -> bool:
        """True for a thematic break. Where its last other character stands is found once a line."""
        text = self.text
        char = text[first]
        if end - first < 3 or (text[end - 1] != char and text[end - 1] != " "):
            return False
        return first >= self._stem(char, end) and text.count(char, first, end) > 2

    def _stem(self, char: str, end: int) -> int:
        """Behind which position of a line there is only this character and blanks."""
        line, stem = self.stems.get(char, (0, 0))
        if line != end:
            start = self.text.rfind("\n", 0, end) + 1
            stem = start + len(self.text[start:end].rstrip(char + " "))
            self.stems[char] = (end, stem)
        return stem

    def _leaf(
        self, char: str, first: int, end: int, matched: int, paragraph: bool, direct: bool
    ) -> bool:
        """Opens or completes a leaf that is no paragraph; False when the line is text."""
        text = self.text
        if char == "#":
            found = HEADING.match(text, first, end) is not None
        elif char in "`~":
            return self._fence(char, first, end, matched)
        elif char == "<":
            return self._html(first, end, matched, paragraph)
        elif paragraph and direct and char in "=-" and UNDERLINE.match(text, first, end):
            found = True
        else:
            found = char in "-*_" and self._is_rule(first, end)
        if found:
            self._begin(matched, NONE)
        return found

    def _fence(self, char: str, first: int, end: int, matched: int) -> bool:
        text = self.text
        run = _span(RUN, text, first, end)
        if run - first < 3 or (char == "`" and text.find("`", run, end) >= 0):
            return False
        self._begin(matched, FENCE)
        self.char, self.length = char, run - first
        return True

    def _html(self, first: int, end: int, matched: int, paragraph: bool) -> bool:
        found = HTML.match(self.text, first, end)
        kind = found.lastindex or 0 if found else 0
        if not kind and not paragraph and self.text[first:end].rstrip().endswith(">"):
            kind = 7 if TAG.match(self.text, first, end) else 0
        if not kind:
            return False
        pattern = HTML_END[kind] if kind < 6 else None
        ended = pattern is not None and pattern.search(self.text, first, end)
        self._begin(matched, NONE if ended else RAW)
        self.kind = kind
        return True


def _skip(text: str, pos: int, end: int) -> int:
    if pos >= end or text[pos] != " ":
        return pos
    return _span(SPACES, text, pos, end)


def _span(pattern: re.Pattern[str], text: str, pos: int, end: int) -> int:
    """Where the run of characters ends that `pattern` takes, which may be empty."""
    found = pattern.match(text, pos, end)
    return found.end() if found is not None else pos


def _alternating(text: str, first: int, last: int, end: int) -> int:
    """Where marks end that have one blank behind each, from the first on; another one follows."""
    marks, blanks = text[first:last:2], text[first + 1 : last : 2]
    most = len(blanks) - len(blanks.lstrip(" "))
    gap = marks.find(" ", 0, most)
    last = first + 2 * (most if gap < 0 else gap)
    return last if last < end and text[last] != " " else last - 2


def _quotes(text: str, pos: int, end: int) -> tuple[int, int]:
    """How many quote markers follow one another, and where their content begins."""
    span = text[pos : _span(QUOTES, text, pos, end)]
    if span.startswith("    "):
        return 0, pos
    gap = span.find("     ")
    if gap >= 0:
        span = span[:gap]
    last = span.rfind(">") + 1
    if not last:
        return 0, pos
    after = pos + last
    return span.count(">"), after + 1 if text.startswith(" ", after, end) else after
