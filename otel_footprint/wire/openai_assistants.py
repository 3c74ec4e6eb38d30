"""Runs of the OpenAI Assistants API: a request shows only what it adds to a stored thread."""

from __future__ import annotations

from typing import Any

from .identity import stripped
from .layout import Claims
from .openai_chat import OpenAIChat, usage
from .types import Facts, Item, Layout, Response
from .values import is_cut, obj, word

_SYSTEM = ("instructions", "additional_instructions")


class OpenAIAssistants(OpenAIChat):
    """Instructions and messages that a run adds; the thread and the assistant stay unseen."""

    name = "openai.assistants"

    def layout(self, body: dict[str, Any]) -> Layout:
        """See `Dialect`."""
        if not isinstance(body, dict):
            return Layout([], [], [], body)
        claims, rest = Claims(), dict(body)
        for key, value in body.items():
            if key in _SYSTEM and isinstance(value, str):
                claims.one(rest, key, "s", value)
            elif key == "additional_messages" and isinstance(value, list):
                claims.many(rest, key, ("m", list(value)))
            elif key == "thread" and isinstance(obj(value).get("messages"), list):
                rest[key] = holder = dict(value)
                claims.many(holder, "messages", ("m", list(value["messages"])))
            elif key == "tools" and isinstance(value, list):
                claims.many(rest, key, ("t", list(value)))
        return claims.layout(rest)

    def facts(self, body: dict[str, Any]) -> Facts:
        """See `Dialect`."""
        return super().facts(body)._replace(completeness="request_only")

    def response(self, body: dict[str, Any]) -> Response:
        """See `Dialect`: a run says how far it is; its messages are read elsewhere."""
        body = obj(body)
        status = word(body.get("status"))
        return Response(
            (),
            (),
            usage(body.get("usage")),
            (status,) if status else (),
            word(body.get("id")),
            word(body.get("model")),
            status == "completed",
        )

    def assemble(self, events: list[tuple[str, Any]]) -> Response:
        """See `Dialect`: one piece a completed message, and the state of the last run."""
        items: list[Item] = []
        extra: list[dict[str, Any]] = []
        run: dict[str, Any] = {}
        for name, event in events:
            event = obj(event)
            if name == "thread.message.completed":
                kept: dict[str, Any] = {k: event[k] for k in ("role", "content") if k in event}
                value, left = stripped(kept)
                items.append(Item(value, word(event.get("role")), "assistant", "", ""))
                extra.append(left)
            elif name.startswith("thread.run.") and event.get("object") == "thread.run":
                run = event
        response = self.response(run)
        return response._replace(
            items=tuple(items),
            extra=tuple(extra),
            complete=response.complete and not is_cut(response.finish_reasons),
        )
