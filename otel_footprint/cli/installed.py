"""What is installed: versions that are supported or not, and other instrumentations."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, entry_points, version
from typing import Any, Final, Literal

SUPPORTED: Final[dict[str, tuple[str, str]]] = {
    "opentelemetry-api": ("1.39", "2"),
    "opentelemetry-sdk": ("1.39", "2"),
    "opentelemetry-exporter-otlp-proto-http": ("1.39", "2"),
    "opentelemetry-exporter-otlp-proto-grpc": ("1.39", "2"),
    "opentelemetry-instrumentation": ("0.60b0", "1"),
    "wrapt": ("1.17", "3"),
    "pydantic": ("2.10", "3"),
    "openai": ("1.99", "4"),
    "anthropic": ("0.60", "3"),
}
"""Oldest version that is supported, and the first that is not any more; as in pyproject.toml."""
REQUIRED: Final = ("opentelemetry-api", "opentelemetry-sdk", "wrapt", "pydantic")

State = Literal["ok", "note", "FAIL", "next"]
Line = Callable[[State, str, str], None]
"""Takes one finding: state, what it is about, text."""


def versions(line: Line) -> None:
    """Says which versions are installed and which of them are not supported."""
    fine = []
    for package, (oldest, beyond) in SUPPORTED.items():
        found = installed(package)
        if found is None:
            if package in REQUIRED:
                line("FAIL", "version", f"{package} is not installed")
                line("next", "version", "pip install 'otel-footprint[sdk]'")
        elif not _numbers(oldest) <= _numbers(found) < _numbers(beyond):
            text = f"{package} {found} is not supported: {oldest} or newer, below {beyond}"
            line("FAIL", "version", text)
            line("next", "version", f"pip install '{package}>={oldest},<{beyond}'")
        else:
            fine.append(f"{package} {found}")
    line("ok", "versions", ", ".join(fine))


def installed(package: str) -> str | None:
    """The version of a package; None when it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _numbers(text: str) -> tuple[int, ...]:
    out = []
    for part in text.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        out.append(int(digits))
    return tuple(out)


def instrumentations(line: Line) -> None:
    """Says which other instrumentations of the OpenAI and Anthropic clients there are."""
    found = False
    for entry in sorted(entry_points(group="opentelemetry_instrumentor"), key=lambda e: e.name):
        about = f"{entry.name} {entry.value}".lower()
        if entry.name == "otel_footprint" or not ("openai" in about or "anthropic" in about):
            continue
        found = True
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        line("note", "instrumentation", f"{package}, {_activity(entry)}")
    native = os.environ.get("ANTHROPIC_OPEN_TELEMETRY", "").strip().lower()
    anthropic = installed("anthropic")
    if anthropic is not None and _numbers(anthropic) >= (2,) and native not in ("0", "false"):
        found = True
        line("note", "instrumentation", f"anthropic {anthropic} makes spans of its own")
    if not found:
        line("ok", "instrumentation", "no other one for openai or anthropic is installed")


def _activity(entry: Any) -> str:
    """Whether an instrumentation is active in this process; nothing is imported to find out."""
    if entry.module not in sys.modules:
        return "not active in this process"
    try:
        active = entry.load()().is_instrumented_by_opentelemetry
    except Exception as error:
        return f"state unknown ({type(error).__name__})"
    return "active" if active else "not active in this process"
