"""Composes the three slots of a call and writes what changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..config import SLOTS, Slot
from ..records import digest
from ..records.frames import BASELINE
from ..records.plan import Cause
from ..slots.entry import Entry, Fresh, Piece, make, make_light, respelled
from ..slots.lineage import Change
from ..slots.tokens import MESSAGE, definition, estimate
from ..telemetry import names
from ..telemetry.guard import guard
from ..telemetry.sanitize import clean_text
from ..telemetry.spans import link
from ..text import jsontext
from ..wire.identity import stripped, without_ids
from ..wire.types import Dialect, Item, Layout
from ..wire.values import compact
from . import crediting
from . import parts as p
from .definitions import LONGEST
from .injected import injected, said
from .pressure import of_slot
from .secrets import without

if TYPE_CHECKING:
    from .call import Call

KEYFRAME_ROWS: Final = 16
"""No keyframe before deltas have named this many rows."""
LINKS: Final = 100
"""Links of one span, below the 128 that an SDK keeps."""
EVENTS: Final = 100
"""Events of one span, below the 128 that an SDK keeps."""
_NAMES: Final[dict[Slot, str]] = {slot: f"{names.SPAN_COMPOSE} {slot}" for slot in SLOTS}
Base = tuple[str, str, int, int]
"""Call id, digest, pieces and trace of the composition that a delta is to."""
_NO_BASE: Final[Base] = ("", "", 0, 0)
_NO_SPLICES: Final[list[list[int]]] = [[], [], []]
_PLAIN: Final = frozenset({"system", "user", "tool"})
"""Roles whose message says nothing beside a string of content."""
_DENSE: Final = frozenset({"tool_call", "definition"})


class Origin(NamedTuple):
    """What of ours an element of a request holds."""

    own: bool
    """True when all of it is ours, so that its row names what let it in."""
    causes: tuple[tuple[Cause, str, str], ...]
    """What let something in; of a tool its name, of a message its role; of a delivery its key."""
    at: int = -1
    """Of a message that is all ours its index in the messages."""


class SlotState(NamedTuple):
    """A slot of a call, as the call's span sums it up."""

    used: int
    tokens: int
    pieces: int
    digest: str
    composer: str
    """Empty when this call composed the slot, else the call that did."""


def compose(call: Call, layout: Layout) -> list[SlotState]:
    """Compares and writes what changed: system, messages, tools. Under the ledger's lock."""
    memory, recording = call.ledger.memory, call.ledger.recording
    if recording and memory.texts.broken:
        memory.texts.broken = False
        memory.distrust()
    makers: dict[Slot, Maker] = {}
    changes = []
    for slot, elements in zip(SLOTS, layout[:3], strict=True):
        lineage = memory.lineages[slot]
        change = lineage.unchanged(elements, recording)
        if change is None:
            makers[slot] = Maker(call, slot)
            change = lineage.compose(elements, makers[slot], recording)
        changes.append(change)
    keyframes = _keyframes(call, changes) if recording else (False, False, False)
    states = []
    for slot, change, keyframe in zip(SLOTS, changes, keyframes, strict=True):
        now, composer = change.now, change.now.call_id
        if not change.same:
            _count(call, slot, change)
            if recording and makers[slot].let_in:
                call.notes.setdefault(slot, []).extend(makers[slot].let_in)
        if recording and (not change.same or keyframe or call.index == 1):
            _write(call, slot, change, keyframe)
            composer = ""
        states.append(SlotState(now.used, now.tokens, len(now.entries), now.digest, composer))
    return states


def _keyframes(call: Call, changes: Sequence[Change]) -> list[bool]:
    """Which slots are written whole: what has no base on the trail, and what is due.

    Where nobody tells us of losses all slots and the layout are due together, so that a reader
    who has what follows needs nothing before it.
    """
    whole: list[bool] = []
    own = call.bounds.own_exporter
    for change in changes:
        base, now = change.base, change.now
        if base is None or base.trace_id == 0:
            now.since = now.size = 0
            whole.append(True)
            continue
        if not change.same:
            now.since = base.since + sum([len(s.inserted) for s in change.splices])
            now.size = base.size
        whole.append(own and now.since >= KEYFRAME_ROWS and now.since >= now.size)
    if own:
        return whole
    if sum(c.now.since for c in changes) >= max(KEYFRAME_ROWS, sum(c.now.size for c in changes)):
        call.ledger.memory.params.clear()
        return [True] * len(changes)
    return whole


