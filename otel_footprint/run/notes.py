"""What injection reports, as events: name, attributes, and the span they stand on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ..records import injection as r
from ..telemetry import names
from ..telemetry.sanitize import clean_attributes
from .injected import Event, said

if TYPE_CHECKING:
    from .core import Content

_NAMES: Final[Mapping[type, str]] = {
    r.Skipped: names.EVENT_SKIPPED,
    r.DoorRefused: names.EVENT_SKIPPED,
    r.Withheld: names.EVENT_WITHHELD,
    r.Deferred: names.EVENT_DEFERRED,
    r.Stuck: names.EVENT_STUCK,
    r.Removed: names.EVENT_REMOVED,
    r.WindowVisit: names.EVENT_WINDOW_REFUSED,
    r.CacheBroken: names.EVENT_CACHE_BROKEN,
    r.StepAdvanced: names.EVENT_STEP_ADVANCED,
    r.StepSkipped: names.EVENT_STEP_SKIPPED,
    r.StepsUnfinished: names.EVENT_STEPS_UNFINISHED,
    r.Abandoned: names.EVENT_ABANDONED,
}
_FIELDS: Final[Mapping[str, str]] = {
    "Skipped.source": names.INJECTION_SOURCE,
    "Skipped.id": names.INJECTION_ID,
    "Skipped.reason": names.SKIPPED_REASON,
    "Skipped.error": names.SKIPPED_ERROR,
    "DoorRefused.door": names.SKIPPED_DOOR,
    "DoorRefused.id": names.INJECTION_ID,
    "DoorRefused.problem": names.SKIPPED_ERROR,
    "Withheld.tool": names.OFFER_TOOL,
    "Withheld.reason": names.OFFER_REASON,
    "Withheld.source": names.INJECTION_SOURCE,
    "Withheld.id": names.INJECTION_ID,
    "Deferred.source": names.INJECTION_SOURCE,
    "Deferred.id": names.INJECTION_ID,
    "Deferred.role": names.DELIVERY_ROLE,
    "Deferred.reason": names.DELIVERY_REASON,
    "Deferred.note": names.DELIVERY_NOTE,
    "Deferred.boundaries": names.DELIVERY_BOUNDARIES,
    "Stuck.source": names.INJECTION_SOURCE,
    "Stuck.id": names.INJECTION_ID,
    "Stuck.role": names.DELIVERY_ROLE,
    "Stuck.reason": names.DELIVERY_REASON,
    "Stuck.boundaries": names.DELIVERY_BOUNDARIES,
    "Stuck.note": names.DELIVERY_NOTE,
    "Removed.source": names.INJECTION_SOURCE,
    "Removed.id": names.INJECTION_ID,
    "Removed.reason": names.REMOVED_REASON,
    "Removed.survival": names.REMOVED_SURVIVAL,
    "Removed.survival_ms": names.REMOVED_SURVIVAL_MS,
    "WindowVisit.strategy": names.VISIT_STRATEGY,
    "WindowVisit.removed": names.VISIT_REMOVED,
    "WindowVisit.chars_before": names.VISIT_BEFORE,
    "WindowVisit.chars_after": names.VISIT_AFTER,
    "WindowVisit.measured": names.VISIT_MEASURED,
    "WindowVisit.threshold": names.VISIT_THRESHOLD,
    "WindowVisit.stood_down": names.VISIT_STOOD_DOWN,
    "CacheBroken.slot": names.SLOT,
    "CacheBroken.at": names.CACHE_AT,
    "CacheBroken.id": names.INJECTION_ID,
    "CacheBroken.cause": names.CACHE_CAUSE,
    "CacheBroken.lost": names.CACHE_LOST,
    "StepAdvanced.skill": names.STEP_PROCEDURE,
    "StepAdvanced.step": names.STEP_INDEX,
    "StepAdvanced.total": names.STEP_TOTAL,
    "StepAdvanced.tool": names.STEP_TOOL,
    "StepAdvanced.note": names.STEP_NOTE,
    "StepAdvanced.action": names.STEP_ACTION,
    "StepAdvanced.call_id": names.TOOL_CALL_ID,
    "StepAdvanced.completed": names.STEP_COMPLETED,
    "StepSkipped.skill": names.STEP_PROCEDURE,
    "StepSkipped.step": names.STEP_INDEX,
    "StepSkipped.total": names.STEP_TOTAL,
    "StepSkipped.tool": names.STEP_TOOL,
    "StepSkipped.note": names.STEP_NOTE,
    "StepSkipped.reason": names.STEP_REASON,
    "StepSkipped.policy": names.STEP_POLICY,
    "StepSkipped.action": names.STEP_ACTION,
    "StepSkipped.call_id": names.TOOL_CALL_ID,
    "StepsUnfinished.skill": names.STEP_PROCEDURE,
    "StepsUnfinished.total": names.STEP_TOTAL,
    "StepsUnfinished.how": names.STEPS_OUTCOME,
    "StepsUnfinished.reason": names.STEPS_OUTCOME_REASON,
    "StepsUnfinished.action": names.STEP_ACTION,
    "Abandoned.skill": names.STEP_PROCEDURE,
    "Abandoned.step": names.STEP_INDEX,
    "Abandoned.total": names.STEP_TOTAL,
    "Abandoned.by": names.ABANDONED_BY,
    "Abandoned.action": names.STEP_ACTION,
}
"""The attribute of each field of a note; fields that are not here are written otherwise."""


def event_of(note: r.Note, content: Content) -> Event:
    """The event of a note, through redaction. Empty texts and None are left out."""
    kind = type(note).__name__
    out: dict[str, Any] = {}
    for field, value in zip(note._fields, note, strict=True):
        name = _FIELDS.get(f"{kind}.{field}")
        if name is None or value is None or value == "":
            continue
        out[name] = said(value, content)
    if isinstance(note, r.Removed):
        if note.key:
            out[names.REMOVED_KEY] = note.key
        out[names.REMOVED_BY] = said(note.by.id, content)
    elif isinstance(note, r.WindowVisit) and note.refusals:
        out[names.VISIT_REASONS] = [refusal.reason for refusal in note.refusals]
        out[names.VISIT_ROUNDS] = [refusal.round for refusal in note.refusals]
        out[names.VISIT_NOTES] = [said(refusal.note, content) for refusal in note.refusals]
    elif isinstance(note, r.StepsUnfinished | r.Abandoned):
        out[names.STEP_REMAINING] = [step.step for step in note.remaining]
        out[names.STEP_REMAINING_TOOLS] = [said(step.tool, content) for step in note.remaining]
    return _NAMES[type(note)], clean_attributes(out)


def slot_of(note: r.Note) -> str:
    """The slot on whose `compose` span a note stands; empty: on the call's span."""
    if isinstance(note, r.CacheBroken):
        return note.slot
    return "messages" if isinstance(note, r.Removed) else ""


def worth_saying(note: r.Note) -> bool:
    """False for what is said elsewhere (a delivery, where its message is) or says nothing."""
    if isinstance(note, r.WindowVisit):
        return bool(note.refusals)
    return not isinstance(note, r.Delivered)
