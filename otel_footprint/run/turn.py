"""A turn: one request of a person until the answer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextvars import Token
from time import perf_counter_ns
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from ..config import ContentMode
from ..records import digest
from ..telemetry import names
from ..telemetry.attach import attach, detach
from ..telemetry.guard import guard
from ..telemetry.sanitize import clean_attributes
from ..telemetry.spans import current, current_in, ended, ids, inside, link
from ..text.chunks import chunk
from ..wire.types import Response
from . import state
from .core import Content, Core
from .ledger import Ledger
from .remote import REMOTE, is_elsewhere
from .said import text_of, words

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span

    from ..injection import Injection
    from ..records.arguments import Standing
    from ..records.credit import Credit
    from .call import Call
    from .features import Features
    from .sourcing import Sourcing

_PATIENCE: Final = 1_000_000_000
"""Nanoseconds in which another instrumentation opens the span of a call that has ended."""
PAUSED: Final = "paused"
"""Outcome of a turn that a later one may go on with."""
LEDGER_DIGITS: Final = 12
"""Digits of a ledger's id, which stands in the id of each of its calls."""


class TurnFields:
    """What an application says about a turn when it begins; see `Footprint.turn`."""

    __slots__ = (
        "action_budget",
        "context",
        "conversation",
        "dispatch",
        "id",
        "metadata",
        "prompt",
        "resume",
        "tags",
        "text",
        "user",
    )

    def __init__(
        self,
        text: str | None = None,
        id_: str | None = None,
        conversation: str | None = None,
        user: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        prompt: tuple[str, str] | None = None,
        action_budget: int | None = None,
        context: Sequence[Injection] = (),
        dispatch: bool = False,
        resume: Mapping[str, Any] | None = None,
    ) -> None:
        self.text = text
        self.id = id_
        self.conversation = conversation
        self.user = user
        self.tags = tags
        self.metadata = metadata
        self.prompt = prompt
        self.action_budget = action_budget
        self.context = context
        """Pieces that this turn hands in."""
        self.dispatch = dispatch
        """True when the loop runs the tool calls of its answers with `Turn.tool`."""
        self.resume = resume
        """What the paused turn left that this one goes on with."""


