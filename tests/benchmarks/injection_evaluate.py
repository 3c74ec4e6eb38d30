"""What injection costs a call. Run by hand: python -m tests.benchmarks.injection_evaluate

Figures asked for: 200 pieces with 50 rules evaluated in under 1 ms; nothing declared, under 2 us; a
procedure of 50 steps over 500 actions stays linear.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable

import otel_footprint.injection as inj
from otel_footprint.injection.context import Context
from otel_footprint.injection.evaluate import evaluate
from otel_footprint.records.view import MessageView, ToolOutcome, ToolView


def best(run: Callable[[], object], loops: int, rounds: int = 7) -> tuple[float, float]:
    """Median and best seconds of one run."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(loops):
            run()
        times.append((time.perf_counter() - start) / loops)
    return statistics.median(times), min(times)


def pieces(count: int, rules: int) -> list[inj.Injection]:
    """Pieces of all kinds, `rules` of them with a predicate."""
    kinds = [
        lambda i: inj.fact(f"p{i}", f"Fact {i}."),
        lambda i: inj.steering(f"p{i}", f"Steer {i}."),
        lambda i: inj.instruction(f"p{i}", template=f"{i}: {{{{action}}}}/{{{{actionBudget}}}}"),
        lambda i: inj.instruction(f"p{i}", f"Instruct {i}.", when=inj.on_tool_return(f"tool{i}")),
        lambda i: inj.fact(f"p{i}", f"Fact {i}.", when=inj.after_tool(re.compile(f"^tool{i}$"))),
    ]
    ruled = [
        inj.instruction(f"r{i}", f"Rule {i}.", when=lambda ctx, i=i: ctx.action % (i + 2) == 0)
        for i in range(rules)
    ]
    return [kinds[i % len(kinds)](i) for i in range(count - rules)] + ruled


def evaluation() -> None:
    """200 pieces with 50 rules."""
    declared = inj.declare(pieces(200, 50))
    results = tuple(ToolOutcome(f"tool{i}", f"c{i}") for i in range(5))
    ctx = Context(4, 30, text="x", results=results, called=tuple(r.name for r in results))
    median, least = best(lambda: evaluate(declared, ctx), 100)
    print(f"evaluate 200 pieces, 50 rules: median {median * 1e6:.0f} us, best {least * 1e6:.0f} us")
    state, facts = inj.State(), inj.CallFacts(4, 30, system="You help.")
    median, least = best(lambda: inj.before_call(declared, state, facts), 100)
    print(f"whole boundary with them: median {median * 1e6:.0f} us, best {least * 1e6:.0f} us")


def nothing() -> None:
    """Nothing declared."""
    declared, state, facts = inj.declare([]), inj.State(), inj.CallFacts(1)
    median, least = best(lambda: inj.before_call(declared, state, facts), 100_000)
    print(f"nothing declared, before_call: median {median * 1e6:.2f} us, best {least * 1e6:.2f} us")
    median, least = best(lambda: inj.is_idle(declared, state), 100_000)
    print(f"nothing declared, is_idle: median {median * 1e6:.2f} us, best {least * 1e6:.2f} us")


def procedure(actions: int, persists: bool) -> float:
    """A procedure of 50 steps over so many actions, history and all; seconds."""
    tools = [f"tool{i}" for i in range(50)]
    steps = [inj.Step(tool, f"note {tool}") for tool in tools]
    declared = inj.declare([inj.skill("long", "d", "b", tools=tools, steps=steps)])
    state = inj.State()
    views = tuple(ToolView(tool, "A tool.") for tool in tools)
    messages = [MessageView("user", "Go.", key="k", person=True)]
    start = time.perf_counter()
    for action in range(1, actions + 1):
        facts = inj.CallFacts(
            action, messages=messages, tools=views, dispatch=True, persists=persists
        )
        boundary = inj.before_call(declared, state, facts)
        tool, arguments = f"tool{(action - 2) // 10}", None
        if action == 1:
            tool, arguments = "read_skill", {"skill": "long"}
        status = "ok" if action % 10 == 1 else "error"
        call = f"c{action}"
        outcome = ToolOutcome(tool, call, status, "result", arguments)
        settled = inj.settle(declared, boundary.state, [outcome])
        state = settled.state if persists else inj.keep(settled.state, settled.edits)
        messages += [
            MessageView("assistant", "", call_ids=(call,), tools=(tool,), key=f"a{action}"),
            MessageView("tool", "result", answers=(call,), tools=(tool,), key=f"t{action}"),
        ]
    took = time.perf_counter() - start
    assert state.pointer is not None
    assert state.pointer.step == min(51, 1 + (actions - 1) // 10)
    return took


if __name__ == "__main__":
    evaluation()
    nothing()
    for persists in (True, False):
        for actions in (125, 250, 500, 1000, 2000):
            took = min(procedure(actions, persists) for _ in range(3))
            each = took / actions * 1e6
            kept = "the loop keeps edits" if persists else "edits made again"
            print(f"50 steps, {actions} actions, {kept}: {took * 1e3:.0f} ms, {each:.0f} us each")
