"""Ten thousand calls leave nothing behind: every container is bounded, and nothing stays alive."""

from __future__ import annotations

import gc
import tracemalloc
import types
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Any

import pytest

from otel_footprint.run import core as core_module
from otel_footprint.telemetry import guard
from tests.adapters.conftest import Recorded
from tests.quick import sampled
from tests.sdk import chat

from .helpers import KIND_IDS, KINDS, Model, user

PATH = "/v1/chat/completions"
CONTAINERS = (dict, list, set, deque, OrderedDict)


def sizes(*roots: Any) -> dict[str, int]:
    """The length of every container that objects of ours hold, by where it is held."""
    out: dict[str, int] = {}
    seen: set[int] = set()
    waiting: list[tuple[str, Any]] = [(type(r).__name__, r) for r in roots]
    while waiting:
        path, value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, CONTAINERS):
            out[path] = max(out.get(path, 0), len(value))
            members = list(value.values()) if isinstance(value, dict) else list(value)
            waiting += [(f"{path}[]", m) for m in members]
        elif type(value).__module__.startswith("otel_footprint"):
            held = dict(getattr(value, "__dict__", {}))
            for cls in type(value).__mro__:
                slots = vars(cls).get("__slots__", ())
                for name in (slots,) if isinstance(slots, str) else slots:
                    if hasattr(value, name):
                        held[name] = getattr(value, name)
            waiting += [(f"{path}.{n}", v) for n, v in held.items()]
    return out


def module_sizes() -> dict[str, int]:
    """The length of every container that a module of ours holds."""
    import sys

    out: dict[str, int] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] != "otel_footprint" or not isinstance(module, types.ModuleType):
            continue
        for key, value in vars(module).items():
            if isinstance(value, (*CONTAINERS, weakref.WeakKeyDictionary)) and key[:2] != "__":
                out[f"{name}.{key}"] = len(value)
            elif type(value).__module__.startswith("otel_footprint"):
                out.update({f"{name}.{key}:{k}": v for k, v in sizes(value).items()})
    return out