class Turn:
    """A turn under way. A context manager, sync and async; made by `Footprint.turn`.

    Inside it, calls of wrapped clients and tools belong to it. Leaving it never raises and never
    changes what the block raises.
    """

    def __init__(
        self,
        core: Core,
        agent: str | None,
        fields: TurnFields,
        mode: ContentMode,
        parent: Turn | None = None,
        implicit: bool = False,
    ) -> None:
        self.core = core
        self.agent = agent
        self.fields = fields
        self.id = fields.id or core.new_id()
        self.remote = REMOTE.get() if parent is None else None
        """The calling turn in another process."""
        self.conversation = fields.conversation or (self.remote and self.remote.conversation)
        self.parent = parent
        self.content: Content = core.content(mode)
        self.said_id = self.said_agent = self.said_conversation = ""
        """Id, agent's name and conversation as they stand on the record; empty without one."""
        self.implicit = implicit
        self._forks = core.forks
        self._heir: Turn | None = None
        self.last_used = 0.0
        """Of an implicit turn: when its last call began, in monotonic seconds."""
        self.last_response = ""
        """The provider's id of the last answer; a later request may name it."""
        self.active = False
        """True once it has begun, where something records."""
        self._events: list[tuple[str, dict[str, Any]]] = []
        self._more: dict[str, Any] = {}
        self._spent = 0
        """Our own inline time at its beginning, in ns."""
        self._span: Span | None = None
        self._tokens: tuple[Token[Turn | None], Any] | None = None
        self._outcome: str | None = None
        self._owed: list[Call] = []
        self.credits: OrderedDict[str, Credit] = OrderedDict()
        """Texts that the application said it placed itself."""
        self.features: Features | None = None
        """What acts on the turn's requests; None where nothing is declared."""
        with guard("turn.made"):
            self._name()
            if core.makers:
                from .features import Features

                self.features = Features(self, core.makers)

    def _name(self) -> None:
        name, fields = self.content.name, self.fields
        self.said_id = name(self.id, "turn") if fields.id else self.id
        if self.agent:
            self.said_agent = name(self.agent, "agent")
        if self.conversation:
            self.said_conversation = name(self.conversation, "conversation")

    @property
    def who(self) -> dict[str, str]:
        """The agent's name as an attribute; nothing without one."""
        return {names.AGENT: self.said_agent} if self.said_agent else {}

    # --- beginning ---------------------------------------------------------------------------

    def start(self) -> Turn:
        """Opens the turn's span without making it current."""
        clock = perf_counter_ns()
        core, fields = self.core, self.fields
        agent, conversation = self.said_agent, self.said_conversation
        name = f"{names.SPAN_TURN} {agent}" if agent else names.SPAN_TURN
        started = core.clock()
        attributes: dict[str, Any] = {names.OPERATION: names.SPAN_TURN, names.TURN_ID: self.said_id}
        if agent:
            attributes[names.AGENT] = agent
        if conversation:
            attributes[names.CONVERSATION] = conversation
        ledger_id = core.new_id()[:LEDGER_DIGITS]
        attributes[names.LEDGER] = ledger_id
        self._span = core.spans.start(
            name, None, clean_attributes(attributes), start=started, links=self._links()
        )
        self.span_context = self._span.get_span_context()
        self.trace_id, self.span_id = ids(self._span)
        recording = self._span.is_recording()
        memory = core.memory(self.conversation, self.content.mode, self.trace_id, recording)
        memory.add_root(self.trace_id, self.span_id)
        self.ledger = Ledger(ledger_id, memory, recording)
        self.active = recording or core.metrics.enabled
        self.stand_in: Span = ended(self.trace_id, self.span_id, recording)
        """In place of the turn's span, which may have ended, and of spans that are sampled out."""
        self.context: Context = inside(self._span)
        if recording:
            self._say_started(self._span, attributes, fields, started)
        if self.implicit:
            self._span.end(started)
            self.context = inside(self.stand_in)
        core.metrics.turn_started(agent, fields.action_budget, self.span_context)
        self._spent = perf_counter_ns() - clock
        return self

    def _links(self) -> list[Any]:
        """To the paused turn that this one goes on with, and to the caller in another trace."""
        out = self._resumed()
        remote = self.remote
        if remote is not None and is_elsewhere(remote):
            out.append(link(remote.trace_id, remote.span_id, "remote"))
        return out

    def _resumed(self) -> list[Any]:
        saved = self.fields.resume
        held = saved.get("span") if saved is not None else None
        try:
            trace, span = (int(part, 16) for part in str(held).split("-"))
        except ValueError:
            return []
        return [link(trace, span, "resumes")]

    def _say_started(
        self, span: Span, attributes: dict[str, Any], fields: TurnFields, started: int
    ) -> None:
        said: dict[str, Any] = {
            **attributes,
            names.FORMAT_VERSION: names.FORMAT,
            names.CONTENT_MODE: self.content.mode,
            **self._described(fields),
        }
        said.pop(names.OPERATION)
        if self.content.mode == "full" and self.content.redacts:
            said[names.CONTENT_REDACTED] = True
        if self.core.store is not None and self.content.writes:
            said[names.STORE] = self.core.store.shown
        key = self.core.settings.key_name(self.content.mode)
        if key is not None:
            said[names.KEY_ID] = key
        if self.parent is not None:
            said[names.PARENT_TURN] = self.parent.said_id
        elif self.remote is not None and self.remote.turn:
            said[names.PARENT_TURN] = self.remote.turn
            if self.remote.call:
                said[names.PARENT_CALL] = self.remote.call
        seq = said[names.SEQ] = self.ledger.next_record()
        line = digest.start_line(
            seq, self.said_id, self.ledger.id, self.content.mode, self.said_conversation
        )
        said[names.DIGEST] = self.ledger.seal([line])
        if self.implicit:
            said[names.TURN_OUTCOME] = "implicit"
            span.set_attributes(clean_attributes(said))
            return
        note = self.core.spans.start(
            names.SPAN_TURN_STARTED, self.context, clean_attributes(said), start=started
        )
        note.end(started)

    def _described(self, fields: TurnFields) -> dict[str, Any]:
        """Text, user, tags, metadata and prompt, through redaction."""
        redact = self.content.redactor.text
        out: dict[str, Any] = {}
        if fields.text is not None and self.content.writes:
            out[names.TURN_TEXT] = chunk(redact(words(fields.text, self.core.warned), "turn"))[:6]
        if fields.user is not None and fields.user != "":
            out[names.USER_ID] = redact(text_of(fields.user), "user")
        if fields.tags:
            out[names.TURN_TAGS] = [redact(text_of(tag), "tags") for tag in fields.tags]
        if fields.prompt:
            prompt, version = fields.prompt
            out[names.PROMPT_NAME] = self.content.name(prompt, "prompt")
            out[names.PROMPT_VERSION] = self.content.name(version, "prompt")
        if fields.action_budget is not None:
            out[names.TURN_ACTION_BUDGET] = fields.action_budget
        for key, value in (fields.metadata or {}).items():
            known = type(value) in (bool, int, float)
            name = f"{names.TURN_METADATA_PREFIX}{redact(text_of(key), 'meta')}"
            out[name] = value if known else redact(text_of(value), "meta")
        return out

    # --- being current -----------------------------------------------------------------------

    def __enter__(self) -> Turn:
        with guard("turn.enter"):
            if state.SUPPRESSED.get():
                return self
            self.start()
            self._tokens = (state.TURN.set(self), attach(self.context))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with guard("turn.exit"):
            if self._tokens is not None:
                mine, token = self._tokens
                self._tokens = None
                detach(token)
                state.reset(state.TURN, mine)
            self.end(error)

    async def __aenter__(self) -> Turn:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.__exit__(kind, error, trace)

    @property
    def inherited(self) -> bool:
        """True in a process that was forked while the turn was under way: it is not its own."""
        return self._forks != self.core.forks

    def mine(self) -> Turn:
        """Itself; where it is inherited, a turn of this process's own beneath it.

        Two processes that go on with one ledger would give their records the same numbers and ids.
        """
        if self._forks == self.core.forks:
            return self
        if self._heir is None:
            fields = TurnFields(conversation=self.conversation)
            self._heir = Turn(self.core, self.agent, fields, self.content.mode, self).start()
        return self._heir.mine()

    # --- ending ------------------------------------------------------------------------------

    def outcome(self, outcome: str) -> None:
        """Says how the turn ended when nothing is raised: for example `paused`."""
        self._outcome = outcome

    def pause(self) -> dict[str, Any]:
        """Ends the turn, at the end of its block, with outcome `paused`.

        Returns what `Footprint.turn(resume=...)` goes on with, as JSON: the turn's id, its
        conversation, and what is declared has to remember (texts of the history are in it).
        """
        self._outcome = PAUSED
        return self.saved()

    def saved(self) -> dict[str, Any]:
        """What `pause` returns; the turn goes on."""
        out: dict[str, Any] = {"format": 1, "turn": self.id, "conversation": self.conversation}
        if self._span is not None:
            out["span"] = f"{self.trace_id:032x}-{self.span_id:016x}"
        if self.features is not None:
            out.update(self.features.saved())
        return out

    def end(self, error: BaseException | None = None) -> None:
        """Writes the last record and ends the turn's span; later ends do nothing."""
        span, self._span = self._span, None
        if span is None:
            return
        if self.inherited:  # the process that it began in ends it
            if self._heir is not None:
                self._heir.end(error)
            return
        clock = perf_counter_ns()
        self.pay()
        outcome = self._outcome or _outcome_of(error)
        if self.features is not None:
            self.features.ended(outcome)
        ended_at = self.core.clock()
        if self.ledger.recording:
            last = self._last(outcome)
            if self.implicit:
                said = {names.TURN_ID: self.said_id}
                if self.said_agent:
                    said[names.AGENT] = self.said_agent
                span = self.core.spans.start(
                    names.SPAN_TURN_ENDED, self.context, said, start=ended_at
                )
            span.set_attributes({**last, **self._more})
            for name, attributes in self._events:
                self.core.spans.event(span, name, attributes, None, {names.TURN_ID: self.said_id})
        if error is not None and not self.implicit:
            from .summary import mark_error

            span.set_attribute(names.ERROR_TYPE, type(error).__qualname__)
            mark_error(span)
        if not self.implicit or self.ledger.recording:
            span.end(ended_at)
        self.core.metrics.turn_ended(
            self.said_agent,
            outcome,
            self.ledger.calls,
            self.fields.action_budget,
            self.span_context,
        )
        spent = (self._spent + perf_counter_ns() - clock) / 1e9
        self.core.metrics.overhead("turn", spent, self.span_context)

    def _last(self, outcome: str) -> dict[str, Any]:
        ledger = self.ledger
        with ledger.lock:
            seq = ledger.next_record()
            sealed = ledger.seal([digest.end_line(seq, outcome, ledger.calls)])
        out: dict[str, Any] = {
            names.TURN_OUTCOME: outcome,
            names.TURN_CALLS: ledger.calls,
            names.LEDGER: ledger.id,
            names.SEQ: seq,
            names.RECORDS: ledger.records,
            names.DIGEST: sealed,
        }
        if self.fields.action_budget is not None:
            out[names.TURN_ACTION_BUDGET] = self.fields.action_budget
        if ledger.memory.texts.lost:
            out[names.TURN_LOST] = ledger.memory.texts.lost
        return out

    @property
    def span(self) -> Span | None:
        """Its span, from its start to its end."""
        return self._span

    @property
    def is_open(self) -> bool:
        """True from its start to its end."""
        return self._span is not None

    def call_ended(self, response: Response | None) -> None:
        """A call of this turn has its answer."""
        if response is not None and response.id:
            self.last_response = response.id

    def event(self, name: str, attributes: dict[str, Any]) -> None:
        """Keeps an event for the turn's span (of an implicit turn: its `turn ended`)."""
        self._events.append((name, attributes))

    def say(self, attributes: dict[str, Any]) -> None:
        """Keeps attributes for the same span."""
        self._more.update(attributes)

    @property
    def standing(self) -> Standing | None:
        """How the answer stands by the arguments of the turn so far; None without `arguments`."""
        found = self._sourcing()
        return None if found is None else found.standing()

    def confirm(self) -> None:
        """Says that a person or a check has confirmed the answer: it is then known.

        A doubt of the library comes first all the same.
        """
        found = self._sourcing()
        if found is not None:
            found.confirm()

    def _sourcing(self) -> Sourcing | None:
        if self.features is None:
            return None
        from .sourcing import Sourcing

        found: Sourcing | None = self.features.get(Sourcing)
        return found

    def owe(self, call: Call) -> None:
        """A call whose inference span another instrumentation is expected to open yet."""
        self.pay(_PATIENCE)
        self._owed.append(call)

    def pay(self, patience: int = 0) -> None:
        """Opens the inference spans that nobody opened, of calls that ended `patience` ns ago."""
        if self._owed:
            due = self.core.clock() - patience
            owed = [c for c in self._owed if c.owed is not None]
            self._owed = [c for c in owed if c.owed is not None and c.owed[2] > due]
            for call in owed:
                if call not in self._owed:
                    call.pay()

    def here(self) -> Context:
        """The context for a new span of this turn: the current span's, when it is in the trace."""
        found = current_in(self.trace_id)
        if found is None or (
            self.parent is not None
            and self.parent.inherited
            and ids(current())[1] == self.parent.span_id  # this turn was never made current
        ):
            return self.context
        return found


def _outcome_of(error: BaseException | None) -> str:
    if error is None:
        return "completed"
    name = type(error).__name__
    return "cancelled" if name in ("CancelledError", "GeneratorExit") else "error"


__all__ = ["Turn", "TurnFields"]
