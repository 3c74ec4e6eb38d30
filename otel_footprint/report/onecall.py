"""One call whole, piece by piece: what the model had in front of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ..records.roles import meant
from ..records.trail import SLOT_NAMES, CallTrail, PieceRow
from ..telemetry import names
from ..trail import Trail, values
from ..trail.content import parts_of
from . import programs
from .plain import cells, chars, number, plural
from .rebuilt import gap_lines
from .sheet import Sheet
from .told import told
from .tree import call_lines

_DELIVERY: Final = (names.INJECTION_SOURCE, names.INJECTION_ID, names.DELIVERY_REASON,
                    names.DELIVERY_NOTE)  # fmt: skip
_KEPT_OUT: Final = {
    names.EVENT_SKIPPED: (names.INJECTION_SOURCE, names.INJECTION_ID, names.SKIPPED_REASON,
                          names.SKIPPED_ERROR, names.SKIPPED_DOOR),
    names.EVENT_WITHHELD: (names.OFFER_TOOL, names.OFFER_REASON),
    names.EVENT_DEFERRED: _DELIVERY,
    names.EVENT_STUCK: _DELIVERY,
}  # fmt: skip
"""What is said of a piece that was not let in or waits, and of a tool that was not offered."""
_TAKEN_OUT: Final = {
    names.EVENT_REMOVED: (names.INJECTION_SOURCE, names.INJECTION_ID, names.REMOVED_REASON,
                          names.REMOVED_BY, names.REMOVED_KEY),
}  # fmt: skip
"""What is said of a piece of the application's request that was not in the one that left."""


def render(
    trail: Trail, call: CallTrail, width: int = 100, color: bool = False, ascii_only: bool = False
) -> Iterator[str]:
    """The lines of one call: its summary, every piece of every slot, its output, its proof."""
    sheet = Sheet(trail, width, color, ascii_only)
    turn = trail.turn_of(call)
    if turn is not None and turn.id and len(trail.turns) > 1:
        said = [f"turn {sheet.safe(turn.id, 40)}", sheet.safe(turn.agent, 60)]
        yield from sheet.flow(said, "", "  ")
    yield from call_lines(sheet, call)
    for slot in SLOT_NAMES:
        rows = trail.rows(call, slot)
        state = call.slots.get(slot)
        count = len(rows.rows) or (state.pieces if state is not None else None) or 0
        yield ""
        yield sheet.paint("title", f"{slot}: {plural(count, 'piece')}")
        for i, row in enumerate(rows.rows, 1):
            yield from _piece(sheet, call, slot, i, row)
        for gap in rows.gaps:
            yield "  " + sheet.paint("warn", sheet.safe(told(trail, gap.what)))
    yield from _kept_out(sheet, call)
    yield ""
    yield sheet.paint("title", f"output: {plural(len(call.output), 'piece')}")
    for i, row in enumerate(call.output, 1):
        yield from _piece(sheet, call, "output", i, row)
    yield from programs.whole(sheet, call)
    yield from _proof(sheet, call)


def _piece(
    sheet: Sheet, call: CallTrail, slot: str, place: int, row: PieceRow | None
) -> Iterator[str]:
    paint = sheet.paint
    if row is None:
        yield f"{place:>5}  " + paint("warn", "a piece whose row is missing")
        return
    role = row.role if row.role not in ("", slot, meant(row.source, "")) else ""
    said = [
        f"{place:>5}  " + paint("green", sheet.safe(row.source) or "?"),
        sheet.safe(role and f"role {role}"),
        sheet.safe(sheet.trail.origins.tool(call, row) if row.source == "tool-result" else ""),
        sheet.safe(row.id),
        paint("magenta", sheet.safe(sheet.trail.origins.why(call, row))),
        chars(row.size),
        paint("dim", row.hash[:12]),
    ]
    yield from sheet.flow(said, "", " " * 7)
    parts = parts_of(sheet.trail, call, row)
    if parts is None:
        off = sheet.is_content_off(call)
        yield " " * 9 + paint("dim", "(content is off)" if off else "(text missing)")
        return
    for part in parts:
        repeated = part.kind == "definition" and part.name == row.id
        if part.kind not in ("text", "tool_result") and not repeated:
            head = " ".join(filter(None, (part.kind.replace("_", " "), part.name, part.id)))
            yield " " * 9 + paint("cyan", sheet.safe(head))
        yield from sheet.paragraphs(part.text, " " * 9)


def _kept_out(sheet: Sheet, call: CallTrail) -> Iterator[str]:
    """What was declared for this call and did not come in, what was taken out of it, and why."""
    waits = dict.fromkeys(_told(sheet.trail, call, _KEPT_OUT))  # deferred and stuck say the same
    yield from _listed(sheet, "not let in", list(waits))
    yield from _listed(sheet, "taken out", _told(sheet.trail, call, _TAKEN_OUT))


def _listed(sheet: Sheet, title: str, told: list[tuple[str, ...]]) -> Iterator[str]:
    if not told:
        return
    yield ""
    yield sheet.paint("title", f"{title}: {plural(len(told), 'piece')}")
    for i, (what, *why) in enumerate(told, 1):
        said = [f"{i:>5}  " + sheet.paint("warn", sheet.safe(what) or "?")]
        room = sheet.width - 7
        words = [sheet.safe(word) for word in why]
        yield from sheet.flow(said + [w for w in words if cells(w) <= room], "", " " * 7)
        for word in words:
            if cells(word) > room:
                yield from sheet.wrapped([("", word)], " " * 7)


def _told(
    trail: Trail, call: CallTrail, named: Mapping[str, tuple[str, ...]]
) -> list[tuple[str, ...]]:
    """What the events of these names say of a call, each by its attributes; hashes shortened."""
    return [
        tuple(
            values.text(event.attributes, name)[: 12 if name == names.REMOVED_KEY else None]
            for name in named[event.name]
        )
        for span in trail.spans
        if values.text(span.attributes, names.CALL_ID) == call.id
        for event in span.events
        if event.name in named
    ]


def _proof(sheet: Sheet, call: CallTrail) -> Iterator[str]:
    rebuilt = sheet.trail.rebuild(call)
    proof = rebuilt.proof
    yield ""
    words = {
        "body": "rebuilt, and proven equal to the HTTP body that left: every hash, every digest "
        f"and its length of {number(proof.request_bytes)} bytes fit",
        "json": "rebuilt, and proven equal as JSON: every hash and every digest fits",
        "recorded": "rebuilt as it was recorded: every hash and every digest fits, but the body "
        "that left was another (redacted here, or spelled otherwise)",
        "unproven": "rebuilt, but not proven: the key of its hashes was not given",
        "none": "not rebuilt",
    }[proof.level]
    style = {
        "body": "green",
        "json": "green",
        "recorded": "cyan",
        "unproven": "warn",
        "none": "alarm",
    }[proof.level]
    yield from sheet.wrapped([(style, "request: " + words)], "")
    for line in gap_lines(sheet.trail, rebuilt):
        yield "  " + sheet.safe(line)