def grown(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """What grew by more than a few entries."""
    return {k: v for k, v in after.items() if v > before.get(k, 0) + 8}


def silent(make: Callable[..., Recorded], **options: Any) -> Recorded:
    """A Footprint whose spans are forgotten at once, so that only what we keep counts."""
    recorded = make(**options)
    recorded.recording.exporter.export = lambda _spans: None  # type: ignore[method-assign,assignment,return-value]
    return recorded


def many(recorded: Recorded, number: int, turns: str) -> None:
    """Calls of many conversations, some of which never end."""
    fp = recorded.footprint
    tool = fp.tool(lambda x: x, name="work")
    for n in range(number):
        body = {"model": f"m{n % 50}", "messages": [user(f"Question {n}?")], "seed": n}
        if turns == "implicit":
            fp.record("openai", PATH, body, chat(f"Answer {n}."))
        elif turns == "ended":
            with fp.turn(f"Question {n}?", conversation=f"c{n}", agent=f"a{n}"):
                fp.record("openai", PATH, body, chat(f"Answer {n}."))
                tool({"x": n})
        else:
            turn = fp.turn(f"Question {n}?", conversation=f"c{n}")
            turn.start()
    recorded.recording.reader.get_metrics_data()


@pytest.mark.parametrize("turns", ["implicit", "ended", "never ended"])
@pytest.mark.parametrize("once", sampled(["conversation", "trace"], 2))
def test_every_container_is_bounded(make: Callable[..., Recorded], turns: str, once: str) -> None:
    recorded = silent(make, once=once)
    many(recorded, 1100, turns)
    gc.collect()
    before = sizes(recorded.footprint) | module_sizes()
    many(recorded, 700, turns)
    gc.collect()
    after = sizes(recorded.footprint) | module_sizes()
    assert grown(before, after) == {}
    assert len(before) > 10


@pytest.mark.slow
def test_memory_is_flat_over_ten_thousand_calls(make: Callable[..., Recorded]) -> None:
    recorded = silent(make)
    fp = recorded.footprint
    body = {"model": "m", "messages": [user("Question?")]}
    made = iter(range(10_000))

    def calls(number: int) -> None:
        for _ in range(number):
            n = next(made)
            if n % 5 == 0:
                body["messages"] = [user(f"Question {n}?")]
            fp.record("openai", PATH, body, chat())
        recorded.recording.reader.get_metrics_data()

    calls(7000)
    gc.collect()
    tracemalloc.start()
    try:
        calls(1500)
        gc.collect()
        middle = tracemalloc.get_traced_memory()[0]
        calls(1500)
        gc.collect()
        end = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert end - middle < 100_000


def test_a_long_turn_keeps_what_its_history_holds_and_no_more(
    make: Callable[..., Recorded],
) -> None:
    recorded = silent(make)
    fp = recorded.footprint
    with fp.turn() as turn:
        messages: list[Any] = []
        for n in range(1500):
            messages = [*messages[-20:], user(f"Message {n}, a window that moves.")]
            fp.record("openai", PATH, {"model": "m", "messages": messages, "seed": n}, chat())
            if n == 750:
                before = sizes(turn)
        after = sizes(turn)
    more = grown(before, after)
    assert {k for k in more if "texts" not in k and "_found.queue" not in k} == set()
    assert max(after.values()) <= 20_000


@pytest.mark.parametrize("kind", KINDS, ids=KIND_IDS)
async def test_clients_turns_and_footprints_die(
    make: Callable[..., Recorded], kind: tuple[str, bool]
) -> None:
    recorded = silent(make)
    model = Model(kind)
    recorded.footprint.wrap(model.client)
    with recorded.footprint.turn("Hello?") as turn:
        answer = await model.call([user("Hello?")])
    refs = [weakref.ref(x) for x in (model.client, turn, answer, turn.ledger.memory.texts)]
    del model, turn, answer
    gc.collect()
    assert [r() for r in refs] == [None] * 4
    footprint = weakref.ref(recorded.footprint)
    inner = weakref.ref(recorded.footprint.core)
    del recorded.footprint
    gc.collect()
    assert footprint() is None
    assert inner() is None


def test_objects_in_a_request_die_with_its_turn(make: Callable[..., Recorded]) -> None:
    class Odd:
        pass

    recorded = silent(make)
    odd = Odd()
    found = [Odd()]
    tool = recorded.footprint.tool(lambda _x: found[0], name="work")
    body = {"model": "m", "messages": [user([{"x": odd}])], "metadata": {"x": odd}}
    with recorded.footprint.turn(metadata={"x": odd}):
        recorded.footprint.record("openai", PATH, body, {**chat(), "x": odd})
        tool(odd)
    refs = [weakref.ref(odd), weakref.ref(found[0])]
    del odd, body, tool
    found.clear()
    recorded.footprint.tools.clear()
    gc.collect()
    assert [r() for r in refs] == [None, None]


def test_an_error_is_not_kept_alive(recorded: Recorded) -> None:
    class Failed(Exception):
        pass

    def work() -> None:
        raise Failed

    tool = recorded.footprint.tool(work)

    def run() -> weakref.ref[Any]:
        try:
            with recorded.footprint.turn():
                tool()
        except Failed as error:
            return weakref.ref(error)
        raise AssertionError

    ref = run()
    gc.collect()
    assert ref() is None


def test_failures_are_counted_within_bounds() -> None:
    before = guard.set_raising(False)
    try:
        for n in range(2000):
            guard.failed(f"place {n}", ValueError)
        assert len(guard._state.logged) <= guard.MAX_LOGGED
        assert guard.take_failures() == 2000
    finally:
        guard.set_raising(before)
        guard.forget()


def test_the_watch_over_losses_is_bounded() -> None:
    assert len(core_module.LOSSES._watched) <= 4 * core_module.MEMORIES
