"""What a text leaves open for what is written after it, as a CommonMark renderer reads it.

`clean`: a block that begins after a blank line stands at top level. `closed`: it does so after a
closing line for an open fence. `unsettled`: no line makes it so (raw HTML that only its own end
mark ends), or display math is open. Everything inside a list item or a quote is ended by leaving
it, so only what stands at top level counts.

So most of a text need not be read. Only a line that begins, behind at most three blanks, with a
fence, HTML or a mark of display math opens anything at top level, and what is open there is ended
by its own mark alone. Whether such a line stands at top level is mostly plain: it does where no
list item has room for it. Where it is not plain, or where such lines are close together, what lies
before is read by `Machine`: from the last line on that begins the same after whatever was open.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from ..records.scripts import Boundary
from .keys import holds_raw_html, normal
from .machine import MATH_END, Machine, State
from .patterns import HTML_END
from .places import ITEM, LAST_ITEM, LEAVING, PLACES, RESET, TEXT, UNDER_MATH

_MARKS: Final = ("```", "~~~", "$$", "\\[")
_CLOSE: Final = 512
"""Characters between lines that have to be looked at, so few that what lies between is read."""
_FIRST: Final = 16
"""Characters that are read on where two such lines are close; with each one more, twice as many."""
_TRIAL: Final = 256
"""Characters that are read before it counts what that cost."""
_STRETCH: Final = 4096
"""Characters that are read at most before it is looked for what need not be."""
_PAUSE: Final = 64
"""Lines that are looked at by themselves, at the least, where reading on was dear."""
_SHORT: Final = 64
"""Mean length of lines of which each costs more than its characters."""
_FENCE: Final = 16
"""Length of the longest fence whose closing line is searched for."""


class Reading(NamedTuple):
    """A boundary and, when it is unsettled, why: `html` or `math`; else empty."""

    boundary: Boundary
    reason: str


_CLEAN: Final = Reading(Boundary("clean"), "")


def read_boundary(text: str) -> Boundary:
    """The boundary after `text`, read as if a line break followed. Linear in its length."""
    return read(text).boundary


def read(text: str) -> Reading:
    """The boundary after `text` with its reason."""
    if not any(mark in text for mark in _MARKS) and not holds_raw_html(text):
        return _CLEAN
    state = _Reader(normal(text)).read()
    if state.math:
        return Reading(Boundary("unsettled"), "math")
    if state.fence:
        return Reading(Boundary("closed", state.char, state.length), "")
    return Reading(Boundary("unsettled"), "html") if state.raw else _CLEAN


class _Reader:
    """Reads a text in normal form, leaving out what need not be read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.machine = Machine(text)
        self.state = self.machine.start
        self.at = 1
        """Where a line begins before which the state is `state`."""
        self.seen = 1
        """Where a line begins before which nothing but display math is open at top level."""
        self.math = ""
        """The end mark of that display math."""
        self.ends = dict.fromkeys(MATH_END.values(), 0)
        """Where the first end mark of its kind stands behind `seen`, or before that."""
        self.turned = 1
        """Where a line begins from which on to `seen` it did not change, if that is behind `at`."""
        self.without = 1
        """Where a line begins before which no list item is open; `at` where that is not known."""
        self.within = 1
        """Where a line begins; from `at` on to it none leaves the list item; -1: one does."""
        self.words = "]" not in text or "]:" not in text
        """True when a line that begins with a letter leaves a paragraph open."""
        self.last = 0
        """Up to where lines were looked at, or read."""
        self.stretch = 0
        """Characters that may be read on, more of them the longer such lines are close."""
        self.dear, self.pause = 0, _PAUSE
        """How many more lines are looked at by themselves, and how many the next time."""

    def read(self) -> State:
        """The state at the end, as far as it counts."""
        text = self.text
        if _repeats(text):
            return self.machine.run(self.state, 1, len(text))
        while self.seen < len(text):
            line, group = self._next()
            if line < 0:
                return self.machine.resting(self.math)
            self._look(line, group)
        return self.state if self.at == self.seen else self.machine.resting(self.math)

    def _next(self) -> tuple[int, str | None]:
        """The next line that has to be looked at, and its group: `tag`, or `end` of math; -1: none.

        A line that may open something counts as that, also where it holds the end of math.
        """
        text, seen, math = self.text, self.seen, self.math
        if math:
            mark = self.ends[math]
            if mark < seen:
                mark = text.find(math, seen)
                self.ends[math] = mark = mark if mark >= 0 else len(text)
            stop = text.find("\n", mark) + 1 or len(text)
            place = UNDER_MATH.search(text, seen - 1, stop)
            if place is None:
                return (text.rfind("\n", 0, mark) + 1, "end") if mark < len(text) else (-1, None)
        else:
            place = PLACES.search(text, seen - 1)
        return (place.start() + 1, place.lastgroup) if place is not None else (-1, None)

    def _look(self, line: int, group: str | None) -> None:
        """Looks at a line that may open or end something at top level."""
        text = self.text
        end = text.find("\n", line) + 1
        gap, self.last = line - self.last, line
        self.dear -= 1
        self.stretch = 2 * self.stretch + _FIRST if gap < _CLOSE and self.dear < 0 else 0
        if line - self.at >= self.stretch and self._plain(line, end, group):
            return
        if self._reset(line) and not self.stretch and group != "end" and self._enter(line):
            self.seen = end
            return
        start, known = self.at, self.machine.worked_out
        self.last = text.find("\n", min(end - 1 + min(self.stretch, _STRETCH), len(text) - 1)) + 1
        self._run(line, self.last)
        if 2 * (self.machine.worked_out - known) * gap <= self.last - start + _TRIAL:
            self.pause = _PAUSE
        else:  # lines that are new cost more than to look at the few that have to be
            self.dear, self.pause = self.pause, 2 * self.pause

    def _plain(self, line: int, end: int, group: str | None) -> bool:
        """Deals with a line by itself; False where it has to be known what stands before it."""
        text = self.text
        if (group == "tag" and self._goes_on(line)) or (group != "end" and self._within(line)):
            self.seen = end
            return True
        if group == "tag" or not self._top(line):
            return False
        first = text[line:end].lstrip(" ")[0]
        if group == "end":
            if TEXT.match(text, line) is None:
                return False
            self.math = ""
            self.seen = self.turned = end
        elif first in MATH_END:
            self.math = MATH_END[first]
            self.seen = self.turned = end
        else:
            self._leave(self.machine.resting(self.math)[text[line : end - 1]], end)
        return True

    def _know(self, state: State, at: int) -> None:
        self.state = state
        self.at = self.seen = self.without = self.within = at

    def _top(self, line: int) -> bool:
        """True when the line, which begins behind at most three blanks, is surely in no item."""
        if not self.text.startswith("  ", line):
            return True
        begun = ITEM.search(self.text, self.without - 1, line)
        if begun is None:
            plain = self.without > self.at or not self.state.item
        else:
            last = LAST_ITEM.match(self.text, begun.start(), line)
            plain = last is not None and last.lastgroup is None
        if plain:
            self.without = line
        return plain

    def _goes_on(self, line: int) -> bool:
        """True when the line surely goes on a paragraph, if nothing else interrupts that."""
        before = self.text.rfind("\n", 0, line - 1) + 1
        return self.words and before >= self.at and self.text[before].isalpha()

    def _within(self, line: int) -> bool:
        """True when the line stands inside the list item that was open at `at`."""
        item = self.state.item
        if not item or self.within < 0 or self.state.childless:  # a blank line ends an empty one
            return False
        begin = max(self.at, self.within)
        left = LEAVING[item].search(self.text, begin - 1, line + item)
        self.within = line if left is None else -1
        return left is None

    def _reset(self, line: int) -> bool:
        """Goes on from the last line up to this one where it does not count what was open."""
        reset = RESET.match(self.text, self.at - 1, line + 3) if line > self.at else None
        if reset is not None:
            self._know(self.machine.start, reset.end())
        return reset is not None

    def _enter(self, line: int) -> bool:
        """True when the line stands in a list item that begins at `at`; reads its first line."""
        text, at = self.text, self.at
        if at >= line or ITEM.match(text, at - 1) is None:
            return False
        after = text.find("\n", at) + 1
        self._know(self.machine.start[text[at : after - 1]], after)
        return self._within(line)

    def _run(self, line: int, stop: int) -> None:
        """Reads up to a line, where it is known what math is open, and on."""
        machine, state, at = self.machine, self.state, self.at
        if at < self.turned:
            state, at = machine.run(state, at, line), line
        self._leave(machine.run(machine.under(state, self.math), at, stop), stop)

    def _leave(self, state: State, at: int) -> None:
        """Goes on from a state to where ends what is open at top level."""
        text = self.text
        self._know(state, at)
        while self.state.top and self.at < len(text):
            end = _end(text, self.state, self.at)
            if end is None:
                stop = text.find("\n", min(self.at + _STRETCH, len(text) - 1)) + 1
                self._know(self.machine.run(self.state, self.at, stop), stop)
            elif end < 0:
                self._know(self.state, len(text))
            else:
                after = text.find("\n", end) + 1
                self._know(self.machine.resting(self.state.math), after)
        self.math = self.state.math


def _repeats(text: str) -> bool:
    """True when a text is made of a few short lines, again and again."""
    if _SHORT * text.count("\n") < len(text) or "]:" in text:
        return False
    pieces = [text[at : at + _STRETCH] for at in range(0, len(text), _STRETCH)]
    return 2 * len(set(pieces)) < len(pieces)


def _end(text: str, state: State, at: int) -> int | None:
    """Where what is open at top level ends; -1: nowhere, None: not looked for."""
    if state.tag:
        return text.find("\n\n", at - 1)
    if state.raw:
        pattern = HTML_END[state.kind]
    else:
        pattern = _closer(state.char, state.length) if state.length <= _FENCE else None
    if pattern is None:
        return None
    found = pattern.search(text, at - 1)
    return -1 if found is None else found.end()


@lru_cache(maxsize=64)
def _closer(char: str, length: int) -> re.Pattern[str]:
    """The line that closes a fence."""
    return re.compile(rf"\n {{0,3}}{char}{{{length},}} *(?=\n)")
