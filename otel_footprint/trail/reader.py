"""Trails: loading, and asking what is in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike

from ..errors import TrailError
from ..records.comparison import CallDiff
from ..records.listing import Meant
from ..records.rebuilt import Rebuilt
from ..records.seen import Seen
from ..records.trail import (
    CallTrail,
    Change,
    Gap,
    Log,
    Node,
    PieceRow,
    Pressure,
    Problem,
    Rows,
    Span,
    ToolTrail,
    TurnTrail,
)
from ..records.why import Absent, Why
from ..telemetry import names
from . import values
from .arrived import unique, with_logs
from .attached import attached_trail, collect, gap_of
from .calls import call_trail
from .changes import change
from .collected import Records
from .compare import Side, compare
from .compositions import Compositions
from .files import Source, read
from .hashes import Hashes
from .ledger import LedgerCheck, Ledgers
from .memory import few_collections
from .naming import find
from .nest import nest
from .numbering import Numbering
from .origins import Origins
from .owners import Owners
from .rebuild import rebuild, said
from .seen import seen
from .sorting import Sorted
from .store import ContentStore
from .texts import MediaBytes, Texts
from .turns import tool_trail, turn_trail
from .why import absent, why


class Trail:
    """The evidence of one or more turns, as it was read back.

    Made by `load`, or from spans and log records in any order. What is missing of it is named in
    `gaps`, what could not be read in `problems`; nothing here raises for either. A trail that names
    contents of a store (`needs_store`) whose folder is not there raises TrailError.
    """

    def __init__(
        self,
        spans: Iterable[Span],
        logs: Iterable[Log] = (),
        keys: Sequence[bytes] = (),
        problems: Sequence[Problem] = (),
        asked: Meant | None = None,
        absent: Mapping[str, str] | None = None,
        store: ContentStore | None = None,
    ) -> None:
        """`asked`: the turn or trace that was asked for (None: all). `absent`: traces that this
        one leads to and that its source does not hold, each with a sentence's end."""
        self.spans = with_logs(unique(spans), logs)
        """Every span once, log records as events of theirs."""
        self.problems = tuple(problems)
        self.store = store
        """The content store that a person named for this trail."""
        self.texts = Texts(Hashes(keys), store)
        self.compositions = Compositions()
        found = Sorted(self.spans)
        owners = Owners(found)
        turn_of = owners.turn_of
        layouts = self._take_layouts(found)
        numbering = Numbering(found, turn_of)
        self._calls: dict[str, CallTrail] = {}
        for bundle in found.calls.values():
            turn = turn_of.get(bundle.ledger, "")
            number = numbering.number(bundle.id, bundle.ledger)
            self._calls[bundle.id] = call_trail(
                bundle, turn, layouts, self.compositions, self.texts, self, number
            )
        tools = [
            (span, tool_trail(span, turn_of.get(ledger, ""), ledger), ledger)
            for span in found.tools
            for ledger in (owners.ledger_of(span),)
        ]
        bundles = collect(self.spans)
        self.attached = {b.call: attached_trail(b, self._within(b.call)) for b in bundles.values()}
        """What stood under answers, by the id of their call."""
        self._ledgers = Ledgers(found, self._calls, tools, self.compositions, bundles.values())
        self._first: dict[tuple[str, str], str] | None = None
        self._origins: Origins | None = None
        self._linked: dict[str, dict[str, None]] | None = None
        self.turns = self._turns(found, numbering.ledgers, [tool for _, tool, _ in tools])
        """In the order of their beginning."""
        self._turn_of = {c.id: t for t in self.turns for c in t.calls}
        self._roots = nest(self.turns, found)
        self._meant = asked
        self._absent = dict(absent or {})
        if store is not None and store.absent and self.needs_store:
            raise TrailError(store.absent)

    # --- asking --------------------------------------------------------------------------

    @property
    def calls(self) -> tuple[CallTrail, ...]:
        """Every model call, turn by turn."""
        return tuple(call for turn in self.turns for call in turn.calls)

    @property
    def asked(self) -> tuple[TurnTrail, ...]:
        """The turns that were asked for; every turn when none was named."""
        meant = self._meant
        if meant is None:
            return self.turns
        if meant.turn:
            return tuple(t for t in self.turns if t.id == meant.turn)
        return tuple(t for t in self.turns if meant.trace in t.trace_ids)

    @property
    def needs_store(self) -> bool:
        """Whether it names contents (texts, or bytes of media) that went to a content store."""
        if self.texts.put_away_any:
            return True
        return self.texts.media_any and any(t.store and t.content == "full" for t in self.turns)

    def __repr__(self) -> str:
        turns, calls = len(self.turns), len(self.calls)
        turn, call = "turn" if turns == 1 else "turns", "call" if calls == 1 else "calls"
        return f"<trail of {turns} {turn}, {calls} {call}>"

    @property
    def roots(self) -> tuple[Node, ...]:
        """The tree of what was asked for: turns with their calls and tool calls, and the spans
        that are not ours."""
        meant = self._meant
        if meant is None:
            return self._roots
        if meant.trace:
            return tuple(n for n in self._roots if meant.trace in _traces(n))
        stack, found = list(self._roots), []
        while stack:
            node = stack.pop()
            if isinstance(node.item, TurnTrail) and node.item.id == meant.turn:
                found.append(node)
            else:
                stack += node.children
        return tuple(found)

    @property
    def origins(self) -> Origins:
        """Who let pieces in and took them out, as far as the records say."""
        if self._origins is None:
            self._origins = Origins(self)
        return self._origins

    @property
    def pressure(self) -> tuple[Pressure, ...]:
        """Every slot, and every model's window, that was over its cap or nearly, call by call."""
        out: list[Pressure] = []
        for call in self.calls:
            out += call.pressures
            said = {p.slot for p in call.pressures if p.state == "over"}
            for s in call.slots.values():
                if s.over and s.slot not in said:
                    out.append(
                        Pressure(s.slot, "over", s.cap, s.counted, call.unit, s.origin, call.id)
                    )
        return tuple(out)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What is seen to be missing: of the turns that were asked for, of their calls, of the
        slots of each call."""
        out = [
            Gap("trace", f"trace {trace}, which is more of the same conversation, {why}")
            for trace, why in self._absent.items()
        ]
        for turn in self.asked:
            out += turn.gaps
            for call in turn.calls:
                out += call.gaps
                attached = self.attached.get(call.id)
                if attached is not None and (gap := gap_of(attached)) is not None:
                    out.append(gap)
                for slot in call.slots:
                    out += self.rows(call, slot).gaps
        return tuple(dict.fromkeys(out))

    def call(self, which: str | int) -> CallTrail:
        """A call by its id, by its number when one turn was asked for, or by `TURN.NUMBER`: the
        turn's id, or the beginning of it, and the number.

        Raises TrailError when there is none, or when the number means several.
        """
        return find(str(which), self._calls, self.asked, self.turns)

    def named(self, call: str, beside: CallTrail | None = None) -> str:
        """How a call is named to a person: by its number, with its turn where that is not the one
        of the call `beside`; by its id where it is not here or has no number."""
        found = self._calls.get(call)
        if found is None or found.number is None:
            return f"call {call}"
        said = f"call {found.number}"
        if beside is None or beside.turn == found.turn:
            return said
        return f"{said} of turn {found.turn or 'unknown'}"

    def turn_of(self, call: CallTrail) -> TurnTrail | None:
        """The turn of a call."""
        return self._turn_of.get(call.id)

    def rows(self, call: CallTrail, slot: str) -> Rows:
        """The pieces of a slot of a call, as the call found them."""
        state = next((s for name, s in call.slots.items() if name == slot), None)
        return self.compositions.rows(call.id, slot, state.composer if state else "")

    def change(self, call: CallTrail, slot: str) -> Change | None:
        """What a call made of a slot; None: it left it as it was, or no record says."""
        return change(self, call, slot)

    def saw(
        self, call: CallTrail, text: str, slot: str | None = None, source: str | None = None
    ) -> Seen:
        """See `CallTrail.saw`."""
        return seen(self, call, text, slot, source)

    def diff(
        self, before: CallTrail | str | int, after: CallTrail | str | int, of: Trail | None = None
    ) -> CallDiff:
        """What differs between the requests of two calls; `after` may be of another trail.

        Calls by id or number, as in `call`. Raises TrailError when one of them is not there.
        """
        other = self if of is None else of
        first = before if isinstance(before, CallTrail) else self.call(before)
        second = after if isinstance(after, CallTrail) else other.call(after)
        return compare(Side(self, first), Side(other, second))

    def rebuild(self, call: CallTrail | str | int, media: MediaBytes | None = None) -> Rebuilt:
        """The exact request of a call, proven by hash; `media` gives the bytes of media."""
        return rebuild(self, call if isinstance(call, CallTrail) else self.call(call), media)

    def why(self, value: str | None = None, call: CallTrail | str | int | None = None) -> Why:
        """Walks from an answer to the pieces of context that carry it, and to what let them in.

        `value`: a value or a sentence of the answer; without one, the answer's figures, dates,
        names and quotes one by one. `call`: the call that wrote the answer, by id or number; by
        default the last answer of what was asked for. Works on calls of any instrumentation whose
        messages are on the trail. What the trail does not hold is named, never guessed. Raises
        TrailError when there is no such call.
        """
        return why(self, value, call.id if isinstance(call, CallTrail) else call)

    def absent(self, text: str, call: CallTrail | str | int | None = None) -> Absent:
        """Whether a text was to be had and was not in front of a call, and why; see `why`."""
        return absent(self, text, call.id if isinstance(call, CallTrail) else call)

    def check(self, ledger: str) -> LedgerCheck:
        """Numbers and digests of a ledger."""
        return self._ledgers.check(ledger)

    def missing_records(self, ledger: str) -> tuple[int, ...]:
        """Numbers of a ledger that have not arrived."""
        return self._ledgers.missing(ledger)

    def linked_traces(self, call: CallTrail) -> tuple[str, ...]:
        """Earlier traces that a call's turn links to for texts, and that are not in this trail."""
        if self._linked is None:
            self._linked = {}
            for span in self.spans:
                for link in span.links:
                    if values.text(link.attributes, names.LINK_TYPE) == "text":
                        self._linked.setdefault(span.trace_id, {})[link.trace_id] = None
            here = {span.trace_id for span in self.spans}
            for trace, linked in self._linked.items():
                self._linked[trace] = {t: None for t in linked if t not in here}
        return tuple(self._linked.get(call.trace_id, ()))

    def first_seen(self, row: PieceRow) -> str:
        """Id of the first call whose own record names this piece; empty when none does."""
        if self._first is None:
            self._first = {}
            for call in self.calls:
                for slot in call.slots:
                    own = self.compositions.get(call.id, slot)
                    for each in (own.inserted or ()) if own is not None else ():
                        if each is not None:
                            self._first.setdefault((each.hash, each.exact), call.id)
        return self._first.get((row.hash, row.exact), "")

    def _within(self, call: str) -> int | None:
        """Characters of a call's output; None while they are not known."""
        found = self._calls.get(call)
        sizes = [row.size if row is not None else None for row in found.output] if found else []
        return None if None in sizes or not sizes else sum(s or 0 for s in sizes)

    # --- making --------------------------------------------------------------------------

    def _take_layouts(self, found: Sorted) -> dict[str, str]:
        """Takes the layouts in; the hash of what each call recorded."""
        for (hash_, call), parts in found.layouts.items():
            of = found.layout_of[hash_, call]
            strings = [values.texts(parts.get(n, {}), names.TEXT) for n in range(1, of + 1)]
            if any(values.integer(p, names.TEXT_STORED) for p in parts.values()):
                self.texts.put_away(hash_)
            if any(values.integer(p, names.TEXT_LEFT_OUT) for p in parts.values()):
                self.texts.leave_out(hash_)
            whole = [s for part in strings if part is not None for s in part]
            text = "".join(whole) if whole and None not in strings else None
            self.texts.record_layout(hash_, text, values.text(parts.get(1, {}), names.DIALECT))
        return {call: hash_ for hash_, call in found.layouts}

    def _turns(
        self, found: Sorted, ledgers: dict[str, list[str]], made: list[ToolTrail]
    ) -> tuple[TurnTrail, ...]:
        for call in self._calls.values():
            if not call.turn and call.ledger not in ledgers.setdefault("", []):
                ledgers[""].append(call.ledger)
        tools: dict[str, list[ToolTrail]] = {}
        for tool in made:
            tools.setdefault(tool.turn, []).append(tool)
        of_turn: dict[str, list[CallTrail]] = {}
        for call in self._calls.values():
            of_turn.setdefault(call.turn, []).append(call)
        out = []
        for id_ in dict.fromkeys([*found.turns, *ledgers, *tools]):
            own = ledgers.get(id_, [])
            place = {ledger: i for i, ledger in enumerate(own)}
            calls = of_turn.get(id_, [])
            calls.sort(key=lambda c: (place.get(c.ledger, 0), c.number or 0))
            own_tools = sorted(
                tools.get(id_, ()), key=lambda t: (place.get(t.ledger, 0), t.seq or 0)
            )
            gaps = [g for ledger in own if (g := self._lost(ledger)) is not None]
            turn_trail_ = turn_trail(found.turn(id_), own, calls, own_tools, gaps)
            if calls or own_tools or found.turn(id_).all:
                out.append(turn_trail_)
        return tuple(sorted(out, key=lambda t: t.start or 0))

    def _lost(self, ledger: str) -> Gap | None:
        missing = self._ledgers.missing(ledger)
        if not missing:
            return None
        many, have = ("record", "has") if len(missing) == 1 else ("records", "have")
        return Gap("records", f"{many} {said(missing)} of ledger {ledger} {have} not arrived")


def _traces(node: Node) -> tuple[str, ...]:
    item = node.item
    return item.trace_ids if isinstance(item, TurnTrail) else (item.trace_id,)


@few_collections()
def load(
    paths: Source | Iterable[Source],
    keys: Sequence[bytes] = (),
    store: ContentStore | None = None,
) -> Trail:
    """Reads one trail file, or several that belong together (`-`: standard input).

    OTLP/JSON: an object, a list, or lines; plain or gzip. `keys`: deployment keys of the hashes,
    when they are keyed. `store`: where large texts and media were put.
    Raises OSError for a file that cannot be opened; what cannot be read of the others is named in
    `problems`.
    """
    sources: list[Source]
    if isinstance(paths, str | PathLike) or hasattr(paths, "read"):
        sources = [paths]  # type: ignore[list-item]
    else:
        sources = list(paths)
    records = Records()
    for source in sources:
        records.take(read(source))
    return Trail(records.spans, records.logs, keys, records.told(), store=store)
