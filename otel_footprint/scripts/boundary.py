"""What a text leaves open for what is written after it, as a CommonMark renderer reads it.

`clean`: a block that begins after a blank line stands at top level. `closed`: it does so after a
closing line for an open fence. `unsettled`: no line makes it so (raw HTML that only its own end
mark ends), or display math is open. Everything inside a list item or a quote is ended by leaving
it, so only what stands at top level counts.

The structure is read line by line, but each kind of line only once in each state: a state is a
dictionary from a line to the next state, and what it does not hold is worked out by `Blocks`. So
a line costs one look-up, whatever the lines are that a text repeats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import length_hint
from typing import Final, NamedTuple

from ..records.scripts import Boundary
from .blocks import FENCE, NONE, OTHER, RAW, TOP_TEXT, Blocks
from .definition import Definition

_EMPTY_LINES: Final = re.compile(r"\n{3,}")
_MATH: Final = re.compile(r" {0,3}(?:\$\$+|\\\[)")
_MATH_END: Final = {"$": "$$", "\\": "\\]"}
"""What ends display math, by the first character of what opened it."""
_PLAIN: Final = re.compile(r"([ >\-+*.)0-9]*)[^ >\-+*.)0-9`~#<=_\[$\\]|([ >\-+*.)0-9]*#{1,6} )[^ ]")
"""A line whose structure is decided by its beginning: from some character on it is text."""
_DIGITS: Final = str.maketrans("3456789", "2222222")
"""Numbers of list items: whether one is 1 counts, and how long it is."""
_SHORT: Final = 12
"""Characters of a line that is remembered as it is, although its kind is known."""
_LONGEST: Final = 64
"""Characters of the beginning of a line that names its kind."""
_MOST: Final = 4096
"""States, and lines of one state, that are remembered."""
_AHEAD: Final = 4096
"""Characters of the lines to come that the title of a definition is looked for in."""


class Reading(NamedTuple):
    """A boundary and, when it is unsettled, why: `html` or `math`; else empty."""

    boundary: Boundary
    reason: str


def read_boundary(text: str) -> Boundary:
    """The boundary after `text`, read as if a line break followed. Linear in its length."""
    return read(text).boundary


def read(text: str) -> Reading:
    """The boundary after `text` with its reason."""
    state = _Machine(_normal(text)[1:].split("\n")).run()
    if state.math:
        return Reading(Boundary("unsettled"), "math")
    if state.inside or state.leaf not in (FENCE, RAW) or state.kind > 5:
        return Reading(Boundary("clean"), "")
    if state.leaf == FENCE:
        return Reading(Boundary("closed", state.char, state.length), "")
    return Reading(Boundary("unsettled"), "html")


def _normal(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\t" in text:
        text = text.expandtabs(4)
    return "\n" + (_EMPTY_LINES.sub("\n\n", text) if "\n\n\n" in text else text)


_Key = tuple[int, int, str, int, int, bool, str]


class _State(dict[str, "_State"]):
    """What is open after a line; from a next line to the state after it."""

    __slots__ = ("char", "childless", "definition", "inside", "kind", "leaf", "length", "machine",
                 "math", "plain")  # fmt: skip

    def __init__(self, machine: _Machine, key: _Key, definition: Definition | None = None) -> None:
        self.machine = machine
        self.inside, self.leaf, self.char, self.length, self.kind, self.childless, self.math = key
        self.definition = definition
        self.plain = self.leaf < FENCE and definition is None and not self.math
        """True when all lines that begin with a letter do the same."""

    def __missing__(self, line: str) -> _State:
        if self.plain and line[:1].isalpha():
            found = self.get("a")
            if found is not None:
                return found
        return self.machine.step(self, line)


class _Machine:
    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.rest: Iterator[str] = iter(lines)
        self.blocks = Blocks("\n")
        self.states: dict[_Key, _State] = {}
        self.numbers: dict[tuple[int, ...], int] = {(): 0}
        self.inside: dict[int, tuple[int, ...]] = {0: ()}
        """Open containers by their number in states."""
        self.held = 0
        """Number of the containers that `blocks` holds."""
        self.next = 1

    def run(self) -> _State:
        state = self._state((0, NONE, "", 0, 0, False, ""))
        for line in self.rest:
            state = state[line]
        return state

    def step(self, state: _State, line: str) -> _State:
        """The state after a line that a state does not hold; it is remembered where that pays."""
        if state.definition is not None:
            return self._read(state, line)
        if line.endswith(" "):  # blanks at the end of a line change no structure
            return state[line.rstrip(" ")]
        key = self._key(state, line)
        if key is None:
            found = self._read(state, line)
        else:
            known = state.get(key)
            found = known if known is not None else self._read(state, line)
            if known is None and found.definition is None:
                state[key] = found
        if (key is None or len(line) <= _SHORT) and found.definition is None and len(state) < _MOST:
            state[line] = found
        return found

    def _key(self, state: _State, line: str) -> str | None:
        """A name for all lines that do the same in this state; None: the line is not of a kind."""
        if state.leaf == FENCE and not state.inside:
            return None if line.lstrip(" ").startswith(state.char) else "a"
        begin = _PLAIN.match(line)
        if begin is None or (state.leaf == RAW and ">" in line):
            return None
        if state.math and state.math in line:
            return None
        prefix = begin.group(begin.lastindex or 1)
        return prefix.translate(_DIGITS) + "a" if len(prefix) <= _LONGEST else None

    def _read(self, state: _State, line: str) -> _State:
        blocks = self.blocks
        if self.held != state.inside:
            blocks.enter(self.inside[state.inside])
            self.held = state.inside
        blocks.leaf, blocks.char, blocks.length = state.leaf, state.char, state.length
        blocks.kind, blocks.childless = state.kind, state.childless
        blocks.definition = state.definition
        said = blocks.read(line, self._ahead(line) if state.definition is not None else None)
        if blocks.moved:
            self.held = self._number(tuple(blocks.inside))
        fence, raw = blocks.leaf == FENCE, blocks.leaf == RAW
        key = (
            self.held, blocks.leaf, blocks.char if fence else "", blocks.length if fence else 0,
            blocks.kind if raw else 0, blocks.childless, _math(state.math, line, said),
        )  # fmt: skip
        if blocks.definition is not None:
            return _State(self, key, blocks.definition)
        return self._state(key)

    def _ahead(self, line: str) -> str | None:
        """The line and those behind it up to a blank one, where a title may begin with it."""
        if not line.lstrip(" >").startswith(('"', "'", "(")):
            return None
        at = len(self.lines) - length_hint(self.rest) - 1
        out, size = [], 0
        while at < len(self.lines) and self.lines[at] and size < _AHEAD:
            out.append(self.lines[at])
            size += len(out[-1]) + 1
            at += 1
        return "\n".join(out)

    def _state(self, key: _Key) -> _State:
        found = self.states.get(key)
        if found is None:
            if len(self.states) >= _MOST:
                self._forget()
            found = self.states[key] = _State(self, key)
        return found

    def _number(self, inside: tuple[int, ...]) -> int:
        found = self.numbers.get(inside)
        if found is None:
            found = self.numbers[inside] = self.next
            self.inside[found] = inside
            self.next += 1
        return found

    def _forget(self) -> None:
        """Forgets all states and containers but those that are open now."""
        for state in self.states.values():
            state.clear()
        self.states.clear()
        inside = self.inside[self.held]
        self.numbers = {(): 0, inside: self.held}
        self.inside = {0: (), self.held: inside}


def _math(open_: str, line: str, said: int) -> str:
    """The end mark of display math that is open after a line, or nothing.

    The end mark counts unless the line is code or raw HTML.
    """
    if open_:
        return open_ if said == OTHER or open_ not in line else ""
    found = _MATH.match(line) if said == TOP_TEXT else None
    if found is None:
        return ""
    end = _MATH_END[line[: found.end()].lstrip(" ")[0]]
    return end if line.find(end, found.end()) < 0 else ""
