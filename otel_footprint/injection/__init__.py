"""Injection: context that is let in on purpose, each piece with its source, trigger and reason.

Everything here is pure and synchronous: declared pieces, a state and the facts of a request go in,
a new state, an edit plan and notes for the trail come out. `run` owns the state; adapters apply
the plan (`records.plan`); `telemetry` writes the notes (`records.injection`) as events. This is
how they call it.

Once, where the author declares
    `declared = declare(pieces, window=..., cache_marks=...)`; what is wrong is refused there.

Where an agent is wrapped
    `refuse_unfit(declared, is_async=..., provider=..., carries=..., tools=...)` with what is known
    of the agent. `if not declared:` there is nothing more to do for it, ever.

At the beginning of a turn
    `state = for_turn(state)` (or `State()` for a new conversation). Pieces handed in for one turn
    (memory, rag): `declared = extended(declared, pieces)`.

In front of each model call (an action: one call of this agent, not its retries or sub-agents)
    1. `if is_idle(declared, state)`: hand the very same request on.
    2. Fill `CallFacts` from the *caller's own* request: messages as `MessageView` (made when they
       are looked at), tools as `ToolView` (`needs_tools`), the person's words, budget, tokens of
       the last call, and what the loop can do: `dispatch` (calls of library tools pass through us)
       and `persists` (the framework keeps edited messages itself).
    3. `boundary = before_call(declared, state, facts)`, or `await before_call_async(...)`.
    4. `if not boundary.plan`: hand the very same request on. Else apply the plan to a copy:
       append `system` in order; edit `history` (all places count the caller's own messages before
       any edit, as they stand in this request: `records.plan.rebuilt`; results by their call id);
       edit `tools` in order; set `marks`.
    5. Keep `boundary.state`; write `boundary.notes`; what was let in stands on each edit (`by`).
       A retry of the same call applies the same plan again; do not ask for another.
    With `persists`, put the edits of history into the framework's own history, once.

When tool calls came back (in the model's order; see `procedures.settle`)
    `settled = settle(declared, state, outcomes)`. Either change the results at once
    (`settled.result(call_id, text)`) and keep `settled.state`, or let the next boundary change them
    by `keep(settled.state, settled.edits)`. Library tools run raw return `PLACEHOLDER_RESULT`; an
    edit replaces it. A paused call is left out of `outcomes` (or has status paused) and handed in
    when it is answered. Write `settled.notes` on the tool call's span.

When the model gave an answer (no tool call, not denied)
    `ending = at_answer(declared, state, can_continue=..., action_budget=...)`. With
    `ending.nudge`: put the answer and the nudge (role user) behind the history, call the model
    again (`nudge_edits` for a loop without a history of its own). Write `ending.note`.

When the turn ends, in whatever way, also by an exception or a limit
    `ending = at_end(declared, state, limit=..., history=...)`; write `ending.note`.

Over a pause, or into another process
    `to_json(state)`; `state, refused = from_json(value)`; write `refused`.

Whoever puts a message in by another way checks its text with `doors.check` and names the door.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .boundary import Boundary, is_idle, keep, nudge_edits
    from .context import Context, Position
    from .credits import Credit, credit, credit_of
    from .declared import NOTHING_DECLARED, Declared, declare, extended, refuse_unfit
    from .drive import before_call, before_call_async
    from .factories import fact, injection, instruction, memory, rag, steering, until
    from .facts import CallFacts, asks_remaining, needs_tools
    from .library import LIBRARY_TOOLS, LIST_SKILLS, READ_SKILL, SKIP_STEP
    from .pieces import Injection, ToolSpec
    from .procedures.ending import Ending, Limit, Nudge, at_answer, at_end
    from .procedures.plan import Step
    from .procedures.sentences import PLACEHOLDER_RESULT
    from .procedures.settle import Settled, settle
    from .skills import skill
    from .state import State, for_turn, from_json, park, to_json, unpark
    from .strategies import sliding_window, summarise_oldest, token_budget
    from .triggers import after_tool, always, from_action, on_action, on_tool_return

_WHERE: Final = {
    "boundary": "Boundary is_idle keep nudge_edits",
    "context": "Context Position",
    "credits": "Credit credit credit_of",
    "declared": "NOTHING_DECLARED Declared declare extended refuse_unfit",
    "drive": "before_call before_call_async",
    "factories": "fact injection instruction memory rag steering until",
    "facts": "CallFacts asks_remaining needs_tools",
    "library": "LIBRARY_TOOLS LIST_SKILLS READ_SKILL SKIP_STEP",
    "pieces": "Injection ToolSpec",
    "procedures.ending": "Ending Limit Nudge at_answer at_end",
    "procedures.plan": "Step",
    "procedures.sentences": "PLACEHOLDER_RESULT",
    "procedures.settle": "Settled settle",
    "skills": "skill",
    "state": "State for_turn from_json park to_json unpark",
    "strategies": "sliding_window summarise_oldest token_budget",
    "triggers": "after_tool always from_action on_action on_tool_return",
}
"""Each module and what of it stands here; imported when it is first asked for."""
_MODULES: Final = {name: module for module, said in _WHERE.items() for name in said.split()}

__all__ = [
    "LIBRARY_TOOLS", "LIST_SKILLS", "NOTHING_DECLARED", "PLACEHOLDER_RESULT", "READ_SKILL",
    "SKIP_STEP", "Boundary", "CallFacts", "Context", "Credit", "Declared", "Ending", "Injection",
    "Limit", "Nudge", "Position", "Settled", "State", "Step", "ToolSpec", "after_tool", "always",
    "asks_remaining", "at_answer", "at_end", "before_call", "before_call_async", "credit",
    "credit_of", "declare",
    "extended", "fact", "for_turn", "from_action", "from_json", "injection", "instruction",
    "is_idle", "keep", "memory", "needs_tools",
    "nudge_edits", "on_action", "on_tool_return", "park", "rag", "refuse_unfit", "settle", "skill",
    "sliding_window", "steering", "summarise_oldest", "to_json", "token_budget", "unpark", "until",
]  # fmt: skip


class _Package(ModuleType):
    """This package, which as `footprint.injection(...)` is also the factory of that name."""

    def __call__(self, *args: Any, **kwargs: Any) -> Injection:
        made: Injection = import_module(".factories", __name__).injection(*args, **kwargs)
        return made

    def __getattr__(self, name: str) -> Any:
        module = _MODULES.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f".{module}", __name__), name)
        setattr(self, name, value)
        return value


sys.modules[__name__].__class__ = _Package
