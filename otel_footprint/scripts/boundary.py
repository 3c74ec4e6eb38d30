"""What a text leaves open for what is written after it, as a CommonMark renderer reads it.

`clean`: a block that begins after a blank line stands at top level. `closed`: it does so after a
closing line for an open fence. `unsettled`: no line makes it so (raw HTML that only its own end
mark ends), or display math is open. Everything inside a list item or a quote is ended by leaving
it, so only what stands at top level counts.

So most of a text need not be read. Only a line that begins, behind at most three blanks, with a
fence, such HTML or a mark of display math opens anything at top level; and where nothing of that
is open, a line that begins at the margin behind a blank line stands in no container. What is open
at top level is ended by its own mark alone. What lies between is read by `Machine`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from ..records.scripts import Boundary
from .keys import normal
from .machine import Machine, State
from .patterns import HTML_END

_OPENER: Final = re.compile(
    r"\n {0,3}(?=[`~<$\\])(?:```|~~~|<(?:[!?]|(?ai:script|pre|style|textarea))|\$\$|\\\[)"
)
_MARGIN: Final = re.compile(r".*\n(?=\n[^ \n])", re.DOTALL)
"""Up to the last blank line that a line at the margin follows."""
_STRETCH: Final = 4096
"""Characters that are read before it is looked for what need not be."""
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
    text = normal(text)
    opener = _OPENER.search(text)
    if opener is None:
        return _CLEAN
    state = _Reader(text, opener).read()
    if state.math:
        return Reading(Boundary("unsettled"), "math")
    if state.fence:
        return Reading(Boundary("closed", state.char, state.length), "")
    return Reading(Boundary("unsettled"), "html") if state.raw else _CLEAN


class _Reader:
    """Reads a text in normal form, leaving out what need not be read."""

    def __init__(self, text: str, opener: re.Match[str]) -> None:
        self.text = text
        self.machine = Machine(text)
        self.opener: re.Match[str] | None = opener
        """The next line that may open something, if it is not behind us already."""
        self.nearest = 0
        """What was looked for does not stand before this place, and no margin either."""

    def read(self) -> State:
        """The state at the end."""
        text, state, at = self.text, self.machine.start, 1
        while at < len(text):
            state, at = self.skip(state, at)
            if at == len(text):
                break
            stop = text.find("\n", min(at + _STRETCH, len(text) - 1)) + 1
            state, at = self.machine.run(state, at, stop), stop
        return state

    def skip(self, state: State, at: int) -> tuple[State, int]:
        """The next place that has to be read, and the state there."""
        text, start = self.text, self.machine.start
        if state.fence or state.raw:
            end = _end(text, state, at)
            if end is None or state.math:
                return state, at
            return (state, len(text)) if end < 0 else (start, text.find("\n", end) + 1)
        if at < self.nearest:
            return state, at
        if state.math:
            found = text.find(state.math, at)
            self.nearest = found
            return state, at if found >= 0 else len(text)
        opener = self.opener
        if opener is not None and opener.start() < at - 1:
            opener = self.opener = _OPENER.search(text, at - 1)
        if opener is None:
            return start, len(text)
        self.nearest = opener.start()
        margin = _MARGIN.match(text, at - 1, opener.start() + 2)
        return (state, at) if margin is None else (start, margin.end() + 1)


def _end(text: str, state: State, at: int) -> int | None:
    """Where what is open at top level ends; -1: nowhere, None: not looked for."""
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
