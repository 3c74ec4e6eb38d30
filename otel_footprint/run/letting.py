"""What injection has to know of a request and of results, read from the wire."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..injection import doors
from ..injection.delivery import CARRIES
from ..records.injection import DoorRefused
from ..records.plan import Plan, RemoveMessage
from ..records.view import ToolOutcome, ToolStatus
from ..slots.tokens import MESSAGE, definition, estimate
from ..telemetry.guard import guard
from ..text import jsontext
from ..wire.values import compact
from .compose import Maker
from .request import Request, message_view
from .said import words as spoken

if TYPE_CHECKING:
    from .call import Call

now = time.monotonic


class Shape(NamedTuple):
    """What a provider takes among its messages."""

    carries: Collection[str] = CARRIES
    closes: Collection[str] | None = None
    user_first: bool = False
    alternates: bool = False
    marks: int = 0
    """Cache marks that it takes in one request."""


_OPENAI: Final = Shape(frozenset({"user", "assistant", "system", "developer"}))
_SHAPES: Final = {
    "openai.chat": _OPENAI,
    "openai.responses": _OPENAI,
    "anthropic.messages": Shape(CARRIES, frozenset({"user"}), True, False, 4),
}


def shape(dialect: str) -> Shape:
    """Of a dialect by its name."""
    return _SHAPES.get(dialect, Shape())


def kept_by_provider(request: Request) -> bool:
    """True when the provider holds the history, and the request only what is new in it."""
    return bool(request.facts.previous_response or request.body.get("conversation"))


def marks_left(request: Request, most: int) -> int:
    """Cache marks for which a request has room beside the caller's own."""
    return max(0, most - sum(_marks(request.body))) if most else 0


def _marks(body: Any) -> Iterator[int]:
    if isinstance(body, dict):
        if body.get("cache_control") is not None:
            yield 1
        for key in ("tools", "system", "messages", "content"):
            yield from _marks(body.get(key))
    elif isinstance(body, list | tuple):
        for part in body:
            yield from _marks(part)


def words(request: Request) -> str:
    """What the person says in this turn: the last message of a person."""
    said = request.turn.fields.text
    if said is not None:
        return spoken(said, request.turn.core.warned)
    for element in reversed(request.layout.messages):
        view = message_view(request.dialect, element, None, request.turn)
        if view.person:
            return view.text
    return ""


def remaining(request: Request, used: tuple[int, int] | None, seen: int) -> int | None:
    """Tokens left in the model's window; None while its size is unknown.

    `used` are input and output tokens that the provider reported of the call before, of whose
    messages the first `seen` are still there: only what came since is estimated.
    """
    core = request.turn.core
    model = request.facts.model or ""
    size = core.settings.window or core.windows.size(request.provider, model)
    if size is None:
        return None
    if used is not None:
        new = request.layout.messages[seen:]
        answered = [e for e in new if message_view(request.dialect, e).role != "assistant"]
        return max(0, size - sum(used) - _tokens(request, "messages", answered))
    layout = request.layout
    total = _tokens(request, "system", layout.system)
    total += _tokens(request, "messages", layout.messages)
    total += sum(definition(compact(tool)) for tool in layout.tools)
    return max(0, size - core.calibration.apply(model, total)[0])


def _tokens(request: Request, slot: str, elements: Sequence[Any]) -> int:
    dialect = request.dialect
    return sum(
        MESSAGE
        + sum(
            estimate(part.text, part.kind == "tool_call")
            for item in dialect.items(slot, element)
            for part in dialect.parts(item.value)
        )
        for element in elements
    )


def results_in(request: Request, missing: Collection[str]) -> list[ToolOutcome]:
    """The results of tool calls in a request, in the order of `missing`.

    They ran where we could not see them: the status is `error` where the result says so, else
    `unknown`.
    """
    found: dict[str, ToolOutcome] = {}
    wanted = set(missing)
    names: dict[str, str] = {}
    for element in reversed(request.layout.messages):
        for item in request.dialect.items("messages", element):
            for part in request.dialect.parts(item.value):
                if part.kind == "tool_call" and part.id in wanted:
                    names[part.id] = part.name
                elif part.kind == "tool_result" and part.id in wanted:
                    status: ToolStatus = "error" if _failed(item.value) else "unknown"
                    before = found.get(part.id)
                    text = part.text if before is None else f"{before.text}{part.text}"
                    found[part.id] = ToolOutcome(part.name, part.id, status, text)
        if names.keys() == wanted:
            break
    return [
        found[id_]._replace(name=found[id_].name or names.get(id_, ""))
        for id_ in missing
        if id_ in found
    ]


def _failed(value: Any) -> bool:
    return isinstance(value, dict) and value.get("is_error") is True


def result_text(result: Any) -> str:
    """What a tool's result says: a text as it is, anything else as compact JSON."""
    if isinstance(result, BaseException):
        return f"{type(result).__name__}: {result}"
    return jsontext.dumps(jsontext.plain(result))


def checked(plan: Plan) -> tuple[Plan, list[DoorRefused]]:
    """The plan without edits whose text is none: the last net behind the doors."""
    refused = [
        problem
        for edit in (*plan.system, *plan.history)
        if not isinstance(edit, RemoveMessage)
        and (problem := doors.check(edit.text, "slot", f"{edit.by.source} {edit.by.id}"))
    ]
    if not refused:
        return plan, refused
    system = tuple(edit for edit in plan.system if isinstance(edit.text, str))
    history = tuple(
        e for e in plan.history if isinstance(e, RemoveMessage) or isinstance(e.text, str)
    )
    return plan._replace(system=system, history=history), refused


def hash_of(request: Request, key: str, call: Call) -> str:
    """The hash on the record of a message of the request, by the key of its view; else empty."""
    for view, element in zip(request.messages, request.layout.messages, strict=True):
        if view.key == key:
            with guard("removed.hash"):
                return Maker(call, "messages")(element)[0].entry.hash
    return ""
