"""The one search for carriers: which texts hold a value, and in which spelling.

    found = carriers("2024-05-20", ["fly on May 20", "departs 2024-05-20", '{"date":"20240520"}'])
    found.carriers     # (Carrier(0, "near"), Carrier(1, "verbatim"), Carrier(2, "date"))

A value is found as whole tokens, one after the other, inside one part of a text; never as a
substring of a token. `verbatim`, `tokens` (other case or punctuation, another spelling of a
number), `number` and `date` are the value itself; `near` is a date without its year or with two
readings. A text that is too long to be read answers "cannot tell" (`unread`), never "no", and so
does a value without any token (`checkable`).

Each text is prepared on first need and once (`Searchable`), and kept in a bounded cache. Cold, a
text is read only when it holds the value's letters at all. Nothing here raises.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .searchable import EXACT, HOWS, How, Needle, Searchable, scan


class Carrier(NamedTuple):
    """One text that holds the value."""

    at: int
    """Its place among the texts that were searched."""
    how: How


class Search(NamedTuple):
    """What a search found."""

    carriers: tuple[Carrier, ...]
    """In the order of the texts."""
    unread: tuple[int, ...] = ()
    """Places of texts that are too long to say no."""
    checkable: bool = True
    """False: the value holds no token, nothing can be said."""

    @property
    def exact(self) -> tuple[Carrier, ...]:
        """Carriers of the value itself, closest spelling first."""
        found = [c for c in self.carriers if c.how in EXACT]
        return tuple(sorted(found, key=lambda c: (HOWS.index(c.how), c.at)))

    @property
    def near(self) -> tuple[Carrier, ...]:
        """Carriers of something near the value."""
        return tuple(c for c in self.carriers if c.how not in EXACT)


def carriers(value: object, texts: Iterable[str | Searchable]) -> Search:
    """Which of the texts hold a value, and how each spells it.

    A text that is searched often is best handed in as a `Searchable` (see `SearchCache`).
    """
    needle = value if isinstance(value, Needle) else Needle(value)
    if not needle.wide:
        return Search((), checkable=False)
    found = scan(needle, (Searchable(t) if isinstance(t, str) else t for t in texts))
    return Search(
        tuple(Carrier(at, how) for at, how in found if how != "unread"),
        tuple(at for at, how in found if how == "unread"),
    )


__all__ = ["EXACT", "Carrier", "Needle", "Search", "Searchable", "carriers"]
