"""Tool calls: one `execute_tool {tool}` span, with hashes of arguments and result."""

from __future__ import annotations

from functools import cache
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, Final

from ..records import digest
from ..records.view import ToolStatus
from ..slots.entry import EXACT
from ..telemetry import names
from ..telemetry.attach import attach, detach
from ..telemetry.guard import guard
from ..telemetry.instant import put
from ..telemetry.sanitize import clean_attributes, clean_text
from ..telemetry.spans import ids, inside, link
from ..text import jsontext
from . import state
from .summary import mark_error
from .turn import Turn

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span

_ROWS: Final = (names.EVENT_ARGUMENT, names.EVENT_ARGUMENT_ASKED)
"""Events that are lines of the span's digest."""


@cache
def _fields() -> dict[str, str]:
    """The digested fields of a row, by attribute; made where arguments are declared."""
    from ..records.arguments import CONTENT_FIELDS

    return {n: k for k, n in names.ARGUMENT_FIELDS.items() if k not in CONTENT_FIELDS}


class ToolCall:
    """A tool call under way: `start`, then `finish` or `fail`. Never raises."""

    __slots__ = ("_arguments", "_lines", "_span", "_spent", "_token", "call_id", "name", "turn")

    def __init__(self, turn: Turn, name: str, call_id: str = "") -> None:
        self.turn = turn
        self.name = name
        self.call_id = call_id
        self._span: Span | None = None
        self._token: Any = None
        self._arguments = ""
        self._spent = 0
        """Our own inline time at the beginning, in ns."""
        self._lines: list[str] = []
        """Lines of the rows that stand on the span, for its digest."""

    def start(self, arguments: Any, current: bool = True) -> ToolCall:
        """Opens the span; with `current` what the tool does stands beneath it."""
        clock = perf_counter_ns()
        with guard("tool.start"):
            turn = self.turn
            if not turn.ledger.recording:
                self._span = turn.stand_in
                self._token = attach(turn.here()) if current else None
                return self
            self.name = clean_text(self._redact(self.name, "tool name"))
            attributes = {names.OPERATION: names.SPAN_TOOL, names.TOOL_NAME: self.name}
            if turn.said_agent:
                attributes[names.AGENT] = turn.said_agent
            if self.call_id:
                self.call_id = self._redact(clean_text(self.call_id), "tool call id")
                attributes[names.TOOL_CALL_ID] = self.call_id
            self._arguments = self._hash(arguments)
            self._span = turn.core.spans.start(
                f"{names.SPAN_TOOL} {self.name}",
                turn.here(),
                attributes,
            )
            if current:
                self._token = attach(inside(self._span))
            self._spent = perf_counter_ns() - clock
        return self

    @property
    def ids(self) -> tuple[int, int] | None:
        """Trace id and span id, while it runs."""
        return None if self._span is None else ids(self._span)

    def say(self, attributes: dict[str, Any]) -> None:
        """Sets attributes on the span, while it runs."""
        if self._span is not None and attributes:
            put(self._span, clean_attributes(attributes))

    def link(self, trace_id: int, span_id: int, kind: str) -> None:
        """Links the span to another one, while it runs."""
        if self._span is not None:
            made = link(trace_id, span_id, kind)
            self._span.add_link(made.context, made.attributes)

    def event(self, name: str, attributes: dict[str, Any]) -> None:
        """Writes an event on the span, while it runs."""
        if self._span is not None:
            said = {names.TOOL_NAME: self.name, names.TURN_ID: self.turn.said_id}
            self.turn.core.spans.event(self._span, name, attributes, None, said)
            if name in _ROWS:
                fields = _fields()
                own = {fields[k]: v for k, v in attributes.items() if k in fields}
                self._lines.append(digest.argument_line(name == names.EVENT_ARGUMENT_ASKED, own))

    def finish(self, result: Any, status: ToolStatus = "ok") -> None:
        """The tool returned, or something stands in place of its result."""
        self._end(status, result, None)

    @property
    def context(self) -> Context:
        """The context in which what the tool does stands beneath it."""
        return self.turn.context if self._span is None else inside(self._span)

    def pause(self) -> None:
        """The tool waits for a person; the call runs again when the turn goes on."""
        self._end("paused", None, None)

    def fail(self, error: BaseException) -> None:
        """The tool raised."""
        self._end("error", None, error)

    def _end(self, status: str, result: Any, error: BaseException | None) -> None:
        clock = perf_counter_ns()
        with guard("tool.end"):
            token, self._token = self._token, None
            if token is not None:
                detach(token)
            span, self._span = self._span, None
            if span is None or not self.turn.ledger.recording or self.turn.inherited:
                return
            if status not in ("ok", "error"):
                span.set_attribute(names.TOOL_STATUS, status)
            if error is not None:
                span.set_attribute(names.ERROR_TYPE, type(error).__qualname__)
                mark_error(span)
            put(span, self._sealed(self._hash(result) if status == "ok" else "", status))
            span.end()
            spent = (self._spent + perf_counter_ns() - clock) / 1e9
            self.turn.core.metrics.overhead("tool", spent, self.turn.span_context)

    def _sealed(self, result: str, status: str) -> dict[str, Any]:
        ledger = self.turn.ledger
        with ledger.lock:
            seq = ledger.next_record()
            hashes = self._arguments[:EXACT], result[:EXACT]
            line = digest.tool_line(seq, self.name, self.call_id, *hashes, status)
            sealed = ledger.seal([line, *sorted(self._lines)])
        out: dict[str, Any] = {
            names.TOOL_HASHES: ",".join(hashes),
            names.SEQ: seq,
            names.DIGEST: sealed,
        }
        if self._lines:
            out[names.ARGUMENT_ROWS] = len(self._lines)
        return out

    def _hash(self, value: Any) -> str:
        """Hash of a value's text: of a string itself, else of its compact JSON."""
        content = self.turn.content
        text = value if type(value) is str else jsontext.dumps(jsontext.plain(value))
        return content.hash(self._redact(text, "tool"))

    def _redact(self, text: str, where: str) -> str:
        return self.turn.content.redactor.text(text, where)


def tool_call(turn: Turn | None, name: str, call_id: str = "") -> ToolCall | None:
    """A tool call of the turn, else of the current one; None when nothing records."""
    turn = state.turn() if turn is None else turn.mine()
    if turn is None or not turn.active or state.SUPPRESSED.get():
        return None
    return ToolCall(turn, name, call_id)
