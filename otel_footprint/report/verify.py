"""The words of a verdict on a trail."""

from __future__ import annotations

from collections.abc import Iterator

from ..trail import Trail
from ..trail.ledger import LedgerCheck
from ..trail.rebuild import said
from ..trail.verify import Verified
from .plain import plural
from .sheet import Sheet

_STYLES = {"complete": "green", "open": "warn"}
_MOST = 10
_LEDGERS = 20
"""Complete ledgers that are listed; of those that are not, all are."""


def render(
    found: Verified, width: int = 100, color: bool = False, ascii_only: bool = False, note: str = ""
) -> Iterator[str]:
    """The lines of a verdict: the state, each ledger, the texts, and what was not read.

    note: what of the source was looked at, where that is not all of it.
    """
    sheet = Sheet(Trail(()), width, color, ascii_only)
    word = "altered" if found.altered else found.state
    yield sheet.paint(_STYLES.get(found.state, "alarm"), word)
    if note:
        yield f"  {sheet.safe(note)}"
    if found.state == "unreadable":
        yield "  no record of ours is in this trail"
    yield from _ledgers(sheet, found)
    yield from (f"  {line}" for line in _texts(sheet, found))
    yield from (f"  {sheet.safe(gap)}" for gap in found.gaps)
    if found.problems:
        yield f"  {plural(len(found.problems), 'place')} of the source could not be read:"
        for problem in found.problems[:_MOST]:
            yield f"    {sheet.safe(str(problem))}"
        if len(found.problems) > _MOST:
            yield f"    {sheet.glyphs.ellipsis} and {len(found.problems) - _MOST} more"


def _ledgers(sheet: Sheet, found: Verified) -> Iterator[str]:
    """Those that are not complete first."""
    whole = [c for c in found.ledgers if c.state == "complete"]
    for check in (*(c for c in found.ledgers if c.state != "complete"), *whole[:_LEDGERS]):
        who = f"turn {sheet.safe(found.turns.get(check.ledger, ''), 60) or 'unknown'}"
        which = f"ledger {sheet.safe(check.ledger)}"
        yield f"  {who}, {which}: {check.state}, {plural(check.records, 'record')}"
        yield from (f"    {line}" for line in _ledger(sheet, check, found))
    if len(whole) > _LEDGERS:
        yield f"  and {plural(len(whole) - _LEDGERS, 'further ledger')}: complete"


def _ledger(sheet: Sheet, check: LedgerCheck, found: Verified) -> Iterator[str]:
    for number in check.inconsistent[:_MOST]:
        name = found.named.get((check.ledger, number), "the turn's own record")
        what = sheet.safe(name, 120)
        yield f"record {number} ({what}) does not fit its digest, or the one before"
    if len(check.inconsistent) > _MOST:
        yield f"and {len(check.inconsistent) - _MOST} further records"
    if check.missing:
        yield f"missing: {_records(check.missing)}"
    if check.unchecked:
        yield f"not to be checked, since fields are missing: {_records(check.unchecked)}"
    if check.state == "open":
        yield "its last record is not here: still running, or the process died"


def _records(numbers: tuple[int, ...]) -> str:
    return f"record{'s' if len(numbers) > 1 else ''} {said(numbers)}"


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
