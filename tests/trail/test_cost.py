"""Costs are computed when a trail is read, and unknown ones stay unknown."""

from __future__ import annotations

import sys
from decimal import Decimal

import pytest

from otel_footprint.trail import cost

from .builder import Turn, Writer, user
from .conftest import read

pytest.importorskip("genai_prices")


def test_a_call_costs_what_its_model_costs_at_its_time(writer: Writer) -> None:
    turn = Turn(writer)
    turn.call([], [user("a")], model="gpt-4o-mini", usage=(1_000_000, 0))
    call = read(writer.spans).calls[0]
    assert cost.call_cost(call) == Decimal("0.15")


@pytest.mark.parametrize(
    "more",
    [
        {"model": "no-such-model-9"},
        {"usage": None},
        {"attributes": {"gen_ai.provider.name": ""}},
        {"attributes": {"gen_ai.provider.name": "nobody-knows"}},
        {
            "usage": None,
            "attributes": {"gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": "many"},
        },
    ],
)
def test_what_is_unknown_has_no_price_and_never_zero(more: dict[str, object]) -> None:
    writer = Writer()
    turn = Turn(writer)
    turn.call([], [user("a")], **{"model": "gpt-4o-mini", **more})  # type: ignore[arg-type]
    turn.call([], [user("a")], model="gpt-4o-mini", usage=(1_000_000, 0))
    trail = read(writer.spans)
    assert cost.call_cost(trail.calls[0]) is None
    total = cost.total_cost(trail.calls)
    assert (total.total, total.known, total.unknown) == (None, Decimal("0.15"), 1)


def test_a_time_that_is_none_has_no_price(writer: Writer) -> None:
    Turn(writer).call([], [user("a")], model="gpt-4o-mini", usage=(1_000_000, 0))
    for span in writer.spans:
        span["startTimeUnixNano"] = "99999999999999999999999"
    assert cost.call_cost(read(writer.spans).calls[0]) is None


def test_cached_tokens_cost_less(writer: Writer) -> None:
    turn = Turn(writer)
    cached = {"gen_ai.usage.cache_read.input_tokens": 1_000_000}
    turn.call([], [user("a")], model="gpt-4o-mini", usage=(1_000_000, 0), attributes=cached)
    assert cost.call_cost(read(writer.spans).calls[0]) == Decimal("0.075")


def test_tokens_add_up_where_they_are_reported(writer: Writer) -> None:
    turn = Turn(writer)
    turn.call([], [user("a")], usage=(5, 1))
    turn.call([], [user("b")], usage=None)
    usage, silent = cost.total_usage(read(writer.spans).calls)
    assert (usage.input, usage.output, usage.cache_read, silent) == (5, 1, None, 1)


def test_without_the_catalogue_every_price_is_unknown(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = Turn(writer)
    turn.call([], [user("a")], model="gpt-4o-mini")
    call = read(writer.spans).calls[0]
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert not cost.installed()
    assert cost.call_cost(call) is None
