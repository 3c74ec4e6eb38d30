"""How a slot's composition grew: compared with the last eight, hashed only where it is new.

Two agents that alternate on one client, a window that slides, a marker that moves: each finds the
composition it continues. Content edited in place is seen, because a composition keeps copies of
the containers (their strings are shared, so comparing runs at C speed).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from hashlib import sha256
from operator import is_
from typing import Any, Final, NamedTuple

from ..records.digest import row_line, shown
from .copies import copies, in_order
from .entry import Entry, Fresh

BASES: Final = 8
"""Compositions of a slot that a new one is compared with."""
SEARCHES: Final = 64
"""Times that one comparison looks for an element further on, before it calls the rest new."""
FEW: Final = 128
"""Elements of a slot that are all looked at for the order of keys inside them, once it changed."""

MakeEntries = Callable[[Any], list[Fresh]]


class Splice(NamedTuple):
    """`removed` entries at position `at` of the base give way to `inserted`."""

    at: int
    removed: tuple[Entry, ...]
    inserted: list[Fresh]


class Composition:
    """One slot of one model call."""

    __slots__ = (
        "call_id",
        "counts",
        "digest",
        "elements",
        "entries",
        "exact",
        "since",
        "size",
        "state",
        "tokens",
        "trace_id",
        "used",
    )

    def __init__(
        self,
        elements: list[Any],
        entries: list[Entry],
        counts: list[int] | None,
        exact: list[Any] | None = None,
    ) -> None:
        self.elements = elements
        """Copies of the request's elements."""
        self.exact = elements if exact is None else exact
        """What a request's elements are compared with (`copies`); mostly the very same list."""
        self.entries = entries
        self.counts = counts
        """Entries of each element; None: one each."""
        self.used = 0
        """Code points."""
        self.tokens = 0
        self.state: Any = None
        """The running SHA-256, so that a longer slot continues it."""
        self.digest = ""
        self.call_id = ""
        self.trace_id = 0
        self.since = 0
        """Rows named by deltas since the last keyframe of this line."""
        self.size = 0
        """Rows of that keyframe."""


class Change(NamedTuple):
    """What a call made of a slot."""

    now: Composition
    base: Composition | None
    """None: nothing to compare with, so all of it is new."""
    splices: list[Splice]
    hidden: int
    """Elements that changed in a way that the record does not show."""
    same: bool
    """The slot is what it was in some earlier call that is still known."""


class Lineage:
    """The last compositions of one slot."""

    def __init__(self) -> None:
        self.recent: deque[Composition] = deque(maxlen=BASES)

    def unchanged(self, elements: list[Any], recording: bool = True) -> Change | None:
        """The change of a slot that is what it was in the last call; None: see `compose`."""
        last = self.recent[0] if self.recent else None
        if last is None or len(last.exact) != len(elements):
            return None
        try:
            olds = last.exact
            if olds != elements:
                return None
            if recording and not _in_order(olds, elements, len(elements)):
                return None
        except Exception:  # comparing odd objects runs their code: then it is another slot
            return None
        return Change(last, last, [], 0, True)

    def compose(self, elements: list[Any], make: MakeEntries, recording: bool = True) -> Change:
        """Compares and remembers. `make` gives the entries of one element.

        Without `recording` another order of keys is no change: nobody will read it.
        """
        base, common = self._base(elements, recording)
        if base is not None and common == len(elements) == len(base.elements):
            self._touch(base)
            return Change(base, base, [], 0, True)
        if base is None:
            change = _first(elements, make)
        elif common == len(base.elements):
            change = _append(base, elements, make)
        else:
            change = _align(base, common, elements, make)
        if recording:
            _digest(change)
        self.recent.appendleft(change.now)
        return change

    def _base(self, elements: list[Any], recording: bool) -> tuple[Composition | None, int]:
        best, longest = None, -1
        for candidate in self.recent:
            common = _common(candidate.exact, elements, recording)
            if common == len(candidate.elements) and (common or not elements):
                return candidate, common
            if common > longest:
                best, longest = candidate, common
        return best, max(longest, 0)

    def _touch(self, composition: Composition) -> None:
        if self.recent[0] is not composition:
            self.recent.remove(composition)
            self.recent.appendleft(composition)


def _common(olds: list[Any], news: list[Any], ordered: bool) -> int:
    """Length of the common prefix; `ordered`: also of one order of keys.

    Equal objects whose keys come in another order are another spelling. Looking at each would
    cost more than comparing them, and nobody changes the order of one old message, while what
    makes tools anew may change the order of all: so the first, with what is in it, the middle and
    the last are looked at, and all of them only when one of those differs. In a short slot in
    which anything else has changed, each is looked at with what is in it.
    """
    shorter = min(len(olds), len(news))
    if not shorter:
        return 0
    try:
        ours = olds if shorter == len(olds) else olds[:shorter]
        if ours == (news if shorter == len(news) else news[:shorter]):
            shrunk = len(news) < len(olds) and shorter <= FEW
            if not ordered or (not shrunk and _in_order(olds, news, shorter)):
                return shorter
            if shrunk and all(map(in_order, olds, news)):
                return shorter
            return next(i for i in range(shorter) if not in_order(olds[i], news[i]))
        same_order = in_order if ordered and shorter <= FEW else _same_order
        return next(
            i for i in range(shorter) if olds[i] != news[i] or not same_order(olds[i], news[i])
        )
    except Exception:  # comparing odd objects runs their code: then nothing is common
        return 0


