"""Trails made by hand: OTLP/JSON as the format text in CONTRIBUTING says it.

A `Turn` numbers, hashes and chains as the text says; `otlp` gives the spans as documents. What it
does not need it does not do: slots are compared by their rows alone, and every change is a delta
until a call asks for a keyframe.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import random
from typing import Any, NamedTuple

from otel_footprint.records import digest as lines
from otel_footprint.text.skeleton import source, split

from .otlpjson import any_value, as_lines, document, encoded
from .pieces import Piece, assistant, result, system, tool, user

SLOTS = ("system", "messages", "tools")
USUAL = {"user": "user", "assistant": "assistant", "tool-result": "tool", "base": "system"}
SCOPE = "otel_footprint"


def dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Row(NamedTuple):
    hash: str
    exact: str
    size: int
    piece: Piece

    def line(self) -> tuple[str, str, str, str, str, str]:
        p = self.piece
        return (self.hash, self.exact, p.source, p.id, p.reason, p.frame)


class Writer:
    """Spans of one trace; several turns may share it."""

    def __init__(self, seed: int = 1, key: bytes | None = None, content: str = "full") -> None:
        self.random = random.Random(seed)
        self.key = key
        self.content = content
        self.trace = self.hex(16)
        self.spans: list[dict[str, Any]] = []
        self.now = 1_796_000_000_000_000_000
        self.written: set[tuple[str, str]] = set()
        self.where: dict[tuple[str, str], list[str]] = {}
        """Ids of the spans that hold a text."""
        self.needs: dict[str, set[str]] = {}
        """Of each call the ids of all spans without which it cannot be put together."""

    def hex(self, size: int) -> str:
        return self.random.randbytes(size).hex()

    def tick(self, ms: float = 1.0) -> int:
        self.now += int(ms * 1_000_000)
        return self.now

    def hash(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        if self.key is not None:
            return hmac.digest(self.key, data, "sha256").hex()[:32]
        return hashlib.sha256(data).hexdigest()[:32]

    def row(self, piece: Piece) -> Row:
        identity = piece.identity or "\0" + json.dumps(piece.value, sort_keys=True)
        exact = self.hash(source(split(piece.value)))[:16]
        return Row(self.hash(f"{piece.role}\n{identity}"), exact, len(dumps(piece.value)), piece)

    def span(
        self,
        name: str,
        parent: str = "",
        attributes: dict[str, Any] | None = None,
        events: list[tuple[str, dict[str, Any]]] | None = None,
        start: int | None = None,
        end: int | None = None,
        scope: str = SCOPE,
        kind: int = 1,
        links: list[tuple[str, str, str]] | None = None,
        span_id: str = "",
    ) -> str:
        """Adds a span; returns its id."""
        id_ = span_id or self.hex(8)
        at = self.now if start is None else start
        self.spans.append(
            {
                "scope": scope,
                "traceId": self.trace,
                "spanId": id_,
                **({"parentSpanId": parent} if parent else {}),
                "name": name,
                "kind": kind,
                "startTimeUnixNano": str(at),
                "endTimeUnixNano": str(at if end is None else end),
                "attributes": encoded(attributes or {}),
                "events": [
                    {"timeUnixNano": str(at), "name": n, "attributes": encoded(a)}
                    for n, a in events or []
                ],
                "links": [
                    {
                        "traceId": t,
                        "spanId": s,
                        "attributes": encoded({"footprint.link.type": k}),
                    }
                    for t, s, k in links or []
                ],
                "status": {},
            }
        )
        return id_


class Turn:
    """A turn and its ledger."""

    def __init__(
        self, writer: Writer, parent: str = "", agent: str = "bot", parent_turn: str = "",
        conversation: str = "", implicit: bool = False, text: str = "hello",
        id_: str = "",
    ) -> None:  # fmt: skip
        self.w = writer
        own, self.ledger = writer.hex(8), writer.hex(8)
        self.id = id_ or own
        self.agent, self.conversation = agent, conversation
        self.span_id = writer.hex(8)
        self.parent = parent
        self.seq = self.calls = 0
        self.digest = ""
        self.rows: dict[str, list[Row]] = {}
        self.composer: dict[str, str] = {}
        self.digests: dict[tuple[str, str], str] = {}
        self.layouts: dict[str, str] = {}
        self.layout_spans: dict[str, str] = {}
        self.chain: dict[str, list[str]] = {}
        """Of each slot the spans from its last keyframe on."""
        self.implicit = implicit
        self.start = writer.now
        said: dict[str, Any] = {
            "footprint.turn.id": self.id,
            "gen_ai.agent.name": agent,
            "footprint.ledger": self.ledger,
            "footprint.format": 1,
            "footprint.content": writer.content,
            "footprint.turn.text": [text],
        }
        if conversation:
            said["gen_ai.conversation.id"] = conversation
        if parent_turn:
            said["footprint.turn.parent"] = parent_turn
        if writer.key is not None:
            said["footprint.key.id"] = "k1"
        said["footprint.trail.seq"] = self.next()
        line = lines.start_line(1, self.id, self.ledger, writer.content, conversation)
        said["footprint.trail.digest"] = self.seal([line])
        if implicit:
            said |= {"gen_ai.operation.name": "invoke_agent", "footprint.turn.outcome": "implicit"}
            writer.span(f"invoke_agent {agent}", parent, said, span_id=self.span_id)
        else:
            writer.span("turn started", self.span_id, said)

    def next(self) -> int:
        self.seq += 1
        return self.seq

    def seal(self, of: list[str]) -> str:
        previous = self.digest[:11]
        self.digest = lines.chain(previous, of)
        return f"{self.digest},{previous}" if previous else self.digest

    # --- calls ---------------------------------------------------------------------------

    def call(
        self,
        system: list[Piece] = [],  # noqa: B006
        messages: list[Piece] = [],  # noqa: B006
        tools: list[Piece] = [],  # noqa: B006
        output: list[Piece] = [],  # noqa: B006
        layout: str = '{"model":"m-1","messages":[#s,#m],"tools":[#t]}',
        keyframe: bool = False,
        parts: int = 1,
        model: str = "m-1",
        usage: tuple[int, int] | None = (100, 10),
        attributes: dict[str, Any] | None = None,
        events: list[tuple[str, dict[str, Any]]] | None = None,
        bytes_: bool = True,
        foreign: str = "",
        parent: str = "",
    ) -> str:
        """Writes a call; returns its id."""
        self.calls += 1
        id_ = f"{self.ledger}.{self.calls}"
        parent = parent or self.span_id
        own: list[str] = []
        named = []
        for slot, pieces in zip(SLOTS, (system, messages, tools), strict=True):
            rows = [self.w.row(p) for p in pieces]
            if self.calls > 1 and rows == self.rows[slot] and not keyframe:
                named.append(self.composer[slot].rpartition(".")[2])
                continue
            own += self.compose(id_, slot, rows, keyframe or self.calls == 1, parts, parent)
            named.append(self.digests[id_, slot])
        params, of = self.layout(id_, layout, parent)
        needs = self.w.needs[id_] = {self.layout_spans[params]}
        for slot in SLOTS:
            needs.update(self.chain[slot])
            for row in self.rows[slot]:
                needs.update(self.w.where.get((row.hash, row.exact), ()))
        span = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": model,
            "footprint.call.id": id_,
            **{f"footprint.slot.{s}.used": sum(r.size for r in self.rows[s]) for s in SLOTS},
            "footprint.slot.caps": "4000,10000,2000",
            "footprint.slot.pieces": ",".join(str(len(self.rows[s])) for s in SLOTS),
            "footprint.slot.digests": ",".join([*named, of or params[:16]]),
            **(attributes or {}),
        }
        if usage is not None:
            span |= {"gen_ai.usage.input_tokens": usage[0], "gen_ai.usage.output_tokens": usage[1]}
        out_rows = [self.w.row(p) for p in output]
        if bytes_:
            body = self.body(layout, system, messages, tools)
            span["footprint.request.bytes"] = len(body.encode())
        start, end = self.w.now, self.w.tick(20)
        events = list(events or [])
        if output:
            events.append(("footprint.output", self.columns(out_rows, sources=False)))
        seq = self.next()
        used = [span[f"footprint.slot.{s}.used"] for s in SLOTS]
        digests = [self.digests[self.composer[s], s] for s in SLOTS]
        state = str(span.get("footprint.output.state", "complete"))
        hashes = [r.hash for r in out_rows]
        own.append(lines.call_line(seq, id_, params, digests, used, hashes, state))
        sealed = self.seal(own)
        record = {
            "footprint.trail.seq": seq,
            "footprint.trail.digest": sealed,
        }
        if not foreign:
            own_id = self.w.span(f"chat {model}", parent, span | record, events, start, end, kind=3)
            needs.add(own_id)
            for row in out_rows:
                self.w.where.setdefault((row.hash, row.exact), [own_id])
            return id_
        theirs = {k: v for k, v in span.items() if k.startswith("gen_ai.")}
        theirs["footprint.call.id"] = id_
        self.w.span(f"chat {model}", parent, theirs, [], start, end, scope=foreign, kind=3)
        ours = {k: v for k, v in span.items() if not k.startswith("gen_ai.")}
        needs.add(self.w.span("record call", parent, ours | record, events, end, end))
        return id_

    @staticmethod
    def body(layout: str, *slots: list[Piece]) -> str:
        """The request that the pieces make (frames are not expanded here)."""
        out = layout
        for token, pieces in zip(("#s", "#m", "#t"), slots, strict=True):
            out = out.replace(token, ",".join(dumps(p.value) for p in pieces))
        return out.replace("[,", "[").replace(",]", "]")

    def compose(
        self, id_: str, slot: str, rows: list[Row], keyframe: bool, parts: int, parent: str
    ) -> list[str]:
        before = self.rows.get(slot, [])
        digest = lines.slot_digest(r.line() for r in rows)
        head: dict[str, Any] = {"footprint.after": len(rows)}
        base, splices = ("", "", 0), [[], [], []]
        new = rows
        if keyframe:
            head["footprint.keyframe"] = True
        else:
            composer = self.composer[slot]
            base = (composer, self.digests[composer, slot][:11], len(before))
            at, out, new = difference(before, rows)
            head |= {
                "footprint.base": composer.rpartition(".")[2],
                "footprint.base.digest": base[1],
                "footprint.before": len(before),
            }
            splices = [[at], [out], [len(new)]]
            if (at, out) != (len(before), 0):
                head |= {
                    "footprint.splice.at": [at],
                    "footprint.splice.removed": [out],
                    "footprint.splice.inserted": [len(new)],
                }
        self.rows[slot], self.composer[slot], self.digests[id_, slot] = rows, id_, digest
        made = []
        if keyframe:
            self.chain[slot] = []
        fresh = [(r.hash, r.exact) for r in new if (r.hash, r.exact) not in self.w.where]
        for number, (part, columns) in enumerate(self.parted(new, parts), 1):
            seq = self.next()
            of = {"footprint.part": number, "footprint.parts": parts} if parts > 1 else {}
            event = {"footprint.trail.seq": seq, **(head if number == 1 else {}), **columns}
            span_id = self.w.span(
                f"compose {slot}",
                parent,
                {"footprint.call.id": id_, **of},
                [("footprint.slot.composed", event)],
            )
            self.chain[slot].append(span_id)
            here = {(r.hash, r.exact) for r in part}
            for key in fresh:
                if parts == 1 or key in here or not part:
                    self.w.where.setdefault(key, []).append(span_id)
            made.append(
                lines.compose_line(
                    seq, slot, keyframe, base if number == 1 else ("", "", 0),
                    len(rows) if number == 1 else 0, splices if number == 1 else [[], [], []],
                    digest_columns(part), (number, parts),
                )
            )  # fmt: skip
        return made

    def parted(self, rows: list[Row], parts: int) -> list[tuple[list[Row], dict[str, Any]]]:
        """Rows over parts; of two parts the second begins inside the last row's text."""
        if parts == 1:
            return [(rows, self.columns(rows))]
        if parts == 2 and len(rows) == 1:
            columns = self.columns(rows)
            text = columns["footprint.text"]
            columns["footprint.text"] = text[: len(text) // 2]
            return [(rows, columns), ([], {"footprint.text": text[len(text) // 2 :]})]
        size = -(-len(rows) // parts)
        groups = [rows[i * size : (i + 1) * size] for i in range(parts)]
        return [(g, self.columns(g)) for g in groups]

    def columns(self, rows: list[Row], sources: bool = True) -> dict[str, Any]:
        out: dict[str, Any] = {
            "footprint.hash": [r.hash + r.exact for r in rows],
            "footprint.size": [r.size for r in rows],
        }
        if sources:
            out["footprint.sources"] = ",".join(r.piece.source for r in rows)
        roles = [
            "" if r.piece.role == USUAL.get(r.piece.source, "") else r.piece.role or "-"
            for r in rows
        ]
        for name, column in (
            ("roles", roles),
            ("ids", [r.piece.id for r in rows]),
            ("reasons", [r.piece.reason for r in rows]),
            ("frames", [r.piece.frame for r in rows]),
        ):
            if any(column):
                out[f"footprint.{name}"] = column
        counts, chunks, strings = [], [], []
        for row in rows:
            texts: list[str] = []
            if self.w.content != "none" and (row.hash, row.exact) not in self.w.written:
                self.w.written.add((row.hash, row.exact))
                parts = split(row.piece.value)
                texts = [parts.skeleton, *parts.leaves]
            counts.append(len(texts))
            for text in texts:
                cut = [text[i : i + 500] for i in range(0, len(text), 500)] or [""]
                chunks.append(len(cut))
                strings += cut
        if strings:
            if any(c != 1 for c in counts):
                out["footprint.texts"] = counts
            if any(c != 1 for c in chunks):
                out["footprint.chunks"] = chunks
            out["footprint.text"] = strings
        return out

    def layout(self, id_: str, text: str, parent: str) -> tuple[str, str]:
        """Hash of the layout, and the call that recorded it when it was another one."""
        hash_ = self.w.hash(f"openai.chat\n{text}")
        if hash_ in self.layouts:
            return hash_, self.layouts[hash_].rpartition(".")[2]
        self.layouts[hash_] = id_
        event: dict[str, Any] = {"footprint.params": hash_, "footprint.dialect": "openai.chat"}
        if self.w.content != "none":
            event["footprint.text"] = [text[i : i + 500] for i in range(0, len(text), 500)]
        self.layout_spans[hash_] = self.w.span(
            "compose parameters",
            parent,
            {"footprint.call.id": id_},
            [("footprint.parameters.recorded", event)],
        )
        return hash_, ""

    # --- tools and the end ---------------------------------------------------------------

    def tool(self, name: str, id_: str, arguments: str, found: str, error: str = "") -> str:
        seq = self.next()
        hashes = [self.w.hash(arguments)[:16], "" if error else self.w.hash(found)[:16]]
        status = "error" if error else "ok"
        sealed = self.seal([lines.tool_line(seq, name, id_, *hashes, status)])
        return self.w.span(
            f"execute_tool {name}",
            self.span_id,
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": name,
                "gen_ai.tool.call.id": id_,
                "footprint.tool.hashes": ",".join(hashes),
                "footprint.trail.seq": seq,
                "footprint.trail.digest": sealed,
                **({"error.type": error} if error else {}),
            },
            start=self.w.now,
            end=self.w.tick(5),
        )

    def end(self, outcome: str = "completed") -> None:
        seq = self.next()
        sealed = self.seal([lines.end_line(seq, outcome, self.calls)])
        said = {
            "gen_ai.operation.name": "invoke_agent",
            "footprint.turn.id": self.id,
            "gen_ai.agent.name": self.agent,
            "footprint.ledger": self.ledger,
            "footprint.turn.outcome": outcome,
            "footprint.turn.calls": self.calls,
            "footprint.records": self.seq,
            "footprint.trail.seq": seq,
            "footprint.trail.digest": sealed,
        }
        if self.implicit:
            self.w.span("turn ended", self.span_id, said)
            return
        self.w.span(
            f"invoke_agent {self.agent}", self.parent, said,
            start=self.start, end=self.w.tick(), span_id=self.span_id,
        )  # fmt: skip


def difference(before: list[Row], after: list[Row]) -> tuple[int, int, list[Row]]:
    """One splice between equal ends."""
    at = 0
    while at < min(len(before), len(after)) and before[at] == after[at]:
        at += 1
    end = 0
    while end < min(len(before), len(after)) - at and before[-1 - end] == after[-1 - end]:
        end += 1
    return at, len(before) - at - end, after[at : len(after) - end]


def digest_columns(rows: list[Row]) -> list[list[Any]]:
    optional = [
        [r.piece.role for r in rows],
        [r.piece.id for r in rows],
        [r.piece.reason for r in rows],
        [r.piece.frame for r in rows],
    ]
    return [
        [r.hash for r in rows],
        [r.exact for r in rows],
        [r.size for r in rows],
        [r.piece.source for r in rows],
        *(c if any(c) else [] for c in optional),
    ]


__all__ = [
    "Piece", "Row", "Turn", "Writer", "any_value", "as_lines", "assistant", "difference",
    "document", "dumps", "encoded", "result", "system", "tool", "user",
]  # fmt: skip
