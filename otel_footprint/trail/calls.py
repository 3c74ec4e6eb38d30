"""Model calls: all spans of one call id merged into one record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ..config.budget import DEFAULT_CAPS
from ..records.digest import LENGTH, PREVIOUS
from ..records.trail import (
    SLOT_NAMES,
    Asked,
    CallTrail,
    Gap,
    PieceRow,
    Pressure,
    SlotName,
    SlotState,
    Span,
)
from ..telemetry import names
from . import foreign, values
from .columns import Table, table
from .compositions import Composition, Compositions, whole_id
from .sorting import CallBundle
from .texts import Texts

COMPLETE: Final = "complete"
_DIGEST: Final = re.compile(rf"[\w-]{{{PREVIOUS},{LENGTH}}}\Z", re.ASCII)
"""A digest, or how it begins where an SDK was told to cut strings."""
_USED: Mapping[SlotName, str] = {
    "system": names.SYSTEM_USED,
    "messages": names.MESSAGES_USED,
    "tools": names.TOOLS_USED,
}


def call_trail(
    bundle: CallBundle,
    turn: str,
    layouts: Mapping[str, str],
    compositions: Compositions,
    texts: Texts,
    trail: Asked | None = None,
    number: int | None = None,
) -> CallTrail:
    """The call, and into `compositions` and `texts` what its spans hold.

    `layouts`: hash of the layout that each call recorded. `trail`: what the call is in.
    `number`: its number in the turn.
    """
    gaps = _composed(bundle, compositions, texts)
    output, extra = _output(bundle, texts, gaps)
    inference = _inference(bundle)
    attributes = _attributes(bundle, inference)
    whole = names.SLOT_DIGESTS in attributes
    composers = _composers(bundle, attributes)
    if not whole:
        what = f"call {bundle.id}: its own record (span `chat` or `record call`) is missing"
        gaps.insert(0, Gap("span", what, bundle.id))
    for slot, (composer, digest) in composers.items():
        compositions.name(composer, slot, digest)
    recorder = _recorder(bundle, attributes, whole)
    params = layouts.get(recorder, "")
    pressures = _pressures(bundle)
    outside = inference if inference is not None else _any(bundle)
    usage = foreign.usage(attributes)
    summed = whole or names.SLOT_PIECES in attributes
    return CallTrail(
        id=bundle.id,
        ledger=bundle.ledger,
        turn=turn,
        trace_id=outside.trace_id,
        span_id=inference.span_id if inference is not None else "",
        parent_id=outside.parent_id,
        start=_start(bundle, inference),
        end=inference.end if inference is not None else _end(bundle),
        whole=whole,
        foreign="" if inference is None or _is_ours(inference) else inference.scope or "?",
        attributes=attributes,
        model=values.text(attributes, names.REQUEST_MODEL) or foreign.model(attributes),
        response_model=values.text(attributes, names.RESPONSE_MODEL),
        provider=values.text(attributes, names.PROVIDER) or foreign.provider(attributes),
        dialect=texts.dialect(params),
        agent=values.text(attributes, names.AGENT),
        completeness=values.text(attributes, names.COMPLETENESS),
        unit=values.text(attributes, names.BUDGET_UNIT) or ("chars" if summed else ""),
        slots=_slots(attributes, pressures, composers, summed),
        pressures=pressures,
        usage=usage,
        finish_reasons=tuple(values.texts(attributes, names.FINISH_REASONS) or ()),
        first_token=values.number(attributes, names.TIME_TO_FIRST_CHUNK),
        chunks=values.integer(attributes, names.CHUNKS),
        attempts=values.integer(attributes, names.CALL_ATTEMPTS) or 1,
        error=values.text(attributes, names.ERROR_TYPE),
        output=output,
        output_extra=extra,
        output_state=values.text(attributes, names.OUTPUT_STATE) or (COMPLETE if whole else ""),
        params=params,
        params_of=recorder,
        request_bytes=values.integer(attributes, names.REQUEST_BYTES),
        seq=values.integer(attributes, names.SEQ),
        gaps=tuple(gaps),
        number=number,
        trail=trail,
    )


def _composed(bundle: CallBundle, compositions: Compositions, texts: Texts) -> list[Gap]:
    """What a call composed, into `compositions` and `texts`; what is missing of it."""
    gaps: list[Gap] = []
    for slot, parts in bundle.composed.items():
        composition = Composition(bundle.id, slot, parts, bundle.of[slot])
        compositions.add(composition)
        _record(composition.table, texts, bundle.id)
        gaps += composition.gaps
    return gaps


def _attributes(bundle: CallBundle, inference: Span | None) -> dict[str, Any]:
    """All that the spans of a call say; what ours say counts before what others do."""
    out: dict[str, Any] = {}
    for span in [*bundle.having("foreign call"), *bundle.having("record")]:
        out.update(span.attributes)
    if inference is not None and inference.scope in (names.SCOPE, ""):
        out.update(inference.attributes)
    return out


def _inference(bundle: CallBundle) -> Span | None:
    """Our inference span; else the foreign one that carries our summary, the outermost first."""
    own = bundle.having("call")
    if own:
        return own[0]
    others = bundle.having("foreign call")
    summed = [s for s in others if names.SLOT_PIECES in s.attributes] or others
    return min(summed, key=lambda s: s.start or 0) if summed else None


def _is_ours(span: Span) -> bool:
    return span.scope == names.SCOPE or (not span.scope and names.SLOT_DIGESTS in span.attributes)


def _any(bundle: CallBundle) -> Span:
    """Some span of ours in whose place the call's span would stand."""
    return bundle.spans[0][1]


