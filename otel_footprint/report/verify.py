"""The words of a verdict on a trail."""

from __future__ import annotations

from collections.abc import Iterator

from ..records.trail import CallTrail, ToolTrail
from ..trail import Trail
from ..trail.ledger import LedgerCheck
from ..trail.rebuild import said
from ..trail.verify import Verified
from .plain import plural
from .sheet import Sheet

_STYLES = {"complete": "green", "open": "warn"}
_MOST = 10


def render(
    trail: Trail,
    found: Verified,
    width: int = 100,
    color: bool = False,
    ascii_only: bool = False,
) -> Iterator[str]:
    """The lines of a verdict: the state, each ledger, the texts, and what was not read."""
    sheet = Sheet(trail, width, color, ascii_only)
    word = "altered" if found.altered else found.state
    yield sheet.paint(_STYLES.get(found.state, "alarm"), word)
    if found.state == "unreadable":
        yield "  no record of ours is in this trail"
    names = _names(trail)
    for turn in trail.asked:
        for check in found.ledgers:
            if check.ledger in turn.ledgers:
                who = f"turn {sheet.safe(turn.id, 60) or 'unknown'}"
                which = f"ledger {sheet.safe(check.ledger)}"
                yield f"  {who}, {which}: {check.state}, {plural(check.records, 'record')}"
                yield from (f"    {line}" for line in _ledger(sheet, check, names))
    yield from (f"  {line}" for line in _texts(sheet, found))
    for gap in trail.gaps:
        if gap.kind == "digest" or gap.kind == "trace":
            yield f"  {sheet.safe(gap.what)}"
    if found.unread:
        yield f"  {plural(found.unread, 'place')} of the source could not be read:"
        for problem in trail.problems[:_MOST]:
            yield f"    {sheet.safe(str(problem))}"
        if found.unread > _MOST:
            yield f"    {sheet.glyphs.ellipsis} and {found.unread - _MOST} more"


def _names(trail: Trail) -> dict[tuple[str, int], str]:
    """What each numbered record is, by ledger and number."""
    out: dict[tuple[str, int], str] = {}
    for turn in trail.turns:
        items: list[CallTrail | ToolTrail] = [*turn.calls, *turn.tools]
        for item in items:
            if item.seq is None:
                continue
            if isinstance(item, CallTrail):
                out[item.ledger, item.seq] = f"call {item.id}"
            elif len(turn.ledgers) == 1:
                out[turn.ledgers[0], item.seq] = f"tool call {item.name} {item.call_id}".rstrip()
    return out


def _ledger(sheet: Sheet, check: LedgerCheck, names: dict[tuple[str, int], str]) -> Iterator[str]:
    for number in check.inconsistent[:_MOST]:
        what = sheet.safe(names.get((check.ledger, number), "the turn's own record"), 120)
        yield f"record {number} ({what}) does not fit its digest, or the one before"
    if len(check.inconsistent) > _MOST:
        yield f"and {len(check.inconsistent) - _MOST} further records"
    if check.missing:
        yield f"missing: records {said(check.missing)}"
    if check.unchecked:
        yield f"not to be checked, since fields are missing: records {said(check.unchecked)}"
    if check.state == "open":
        yield "its last record is not here: still running, or the process died"


def _texts(sheet: Sheet, found: Verified) -> Iterator[str]:
    texts = found.texts
    if texts.proven:
        yield f"{plural(texts.proven, 'text')} proven by hash"
    if texts.unproven:
        yield f"{plural(texts.unproven, 'text')} not to be proven: hashes are keyed, no key fits"
    if texts.off:
        yield f"{plural(texts.off, 'text')} never recorded (content mode none)"
    for hashes, what in (
        (texts.left_out, "left out by the writer, or kept in a content store that is not at hand"),
        (texts.lost, "lost with records that are missing"),
        (texts.withheld, "withheld on the way"),
        (texts.shortened, "shortened or rewritten on the way"),
    ):
        if hashes:
            more = f", {sheet.glyphs.ellipsis}" if len(hashes) > _MOST else ""
            named = ", ".join(sheet.safe(h[:12]) for h in hashes[:_MOST])
            yield f"{plural(len(hashes), 'text')} {what}: {named}{more}"
