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


def weigh(call: Call) -> None:
    """Says what each slot holds, in the budget's unit, and which slots are over their cap.

    A default cap, which nobody chose for tools of which the library writes a part, is for what
    others put there.
    """
    budget = call.core.settings.budget
    system, messages, tools = call.slots
    if budget.unit == "tokens":
        call.held = (system.tokens, messages.tokens, tools.tokens)
    else:
        call.held = (system.used, messages.used, tools.used)
    call.counted = call.held
    if call.planted and budget.origins[2] == "default":
        call.counted = (*call.held[:2], max(0, call.held[2] - call.planted))
    call.over = [i for i, cap in enumerate(budget.caps) if cap and call.counted[i] > cap]


def of_slot(call: Call, slot: Slot, used: int, tokens: int) -> dict[str, Any] | None:
    """The pressure record of a slot that holds so much; None: not over a declared cap."""
    budget = call.core.settings.budget
    if not budget.declared:
        return None
    i = SLOTS.index(slot)
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
    for slot, state in zip(SLOTS, call.slots, strict=True) if call.over else ():
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
    for i in call.over if budget.declared else ():
        slot = SLOTS[i]
        if budget.origins[i] != "declared" or slot in call.core.warned:
            continue
        call.core.warned.add(slot)
        used, cap, unit = call.held[i], budget.caps[i], budget.unit
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