def _count(call: Call, slot: Slot, change: Change) -> None:
    """Counts what came in and went out, for the metrics."""
    came, gone, ours = call.came_in, 0, 0
    for splice in change.splices:
        if splice.removed:
            gone += len(splice.removed)
            ours += sum(entry.source not in BASELINE for entry in splice.removed)
        for fresh in splice.inserted:
            key = (slot, fresh.entry.source)
            came[key] = came.get(key, 0) + 1
    if gone:
        call.went_out[slot] = gone
    if ours:
        call.let_out[slot, "injection"] = ours


class Maker:
    """Makes the entries of an element of a slot: dialect, redaction, sizes, hashes."""

    __slots__ = ("call", "let_in", "slot")

    def __init__(self, call: Call, slot: str) -> None:
        self.call = call
        self.slot = slot
        self.let_in: list[tuple[str, dict[str, Any]]] = []
        """Events of what was let in with the elements made so far."""

    def __call__(self, element: Any) -> list[Fresh]:
        try:
            return self.entries(element)
        except Exception:  # noqa: S110 - an object whose own methods raise: its marker stands for it
            pass
        with guard("compose.element"):
            return self.entries(jsontext.plain(element))
        return [self.fresh(Item(jsontext.plain(element), "", "custom", "", ""))]

    def entries(self, element: Any) -> list[Fresh]:
        """The entries of an element: let in by something, an output that came back, or new."""
        call = self.call
        origin = call.origins.get(id(element)) if call.origins else None
        if origin is None:
            credited = crediting.cause_of(element, call.turn)
            if credited is not None:
                origin = Origin(True, ((credited, "", ""),))
        if origin is not None:
            return self.let(element, origin)
        if self.slot == "messages" and call.ledger.recording:
            known = _came_back(call, element)
            if known is not None:
                return [known]
        return self.pieces(element)

    def let(self, element: Any, origin: Origin) -> list[Fresh]:
        """The entries of an element in which something of ours is."""
        content = self.call.content
        for cause, name, key in origin.causes:
            shown = content.hash(key) if key else ""
            self.let_in.append(injected(cause, self.slot, content, name, shown, origin.at))
        return self.pieces(element, origin.causes[0][0] if origin.own else None)

    def pieces(self, element: Any, cause: Cause | None = None) -> list[Fresh]:
        """The entries of an element, as they stand on the record."""
        call = self.call
        if self.slot == "tools":
            element = without(element, call.secrets())
        if call.content.redacts:
            element = call.content.redactor.value(element, self.slot)
        return [self.fresh(item, cause) for item in call.dialect.items(self.slot, element)]

    def fresh(self, item: Item, cause: Cause | None = None) -> Fresh:
        """The entry of a piece; `cause`: what let it in, in place of where it usually is from."""
        if cause is not None:
            return self.let_in_by(item, cause)
        if self.slot == "tools":
            return self.definition(item)
        return self.made(item, *measure(self.call.dialect, item))

    def definition(self, item: Item) -> Fresh:
        """The entry of a tool's definition; one that was made before is not made again."""
        call = self.call
        text = compact(item.value)
        key = (call.content.mode, call.dialect.name, item[1:], text)
        known = call.core.definitions.get(key) if call.ledger.recording else None
        if known is not None:
            return known._replace(value=item.value)
        made = self.made(item, len(text), definition(text))
        if made.split is not None and not made.split.media and len(text) <= LONGEST:
            call.core.definitions.add(key, made)
        return made

    def made(self, item: Item, size: int, tokens: int) -> Fresh:
        """The entry of a piece of so many code points and estimated tokens."""
        call = self.call
        recording = call.ledger.recording
        piece = Piece(
            item.value,
            item.role,
            item.source,
            clean_text(item.id),  # as it stands on the record, of which the digest is
            item.frame,
            "",
            call.dialect.identity(item.value) if recording else None,
            size,
            tokens,
        )
        if not recording:
            return make_light(piece)
        return make(piece, call.content.hash, call.core.find_media)

    def let_in_by(self, item: Item, cause: Cause) -> Fresh:
        """The entry of a piece that something let in: source, id and reason are the cause's."""
        fresh = self.fresh(item)
        content = self.call.content
        entry = fresh.entry._replace(
            source=cause.source, id=said(cause.id, content), reason=said(cause.reason, content)
        )
        return fresh._replace(entry=entry)


