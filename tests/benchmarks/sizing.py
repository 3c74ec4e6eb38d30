"""Figures of `deploy/sizing.md`: bytes a call, and what a collector needs for a thousand spans.

    FOOTPRINT_BACKENDS=DIR python -m tests.benchmarks.sizing

Bytes are exact, and nearly the same each time (ids differ). CPU is the collector's own time as the
system counts it, on a busy machine, too; memory is what its process holds.
"""

from __future__ import annotations

import gzip
import os
import secrets
import tempfile
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import otel_footprint as footprint
from deploy.local import Ports, Programs, Stack, configs, processes
from deploy.local.health import answers, get, until
from otel_footprint.cli import demo
from tests.e2e.collectors import Collector
from tests.e2e.kit import sample_values
from tests.losses.kit import TOOLS, Agent, prose

CALLS = 20
"""Model calls of the reference turn."""
TURNS = 400
BASE = ["base.yaml", "export-jaeger.yaml"]
SETUPS = {
    "plain collector": BASE,
    "agent in front of gateways": ["base.yaml", "agent.yaml"],
    "with content dropped": [*BASE, "content-drop.yaml"],
    "with sampling (all kept)": [*BASE, "sampling.yaml"],
    "with metrics from traces": [*BASE, "derive-metrics.yaml", "export-prometheus.yaml"],
}


class Turn(NamedTuple):
    """A recorded turn."""

    spans: list[ReadableSpan]
    calls: int

    def body(self) -> bytes:
        """As one OTLP request."""
        return encode_spans(self.spans).SerializeToString()


def recorded(run: Any, mode: str) -> Turn:
    """The spans of one turn in a content mode."""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    fp = footprint.Footprint("sizing", content=mode, tracer_provider=provider)
    return Turn(run(fp, kept), len([s for s in kept.get_finished_spans() if s.name[:4] == "chat"]))


def reference(fp: Any, kept: InMemorySpanExporter) -> list[ReadableSpan]:
    """Twenty calls: 12 tools, a system prompt of 4,000 characters, 1,500 more in each message."""
    agent = Agent(fp, size=1500)
    agent.messages[0]["content"] = prose("system", 4000)
    agent.request["tools"] = [
        {"type": "function", "function": {**t["function"], "name": f"{t['function']['name']}_{n}"}}
        for n in range(6)
        for t in TOOLS
    ]
    with fp.turn("x"):
        for _ in range(CALLS):
            agent.say()
    return list(kept.get_finished_spans())


def small(fp: Any, kept: InMemorySpanExporter) -> list[ReadableSpan]:
    """The demo: seven calls, six tool calls."""
    demo.agent(fp, fp.wrap(demo.client()))
    return list(kept.get_finished_spans())


def bytes_of_a_call() -> dict[str, Turn]:
    """Prints the first table; gives the reference turn by mode."""
    print("| turn | content | spans a call | bytes a call | gzip | request bodies a call |")
    print("|---|---|--:|--:|--:|--:|")
    out = {}
    for name, run in (("demo, 7 calls", small), (f"reference, {CALLS} calls", reference)):
        for mode in ("none", "full"):
            turn = recorded(run, mode)
            body = turn.body()
            sent = sum(s.attributes.get("footprint.request.bytes", 0) for s in turn.spans)
            print(
                f"| {name} | `{mode}` | {len(turn.spans) / turn.calls:.1f} "
                f"| {len(body) / turn.calls:,.0f} | {len(gzip.compress(body)) / turn.calls:,.0f} "
                f"| {sent / turn.calls:,.0f} |"
            )
            out[mode] = turn
    return out


