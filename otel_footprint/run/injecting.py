"""Injected context as a feature of a turn: `injection` decides, this owns its state.

The state is that of the conversation: a turn begins with what an earlier one left (`Kept`), and
leaves its own behind when it ends or pauses.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, Final

from ..errors import DeclarationError
from ..injection import (
    LIBRARY_TOOLS,
    NOTHING_DECLARED,
    PLACEHOLDER_RESULT,
    Boundary,
    CallFacts,
    Declared,
    Ending,
    Limit,
    Nudge,
    State,
    asks_remaining,
    at_answer,
    at_end,
    before_call,
    before_call_async,
    extended,
    for_turn,
    from_json,
    is_idle,
    keep,
    park,
    settle,
    to_json,
    unpark,
)
from ..records.injection import Note, Removed
from ..records.plan import (
    NOTHING,
    AppendToResult,
    EndAnswer,
    OfferTool,
    Plan,
    ReplaceResult,
)
from ..records.view import ToolOutcome, ToolStatus
from ..telemetry import names
from . import crediting, letting
from .features import Action, Answer, Feature, ToolRun, arguments_of
from .injected import Event
from .notes import event_of, slot_of, worth_saying
from .request import Request
from .tally import tally
from .turn import PAUSED

if TYPE_CHECKING:
    from .call import Call
    from .turn import Turn

CONVERSATIONS: Final = 1024
"""Conversations whose state is kept."""


class Kept:
    """States of conversations, by the name the application gave them; bounded."""

    def __init__(self) -> None:
        self._states: OrderedDict[str, State] = OrderedDict()
        self.paused: OrderedDict[str, dict[str, Any]] = OrderedDict()
        """Paused turns by their id: what they have to remember."""
        self._lock = Lock()

    def take(self, conversation: str | None) -> State:
        """The state at the beginning of a turn."""
        with self._lock:
            found = self._states.get(conversation or "")
        return State() if found is None else for_turn(found)

    def pause(self, turn: str, saved: dict[str, Any]) -> None:
        """Keeps what a paused turn has to remember."""
        with self._lock:
            self.paused[turn] = saved
            if len(self.paused) > CONVERSATIONS:
                self.paused.popitem(last=False)

    def put(self, conversation: str | None, state: State) -> None:
        """Keeps a conversation's state; that of a turn in no conversation ends with it."""
        if not conversation:
            return
        with self._lock:
            self._states[conversation] = state
            self._states.move_to_end(conversation)
            if len(self._states) > CONVERSATIONS:
                self._states.popitem(last=False)


_WINDOW: Final = ("messages", "window")
"""Slot and reason of what the window takes out, for the metrics."""