def _came_back(call: Call, element: Any) -> Fresh | None:
    """The entry of a recent output that this message repeats, in whatever spelling.

    Applications put an answer back with its null keys, without them, or in another order.
    """
    if call.content.redacts or type(element) is not dict:
        return None
    fresh: Fresh
    try:
        if element.get("role") in _PLAIN:
            return None
        bare, _ = stripped(element)
        for value, fresh in reversed(call.ledger.memory.outputs):
            if value != bare:
                if _is_named_anew(call.dialect, bare, value):
                    return respelled(fresh, element, call.content.hash, call.core.find_media)
                continue
            if bare is element and jsontext.spelled_alike(element, value):
                return fresh
            if jsontext.dumps_sorted(bare) == jsontext.dumps_sorted(value):
                return respelled(fresh, element, call.content.hash, call.core.find_media)
    except Exception:  # comparing odd objects runs their code: then it is none of ours
        return None
    return None


def _is_named_anew(dialect: Dialect, message: dict[str, Any], answer: Any) -> bool:
    """True for an answer put back with ids where its calls had none, or without those it gave."""
    if type(answer) is not dict:
        return False
    (bare, named), (asked, had) = without_ids(message), without_ids(answer)
    if named == had:
        return False
    said = dialect.identity(bare), dialect.identity(asked)
    return jsontext.dumps_sorted(said[0]) == jsontext.dumps_sorted(said[1])


def measure(dialect: Dialect, item: Item) -> tuple[int, int]:
    """Code points and estimated tokens of a piece that is no definition."""
    value = item.value
    if type(value) is dict and type(value.get("content")) is str and item.role in _PLAIN:
        text = value["content"]
        return len(text), MESSAGE + estimate(text)
    size, tokens = 0, MESSAGE
    for part in dialect.parts(value):
        size += len(part.text)
        tokens += estimate(part.text, part.kind in _DENSE)
    return size, tokens


def _write(call: Call, slot: Slot, change: Change, keyframe: bool) -> None:
    now, base = change.now, change.base
    head = _NO_BASE
    if base is not None:
        head = (base.call_id, base.digest, len(base.entries), base.trace_id)
    now.call_id, now.trace_id = call.call_id, call.trace_id
    again = keyframe and base is not None and not call.bounds.own_exporter
    fresh = (
        _all(change, Maker(call, slot), call)
        if keyframe and base is not None
        else [f for s in change.splices for f in s.inserted]
    )
    if keyframe:
        now.since, now.size = 0, len(now.entries)
    made = p.trim(
        p.build(
            fresh,
            call.ledger.memory.texts,
            call.content.writes,
            call.bounds,
            call.core.find_media,
            call.trace_id,
            again,
        )
    )
    for number, part in enumerate(made, 1):
        _part(call, slot, change, None if keyframe else head, part, number, len(made))


