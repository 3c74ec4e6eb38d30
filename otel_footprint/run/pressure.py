"""Pressure: a slot over its cap, a window that is full or nearly so.

A slot over a *declared* cap leaves a record each time and one warning in the log. A slot over a
default cap stands on the call's span (`footprint.over.{slot}`), with no further noise: an ordinary
agent is over the defaults at once.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from ..config import SLOTS, Slot
from ..telemetry import names

if TYPE_CHECKING:
    from .call import Call

LOG: Final = logging.getLogger("otel_footprint")


def filling(call: Call) -> list[int]:
    """What each slot holds, in the budget's unit."""
    if call.core.settings.budget.unit == "tokens":
        return [s.tokens for s in call.slots]
    return [s.used for s in call.slots]


def counted(call: Call) -> list[int]:
    """The same as it counts against the caps: a default cap, which nobody chose for tools of which
    the library writes a part, is for what others put there."""
    used, tools = filling(call), SLOTS.index("tools")
    if call.planted and call.core.settings.budget.origins[tools] == "default":
        used[tools] = max(0, used[tools] - call.planted)
    return used


def over(call: Call) -> list[int]:
    """Positions of the slots that are over their cap."""
    caps = call.core.settings.budget.caps
    return [i for i, used in enumerate(counted(call)) if caps[i] and used > caps[i]]


def of_slot(call: Call, slot: Slot, used: int, tokens: int) -> dict[str, Any] | None:
    """The pressure record of a slot that holds so much; None: not over a declared cap."""
    budget, i = call.core.settings.budget, SLOTS.index(slot)
    held, cap = tokens if budget.unit == "tokens" else used, budget.caps[i]
    if budget.origins[i] != "declared" or not cap or held <= cap:
        return None
    return {
        names.SLOT: slot,
        names.PRESSURE_STATE: "over",
        names.PRESSURE_USED: held,
        names.PRESSURE_CAP: cap,
        names.PRESSURE_UNIT: budget.unit,
        names.PRESSURE_ORIGIN: "declared",
    }


def of_call(call: Call) -> list[dict[str, Any]]:
    """The records that stand on the call's span: unchanged slots, and the window."""
    out = []
    for slot, state in zip(SLOTS, call.slots, strict=True):
        if state.composer:
            found = of_slot(call, slot, state.used, state.tokens)
            if found is not None:
                out.append(found)
    window = call.window
    if window.state is not None:
        out.append(
            {
                names.SLOT: "window",
                names.PRESSURE_STATE: window.state,
                names.PRESSURE_USED: window.tokens,
                names.PRESSURE_CAP: window.size,
                names.PRESSURE_UNIT: "tokens",
                names.PRESSURE_ORIGIN: "declared" if call.core.settings.window else "model",
            }
        )
    return out


def warn(call: Call) -> None:
    """One warning a slot and Footprint, for declared caps only."""
    budget = call.core.settings.budget
    for i in over(call):
        slot = SLOTS[i]
        if budget.origins[i] != "declared" or slot in call.core.warned:
            continue
        call.core.warned.add(slot)
        used, cap, unit = filling(call)[i], budget.caps[i], budget.unit
        LOG.warning(
            "slot %s holds %d of %d %s (%d over, %d pieces); nothing was cut. "
            "Raise Budget(%s=...) or trim what goes in%s.",
            slot,
            used,
            cap,
            unit,
            used - cap,
            call.slots[i].pieces,
            slot,
            " (the history, for example)" if slot == "messages" else "",
        )
