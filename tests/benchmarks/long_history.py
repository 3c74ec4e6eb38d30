"""Work of a call behind a long history, and memory over many calls.

    python -m tests.benchmarks.long_history [calls]

Prints CPU milliseconds of our own work per call with a 2,000-message history that was seen before,
of the first call, of one that edits a message, and the memory after 1,000 and after all calls.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
import tracemalloc
from typing import Any

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

import otel_footprint as footprint
from tests.losses.kit import TOOLS, prose
from tests.sdk import chat

PATH = "/v1/chat/completions"


class Nowhere(SpanExporter):
    """Takes spans and forgets them."""

    def export(self, spans: Any) -> SpanExportResult:
        return SpanExportResult.SUCCESS


def recorder() -> Any:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(Nowhere()))
    return footprint.Footprint("bench", content="full", tracer_provider=provider)


def timed(fp: Any, messages: list[Any], answer: str) -> float:
    body = {"model": "gpt-4o-mini", "messages": messages, "tools": TOOLS}
    response = chat(answer)
    begin = time.thread_time()
    fp.record("openai", PATH, body, response)
    return (time.thread_time() - begin) * 1e3


def history(count: int) -> list[dict[str, Any]]:
    return [
        {"role": ("user", "assistant")[i % 2], "content": prose(f"message {i}", 400)}
        for i in range(count)
    ]


def work() -> None:
    fp = recorder()
    messages = history(2_000)
    with fp.turn():
        first = timed(fp, messages, "first")
        later, edited = [], []
        for i in range(200):
            messages.append({"role": "user", "content": prose(f"new {i}", 400)})
            later.append(timed(fp, messages, prose(f"answer {i}", 400)))
            messages.append({"role": "assistant", "content": prose(f"answer {i}", 400)})
        for i in range(50):
            messages[1_000 + i]["content"] = f"edited {i}"
            edited.append(timed(fp, messages, "answer"))
    at_95 = sorted(later)[int(len(later) * 0.95)]
    print(f"first call with 2,000 messages        {first:8.2f} ms")
    print(f"further calls, median                 {statistics.median(later):8.2f} ms")
    print(f"further calls, 95 of 100 below        {at_95:8.2f} ms (target 5)")
    print(f"calls that edit one message, median   {statistics.median(edited):8.2f} ms")


def memory(calls: int) -> None:
    fp = recorder()
    tracemalloc.start()
    marks = {}
    messages = history(20)
    with fp.turn():
        for i in range(1, calls + 1):
            messages = [*messages[-19:], {"role": "user", "content": prose(f"new {i}", 400)}]
            timed(fp, messages, prose(f"answer {i}", 400))
            if i in (1_000, calls // 2, calls):
                gc.collect()
                marks[i] = tracemalloc.get_traced_memory()[0]
    for i, size in marks.items():
        print(f"memory after {i:6} calls in one turn   {size / 1e6:8.2f} MB")
    tracemalloc.stop()


if __name__ == "__main__":
    work()
    memory(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
