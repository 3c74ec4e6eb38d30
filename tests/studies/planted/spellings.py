"""The built-in values in the spellings of answers, of pieces, and near them."""

from __future__ import annotations

from datetime import date
from random import Random
from typing import Any

from .stories import ValueType

_DATES = ("%Y-%m-%d", "%B %-d, %Y", "%-d %B %Y", "%d.%m.%Y", "%Y/%m/%d", "%b %-d, %Y", "%Y%m%d")


def verbatim(kind: ValueType, value: Any, rng: Random) -> str:
    """A usual spelling."""
    if kind == "date":
        return date(*value).strftime(rng.choice(_DATES[:3]))
    if kind == "money":
        return f"{value:.2f}" if isinstance(value, float) else str(value)
    return str(value)


def other(kind: ValueType, value: Any, said: str, rng: Random) -> str:
    """The same value, spelled in another way than `said`."""
    if kind == "date":
        forms = [date(*value).strftime(form) for form in _DATES]
        return rng.choice([form for form in forms if form != said])
    if kind == "money":
        grouped = f"{value:,.2f}"
        forms = [grouped, f"{value:,}", grouped.replace(",", " ").replace(".", ","),
                 grouped.translate(str.maketrans(",.", ".,"))]  # fmt: skip
        if value < 1000:
            forms = [f"{value:.3f}", f"{value:.2f}"]
        return rng.choice([form for form in forms if form != said])
    if kind == "count":
        return f"{value}.0"
    return rng.choice([said.upper(), said.lower()])


def near(kind: ValueType, value: Any, rng: Random) -> str:
    """Something near the value that is not the value."""
    if kind == "date":
        day = date(*value)
        return rng.choice([f"{day:%B} {day.day}", f"{day.day} {day:%B} {day.year + 1}"])
    if kind == "money":
        return str(round(value) + rng.choice([-10, 1, 100]))
    if kind == "count":
        return str(value + rng.choice([1, 100, 3]))
    return str(value)[:-2]
