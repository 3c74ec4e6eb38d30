"""CPU of a recorded step (a model call and its tool call), all of it, as multiples of bare spans.

    python -m tests.benchmarks.step [calls] [full|unsampled]

The peer benchmark's clock stops while the SDK's `request` runs, and our reading of the answer
happens in there: its figure leaves out what is counted here. `inline` is CPU of the agent's thread
in our code, `export` that of the batch processor, the OTLP encoder and the metrics, without a
socket. The base is what anybody pays: two spans of the SDK with ten attributes each, and the new
texts as one event. The least of several rounds, since the machine's speed swings.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from typing import Any

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON

import otel_footprint as footprint
from otel_footprint.run.tools import tool_call
from otel_footprint.telemetry.delivery import deliveries
from otel_footprint.wire import dialect_for
from tests.losses.kit import TOOLS, prose
from tests.sdk import chat

ROUNDS = 8
PATH = "/v1/chat/completions"
Step = tuple[dict[str, Any], dict[str, Any], str, str]
"""Request body, response body, arguments and result of the tool call."""


class Encoded(SpanExporter):
    """Encodes as the OTLP exporter does, and sends nothing."""

    def export(self, spans: Any) -> SpanExportResult:
        encode_spans(spans).SerializeToString()
        return SpanExportResult.SUCCESS


def provider(mode: str = "full") -> TracerProvider:
    made = TracerProvider(sampler=ALWAYS_OFF if mode == "unsampled" else ALWAYS_ON)
    made.add_span_processor(BatchSpanProcessor(Encoded(), 100_000, 100_000_000))
    return made


def steps(calls: int, seed: int) -> list[Step]:
    """A conversation of so many calls; each request is a new object, as SDKs make it."""
    tools = [{**t, "function": {**t["function"], "name": f"{i}"}} for i in range(5) for t in TOOLS]
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": prose(f"s{seed}", 4000)},
        {"role": "user", "content": prose(f"u{seed}", 200)},
    ]
    out: list[Step] = []
    for i in range(calls):
        body = {"model": "gpt-4o-mini", "tools": [{**t} for t in tools]}
        body["messages"] = [{**m} for m in messages]
        function = {"name": "0", "arguments": f'{{"order":"{i}","why":"{"x" * 60}"}}'}
        answer = chat(prose(f"answer {seed} {i}", 150))
        message = answer["choices"][0]["message"]
        message["tool_calls"] = [{"id": f"c{i}", "type": "function", "function": function}]
        result = prose(f"result {seed} {i}", 2000)
        out.append((body, answer, function["arguments"], result))
        messages += [message, {"role": "tool", "tool_call_id": f"c{i}", "content": result}]
    return out


def ours(mode: str) -> tuple[Callable[[list[Step]], None], Callable[[], Any]]:
    spans, meters = provider(mode), MeterProvider([reader := InMemoryMetricReader()])
    deliveries.open(spans)
    fp: Any = footprint.Footprint(
        "bench",
        content="full",
        standard_content="none",
        tracer_provider=spans,
        meter_provider=meters,
    )

    def run(conversation: list[Step]) -> None:
        dialect = dialect_for("openai", PATH, conversation[0][0])
        assert dialect is not None
        with fp.turn() as turn:
            for i, (body, answer, arguments, result) in enumerate(conversation):
                record = fp.begin("openai", dialect, body)
                record.finish(dialect.response(answer))
                tool_call(turn, "0", f"c{i}").start(arguments).finish(result)

    return run, lambda: (spans.force_flush(), reader.get_metrics_data())


def bare() -> tuple[Callable[[list[Step]], None], Callable[[], Any]]:
    spans = provider()
    tracer = spans.get_tracer("bare")
    said = {f"gen_ai.attribute.{i}": f"value {i}" for i in range(10)}

    def run(conversation: list[Step]) -> None:
        with tracer.start_as_current_span("invoke_agent"):
            for body, _, arguments, result in conversation:
                with tracer.start_as_current_span(f"chat {body['model']}") as span:
                    span.set_attributes(said)
                with tracer.start_as_current_span("execute_tool 0") as span:
                    span.set_attributes(said)
                    span.add_event("texts", {"arguments": arguments, "result": result})

    return run, spans.force_flush


def measured(
    run: Callable[[list[Step]], None], flush: Callable[[], Any], calls: int
) -> tuple[float, float]:
    """Least CPU of a step, inline and export, in microseconds."""
    inline, export = [], []
    for seed in range(ROUNDS):
        conversation = steps(calls, seed)
        gc.collect()
        began = time.process_time()
        run(conversation)
        ran = time.process_time()
        flush()
        inline.append((ran - began) / calls * 1e6)
        export.append((time.process_time() - ran) / calls * 1e6)
    return min(inline), min(export)


def main() -> None:
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    mode = sys.argv[2] if len(sys.argv) > 2 else "full"
    base = measured(*bare(), calls)
    found = measured(*ours(mode), calls)
    for side, one, other in zip(("inline", "export"), found, base, strict=True):
        print(f"{mode}, {calls} calls: {side} {one:.0f} us a step, {one / other:.1f} x bare spans")


if __name__ == "__main__":
    main()
