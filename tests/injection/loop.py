"""A scripted loop over a neutral request: what an adapter does, in its smallest form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import otel_footprint.injection as inj
from otel_footprint.records.frames import is_said_by_person
from otel_footprint.records.plan import (
    AppendToResult,
    DescribeTool,
    OfferTool,
    Plan,
    RemoveMessage,
    ReplaceResult,
    WithholdTool,
    rebuilt,
)
from otel_footprint.records.view import MessageView, ToolOutcome, ToolView


@dataclass
class Request:
    """What leaves."""

    system: list[str]
    messages: list[MessageView]
    tools: dict[str, str]

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.messages]


def applied(plan: Plan, system: str, messages: list[MessageView], tools: list[ToolView]) -> Request:
    """The plan on a request, as every adapter has to carry it out."""
    out = list(messages)
    for edit in plan.history:
        if isinstance(edit, AppendToResult | ReplaceResult):
            for at, view in enumerate(out):
                if edit.call_id in view.answers:
                    head = view.text if isinstance(edit, AppendToResult) else ""
                    out[at] = view._replace(text=head + edit.text)
        elif isinstance(edit, RemoveMessage):
            assert messages[edit.at.position].key == edit.key
    sent = rebuilt(
        out,
        plan.history,
        lambda edit: MessageView(edit.role, edit.text, edit.by.source, edit.by.id),
        lambda view, text: view._replace(text=text),
    )
    offer = {tool.name: tool.description for tool in tools}
    for change in plan.tools:
        if isinstance(change, OfferTool):
            offer.pop(change.name, None)
            offer[change.name] = change.description
        elif isinstance(change, WithholdTool):
            del offer[change.name]
        elif isinstance(change, DescribeTool):
            offer[change.name] = change.prefix + offer[change.name]
    request = Request([system, *(edit.text for edit in plan.system)], sent, offer)
    check_pairs(request)
    return request


def check_pairs(request: Request) -> None:
    """Every tool call is followed by its results, with nothing in between."""
    open_calls: set[str] = set()
    for view in request.messages:
        if open_calls:
            assert view.answers, f"{view} stands inside a tool call"
        assert set(view.answers) <= open_calls, f"{view} answers nothing"
        open_calls -= set(view.answers)
        open_calls |= set(view.call_ids)


@dataclass
class Loop:
    """A caller's loop that owns its messages, with a model that does what the test says."""

    declared: inj.Declared
    tools: list[str] = field(default_factory=list)
    system: str = "You help."
    state: inj.State = field(default_factory=inj.State)
    messages: list[MessageView] = field(default_factory=list)
    action: int = 0
    facts: dict[str, Any] = field(default_factory=lambda: {"dispatch": True})
    notes: list[Any] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    number: int = 0

    def says(self, text: str) -> None:
        """A person speaks: a turn begins."""
        self.state = inj.for_turn(self.state)
        self.action = 0
        self.facts["text"] = text
        self.put("user", text)

    def put(self, role: str, text: str, **more: Any) -> None:
        self.number += 1
        view = MessageView(role, text, key=f"k{self.number}", since=self.action + 1, **more)
        self.messages.append(view._replace(person=is_said_by_person(view)))

    def call(self, **facts: Any) -> Request:
        """One model call up to the request that leaves."""
        self.action += 1
        held = inj.CallFacts(
            self.action,
            messages=list(self.messages),
            tools=[ToolView(name, f"The {name} tool.") for name in self.tools],
            system=self.system,
            **{**self.facts, **facts},
        )
        boundary = inj.before_call(self.declared, self.state, held)
        self.state = boundary.state
        self.notes += boundary.notes
        self.plans.append(boundary.plan)
        request = applied(boundary.plan, self.system, self.messages, list(held.tools))
        self.requests.append(request)
        return request

    def run(self, *calls: Any, size: int = 0) -> None:
        """The model asks for tools, all in one batch, and they come back.

        A call is a name, or (name, status) or (name, arguments).
        """
        outcomes = []
        for call in calls:
            self.number += 1
            name, more = call if isinstance(call, tuple) else (call, "ok")
            status, arguments = (more, None) if isinstance(more, str) else ("ok", more)
            text = f"{name} came back" + "." * size
            outcomes.append(ToolOutcome(name, f"c{self.number}", status, text, arguments))
        ids = tuple(o.call_id for o in outcomes)
        self.put("assistant", "", call_ids=ids, tools=tuple(o.name for o in outcomes))
        for outcome in outcomes:
            if outcome.status != "paused":
                self.put("tool", outcome.text, answers=(outcome.call_id,), tools=(outcome.name,))
        self.settle(outcomes)

    def settle(self, outcomes: list[ToolOutcome]) -> None:
        settled = inj.settle(self.declared, self.state, outcomes)
        self.notes += settled.notes
        self.state = inj.keep(settled.state, settled.edits)

    def step(self, *calls: Any, size: int = 0) -> Request:
        """A model call whose answer is a batch of tool calls."""
        request = self.call()
        self.run(*calls, size=size)
        return request

    def answers(self, text: str, **kwargs: Any) -> inj.Ending:
        """The model answers without asking for a tool."""
        kwargs.setdefault("can_continue", True)
        ending = inj.at_answer(self.declared, self.state, **kwargs)
        self.state = ending.state
        if ending.note is not None:
            self.notes.append(ending.note)
        if ending.nudge is not None:
            edits = inj.nudge_edits(
                self.messages, text, ending.nudge.text, ending.nudge.by, self.action
            )
            self.state = inj.keep(self.state, edits)
        else:
            self.put("assistant", text)
        return ending

    def ends(self, **kwargs: Any) -> None:
        ending = inj.at_end(self.declared, self.state, **kwargs)
        self.state = ending.state
        if ending.note is not None:
            self.notes.append(ending.note)

    def of(self, kind: type) -> list[Any]:
        return [note for note in self.notes if isinstance(note, kind)]

    def sent_texts(self) -> str:
        return "\n".join(self.requests[-1].texts)


def refund(on_skip: str | None = None, **more: Any) -> inj.Injection:
    """The procedure of the rows: lookup, charge, export, and a tool that is no step."""
    return inj.skill(
        "refund", "Refunds a payment.", "How to refund.",
        tools=["lookup", "charge", "export", "extra"],
        steps=[inj.Step("lookup", "find it"), inj.Step("charge", "refund it"),
               inj.Step("export", "file it")],
        on_skip=on_skip, **more,
    )  # fmt: skip


TOOLS = ["lookup", "charge", "export", "extra", "baseline"]


def refunding(*pieces: inj.Injection, on_skip: str | None = None, **more: Any) -> Loop:
    """A loop in which the refund procedure was just activated by the model."""
    declared = inj.declare([refund(on_skip), *pieces])
    loop = Loop(declared, list(TOOLS), **more)
    loop.says("Why was I charged twice?")
    loop.step(("read_skill", {"skill": "refund"}))
    return loop


__all__ = ["TOOLS", "Loop", "Request", "applied", "refund", "refunding"]