def cpu(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """MiB of memory that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def send(url: str, turn: Turn, turns: int) -> int:
    """Posts the turn again and again, each time as another trace; the number of spans."""
    body = turn.body()
    old = turn.spans[0].context.trace_id.to_bytes(16, "big")
    for _ in range(turns):
        data = body.replace(old, secrets.token_bytes(16))
        headers = {"content-type": "application/x-protobuf"}
        request = urllib.request.Request(f"{url}/v1/traces", data, headers)
        with urllib.request.urlopen(request, timeout=30):
            pass
    return turns * len(turn.spans)


def sent_spans(collector: Collector) -> float:
    """Spans that left; `load_balancing` hands on to the same process."""
    text = get(f"{collector.url('collector_own')}/metrics").decode()
    found = sample_values(text, "otelcol_exporter_sent_spans")
    return sum(n for labels, n in found.items() if dict(labels)["exporter"][:4] == "otlp")


def collectors(turns: dict[str, Turn]) -> None:
    """Prints the second table."""
    print("\n| collector | content | CPU s for 1,000 spans | MiB at rest | MiB under load |")
    print("|---|---|--:|--:|--:|")
    programs = Programs()
    folder = Path(tempfile.mkdtemp())
    with Stack(folder / "jaeger", Ports.free(), programs, services=("jaeger",)) as jaeger:
        env = {
            "JAEGER_OTLP": f"127.0.0.1:{jaeger.ports['jaeger_otlp']}",
            "COLLECTOR_GATEWAY_1": f"127.0.0.1:{jaeger.ports['jaeger_otlp']}",
            "FOOTPRINT_SHARE": "100",
            "FOOTPRINT_ROOT_WAIT": "1s",
        }
        for name, layers in SETUPS.items():
            for mode, turn in turns.items():
                where = folder / f"{name} {mode}"
                with Collector(programs, where, layers, env) as collector:
                    assert collector.process is not None
                    pid = collector.process.pid
                    send(collector.url(), turn, 20)
                    before, rest = cpu(pid), resident(pid)
                    count = send(collector.url(), turn, TURNS)
                    most = resident(pid)
                    all_ = count + 20 * len(turn.spans)
                    until(lambda c=collector, n=all_: sent_spans(c) >= n, 120, "all spans sent")
                    used = (cpu(pid) - before) / count * 1000
                    print(f"| {name} | `{mode}` | {used:.3f} | {rest:.0f} | {most:.0f} |")


def waiting(turns: dict[str, Turn]) -> None:
    """Prints what traces that wait for their decision hold in memory."""
    print("\n| content | kB of memory for a waiting span | bytes of it on the wire |")
    print("|---|--:|--:|")
    programs = Programs()
    env = {
        "JAEGER_OTLP": "127.0.0.1:9",
        "FOOTPRINT_ROOT_WAIT": "10m",
        "COLLECTOR_MEMORY_MIB": "4000",
    }
    for mode, turn in turns.items():
        where = Path(tempfile.mkdtemp())
        with Collector(programs, where, [*BASE, "sampling.yaml"], env) as collector:
            assert collector.process is not None
            pid = collector.process.pid
            send(collector.url(), turn, 20)
            before = resident(pid)
            count = send(collector.url(), turn, 2 * TURNS)
            grown = (resident(pid) - before) * 1024 / count
            print(f"| `{mode}` | {grown:.1f} | {len(turn.body()) / len(turn.spans):,.0f} |")


def stored(turns: dict[str, Turn]) -> None:
    """Prints what Jaeger's badger store needs on disk, with its indexes."""
    print("\n| content | bytes on disk a call (Jaeger, badger) |")
    print("|---|--:|")
    program = str(Programs().find("jaeger"))
    for mode, turn in turns.items():
        folder, ports = Path(tempfile.mkdtemp()), Ports.free()
        config = configs.jaeger(ports)
        disk = {"keys": str(folder / "keys"), "values": str(folder / "values")}
        backend = {"badger": {"ephemeral": False, "directories": disk}}
        config["extensions"]["jaeger_storage"]["backends"]["main"] = backend
        path = configs.write(folder / "jaeger.json", config)
        process = processes.start([program, "--config", str(path)], folder / "log", {}, folder)
        try:
            until(
                lambda p=ports: answers(f"http://127.0.0.1:{p['jaeger_health']}/status"), 60, "up"
            )
            send(f"http://127.0.0.1:{ports['jaeger_otlp_http']}", turn, TURNS)
        finally:
            processes.stop(process)
        size = sum(f.stat().st_blocks * 512 for f in folder.rglob("*") if f.is_file())
        print(f"| `{mode}` | {size / TURNS / turn.calls:,.0f} |")


if __name__ == "__main__":
    made = bytes_of_a_call()
    stored(made)
    collectors(made)
    waiting(made)
