"""Runs a scenario: a real OpenAI or Anthropic client over a local transport, recorded by us."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

import otel_footprint as footprint
from otel_footprint.telemetry.jsonfile import JsonFileExporter
from tests.sdk import Server, chat, client, message

from .scenario import Scenario, dumped, result_text


def record(scenario: Scenario, path: Path) -> None:
    """Runs the scenario and writes its trail to a file."""
    tracers, meters = TracerProvider(), MeterProvider()
    tracers.add_span_processor(SimpleSpanProcessor(JsonFileExporter(path)))
    fp = footprint.Footprint(
        "planted",
        content="full",
        context=declared(scenario),
        tracer_provider=tracers,
        meter_provider=meters,
    )
    run = _OpenAI(scenario) if scenario.client == "openai" else _Anthropic(scenario)
    wrapped = fp.wrap(run.client())
    for spec in scenario.turns:
        with fp.turn(spec["ask"], conversation="c-1") as turn:
            run.begin(spec)
            for call in spec["calls"]:
                run.change(call)
                asked = run.ask(wrapped)
                for tool, one in zip(call.get("tools", ()), asked, strict=True):
                    result = result_text(tool["result"])
                    turn.tool(one, lambda result=result, **_: result)
                run.results(call)
    fp.flush()
    tracers.shutdown()
    meters.shutdown()


def declared(scenario: Scenario) -> list[Any]:
    """What the scenario lets in, as an application declares it."""
    out: list[Any] = []
    used: set[str] = set()
    for i, piece in enumerate(scenario.context):
        source, id_ = piece["source"], piece.get("id") or f"piece-{i}"
        id_ = f"{id_}-{i}" if id_ in used else id_
        used.add(id_)
        when = footprint.from_action(piece.get("from", 1))
        if source == "skill":
            out.append(footprint.skill(id_, "What it is for.", piece["text"], when=when))
        else:
            make = getattr(footprint, source)
            out.append(make(id_, piece["text"], when=when))
    return out


class _Run:
    """What both clients share: the messages, and what of them is dropped or cut."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.messages: list[tuple[set[str], dict[str, Any]]] = []
        """Each with the names of its pieces."""
        self.dropped: set[str] = set()
        self.cut: dict[str, int] = {}
        for piece in scenario.history:
            self._add({piece.get("as", "")}, {"role": piece["role"], "content": piece["text"]})

    def begin(self, turn: dict[str, Any]) -> None:
        self._add({turn.get("as", "")}, {"role": "user", "content": turn["ask"]})

    def change(self, call: dict[str, Any]) -> None:
        self.dropped |= set(call.get("drop", ()))
        self.cut.update(call.get("cut", {}))

    def sent(self) -> list[dict[str, Any]]:
        out = []
        for named, each in self.messages:
            if named & self.dropped:
                continue
            size = min((self.cut[n] for n in named if n in self.cut), default=None)
            whole = size is None or not isinstance(each.get("content"), str)
            out.append(each if whole else {**each, "content": each["content"][:size] + " [cut]"})
        return out

    def rules(self) -> list[str]:
        return [p["text"] for p in self.scenario.system]

    def _add(self, named: set[str], each: dict[str, Any]) -> None:
        self.messages.append((named - {""}, each))

    def _answers(self) -> list[dict[str, Any]]:
        return [call for turn in self.scenario.turns for call in turn["calls"]]


class _OpenAI(_Run):
    def client(self) -> Any:
        return client("openai", "OpenAI", Server(*[self._reply(c) for c in self._answers()]))

    def _reply(self, call: dict[str, Any]) -> Any:
        return chat(call.get("say") or None, self._calls(call))

    def _calls(self, call: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {"id": _id(tool, call, i), "type": "function",
             "function": {"name": tool["name"], "arguments": dumped(tool["arguments"])}}
            for i, tool in enumerate(call.get("tools", ()))
        ]  # fmt: skip

    def ask(self, wrapped: Any) -> list[Any]:
        system = [{"role": "system", "content": text} for text in self.rules()]
        tools = [{"type": "function", "function": {k: v for k, v in t.items() if k != "as"}}
                 for t in self.scenario.tools]  # fmt: skip
        response = wrapped.chat.completions.create(
            model="gpt-4o-mini",
            messages=[*system, *self.sent()],
            **({"tools": tools} if tools else {}),
        )
        self.last = response.choices[0].message
        return list(self.last.tool_calls or ())

    def results(self, call: dict[str, Any]) -> None:
        tools = call.get("tools", ())
        self._add({t["as"] for t in tools if "as" in t}, self.last.to_dict())
        for i, tool in enumerate(tools):
            self._add({tool.get("as", "")}, {"role": "tool", "tool_call_id": _id(tool, call, i),
                                             "content": result_text(tool["result"])})  # fmt: skip


class _Anthropic(_Run):
    def client(self) -> Any:
        answers = [message(**self._reply(c)) for c in self._answers()]
        return client("anthropic", "Anthropic", Server(*answers))

    def _reply(self, call: dict[str, Any]) -> dict[str, Any]:
        text = [{"type": "text", "text": call["say"]}] if call.get("say") else []
        uses = [
            {"type": "tool_use", "id": _id(tool, call, i), "name": tool["name"],
             "input": tool["arguments"]}
            for i, tool in enumerate(call.get("tools", ()))
        ]  # fmt: skip
        return {"content": text + uses, "stop_reason": "tool_use" if uses else "end_turn"}

    def ask(self, wrapped: Any) -> list[Any]:
        tools = [
            {"name": t["name"], "description": t["description"], "input_schema": t["parameters"]}
            for t in self.scenario.tools
        ]
        response = wrapped.messages.create(
            model="claude-test-1", max_tokens=100, messages=self.sent(),
            system=[{"type": "text", "text": text} for text in self.rules()],
            **({"tools": tools} if tools else {}),
        )  # fmt: skip
        self.last = [block.to_dict() for block in response.content]
        return [block for block in response.content if block.type == "tool_use"]

    def results(self, call: dict[str, Any]) -> None:
        tools = call.get("tools", ())
        self._add({t["as"] for t in tools if "as" in t},
                  {"role": "assistant", "content": self.last})  # fmt: skip
        if tools:
            blocks = [
                {"type": "tool_result", "tool_use_id": _id(tool, call, i),
                 "content": result_text(tool["result"])}
                for i, tool in enumerate(tools)
            ]  # fmt: skip
            self._add({t["as"] for t in tools if "as" in t}, {"role": "user", "content": blocks})


def _id(tool: dict[str, Any], call: dict[str, Any], index: int) -> str:
    """A tool call's id, as a provider would make one."""
    return f"call_{tool.get('as') or 'x'}_{index}_{abs(hash_of(call)) % 10_000_000}"


def hash_of(call: dict[str, Any]) -> int:
    """A number that is the same in every process and differs between calls."""
    from zlib import crc32

    return crc32(dumped(call).encode())
