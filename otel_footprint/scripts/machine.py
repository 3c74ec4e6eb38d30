"""The structure of a text by the names of its lines, each worked out once in each state.

A state is a dictionary from the name of a line to the next state, and what it does not hold is
worked out by `Blocks`. So a line costs one look-up, whatever the lines are that a text repeats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from itertools import accumulate
from operator import length_hint
from typing import Final

from .blocks import FENCE, NONE, OTHER, PARAGRAPH, RAW, TOP_TEXT, Blocks
from .definition import Definition
from .keys import Names

_MATH: Final = re.compile(r" {0,3}(?:\$\$+|\\\[)")
MATH_END: Final = {"$": "$$", "\\": "\\]"}
"""What ends display math, by the first character of what opened it."""
_PLAIN: Final = re.compile(r"([ >\-+*.)0-9]{0,64})[^ \n>\-+*.)0-9`~#<=_\[$\\]")
_MOST: Final = 4096
"""States, and lines of one state, that are remembered."""
_PIECE: Final = 4096
"""Characters of lines that are looked up together before it is done line by line."""
_PIECES: Final = 128
"""Pieces that are remembered."""
_SHORT: Final = 64
"""Characters of a definition that is remembered in a state."""
_AHEAD: Final = 4096
"""Characters of the text to come that the title of a definition is looked for in."""
_DEEP: Final = 512
"""Blanks and quote marks, so many that only a line of twice as many reaches deeper containers."""
_TITLES: Final = ('"', "'", "(")

_Key = tuple[int, int, str, int, int, bool, str, str]


class State(dict[str, "State"]):
    """What is open after a line; from the name of a next line to the state after it."""

    __slots__ = ("char", "childless", "definition", "inside", "kind", "leaf", "length", "machine",
                 "math")  # fmt: skip

    def __init__(self, machine: Machine, key: _Key, definition: Definition | None = None) -> None:
        self.machine = machine
        self.inside, self.leaf, self.char, self.length, self.kind, self.childless, self.math, _ = (
            key
        )
        self.definition = definition

    def __missing__(self, name: str) -> State:
        if name[:1].isalpha() and self.settled:
            found = self.get("a")
            if found is not None:
                if len(self) < _MOST:
                    self[name] = found
                return found
        return self.machine.step(self, name)

    @property
    def settled(self) -> bool:
        """True when all lines that begin with a letter do the same."""
        return not (self.math or self.definition is not None) and (
            self.leaf < FENCE or (self.leaf == RAW and self.kind > 5)
        )

    @property
    def item(self) -> int:
        """Blanks before lines of the list item at top level, if not more than three; else 0."""
        inside = self.machine.containers(self)
        return inside[0] if inside and 0 < inside[0] < 4 else 0

    @property
    def top(self) -> bool:
        """True inside a fence or HTML at top level."""
        return self.leaf > PARAGRAPH and not self.inside

    @property
    def tag(self) -> bool:
        """True inside HTML at top level that a blank line ends."""
        return self.leaf == RAW and self.kind > 5 and not self.inside

    @property
    def fence(self) -> bool:
        """True inside a fence at top level."""
        return self.leaf == FENCE and not self.inside

    @property
    def raw(self) -> bool:
        """True inside HTML at top level that no blank line ends."""
        return self.leaf == RAW and self.kind < 6 and not self.inside


class Machine:
    """Reads a text in normal form; `start` is its state where nothing is open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._names = Names(text)
        self._at = self._stop = 0
        self._rest: Iterator[str] = iter(())
        self._ends: list[int] = []
        self._blocks = Blocks("\n")
        pieces = (text[at : at + _DEEP] for at in range(0, len(text), _DEEP))
        if all(piece.strip(" >") for piece in pieces):
            self._blocks.most = 2 * _DEEP
        self._states: dict[_Key, State] = {}
        self._numbers: dict[tuple[int, ...], int] = {(): 0}
        self._inside: dict[int, tuple[int, ...]] = {0: ()}
        """Open containers by their number in states."""
        self._held = 0
        """Number of the containers that `_blocks` holds."""
        self._next = 1
        self._pieces = 0
        self.worked_out = 0
        """How many lines were not known."""
        self.start = State(self, (0, NONE, "", 0, 0, False, "", ""))

    def resting(self, math: str) -> State:
        """The state where nothing is open, or only display math, that this mark ends."""
        return self._found((0, NONE, "", 0, 0, False, math, ""), None) if math else self.start

    def under(self, state: State, math: str) -> State:
        """A state, but for the display math that is open, which changes no structure."""
        if state.math == math:
            return state
        definition = state.definition
        key = (
            state.inside, state.leaf, state.char, state.length, state.kind, state.childless, math,
            definition.text if definition is not None else "",
        )  # fmt: skip
        return self._found(key, definition)

    def containers(self, state: State) -> tuple[int, ...]:
        """The containers that are open in a state."""
        return self._inside[state.inside]

    def run(self, state: State, at: int, stop: int) -> State:
        """The state after the lines between two places, at each of which a line begins."""
        while at < stop:
            after = self.text.find("\n", min(at + _PIECE, stop) - 1) + 1
            whole = after - at >= _PIECE
            piece = self.text[at:after] if whole else ""
            found = state.get(piece) if whole else None
            if found is None:
                found = self._run(state, at, after)
                if whole:
                    self._keep(state, piece, found)
            state, at = found, after
        return state

    def _run(self, state: State, at: int, stop: int) -> State:
        self._at, self._stop, self._ends = at, stop, []
        self._rest = iter(self._names.between(at, stop))
        for name in self._rest:
            state = state[name]
        return state

    def _keep(self, state: State, piece: str, after: State) -> None:
        """Remembers what a whole piece does, unless that depends on what follows it."""
        if self._pieces < _PIECES and state.definition is None and "]:" not in piece:
            state[piece] = after
            self._pieces += 1

    def step(self, state: State, name: str) -> State:
        """The state after a line that a state does not hold; it is remembered where that pays."""
        if state.definition is not None and not (state.definition.ends and not _is_title(name)):
            return self._read(state, *self._line())
        if name.endswith(" "):  # blanks at the end of a line change no structure
            found = state[name.rstrip(" ")]
        else:
            kind = self._kind(state, name)
            found = self._read(state, name) if kind is None or kind == name else state[kind]
        if len(state) < _MOST and (found.definition is None or found.definition.ends):
            state[name] = found
        return found

    def _kind(self, state: State, name: str) -> str | None:
        """What a line is named by in this state; None: by nothing but itself."""
        if state.definition is not None or (state.math and state.math in name):
            return None
        if state.fence:
            return None if name.lstrip(" ").startswith(state.char) else "a"
        if state.leaf == RAW and state.kind < 6 and ">" in name:
            return None
        begin = _PLAIN.match(name)
        return None if begin is None else begin.group(1) + "a"

    def _line(self) -> tuple[str, str]:
        """The line that is being read, and the text from it on."""
        if not self._ends:
            lines = self.text[self._at : self._stop - 1].split("\n")
            self._ends = list(accumulate(map(len, lines), initial=self._at - 1))
        index = len(self._ends) - 1 - length_hint(self._rest) - 1
        at, after = self._ends[index] + index + 1, self._ends[index + 1] + index + 1
        line = self.text[at:after]
        return line, self.text[at : at + _AHEAD] if _is_title(line) else line

    def _read(self, state: State, line: str, ahead: str | None = None) -> State:
        self.worked_out += 1
        blocks = self._blocks
        if self._held != state.inside:
            blocks.enter(self._inside[state.inside])
            self._held = state.inside
        blocks.leaf, blocks.char, blocks.length = state.leaf, state.char, state.length
        blocks.kind, blocks.childless = state.kind, state.childless
        definition = state.definition
        blocks.definition = copy(definition) if definition is not None else None
        said = blocks.read(line, ahead)
        if blocks.moved:
            self._held = self._number(tuple(blocks.inside))
        fence, raw = blocks.leaf == FENCE, blocks.leaf == RAW
        definition = blocks.definition
        key = (
            self._held, blocks.leaf, blocks.char if fence else "", blocks.length if fence else 0,
            blocks.kind if raw else 0, blocks.childless, _math(state.math, line, said),
            definition.text if definition is not None else "",
        )  # fmt: skip
        return self._found(key, definition)

    def _found(self, key: _Key, definition: Definition | None) -> State:
        if definition is not None and (len(definition.text) > _SHORT or not definition.ends):
            return State(self, key, definition)
        found = self._states.get(key)
        if found is None:
            if len(self._states) >= _MOST:
                self._forget()
            found = self._states[key] = State(self, key, definition)
        return found

    def _number(self, inside: tuple[int, ...]) -> int:
        found = self._numbers.get(inside)
        if found is None:
            found = self._numbers[inside] = self._next
            self._inside[found] = inside
            self._next += 1
        return found

    def _forget(self) -> None:
        """Forgets all states and containers but those that are open now."""
        for state in self._states.values():
            state.clear()
        self._states.clear()
        self.start.clear()
        self._pieces = 0
        inside = self._inside[self._held]
        self._numbers = {(): 0, inside: self._held}
        self._inside = {0: (), self._held: inside}


def _is_title(line: str) -> bool:
    """Whether a line may be the title of a definition, or its beginning."""
    return line.lstrip(" >").startswith(_TITLES)


def _math(open_: str, line: str, said: int) -> str:
    """The end mark of display math that is open after a line, or nothing.

    The end mark counts unless the line is code or raw HTML.
    """
    if open_:
        return open_ if said == OTHER or open_ not in line else ""
    found = _MATH.match(line) if said == TOP_TEXT else None
    if found is None:
        return ""
    end = MATH_END[line[: found.end()].lstrip(" ")[0]]
    return end if line.find(end, found.end()) < 0 else ""
