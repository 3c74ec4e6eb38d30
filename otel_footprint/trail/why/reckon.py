"""Figures that no piece carries, and that other figures of the same answer give.

Plain sums, differences, products, shares and quotients; a hint where to look on, never a cause.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from itertools import combinations, permutations
from typing import Final

from ...text.values import number_of
from .picked import values_of

MOST: Final = 12
"""Figures of an answer that are tried."""


def reckoned(value: str, answer: str) -> str:
    """How other figures of the answer give a value, for example `15 % of 129.00`; else empty."""
    wanted = _number(value)
    if wanted is None or abs(wanted) < 3:
        return ""
    figures: dict[Decimal, str] = {}
    for found in values_of(answer):
        number = _number(found.text) if found.kind == "figure" else None
        if number is not None and number != wanted:
            figures.setdefault(number, found.text)
    exponent = wanted.as_tuple().exponent
    step = Decimal(1).scaleb(min(0, exponent if isinstance(exponent, int) else 0))
    tried = dict(list(figures.items())[:MOST])
    for made, said in _ways(tried):
        if made.quantize(step, ROUND_HALF_UP) == wanted:
            return said
    return ""


def _ways(figures: dict[Decimal, str]) -> Iterator[tuple[Decimal, str]]:
    for (a, x), (b, y) in permutations(figures.items(), 2):
        if 0 < a <= 100 and a < b:
            yield a * b / 100, f"{x} % of {y}"
    for (a, x), (b, y) in permutations(figures.items(), 2):
        yield a - b, f"{x} less {y}"
        if b:
            yield a / b, f"{x} divided by {y}"
    for (a, x), (b, y) in combinations(figures.items(), 2):
        yield a + b, f"{x} plus {y}"
        if a not in (0, 1) and b not in (0, 1):
            yield a * b, f"{x} times {y}"
    for (a, x), (b, y), (c, z) in permutations(figures.items(), 3):
        yield a - b + c, f"{x} less {y} plus {z}"
    for (a, x), (b, y), (c, z) in combinations(figures.items(), 3):
        yield a + b + c, f"{x} plus {y} plus {z}"


def _number(text: str) -> Decimal | None:
    found = number_of(text)
    if found is None:
        return None
    try:
        made = Decimal(found)
        said = text.strip().rpartition(".")[2] if "." in text else ""
        if said.isdigit() and len(said) <= 4:
            made = made.quantize(Decimal(1).scaleb(-len(said)))
    except (InvalidOperation, ValueError):
        return None
    return made if abs(made) < 10**12 else None
