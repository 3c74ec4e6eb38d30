"""Programs that travel with the answer, in one turn: the ledger, and what goes under an answer.

A program enters when an answer asks for a declared tool, or reports code that the provider ran. Its
label follows what is seen of the call: that it ran through us, or that a later request holds its
result. An answer that asks for nothing gets the programs put under it.
"""

from __future__ import annotations

import asyncio
import subprocess  # only its exception: nothing is run here
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ..records.plan import NOTHING, Cause, EndAnswer, Plan
from ..records.view import ToolStatus
from ..scripts import Attachment, Ledger, Memory, Scripts, attach, exit_code_of, find, select
from ..scripts.selection import Selection
from ..telemetry import names
from ..telemetry.guard import guard
from ..telemetry.redact import WITHHELD
from ..telemetry.sanitize import clean_text
from ..wire.provider_code import provider_runs
from ..wire.types import Item, Part
from . import programs_record as record
from .compose import Origin
from .features import Action, Answer, Asked, Feature, ToolRun, arguments_of

if TYPE_CHECKING:
    from .call import Call
    from .core import Content
    from .request import Request
    from .turn import Turn

OPEN: Final = 256
"""Calls whose outcome is waited for."""
_PAUSES: Final = frozenset({"pause_turn"})
"""Finish reasons of an answer that goes on in the next one."""
_REFUSED: Final = frozenset({"refusal"})
"""Finish reasons of an answer that an application takes back."""
_PROSE: Final = (None, "text")
"""Output types that a request may ask for and get prose."""
_RAN_OUT: Final = (TimeoutError, asyncio.TimeoutError, subprocess.TimeoutExpired)
_CANCELLED: Final = (asyncio.CancelledError, GeneratorExit, KeyboardInterrupt)
_MARK: Final = "Recorded "
"""What every text of ours begins with."""
_CAUSE: Final = Cause("scripts", "", "")
_CERTAIN: Final = "the library wrote it from character {} on"
_LIKELY: Final = "from character {} on it has the form of what the library writes"