def _start(bundle: CallBundle, inference: Span | None) -> int | None:
    if inference is not None and inference.start is not None:
        return inference.start
    starts = [s.start for role, s in bundle.spans if role != "record" and s.start is not None]
    return min(starts, default=None)


def _end(bundle: CallBundle) -> int | None:
    return max((s.end for s in bundle.having("record") if s.end is not None), default=None)


def _recorder(bundle: CallBundle, attributes: values.Attributes, whole: bool) -> str:
    """Id of the call that recorded this one's layout; empty when no record says."""
    named = values.listed(attributes, names.SLOT_DIGESTS)[len(SLOT_NAMES) :]
    if named and not _DIGEST.match(named[0]):
        return whole_id(named[0], bundle.ledger)
    return bundle.id if whole or bundle.having("layout") else ""


def _composers(
    bundle: CallBundle, attributes: values.Attributes
) -> dict[SlotName, tuple[str, str]]:
    """Of each slot the call that composed it as it stands, and the digest when it was this one."""
    out: dict[SlotName, tuple[str, str]] = {}
    said = values.listed(attributes, names.SLOT_DIGESTS)
    for slot, word in zip(SLOT_NAMES, said, strict=False):
        if _DIGEST.match(word):
            out[slot] = (bundle.id, word)
        elif word:
            out[slot] = (whole_id(word, bundle.ledger), "")
    for slot in SLOT_NAMES:
        if slot not in out and slot in bundle.composed:
            out[slot] = (bundle.id, "")
    return out


def _slots(
    attributes: values.Attributes,
    pressures: tuple[Pressure, ...],
    composers: Mapping[SlotName, tuple[str, str]],
    summed: bool,
) -> dict[SlotName, SlotState]:
    caps = _caps(attributes, summed)
    pieces = values.figures(attributes, names.SLOT_PIECES)
    origins = {p.slot: p.origin for p in pressures}
    declared = values.listed(attributes, names.CAPS_DECLARED)
    out: dict[SlotName, SlotState] = {}
    for i, slot in enumerate(SLOT_NAMES):
        origin = origins.get(slot, "")
        if not origin and summed:
            origin = "declared" if slot in declared else "default"
        out[slot] = SlotState(
            slot=slot,
            used=values.integer(attributes, _USED[slot]),
            cap=caps[i] if i < len(caps) else None,
            pieces=pieces[i] if i < len(pieces) else None,
            digest=composers.get(slot, ("", ""))[1],
            composer=composers.get(slot, ("", ""))[0],
            over=values.flag(attributes, names.OVER[i]) is True if summed else None,
            origin=origin,
            planted=values.integer(attributes, names.TOOLS_PLANTED) or 0 if slot == "tools" else 0,
        )
    return out


def _caps(attributes: values.Attributes, summed: bool) -> list[int | None]:
    """The caps in force: those on the record, else the defaults where a summary is at hand."""
    found = values.figures(attributes, names.SLOT_CAPS)
    if found or not summed or names.BUDGET_UNIT in attributes:
        return found
    return [DEFAULT_CAPS[slot] for slot in SLOT_NAMES]


def _pressures(bundle: CallBundle) -> tuple[Pressure, ...]:
    out: list[Pressure] = []
    for _, span in bundle.spans:
        for event in span.events:
            if event.name != names.EVENT_PRESSURE:
                continue
            slot = values.text(event.attributes, names.SLOT) or values.text(
                span.attributes, names.SLOT
            )
            found = Pressure(
                slot=slot or "window",
                state=values.text(event.attributes, names.PRESSURE_STATE),
                cap=values.integer(event.attributes, names.PRESSURE_CAP),
                used=values.integer(event.attributes, names.PRESSURE_USED),
                unit=values.text(event.attributes, names.PRESSURE_UNIT),
                origin=values.text(event.attributes, names.PRESSURE_ORIGIN),
                call=bundle.id,
            )
            if found not in out:
                out.append(found)
    return tuple(out)


def _output(
    bundle: CallBundle, texts: Texts, gaps: list[Gap]
) -> tuple[tuple[PieceRow | None, ...], tuple[str, ...]]:
    """The output's pieces, None for one whose row is missing."""
    if not bundle.output:
        return (), ()
    read = table(bundle.output, bundle.output_of)
    _record(read, texts, bundle.id)
    rows: list[PieceRow | None] = [row for run in read.runs for row in run.rows]
    if read.missing:
        rows.append(None)
        said = ", ".join(map(str, read.missing[:8]))
        what = f"output of call {bundle.id}: parts {said} of {read.of} are missing"
        gaps.append(Gap("parts", what, bundle.id))
    extra = values.texts(bundle.output.get(1, {}), names.OUTPUT_EXTRA) or []
    return tuple(rows), tuple(extra)


def _record(read: Table, texts: Texts, call: str) -> None:
    for run in read.runs:
        for row, strings in zip(run.rows, run.texts, strict=True):
            texts.record(row, strings, call)
            if read.stored and not strings:
                texts.put_away(row.hash, row.exact)
            if read.left_out and not strings:
                texts.leave_out(row.hash, row.exact)