def _in_order(olds: list[Any], news: list[Any], n: int) -> bool:
    """Whether the first, the middle and the last of n equal elements have their keys in order,
    and the first one also what is in it."""
    for i in (n // 2, n - 1) if n else ():
        if type(olds[i]) is dict and list(olds[i]) != list(news[i]):
            return False
    return n == 0 or in_order(olds[0], news[0])


def _same_order(old: Any, new: Any) -> bool:
    return type(old) is not dict or list(old) == list(new)


def _first(elements: list[Any], make: MakeEntries) -> Change:
    fresh = [make(element) for element in elements]
    copied, exact = copies(elements)
    now = Composition(copied, [f.entry for fs in fresh for f in fs], _counts(fresh), exact)
    now.used = sum(e.size for e in now.entries)
    now.tokens = sum(e.tokens for e in now.entries)
    inserted = [f for fs in fresh for f in fs]
    return Change(now, None, [Splice(0, (), inserted)], 0, False)


def _append(base: Composition, elements: list[Any], make: MakeEntries) -> Change:
    new = elements[len(base.elements) :]
    fresh = [make(element) for element in new]
    inserted = [f for fs in fresh for f in fs]
    copied, exact = copies(new)
    same = exact is copied and base.exact is base.elements
    now = Composition(
        base.elements + copied,
        base.entries + [f.entry for f in inserted],
        _join_counts(base, fresh),
        None if same else base.exact + exact,
    )
    now.used = base.used + sum(f.entry.size for f in inserted)
    now.tokens = base.tokens + sum(f.entry.tokens for f in inserted)
    return Change(now, base, [Splice(len(base.entries), (), inserted)], 0, False)


def _align(base: Composition, common: int, elements: list[Any], make: MakeEntries) -> Change:
    """Everything but a pure append: elements left, came in between, or changed."""
    aligned = _matches(base, common, elements)
    starts = _starts(base)
    kept, exacts = base.elements[:common], base.exact[:common]
    entries: list[Entry] = list(base.entries[: starts[common]])
    counts = _each(base)[:common]
    splices: list[Splice] = []
    hidden, old = 0, common
    pending: list[Fresh] = []

    def close(upto: int) -> None:
        nonlocal hidden
        removed = tuple(base.entries[starts[old] : starts[upto]])
        if removed and removed == tuple(f.entry for f in pending):
            hidden += len(removed)
        elif removed or pending:
            splices.append(Splice(starts[old], removed, list(pending)))
        pending.clear()

    for element, match in zip(elements[common:], aligned, strict=True):
        if match is None:
            fresh = make(element)
            pending += fresh
            copied, exact = copies([element])
            kept += copied
            exacts += exact
            counts.append(len(fresh))
            entries += [f.entry for f in fresh]
            continue
        close(match)
        old = match + 1
        kept.append(base.elements[match])
        exacts.append(base.exact[match])
        counts.append(starts[match + 1] - starts[match])
        entries += base.entries[starts[match] : starts[match + 1]]
    close(len(base.elements))
    now = Composition(
        kept,
        entries,
        counts if any(c != 1 for c in counts) else None,
        None if all(map(is_, kept, exacts)) else exacts,
    )
    now.used = sum(e.size for e in entries)
    now.tokens = sum(e.tokens for e in entries)
    return Change(now, base, splices, hidden, False)


def _matches(base: Composition, common: int, elements: list[Any]) -> list[int | None]:
    """For each element after the common prefix the equal one of the base, in rising order."""
    olds, out, at, searches = base.exact, [], common, 0
    # equal and yet not common: its keys come in another order, perhaps those of others too
    turned = common < min(len(olds), len(elements)) and _equal(olds[common], elements[common])
    same_order = in_order if turned or len(elements) <= FEW else _same_order
    found: int | None
    for element in elements[common:]:
        found = None
        if at < len(olds):
            try:
                if olds[at] == element and same_order(olds[at], element):
                    found = at
                elif searches < SEARCHES:
                    searches += 1
                    index = olds.index(element, at)
                    found = index if same_order(olds[index], element) else None
            except Exception:  # not in the base, or not comparable
                found = None
        out.append(found)
        if found is not None:
            at = found + 1
    return out


def _equal(old: Any, new: Any) -> bool:
    try:
        return bool(old == new)
    except Exception:  # comparing odd objects runs their code
        return False


def _each(composition: Composition) -> list[int]:
    return (
        [1] * len(composition.elements) if composition.counts is None else list(composition.counts)
    )


def _starts(composition: Composition) -> list[int]:
    """Position of each element's first entry, and behind the last the number of entries."""
    if composition.counts is None:
        return list(range(len(composition.elements) + 1))
    out = [0]
    for count in composition.counts:
        out.append(out[-1] + count)
    return out


def _counts(fresh: Sequence[list[Fresh]]) -> list[int] | None:
    counts = [len(f) for f in fresh]
    return counts if any(c != 1 for c in counts) else None


def _join_counts(base: Composition, fresh: Sequence[list[Fresh]]) -> list[int] | None:
    new = _counts(fresh)
    if base.counts is None and new is None:
        return None
    return _each(base) + ([1] * len(fresh) if new is None else new)


def _digest(change: Change) -> None:
    """Continues the base's digest for an append, else makes it anew."""
    now, base = change.now, change.base
    if base is not None and base.state is not None and len(change.splices) == 1:
        splice = change.splices[0]
        appended = not splice.removed and splice.at == len(base.entries)
    else:
        appended = False
    state = base.state.copy() if appended and base is not None else sha256()
    rows = now.entries[len(base.entries) :] if appended and base is not None else now.entries
    for e in rows:
        state.update(row_line(e.hash, e.exact, e.source, e.id, e.reason, e.frame))
    now.state = state
    now.digest = shown(state.digest())


__all__ = ["BASES", "Change", "Composition", "Lineage", "Splice"]