class Programs(Feature):
    """The programs of one turn.

    `memory` knows what was put under answers lately, also those of earlier turns.
    """

    name = "scripts"
    ends_answers = True

    def __init__(self, turn: Turn, scripts: Scripts, memory: Memory) -> None:
        self.turn = turn
        self.scripts = scripts
        self.memory = memory
        self.ledger = _ledger(turn.content, scripts)
        self._open: dict[str, int] = {}
        """Calls that were asked for and of which no outcome is known: their rows."""
        self._unnamed: list[int | None] = []
        """Rows of the calls without an id that the last answer asked for."""
        self._running: dict[int, int | None] = {}
        """Of each tool call that runs through us the row."""
        self._record = record.Holder(turn)

    # --- what is seen of the calls -----------------------------------------------------------

    def composed(self, action: Action, call: Call) -> None:
        """Finds texts of ours that come back in the new messages."""
        request = action.request
        features = self.turn.features
        if not call.ledger.recording or features is None:
            return
        messages = request.layout.messages[features.seen :]
        if action.sent is not request.body:
            messages = request.dialect.layout(dict(action.sent)).messages
        for element in messages:
            for item in request.dialect.items("messages", element):
                if item.source == "assistant":
                    self._recognise(request, call, element, item)

    def _recognise(self, request: Request, call: Call, element: Any, item: Item) -> None:
        for part in request.dialect.parts(item.value):
            may = part.kind == "text" and _MARK in part.text
            found = find(part.text, self.memory) if may else None
            if found is None:
                continue
            words = _CERTAIN if found.certain else _LIKELY
            cause = _CAUSE._replace(id=found.by, reason=words.format(found.start))
            known = call.origins.get(id(element), Origin(False, ()))
            causes = (*known.causes, (cause, item.role, ""))
            call.origins = {**call.origins, id(element): known._replace(causes=causes)}

    def plan(self, request: Request) -> Plan:
        """Reads results that come back without having run through us; changes nothing."""
        features = self.turn.features
        self._look(request, 0 if features is None else features.seen)
        return NOTHING

    def _look(self, request: Request, first: int) -> None:
        unnamed: list[Item] = []
        waits = self._open or any(self._unnamed)
        for element in request.layout.messages[first:] if waits else ():
            for item in request.dialect.items("messages", element):
                if item.source == "assistant":
                    unnamed.clear()
                elif item.source == "tool-result" and not item.id:
                    unnamed.append(item)
                elif item.source == "tool-result":
                    self._came_back(self._open.pop(item.id, None), item, request)
        if len(unnamed) == len(self._unnamed):  # without ids only their order tells them apart
            for key, item in zip(self._unnamed, unnamed, strict=True):
                self._came_back(key, item, request)
            self._unnamed = []

    def _came_back(self, key: int | None, item: Item, request: Request) -> None:
        if key is None:
            return
        self.ledger.started(key)
        value = item.value
        if isinstance(value, Mapping) and value.get("is_error") is True:
            self.ledger.ended(key, "failed")
            return
        text = "".join(p.text for p in request.dialect.parts(value) if p.kind == "tool_result")
        self.ledger.ended(key, "completed", exit_code_of(text))

    def before_tool(self, run: ToolRun) -> None:
        """A tool call is about to run through us."""
        if run.name not in self.scripts.where:
            return
        key = self._row_of(run)
        self._running[id(run)] = key
        if run.instead is None:
            self.ledger.started(key)

    def _row_of(self, run: ToolRun) -> int | None:
        """The row of a call: by its id, else by its program; a new one for an id not seen yet."""
        if run.call_id:
            key = self.ledger.key_of(clean_text(run.call_id))
            return key if key is not None else self._submitted(run.name, run.call_id, run.arguments)
        return self.ledger.key_for(run.name, _strings(run.arguments))

    def after_tool(self, run: ToolRun, status: ToolStatus, result: Any) -> None:
        """It came back."""
        if run.name not in self.scripts.where:
            return
        key = self._running.pop(id(run), None)
        if key is None:
            return
        for call, row in list(self._open.items()):
            if row == key:
                self._open.pop(call, None)
        if run.instead is not None:
            return
        if status in ("refused", "denied"):
            self.ledger.refused(key)
            return
        if status == "ok":
            self.ledger.ended(key, "completed", exit_code_of(result))
        elif status != "error":
            return
        elif isinstance(result, TypeError) and _is_refused(result):
            self.ledger.refused(key)
        elif isinstance(result, _RAN_OUT):
            self.ledger.ended(key, "timed_out")
        else:
            self.ledger.ended(key, "cancelled" if isinstance(result, _CANCELLED) else "failed")

    def unreached(self, call_id: str) -> None:
        """A call whose arguments could not be read: its result says nothing of the tool."""
        self._open.pop(call_id, None)

    # --- answers -----------------------------------------------------------------------------

    def answered(self, action: Action, answer: Answer) -> EndAnswer | None:
        """Files the programs of an answer; what goes under one that asks for nothing."""
        for run in provider_runs([item.value for item in answer.response.items]):
            known = self.ledger.key_of(clean_text(run.call)) if run.call else None
            if run.text is None or known is not None:
                if run.outcome != "started":
                    self.ledger.ended(known, run.outcome, run.exit_code)
                continue
            self.ledger.ran(
                clean_text(run.call), run.tool, run.language, run.text, run.outcome, run.exit_code
            )
        self._unnamed = []
        for asked in answer.asked:
            key = self._submitted(asked.name, asked.call_id, self._arguments(asked, answer))
            if not asked.call_id:
                self._unnamed.append(key)
        if answer.asked or not _PAUSES.isdisjoint(answer.response.finish_reasons):
            return None
        if not (answer.complete or answer.editable):
            return None
        return self._attached(action, answer)

    def observed(self, action: Action, answer: Answer) -> None:
        """The same of a call that was made elsewhere: its programs stand in the data."""
        self._look(action.request, 0)
        self.answered(action, answer)

    def _submitted(self, tool: str, call_id: str, arguments: Any) -> int | None:
        call = clean_text(call_id)
        key = self.ledger.submitted(call, tool, arguments_of(arguments))
        if key is not None and call_id:
            self._open[call_id] = key
            if len(self._open) > OPEN:
                del self._open[next(iter(self._open))]
        return key

    def _arguments(self, asked: Asked, answer: Answer) -> Any:
        """The arguments of a call; of a tool whose input is one text, that under its argument."""
        where = self.scripts.where.get(asked.name)
        if where is not None and asked.call_id in _custom(answer):
            return {where.argument: asked.arguments}
        return asked.arguments

    def _attached(self, action: Action, answer: Answer) -> EndAnswer | None:
        selection = select(self.ledger)
        typed = not answer.editable or _is_typed(action, answer)
        kept = self._record.takes(selection)
        attachment = attach(selection, ending(answer.parts), typed=typed, kept=kept)
        call_id = "" if action.call is None else action.call.call_id
        with guard("scripts.record"):
            self._record.write(call_id, attachment)
            self._count(attachment, selection)
        if not attachment.appended:
            return None
        self.memory.remember(attachment.appended, call_id)
        return EndAnswer(attachment.appended, _CAUSE._replace(id=call_id))

    def _count(self, attachment: Attachment, selection: Selection) -> None:
        shown = attachment.record
        kinds: Counter[str] = Counter(script.label for script in shown.shown)
        kinds.update(entry.why for entry in shown.unshown)
        kinds["older"] = shown.older
        kinds["rowless"] = selection.without_row if selection.which == "all" else 0
        for kind, count in kinds.items():
            if count:
                labels = ((names.AGENT, self.turn.said_agent), (names.LABEL_KIND, kind))
                self.turn.core.metrics.count(names.METRIC_ATTACHMENTS, labels, count)

    # --- over a pause ------------------------------------------------------------------------

    def saved(self) -> Any:
        """The rows, with their programs."""
        return self.ledger.saved()

    def restore(self, saved: Any, goes_on: bool) -> None:
        """Takes the rows; a later turn of the conversation has none of them."""
        if goes_on and not len(self.ledger):
            self.ledger.restore(saved)


