"""The one place that swallows our own failures, so that none reaches the wrapped agent.

    with guard("compose"):
        ...

An `Exception` inside is logged once per place and exception type (type and place only, never its
text, which may hold content), counted, and swallowed. A `BaseException` (cancellation, exit,
interrupt) passes. With `OTEL_FOOTPRINT_RAISE=1` nothing is swallowed: our tests set it.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Final

RAISE_VARIABLE: Final = "OTEL_FOOTPRINT_RAISE"
MAX_LOGGED: Final = 1000
"""Pairs of place and exception type that are remembered as logged; then none is logged."""
MAX_SAID: Final = 20
"""Failures that are logged with a sentence of their own."""
MAX_COUNTED: Final = 100_000
"""Failures counted between two collections of the metrics; more count as this many."""

logger: Final = logging.getLogger("otel_footprint")


class _State:
    __slots__ = ("failures", "logged", "raising", "said")

    def __init__(self) -> None:
        self.raising = os.environ.get(RAISE_VARIABLE, "").strip().lower() in ("1", "true")
        self.logged: set[tuple[str, str]] = set()
        self.said: set[str] = set()
        self.failures: deque[None] = deque(maxlen=MAX_COUNTED)


_state: Final = _State()


class Guard:
    """A context manager for one place; stateless, so it may be nested and shared by threads."""

    __slots__ = ("place",)

    def __init__(self, place: str) -> None:
        self.place = place

    __enter__ = staticmethod(bool)  # a call into C: a Python function here costs 0.2 us more

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        return kind is not None and _swallow(self.place, kind)


class _Guards(dict[str, Guard]):
    def __missing__(self, place: str) -> Guard:
        made = self[place] = Guard(place)
        return made


guard: Final[Callable[[str], Guard]] = _Guards().__getitem__
"""`guard(place)`: the guard of a place; `place` is a constant of ours, never content."""


def _swallow(place: str, kind: type[BaseException]) -> bool:
    if not issubclass(kind, Exception) or _state.raising:
        return False
    failed(place, kind)
    return True


def failed(place: str, kind: type[BaseException]) -> None:
    """Counts and logs a failure of ours that was caught without the context manager."""
    _state.failures.append(None)
    with suppress(Exception):  # a log handler of the application may fail: nowhere to say so
        key = (place, kind.__name__)
        if key in _state.logged or len(_state.logged) >= MAX_LOGGED:
            return
        _state.logged.add(key)
        _log(place, kind.__name__)


def refused(place: str, said: str) -> None:
    """Counts what a caller gave us that we cannot read, and logs once what can be done about it.

    `said` names no content. Raises LookupError instead, when failures are raised.
    """
    if _state.raising:
        raise LookupError(said)
    _state.failures.append(None)
    with suppress(Exception):
        if said in _state.said or len(_state.said) >= MAX_SAID:
            return
        _state.said.add(said)
        _log(place, said)


def _log(place: str, what: str) -> None:
    logger.warning(
        "otel_footprint could not record something at %s: %s (logged once; counted in "
        "footprint.records.dropped; %s=1 raises it)",
        place,
        what,
        RAISE_VARIABLE,
    )


def take_failures() -> int:
    """How many failures were swallowed since this was last asked; the metrics ask."""
    taken = 0
    while True:
        try:
            _state.failures.pop()
        except IndexError:
            return taken
        taken += 1


def is_raising() -> bool:
    """True when our failures are raised instead of swallowed."""
    return _state.raising


def set_raising(on: bool) -> bool:
    """Raises our failures (True) or swallows them (False); answers what was set before."""
    before, _state.raising = _state.raising, on
    return before


def forget() -> None:
    """Forgets what was logged and counted (tests)."""
    _state.logged.clear()
    _state.said.clear()
    _state.failures.clear()
