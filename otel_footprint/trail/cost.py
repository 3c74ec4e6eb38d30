"""What calls cost, computed when a trail is read: from `genai-prices`, the extra `prices`.

Unknown stays unknown: a model, a provider or a count of tokens that nobody knows has no price, and
never the price 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from functools import lru_cache
from typing import Any

from ..records.trail import CallTrail, Usage


@dataclass(frozen=True, slots=True)
class Cost:
    """What several calls cost together, and how many of them have no known price."""

    known: Decimal
    """US dollars of the calls whose price is known."""
    calls: int
    unknown: int

    @property
    def total(self) -> Decimal | None:
        """US dollars; None when the price of some call is unknown, or when there is none."""
        return None if self.unknown or not self.calls else self.known


def installed() -> bool:
    """True when the catalogue of prices is there."""
    return _catalogue() is not None


def call_cost(call: CallTrail) -> Decimal | None:
    """US dollars of a call; None when model, provider, tokens or price are unknown.

    The price is the one at the time of the call.
    """
    usage = call.usage
    model = call.response_model or call.model
    if usage.input is None or usage.output is None or not model or not call.provider:
        return None
    prices = _catalogue()
    if prices is None:
        return None
    for name in dict.fromkeys((model, call.model)):
        found = _price(prices, usage, name, call.provider, call.start)
        if found is not None:
            return found
    return None


def total_cost(calls: Iterable[CallTrail]) -> Cost:
    """What calls cost together."""
    costs = [call_cost(call) for call in calls]
    known = [cost for cost in costs if cost is not None]
    return Cost(sum(known, Decimal(0)), len(costs), len(costs) - len(known))


def total_usage(calls: Iterable[CallTrail]) -> tuple[Usage, int]:
    """Tokens of several calls together, and how many of them report none.

    A figure is None when no call reports it.
    """
    usages = [call.usage for call in calls]
    silent = sum(1 for u in usages if u.input is None and u.output is None)

    def total(field: str) -> int | None:
        found = [n for u in usages if (n := getattr(u, field)) is not None]
        return sum(found) if found else None

    fields = ("input", "output", "cache_read", "cache_write", "reasoning")
    return Usage(**{field: total(field) for field in fields}), silent


@lru_cache(maxsize=8_192)
def _price(
    prices: Any, usage: Usage, model: str, provider: str, start: int | None
) -> Decimal | None:
    try:
        when = None if start is None else datetime.fromtimestamp(start / 1e9, timezone.utc)
        counted = prices.Usage(
            input_tokens=usage.input,
            output_tokens=usage.output,
            cache_read_tokens=usage.cache_read,
            cache_write_tokens=usage.cache_write,
        )
        price = prices.calc_price(
            counted, model, provider_id=provider, genai_request_timestamp=when
        ).total_price
    except Exception:  # a time that is none, and whatever the catalogue refuses: no known price
        return None
    return price if isinstance(price, Decimal) else None


def _catalogue() -> Any:
    try:
        import genai_prices
    except ImportError:
        return None
    return genai_prices
