"""Bytecode of a recorded model call and its tool call, by function: the same on a busy machine.

    python -m tests.benchmarks.opcodes [full|unsampled] [functions]

An agent with ten tools makes 100 calls; calls 71 to 95 are counted. Prints the instructions that
the interpreter runs for one call in our code and in OpenTelemetry's, and the functions that run
most of them. It says where work is done, not how long it takes: containers that are made and live
on cost as much again, in the allocator and the garbage collector.
"""

from __future__ import annotations

import sys
from collections import Counter
from types import CodeType, FrameType
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON

import otel_footprint as footprint
from otel_footprint.run.tools import tool_call
from otel_footprint.telemetry.delivery import deliveries
from otel_footprint.wire import dialect_for
from tests.benchmarks.long_history import Nowhere
from tests.losses.kit import TOOLS, prose
from tests.sdk import chat

FIRST, LAST = 70, 95
instructions: Counter[CodeType] = Counter()


def tracer(frame: FrameType, _event: str, _arg: Any) -> Any:
    """Counts the instructions of our frames and OpenTelemetry's."""
    code = frame.f_code
    if "otel_footprint" not in code.co_filename and "opentelemetry" not in code.co_filename:
        return None
    frame.f_trace_opcodes, frame.f_trace_lines = True, False

    def local(_frame: FrameType, event: str, _arg: Any) -> Any:
        if event == "opcode":
            instructions[code] += 1
        return local

    return local


def recorder(mode: str) -> Any:
    provider = TracerProvider(sampler=ALWAYS_OFF if mode == "unsampled" else ALWAYS_ON)
    provider.add_span_processor(BatchSpanProcessor(Nowhere(), schedule_delay_millis=100_000))
    deliveries.open(provider)
    meters = MeterProvider([InMemoryMetricReader()])
    return footprint.Footprint(
        "bench", content="full", tracer_provider=provider, meter_provider=meters
    )


def run(mode: str) -> None:
    fp = recorder(mode)
    tools = [{**t, "function": {**t["function"], "name": f"{i}"}} for i in range(5) for t in TOOLS]
    body: dict[str, Any] = {"model": "gpt-4o-mini", "temperature": 0.2, "tools": tools}
    messages = [{"role": "system", "content": prose("s", 4000)}, {"role": "user", "content": "hi"}]
    dialect = dialect_for("openai", "/v1/chat/completions", {**body, "messages": messages})
    assert dialect is not None
    with fp.turn() as turn:
        for i in range(LAST):
            function = {"name": "0", "arguments": f'{{"order":"{i}","why":"{"x" * 60}"}}'}
            call = {"id": f"c{i}", "type": "function", "function": function}
            answer = chat(prose(f"answer {i}", 150))
            answer["choices"][0]["message"]["tool_calls"] = [call]
            result = prose(f"result {i}", 2000)
            sys.settrace(tracer if i >= FIRST else None)
            record = fp.begin("openai", dialect, {**body, "messages": messages})
            record.finish(dialect.response(answer))
            tool_call(turn, "0", f"c{i}").start(function["arguments"]).finish(result)
            sys.settrace(None)
            messages.append(answer["choices"][0]["message"])
            messages.append({"role": "tool", "tool_call_id": f"c{i}", "content": result})


def main() -> None:
    mode = sys.argv[1] if len(sys.argv) > 1 else "full"
    run(mode)
    calls = LAST - FIRST
    ours = sum(n for code, n in instructions.items() if "otel_footprint" in code.co_filename)
    theirs = sum(instructions.values()) - ours
    print(
        f"{mode}: {ours / calls:,.0f} instructions a call in ours, {theirs / calls:,.0f} in theirs"
    )
    for code, n in instructions.most_common(int(sys.argv[2]) if len(sys.argv) > 2 else 40):
        where = "/".join(code.co_filename.split("/")[-2:])
        print(f"{n / calls:8,.0f}  {where}:{code.co_firstlineno} {code.co_qualname}")


if __name__ == "__main__":
    main()
