"""A recorded agent whose spans may be lost, and its trail as a reader finds it."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

import otel_footprint as footprint
from otel_footprint.records.trail import CallTrail
from otel_footprint.telemetry.delivery import SpanId, deliveries
from otel_footprint.telemetry.otlpjson import dump, spans_json
from otel_footprint.trail import Rebuilt, Trail, load
from tests.sdk import Server, chat, client

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": f"look_up_{name}",
            "description": f"Looks up {name}. " + "Use it before you answer. " * 6,
            "parameters": {"type": "object", "properties": {name: {"type": "string"}}},
        },
    }
    for name in ("order", "refund")
]
SYSTEM = "You answer questions about orders, briefly and only from what the tools returned. " * 3
Json = dict[str, Any]


class Store(SpanExporter):
    """Keeps spans, or loses them while it is `away`; says so at once, or when `report` is called.

    With `own` it is an exporter whose losses the library is told of.
    """

    def __init__(self, own: bool = True) -> None:
        self.kept: list[ReadableSpan] = []
        self.lost: list[ReadableSpan] = []
        self.away = False
        self.late = False
        self._untold: list[SpanId] = []
        self._own = own
        self._door: Any = None

    def watch(self, provider: TracerProvider) -> None:
        """Stands behind this provider."""
        if self._own:
            self._door = deliveries.open(provider)
        provider.add_span_processor(SimpleSpanProcessor(self))

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        ids = [(s.context.trace_id, s.context.span_id) for s in spans if s.context]
        if not self.away:
            self.kept += spans
            if self._door is not None:
                self._door.acknowledged(ids)
            return SpanExportResult.SUCCESS
        self.lost += spans
        self._untold += ids
        if not self.late:
            self.report()
        return SpanExportResult.FAILURE

    def report(self) -> None:
        """Tells of every loss that was not told yet."""
        told, self._untold = self._untold, []
        if told and self._door is not None:
            self._door.lost(told, "export_failed")

    def close(self) -> None:
        if self._door is not None:
            self._door.close()


class Session:
    """A Footprint over real clients whose spans go to a `Store`."""

    def __init__(self, own: bool = True, **options: Any) -> None:
        self.store = Store(own)
        self.provider = TracerProvider()
        self.store.watch(self.provider)
        self.footprint = footprint.Footprint(
            "agent", tracer_provider=self.provider, **{"content": "full", **options}
        )

    @property
    def spans(self) -> list[ReadableSpan]:
        return self.store.kept

    def trail(self) -> Trail:
        return trail_of(self.spans)

    def close(self) -> None:
        self.provider.shutdown()
        self.store.close()


class Agent:
    """One conversation over a real OpenAI client; remembers the body of every request."""

    def __init__(self, fp: Any, name: str = "a", size: int = 200, **request: Any) -> None:
        self.name = name
        self.size = size
        self.server = Answers(name, size)
        self.client = fp.wrap(client("openai", "OpenAI", self.server))
        self.messages: list[Json] = [{"role": "system", "content": f"{SYSTEM} {name}"}]
        self.request: Json = {"model": "gpt-4o-mini", "tools": TOOLS, "user": name, **request}

    @property
    def bodies(self) -> list[bytes]:
        return self.server.bodies

    def say(self, text: str | None = None) -> None:
        """A person's message and the call that answers it."""
        number = len(self.messages)
        self.messages.append(
            {"role": "user", "content": text or prose(f"{self.name} asks {number}", self.size)}
        )
        self.call()

    def call(self) -> None:
        """A call with the messages as they are; the answer is appended."""
        answer = self.client.chat.completions.create(messages=self.messages, **self.request)
        self.messages.append({"role": "assistant", "content": answer.choices[0].message.content})


class Answers(Server):
    """Answers each request with a text of its own."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__()
        self.name = name
        self.size = size

    def __call__(self, package: str, request: Any) -> Any:
        said = prose(f"{self.name} answers {len(self.bodies) + 1}", self.size)
        self.answers = [chat(said)]
        return super().__call__(package, request)


def prose(start: str, size: int) -> str:
    """A text of about `size` characters that occurs once."""
    words = f"{start}: the parcel of {start} left on a day that nobody wrote down; "
    return (words * (size // len(words) + 1))[: max(size, len(start))]


def as_json(spans: Iterable[ReadableSpan]) -> Json:
    """The spans as one OTLP/JSON request."""
    return json.loads(dump(spans_json(spans)))


def trail_of(spans: Iterable[ReadableSpan] | Json) -> Trail:
    """The trail, read back from OTLP/JSON."""
    found = spans if isinstance(spans, dict) else as_json(spans)
    trail = load(io.BytesIO(json.dumps(found).encode()))
    assert not trail.problems
    return trail


def is_request(rebuilt: Rebuilt, body: bytes) -> bool:
    """Whether the request was rebuilt, proven, and equals what left."""
    return (
        rebuilt.text is not None
        and rebuilt.proof.level in ("body", "json")
        and json.loads(rebuilt.text) == json.loads(body)
    )


def assert_rebuilt(trail: Trail, call: CallTrail, body: bytes) -> None:
    rebuilt = trail.rebuild(call)
    assert not rebuilt.gaps, [str(g) for g in rebuilt.gaps]
    assert is_request(rebuilt, body), rebuilt.proof


def assert_whole_or_named(trail: Trail, call: CallTrail, body: bytes) -> bool:
    """Rebuilt as it left (True), or refused with a reason (False); never something else."""
    rebuilt = trail.rebuild(call)
    if rebuilt.text is None:
        assert rebuilt.gaps, f"call {call.id} is not rebuilt, nothing says why: {rebuilt.proof}"
        assert all(g.what for g in rebuilt.gaps)
        return False
    assert json.loads(rebuilt.text) == json.loads(body)
    return True


def sizes(spans: Iterable[ReadableSpan]) -> list[int]:
    """Bytes of each span as OTLP protobuf."""
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    out = []
    for span in spans:
        (resource,) = encode_spans([span]).resource_spans
        out.append(resource.scope_spans[0].spans[0].ByteSize())
    return out
