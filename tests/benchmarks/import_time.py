"""CPU time of import and set-up, each in a fresh process (target: 100 ms together).

    python -m tests.benchmarks.import_time

OpenTelemetry's own SDK and the provider's package are imported before, as an application has them.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

ROUNDS = 9
SCRIPT = """
import time
{before}
a = time.process_time()
import otel_footprint as footprint
b = time.process_time()
{setup}
c = time.process_time()
print((b - a) * 1e3, (c - b) * 1e3)
"""
OPENAI = "import openai\nclient = openai.OpenAI(api_key='x')"
SDK = "import opentelemetry.sdk.trace.export, opentelemetry.exporter.otlp.proto.http.trace_exporter"
WRAP = "footprint.wrap(client)"
CONFIGURE = "footprint.configure(endpoint='http://127.0.0.1:9', metrics=False)"
CASES = {
    "import, nothing else": ("", ""),
    "wrap a client": (OPENAI, WRAP),
    "configure an endpoint, wrap a client": (f"{OPENAI}\n{SDK}", f"{CONFIGURE}\n{WRAP}"),
    "the same, SDK not imported before": (OPENAI, f"{CONFIGURE}\n{WRAP}"),
}


def main() -> None:
    for name, (before, setup) in CASES.items():
        script = SCRIPT.format(before=before, setup=setup)
        script += "import os, sys; sys.stdout.flush(); os._exit(0)\n"
        found = []
        for _ in range(ROUNDS + 1):
            out = subprocess.run(
                [sys.executable, "-c", script],
                capture_output=True,
                text=True,
                check=True,
                env={k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"},
            ).stdout.split()
            found.append((float(out[0]), float(out[1])))
        del found[0]  # the first one writes the bytecode
        imported = statistics.median(f[0] for f in found)
        setting_up = statistics.median(f[1] for f in found)
        total = imported + setting_up
        print(f"{name:40} import {imported:6.1f} + set-up {setting_up:6.1f} = {total:6.1f} ms")


if __name__ == "__main__":
    main()
