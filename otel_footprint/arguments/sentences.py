"""Everything of declared sources that a model reads, each with its surface and its lifetime.

The descriptions stand in a tool's schema, which is served anew with each request. The notes stay
in the history behind the result of the call they name: past tense, no promise, no denial.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..records.arguments import MARKER, REDACTED, SOURCES
from ..records.frames import ARGUMENT_CHECK, framed
from ..records.sentence import register
from ..text.jsontext import dumps
from ..text.values import kind_of

FROM: Final = (
    "One entry per argument of this call: where its value comes from. "
    "user: a person's message, its words copied exactly into quote. "
    "result: an earlier tool result, its call's id in id. "
    "turn: a person's answer when asked for this argument. "
    "app: the application's own text. assumed: you chose it."
)
"""All that a model is told, once a tool: each word of it is sent with every request."""


def findings_schema(strict: bool = False) -> dict[str, Any]:
    """The schema of the reserved argument, made anew; `strict` for OpenAI's strict mode."""

    optional: Any = ["string", "null"] if strict else "string"
    entry: dict[str, Any] = {
        "type": "object",
        "properties": {
            "argument": {"type": "string"},
            "source": {"type": "string", "enum": list(SOURCES)},
            "quote": {"type": optional},
            "id": {"type": optional},
        },
        "required": ["argument", "source", *(["quote", "id"] if strict else [])],
    }
    made: dict[str, Any] = {
        "type": ["object", "null"] if strict else "object",
        "description": MARKER,
        "properties": {"from": {"type": "array", "description": FROM, "items": entry}},
        "required": ["from"],
    }
    if strict:
        entry["additionalProperties"] = False
        made["additionalProperties"] = False
    return made


def shown(value: Any, hidden: bool = False) -> str:
    """A value as a sentence shows it: JSON, cut at 80 characters, or a mark when it is hidden."""
    if hidden:
        return REDACTED
    text = dumps(value) if kind_of(value) is not None else REDACTED
    return text if len(text) <= 80 else text[:79] + "…"


def answered_note(tool: str, call_id: str, argument: str, value: Any, hidden: bool = False) -> str:
    """Behind the result of a call that ran with a person's answer."""
    chosen = "a value" if hidden else shown(value)
    return framed(
        ARGUMENT_CHECK,
        f"before call {call_id} of {tool} ran, the person was asked for its argument {argument} "
        f"and chose {chosen}; that call ran with the value, which was recorded as an answer "
        "citable with source turn",
    )


def filled_note(tool: str, call_id: str, argument: str, value: Any, hidden: bool = False) -> str:
    """Behind the result of a call whose argument was left out and filled in."""
    with_what = "the declared default" if hidden else f"the declared default {shown(value)}"
    return framed(
        ARGUMENT_CHECK,
        f"call {call_id} of {tool} came without its argument {argument} and ran with {with_what}",
    )


def refused_note(tool: str, call_id: str, arguments: Sequence[str], rounds: int) -> str:
    """In place of the result of a call whose arguments stayed unconfirmed."""
    names = ", ".join(arguments)
    which = "its argument" if len(arguments) == 1 else "its arguments"
    if rounds < 1:
        asked = "without a question to the person"
    else:
        asked = f"after {rounds} round{'s' * (rounds > 1)} of questions to the person"
    return framed(
        ARGUMENT_CHECK,
        f"call {call_id} of {tool} was not run: {asked}, {which} {names} remained unconfirmed",
    )


def unruled_note(tool: str, call_id: str) -> str:
    """In place of the result of a call whose rules could not be read."""
    return framed(
        ARGUMENT_CHECK,
        f"call {call_id} of {tool} was not run: the rules that the application declared for its "
        "arguments were unreadable",
    )


def _register() -> None:
    for name, text in (("marker", MARKER), ("from", FROM)):
        register(f"arguments.schema.{name}", "tool-description", "fleeting", lambda t=text: (t,))  # type: ignore[misc]
    register("arguments.answered", "tool-result", "lasting", _answered_samples)
    register("arguments.filled", "tool-result", "lasting", _filled_samples)
    register("arguments.refused", "tool-result", "lasting", _refused_samples)
    register("arguments.unruled", "tool-result", "lasting", lambda: (unruled_note("t1", "c1"),))


def _answered_samples() -> tuple[str, ...]:
    return (
        answered_note("t1", "c1", "a1", "v1"),
        answered_note("t1", "c1", "a1", "v1", hidden=True),
    )


def _filled_samples() -> tuple[str, ...]:
    return (filled_note("t1", "c1", "a1", 5), filled_note("t1", "c1", "a1", 5, hidden=True))


def _refused_samples() -> tuple[str, ...]:
    return (
        refused_note("t1", "c1", ["a1"], 0),
        refused_note("t1", "c1", ["a1"], 1),
        refused_note("t1", "c1", ["a1", "a2"], 3),
    )


_register()