def _all(change: Change, maker: Maker, call: Call) -> list[Fresh]:
    """Every entry of the composition; with its value only where its text has to be written."""
    now, texts = change.now, call.ledger.memory.texts
    new = {id(f.entry): f for s in change.splices for f in s.inserted}
    restate = call.content.writes and not call.bounds.own_exporter
    if not restate and texts.know([p.text_key(e) for e in now.entries if id(e) not in new]):
        return [new.get(id(e)) or Fresh(e, None, None) for e in now.entries]
    out: list[Fresh] = []
    at = 0
    for i, element in enumerate(now.elements):
        count = 1 if now.counts is None else now.counts[i]
        entries = now.entries[at : at + count]
        at += count
        keys = [p.text_key(e) for e in entries if id(e) not in new]
        if restate or not texts.know(keys):
            made = maker(element)
            again = map(_of, made, entries) if len(made) == count else map(_bare, entries)
        else:
            again = map(_bare, entries)
        out += [new.get(id(e)) or f for e, f in zip(entries, again, strict=True)]
    return out


def _of(made: Fresh, entry: Entry) -> Fresh:
    """A piece made again, as it was composed; without its text where that is another one now: of
    objects of a type of its own the copy is plain, and a hook may redact otherwise."""
    return made._replace(entry=entry) if made.entry.exact == entry.exact else _bare(entry)


def _bare(entry: Entry) -> Fresh:
    return Fresh(entry, None, None)


def _part(
    call: Call, slot: Slot, change: Change, base: Base | None, part: p.Part, number: int, of: int
) -> None:
    """One span with one event; `base` None: a keyframe."""
    ledger = call.ledger
    after = len(change.now.entries)
    seq = ledger.next_record()
    attributes: dict[str, Any] = {names.CALL_ID: call.call_id}
    if of > 1:
        attributes[names.PART], attributes[names.PARTS] = number, of
    event: dict[str, Any] = {names.SEQ: seq}
    splices, head, holders = _NO_SPLICES, ("", "", 0), part.traces
    if number == 1:
        event[names.COUNT_AFTER] = after
        if base is None:
            event[names.KEYFRAME] = True
        else:
            before, head = base[2], (base[0], base[1][: digest.PREVIOUS], base[2])
            splices = _columns(change)
            event[names.BASE_CALL] = ledger.short(base[0])
            event[names.BASE_DIGEST] = head[1]
            appended = splices == [[before], [0], [after - before]]
            if of > 1 or not appended:
                event[names.COUNT_BEFORE] = before
            if not appended:
                event[names.SPLICE_AT] = splices[0]
                event[names.SPLICE_REMOVED] = splices[1]
                event[names.SPLICE_INSERTED] = splices[2]
            if base[3] != call.trace_id:
                event[names.BASE_TRACE] = f"{base[3]:032x}"
                holders = {*holders, base[3]}
        if change.hidden and call.content.redacts:
            event[names.HIDDEN_CHANGES] = change.hidden
    event.update(p.columns(part, call.bounds.chunk))
    events = [(names.EVENT_COMPOSED, event)]
    over = of_slot(call, slot, change.now.used, change.now.tokens) if number == 1 else None
    if over is not None:
        events.append((names.EVENT_PRESSURE, over))
    if slot in call.notes:
        events += call.notes[slot][:EVENTS]
        del call.notes[slot][:EVENTS]
    call.core.spans.instant(
        _NAMES[slot],
        call.parent,
        attributes,
        events,
        call.core.clock(),
        identity={names.SLOT: slot},
        links=_links(call, holders) if holders else None,
        before=lambda span_id: ledger.memory.texts.handed_over(span_id, part.exacts),
    )
    call.lines.append(
        digest.compose_line(
            seq,
            slot,
            base is None,
            head,
            after if number == 1 else 0,
            splices,
            p.digest_columns(part),
            (number, of),
        )
    )


def _columns(change: Change) -> list[list[int]]:
    """The splices as columns: where, how many removed, how many inserted."""
    rows = [(s.at, len(s.removed), len(s.inserted)) for s in change.splices]
    return [list(column) for column in zip(*rows, strict=True)] if rows else _NO_SPLICES


def _links(call: Call, holders: set[int]) -> list[Any]:
    """Links to the traces that hold what this one only names; the newest when there are many."""
    roots = call.ledger.memory.roots
    known = [(trace, root) for trace, root in roots.items() if trace in holders]
    return [link(trace, root, "text") for trace, root in known[-LINKS:]]