def ending(parts: tuple[Part, ...]) -> str:
    """The text that a block would follow: the last texts that stand side by side."""
    out: list[str] = []
    for part in reversed(parts):
        if part.kind == "text":
            out.append(part.text)
        elif out:
            break
    return "".join(reversed(out))


def _is_typed(action: Action, answer: Answer) -> bool:
    """True for an answer whose bytes are not to be touched: a structure, or not one text."""
    facts = action.request.facts
    several = facts.choices not in (None, 1) or len(answer.response.finish_reasons) > 1
    if several or facts.output_type not in _PROSE:
        return True
    refused = not _REFUSED.isdisjoint(answer.response.finish_reasons)
    return refused or any(part.kind in ("refusal", "media") for part in answer.parts)


def _custom(answer: Answer) -> set[Any]:
    """Ids of the calls whose input is one text and no JSON object."""
    out: set[Any] = set()
    for item in answer.response.items:
        held = item.value if isinstance(item.value, Mapping) else {}
        calls = held.get("tool_calls")
        for value in (held, *(calls if isinstance(calls, list) else ())):
            if isinstance(value, Mapping) and value.get("type") in ("custom_tool_call", "custom"):
                out.add(value.get("call_id", value.get("id")))
    return out


def _strings(arguments: Any) -> list[str]:
    """The texts among a call's arguments, by name or by place."""
    values = list(arguments.values()) if isinstance(arguments, Mapping) else arguments
    out: list[str] = []
    for value in values if isinstance(values, list) else ():
        if isinstance(value, str):
            out.append(value)
        elif isinstance(value, Mapping):
            out += [v for v in value.values() if isinstance(v, str)]
    return out


def _is_refused(error: TypeError) -> bool:
    """True when the arguments did not fit: nothing of the tool itself was entered."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = "" if trace is None else trace.tb_frame.f_globals.get("__name__", "")
    return isinstance(module, str) and module.startswith("otel_footprint.")


def _ledger(content: Content, scripts: Scripts) -> Ledger:
    def redact(text: str, where: str) -> str:
        found = content.redactor.text(text, where)
        if found == WITHHELD and text != WITHHELD:
            raise ValueError("redaction failed")
        return found

    def digest(data: bytes) -> str:
        return content.hash(data.decode("utf-8", "surrogatepass"))

    return Ledger(scripts, redact if content.redacts else None, digest)
