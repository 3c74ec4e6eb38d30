"""The state of injection: what is known between two boundaries. A value; `run` owns it.

`State` of a turn begins with `for_turn`, which keeps what belongs to the conversation (what was
delivered, which edits of history stand) and drops what belongs to the turn that ended (activated
skills, pointer, nudge). `to_json` and `from_json` carry it over a pause or into another process;
what is restored is checked at that door.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args

from ..records.injection import DoorRefused
from ..records.plan import HistoryEdit
from ..records.view import ToolOutcome, ToolStatus
from . import doors
from .edits_json import edit_from_json, edit_to_json
from .procedures.pointer import Pointer, carrier_of, pointer_of

Prefix = tuple[tuple[str, str], ...]
"""The cacheable pieces of a slot as sent: id and text of each, in order."""


@dataclass(frozen=True)
class WindowState:
    """What a window strategy remembers between its visits."""

    acted_on: int = 0
    """The action whose measurement was acted on last."""
    blocked: int = 0
    """Visits in a row without progress in which the newest tool results stood in the way."""
    left_out: int = 0
    """Messages that the notice now in the history stands for."""
    refused: tuple[str, ...] = ()
    """Spans whose summary was not smaller; they are not summarised again."""


@dataclass(frozen=True)
class State:
    """Everything that is known; see the module."""

    action: int = 0
    """The action last prepared."""
    activated: tuple[str, ...] = ()
    """Skills activated in this turn, the latest last."""
    pointer: Pointer | None = None
    nudged: bool = False
    """The one nudge of this turn was spent."""
    concluded: bool = False
    """How the procedure ended is on the record already."""
    results: tuple[ToolOutcome, ...] = ()
    """Tool calls that came back since the last model call, in the model's order."""
    called: tuple[str, ...] = ()
    """Tools that came back in this turn."""
    parked: frozenset[str] = frozenset()
    """Pieces that a person took out for the time being."""
    bodies: Mapping[str, str] = field(default_factory=dict)
    """Skills whose body stands in the result of a `read_skill` call, with the id of that call."""
    withheld: frozenset[str] = frozenset()
    """Withheld tools, with the reason, that are on the record of this turn."""
    delivered: frozenset[str] = frozenset()
    """Keys of the declared messages that are in the history."""
    waits: Mapping[str, int] = field(default_factory=dict)
    """Boundaries in a row that a message has waited, by its key."""
    history: tuple[HistoryEdit, ...] = ()
    """Edits of history that stand: they are made again on each later call."""
    window: WindowState = WindowState()
    prefixes: Mapping[str, Prefix] = field(default_factory=dict)
    """The cacheable prefix of each slot at the last call; not kept over a restart."""


def for_turn(state: State) -> State:
    """The state at the beginning of the next turn of the same conversation."""
    return State(
        delivered=state.delivered,
        waits=state.waits,
        history=state.history,
        window=replace(state.window, acted_on=0, blocked=0),
        parked=state.parked,
        prefixes=state.prefixes,
    )


def park(state: State, id_: str) -> State:
    """The state with a piece taken out until it is let in again (`unpark`)."""
    return replace(state, parked=state.parked | {id_})


def unpark(state: State, id_: str) -> State:
    """The state with a parked piece let in again."""
    return replace(state, parked=state.parked - {id_})


def to_json(state: State) -> dict[str, Any]:
    """The state as a JSON value. The text of results and of standing messages is in it."""
    return {
        "action": state.action,
        "activated": list(state.activated),
        "pointer": carrier_of(state.pointer),
        "nudged": state.nudged,
        "concluded": state.concluded,
        "results": [_outcome(result) for result in state.results],
        "called": list(state.called),
        "parked": sorted(state.parked),
        "bodies": dict(state.bodies),
        "withheld": sorted(state.withheld),
        "delivered": sorted(state.delivered),
        "waits": dict(state.waits),
        "history": [edit_to_json(edit) for edit in state.history],
        "window": {
            "acted_on": state.window.acted_on,
            "blocked": state.window.blocked,
            "left_out": state.window.left_out,
            "refused": list(state.window.refused),
        },
    }


def from_json(value: object) -> tuple[State, tuple[DoorRefused, ...]]:
    """The state that a JSON value holds, and what was refused at the door.

    Nothing is repaired: a field of the wrong shape is as if it were not there, a standing edit or
    a result without a text is dropped and named. Never raises.
    """
    held = value if isinstance(value, Mapping) else {}
    refused: list[DoorRefused] = []
    window = held.get("window")
    window = window if isinstance(window, Mapping) else {}
    waits = held.get("waits")
    state = State(
        action=_whole(held.get("action")),
        activated=_texts(held.get("activated")),
        pointer=pointer_of(held.get("pointer")),
        nudged=held.get("nudged") is True,
        concluded=held.get("concluded") is True,
        results=_results(held.get("results"), refused),
        called=_texts(held.get("called")),
        parked=frozenset(_texts(held.get("parked"))),
        bodies=_bodies(held.get("bodies")),
        withheld=frozenset(_texts(held.get("withheld"))),
        delivered=frozenset(_texts(held.get("delivered"))),
        waits={k: _whole(v) for k, v in waits.items() if isinstance(k, str)}
        if isinstance(waits, Mapping)
        else {},
        history=_edits(held.get("history"), refused),
        window=WindowState(
            _whole(window.get("acted_on")),
            _whole(window.get("blocked")),
            _whole(window.get("left_out")),
            _texts(window.get("refused")),
        ),
    )
    return state, tuple(refused)


def _outcome(result: ToolOutcome) -> dict[str, Any]:
    out: dict[str, Any] = dict(zip(result._fields, result, strict=True))
    if result.arguments is None:
        del out["arguments"]
    return out


def _results(value: object, refused: list[DoorRefused]) -> tuple[ToolOutcome, ...]:
    out = []
    for held in value if isinstance(value, list) else []:
        if not isinstance(held, Mapping) or not isinstance(held.get("name"), str):
            continue
        problem = doors.check(held.get("text"), "restored state", str(held["name"]))
        if problem is not None:
            refused.append(problem)
            continue
        status = held.get("status")
        arguments = held.get("arguments")
        call_id = held.get("call_id")
        out.append(
            ToolOutcome(
                held["name"],
                call_id if isinstance(call_id, str) else "",
                cast(ToolStatus, status) if status in get_args(ToolStatus) else "unknown",
                held["text"],
                arguments if isinstance(arguments, Mapping) else None,
            )
        )
    return tuple(out)


def _edits(value: object, refused: list[DoorRefused]) -> tuple[HistoryEdit, ...]:
    out = []
    for held in value if isinstance(value, list) else []:
        edit = edit_from_json(held)
        if isinstance(edit, DoorRefused):
            refused.append(edit)
        elif edit is not None:
            out.append(edit)
    return tuple(out)


def _bodies(value: object) -> dict[str, str]:
    pairs = value.items() if isinstance(value, Mapping) else ()
    return {k: v for k, v in pairs if isinstance(k, str) and isinstance(v, str)}


def _texts(value: object) -> tuple[str, ...]:
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def _whole(value: object) -> int:
    return value if type(value) is int and value >= 0 else 0
