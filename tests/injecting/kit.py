"""Scripted models behind real clients, and what left and was recorded, in a form to compare."""

from __future__ import annotations

import json
from typing import Any

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.sdk import Recording, Server, chat, client

MODEL = "gpt-4o-mini"
SYSTEM = {"role": "system", "content": "Be brief."}


def call(id_: str, name: str, **arguments: Any) -> dict[str, Any]:
    """A tool call of OpenAI chat."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": id_, "type": "function", "function": function}


def calls(*asked: dict[str, Any]) -> Any:
    """An answer that asks for tools."""
    return chat(None, list(asked))


def tool(name: str, **properties: Any) -> dict[str, Any]:
    """A tool's definition for OpenAI chat."""
    schema = {"type": "object", "properties": properties}
    return {
        "type": "function",
        "function": {"name": name, "description": f"Runs {name}.", "parameters": schema},
    }


class Loop:
    """A hand-written loop over a real OpenAI client, as an application has it."""

    def __init__(self, *answers: Any, content: str = "full", name: str = "agent", **options: Any):
        self.recording = Recording()
        self.footprint = footprint.Footprint(
            name, content=content, **options, **self.recording.providers
        )
        self.server = Server(*answers)
        self.client = self.footprint.wrap(client("openai", "OpenAI", self.server))
        self.messages: list[dict[str, Any]] = [SYSTEM]
        self.tools: list[dict[str, Any]] = []
        self.functions: dict[str, Any] = {}

    def run(self, text: str, turn: Any = None) -> Any:
        """A turn of the loop, until an answer that asks for no tool."""
        self.messages.append({"role": "user", "content": text})
        return self.go_on(turn)

    def go_on(self, turn: Any = None) -> Any:
        while True:
            more = {"tools": self.tools} if self.tools else {}
            answer = self.client.chat.completions.create(
                model=MODEL, messages=self.messages, **more
            )
            said = answer.choices[0].message
            self.messages.append(said.model_dump(exclude_none=True))
            if not said.tool_calls:
                return said.content
            for asked in said.tool_calls:
                fn = self.functions.get(asked.function.name)
                result = turn.tool(asked, fn) if turn is not None else fn()
                self.messages.append({"role": "tool", "tool_call_id": asked.id, "content": result})

    # --- what left ---------------------------------------------------------------------------

    @property
    def sent(self) -> list[dict[str, Any]]:
        """The requests that left."""
        return [json.loads(body) for body in self.server.bodies]

    def texts(self, at: int = -1) -> list[Any]:
        """The contents of a request's messages."""
        return [message.get("content") for message in self.sent[at]["messages"]]

    def offered(self, at: int = -1) -> dict[str, str]:
        """Names and descriptions of a request's tools."""
        found = self.sent[at].get("tools", ())
        return {t["function"]["name"]: t["function"]["description"] for t in found}

    # --- what was recorded -------------------------------------------------------------------

    def events(self, name: str, prefix: str = "") -> list[dict[str, Any]]:
        """The attributes of all events of a name, on spans whose names begin so."""
        return [
            dict(event.attributes or {})
            for span in self.recording.named(prefix)
            for event in span.events
            if event.name == name
        ]

    def rows(self, slot: str) -> list[tuple[str, str, str]]:
        """Source, id and reason of all rows that were composed in a slot."""
        out = []
        for event in self.events(names.EVENT_COMPOSED, f"compose {slot}"):
            sources = event.get(names.PIECE_SOURCE, "")
            sources = sources.split(",") if isinstance(sources, str) else sources
            ids = event.get(names.PIECE_ID, [""] * len(sources))
            reasons = event.get(names.PIECE_REASON, [""] * len(sources))
            out += list(zip(sources, ids, reasons, strict=True))
        return out