class Injecting(Feature):
    """The injected context of one turn."""

    name = "context"

    def __init__(self, declared: Declared, kept: Kept, turn: Turn) -> None:
        self.turn = turn
        if _is_sub_agent(turn):
            declared = NOTHING_DECLARED
        self.declared = extended(declared, turn.fields.context)
        self.kept = kept
        self.state = kept.take(turn.conversation)
        self._offers = self._offered = False
        """Whether this call's plan, and that of the call before, changed the offer of tools."""
        self._notes: list[Note] = []
        """Of the boundary in front of the call that is about to leave."""
        self._events: list[Event] = []
        """For that call's span: of tool calls that ran where we could not see them."""
        self._late: list[Event] = []
        """For the turn's span."""
        self._batch: list[str] = []
        """Ids of the tool calls that the last answer asked for and that are not settled yet."""
        self._came: dict[str, ToolOutcome] = {}
        """Outcomes that wait for an earlier call of their batch."""
        self._theirs: set[str] = set()
        """Ids of calls of the application's own tools that have the name of one of ours."""
        self._used: tuple[int, int] | None = None
        """Input and output tokens of the last call, where the provider reported them."""
        self._measured: tuple[int | None, int] = (None, 0)
        """Input tokens of the last answered call, and its action; None before the first."""
        self._words: str | None = None
        """The person's words that began the turn, once somebody asked."""
        self._lock = RLock()
        self._early = False
        """An answer is there, and nobody has asked yet whether it is to be nudged."""

    def restore(self, saved: Any, goes_on: bool) -> None:
        """See `Feature`: what this process knows of the paused turn is newer, if anything."""
        newer = self.kept.paused.pop(self.turn.id, None) if goes_on else None
        if newer is not None and newer["state"]["action"] == _action(saved):
            saved = newer
        if not isinstance(saved, Mapping):
            return
        held, refused = from_json(saved.get("state"))
        self.state = held if goes_on else for_turn(held)
        self._notes += refused
        if goes_on:
            left = saved.get("open")
            left = left if isinstance(left, list | tuple) else ()
            self._batch = [id_ for id_ in left if isinstance(id_, str)]

    def missing(self) -> list[str]:
        """Ids of tool calls that have not come back yet."""
        return [id_ for id_ in self._batch if id_ not in self._came]

    def nudge(self) -> Nudge | None:
        """What is to be said after an answer with steps left, once a turn; else None."""
        if not self._early:
            return None
        self._early = False
        ending = self._at_answer(can_continue=True)
        self._take(ending)
        if ending.nudge is not None:
            crediting.note(self.turn, ending.nudge.by, ending.nudge.text)
        return ending.nudge

    def park(self, id_: str, parked: bool = True) -> None:
        """Takes a piece out until it is let in again; DeclarationError for an unknown id."""
        if all(piece.id != id_ for piece in self.declared.pieces):
            known = ", ".join(piece.id for piece in self.declared.pieces)
            raise DeclarationError("turn.park", id_, f"the id of a declared piece ({known})")
        self.state = (park if parked else unpark)(self.state, id_)

    def saved(self) -> dict[str, Any]:
        """The state, and the ids of tool calls that have no result yet."""
        return {"state": to_json(self.state), "open": list(self._batch)}

    # --- model calls -------------------------------------------------------------------------

    def plan(self, request: Request) -> Plan:
        """See `Feature`."""
        self._accept()
        self._seen(request)
        if is_idle(self.declared, self.state):
            return NOTHING
        return self._planned(before_call(self.declared, self.state, self._facts(request)))

    async def plan_async(self, request: Request) -> Plan:
        """See `Feature`."""
        self._accept()
        self._seen(request)
        if is_idle(self.declared, self.state):
            return NOTHING
        facts = self._facts(request)
        return self._planned(await before_call_async(self.declared, self.state, facts))

    def _planned(self, boundary: Boundary) -> Plan:
        self.state = boundary.state
        plan, stopped = letting.checked(boundary.plan)
        if self.turn.active:
            self._notes += (*boundary.notes, *stopped)
            for note in boundary.notes:
                tally(self.turn, note)
        return plan

    def _facts(self, request: Request) -> CallFacts:
        fields, abilities = self.turn.fields, request.abilities
        shape = letting.shape(request.dialect.name)
        if self._words is None:
            self._words = letting.words(request)
        return CallFacts(
            action=request.action,
            action_budget=self._budget(abilities.limit),
            context_remaining=self._remaining(request),
            text=self._words,
            messages=request.messages,
            tools=request.tools,
            system=request.system,
            system_pieces=len(request.layout.system),
            metadata=fields.metadata or {},
            dispatch=abilities.dispatch,
            persists=letting.kept_by_provider(request),
            carries=shape.carries,
            closes=shape.closes,
            user_first=shape.user_first,
            alternates=shape.alternates,
            measured=self._measured[0],
            measured_action=self._measured[1],
            marks_left=letting.marks_left(request, shape.marks),
            now=letting.now(),
        )

    def _budget(self, limit: int | None) -> int | None:
        budget = self.turn.fields.action_budget
        return limit if budget is None else budget

    def _last_budget(self) -> int | None:
        """The action budget by what the loop of the last call allows."""
        last = None if self.turn.features is None else self.turn.features.last
        return self._budget(last.request.abilities.limit if last is not None else None)

    def _remaining(self, request: Request) -> int | None:
        if not asks_remaining(self.declared):
            return None
        features = self.turn.features
        seen = 0 if features is None else features.seen
        return letting.remaining(request, self._used, seen)

    def composed(self, action: Action, call: Call) -> None:
        """See `Feature`: what the boundary reported goes on the call's record."""
        for note in self._notes:
            if isinstance(note, Removed):
                note = note._replace(key=letting.hash_of(action.request, note.key, call))
                call.let_out[_WINDOW] = call.let_out.get(_WINDOW, 0) + 1
            if worth_saying(note):
                call.note(event_of(note, call.content), slot_of(note))
        for event in self._events:
            call.note(event)
        self._offers = bool(action.plan.tools)
        self._notes, self._events = [], []

    def began(self, call: Call) -> None:
        """See `Feature`: tools that left because of what is offered now went on our account."""
        if self._offers or self._offered:
            ours = call.let_out.get(("tools", "injection"), 0)
            call.let_out["tools", "procedure"] = call.went_out.get("tools", 0) - ours
        self._offered = self._offers

    def answered(self, action: Action, answer: Answer) -> EndAnswer | None:
        """See `Feature`: the batch of tool calls, the tokens, or an answer with steps left."""
        with self._lock:
            self._batch = [asked.call_id for asked in answer.asked]
            self._came = {}
        used = answer.response.usage
        self._measured = (used.input or 0, action.number)
        self._used = None if used.input is None else (used.input, used.output or 0)
        self._early = not answer.asked and answer.complete
        return None

    def _accept(self) -> None:
        """Nobody asked for a nudge: the last answer stands."""
        if self._early:
            self._early = False
            self._take(self._at_answer(can_continue=False))

    def _at_answer(self, *, can_continue: bool) -> Ending:
        """What an answer without tool calls means for the procedure; see `injection`."""
        budget = self._last_budget()
        return at_answer(self.declared, self.state, can_continue=can_continue, action_budget=budget)

    def _take(self, ending: Ending) -> None:
        """Takes over what was judged of an answer or an end."""
        self.state = ending.state
        if ending.note is not None:
            self._late.append(event_of(ending.note, self.turn.content))
            tally(self.turn, ending.note)
            if ending.note.how != "nudged":  # a plain number, which stands there with every sink
                self.turn.say({names.TURN_UNFINISHED: len(ending.note.remaining)})

    # --- tool calls --------------------------------------------------------------------------

    def _seen(self, request: Request) -> None:
        """Results in the request of tool calls that ran where we could not see them."""
        if self.state.history and letting.kept_by_provider(request):
            # What was added to an earlier request is part of the history that it continues.
            edits = [e for e in self.state.history if isinstance(e, AppendToResult | ReplaceResult)]
            self.state = replace(self.state, history=tuple(edits))
        if not self._batch:
            return
        with self._lock:
            missing = [id_ for id_ in self._batch if id_ not in self._came]
            for outcome in letting.results_in(request, missing) if missing else ():
                self._settle(outcome, self._events)
            # What is left never came back: it holds up nothing that did.
            due = [self._came[id_] for id_ in self._batch if id_ in self._came]
            self._batch, self._came = [], {}
            for outcome in due:
                self._settled(outcome, self._events)

    def before_tool(self, run: ToolRun) -> None:
        """See `Feature`: tools of ours are run by us."""
        if self.runs(run.name):
            run.instead = PLACEHOLDER_RESULT

    def runs(self, tool: str) -> bool:
        """True for a tool of ours that only we can run."""
        return tool in LIBRARY_TOOLS and bool(self.declared.skills) and self.offers(tool)

    def offers(self, tool: str) -> bool:
        """True for a tool of ours that the last request offered.

        Also where this process has sent none of the turn yet, which goes on after a pause.
        """
        last = None if self.turn.features is None else self.turn.features.last
        if last is None:
            return True
        edits = last.plan.tools
        return any(isinstance(edit, OfferTool) and edit.name == tool for edit in edits)

    def after_tool(self, run: ToolRun, status: ToolStatus, result: Any) -> None:
        """See `Feature`: settles it, in the order in which the model asked."""
        if not self.declared or status == "paused":
            return
        text = result if isinstance(result, str) else letting.result_text(result)
        outcome = ToolOutcome(run.name, run.call_id, status, text, arguments_of(run.arguments))
        with self._lock:
            if run.name in LIBRARY_TOOLS and run.instead is None:
                self._theirs.add(run.call_id)
            self._settle(outcome, run.events)

    def came(self, name: str, call_id: str, status: ToolStatus, text: str) -> None:
        """A tool call came back that ran before this process took the turn over."""
        with self._lock:
            self._settle(ToolOutcome(name, call_id, status, text), self._events)

    def _settle(self, outcome: ToolOutcome, events: list[Event]) -> None:
        """Settles it, or keeps it until the calls before it in its batch have come back."""
        if outcome.call_id not in self._batch:
            self._settled(outcome, events)
            return
        self._came[outcome.call_id] = outcome
        while self._batch and self._batch[0] in self._came:
            self._settled(self._came.pop(self._batch.pop(0)), events)

    def _settled(self, outcome: ToolOutcome, events: list[Event]) -> None:
        theirs = outcome.call_id in self._theirs
        declared = NOTHING_DECLARED if theirs else self.declared
        settled = settle(declared, self.state, [outcome])
        self.state = keep(settled.state, settled.edits)
        for note in settled.notes:
            events.append(event_of(note, self.turn.content))
            tally(self.turn, note)

    # --- the turn ----------------------------------------------------------------------------

    def follows(self, earlier: Any) -> None:
        """See `Feature`."""
        if isinstance(earlier, Injecting) and not self.turn.conversation:
            self.state = for_turn(earlier.state)

    def ended(self, outcome: str) -> None:
        """See `Feature`: a procedure with steps left was cut short; the state is kept."""
        if outcome == PAUSED:
            self.kept.pause(self.turn.id, self.saved())
        else:
            budget = self._last_budget()
            limit: Limit | None = None
            if outcome in ("error", "cancelled"):
                limit = "failed"
            elif outcome == "limit":
                limit = "loop-limit"
            elif self._batch and (budget is None or self.state.action < budget):
                limit = "unanswered-tool-call"
            self._accept()
            self._take(at_end(self.declared, self.state, limit=limit, action_budget=budget))
        self.kept.put(self.turn.conversation, self.state)
        for name, attributes in self._late:
            self.turn.event(name, attributes)
        self._late = []


def _action(saved: Any) -> Any:
    state = saved.get("state") if isinstance(saved, Mapping) else None
    return state.get("action") if isinstance(state, Mapping) else None


def _is_sub_agent(turn: Turn) -> bool:
    """True for another agent's turn within a turn: what is declared is not meant for it."""
    parent = turn.parent
    return parent is not None and parent.core is turn.core and parent.agent != turn.agent
