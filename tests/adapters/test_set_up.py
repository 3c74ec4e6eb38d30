"""What setting up loads of ours: the recorder, and nothing that only a declaration needs."""

from __future__ import annotations

import json
import subprocess
import sys

SET_UP = """
import json, sys
import openai
before = set(sys.modules)
import otel_footprint as footprint
footprint.configure(endpoint="http://127.0.0.1:9")
footprint.wrap(openai.OpenAI(api_key="none"))
print(json.dumps(sorted(set(sys.modules) - before)))
sys.stdout.flush()
import os
os._exit(0)
"""
ONLY_DECLARED = (
    "otel_footprint.arguments",
    "otel_footprint.scripts",
    "otel_footprint.injection",
    "otel_footprint.adapters.edits",
    "otel_footprint.adapters.langchain",
    "otel_footprint.records.arguments",
    "otel_footprint.records.injection",
    "otel_footprint.records.scripts",
)
ONLY_READ = ("otel_footprint.trail", "otel_footprint.report", "otel_footprint.cli")
LATER = ("genai_prices", "fsspec", "jinja2", "otel_footprint.telemetry.find_secrets")


def test_setting_up_imports_what_records_and_nothing_else() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", SET_UP], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = json.loads(ran.stdout)
    assert "otel_footprint.run.recorder" in loaded
    late = (*ONLY_DECLARED, *ONLY_READ, *LATER)
    assert [m for m in loaded if any(m == x or m.startswith(f"{x}.") for x in late)] == []
