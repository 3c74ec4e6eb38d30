"""The configuration files of the stack, written for its ports. JSON is YAML, so no library."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ..runbooks import BASE as RUNBOOKS
from .ports import Ports

ROOT: Final = Path(__file__).resolve().parents[2]
COLLECTOR: Final = ROOT / "collector"
DEFAULT_LAYERS: Final = ("base.yaml", "export-jaeger.yaml", "export-prometheus.yaml")
"""Layers of the collector: files of `collector/`, or paths."""
RULES: Final = ROOT / "deploy" / "rules" / "footprint.yaml"
"""The alert rules, in the spelling that a scraped collector gives."""


def rules(path: Path, ports: Ports) -> Path:
    """Writes the alert rules with links to this stack's own runbooks."""
    here = f"http://localhost:{ports['runbooks']}"
    text = RULES.read_text(encoding="utf-8").replace(f"'{RUNBOOKS}/", f"'{here}/")
    path.write_text(text, encoding="utf-8")
    return path


def layer_paths(layers: Sequence[str | Path]) -> list[Path]:
    """The files of the collector's layers."""
    return [path if (path := Path(name)).is_absolute() else COLLECTOR / path for name in layers]


def collector_env(ports: Ports, queue: Path) -> dict[str, str]:
    """What the layers of `collector/` read from the environment."""
    here = {name: f"127.0.0.1:{port}" for name, port in ports.items()}
    return {
        "COLLECTOR_GRPC": here["otlp_grpc"],
        "COLLECTOR_HTTP": here["otlp_http"],
        "COLLECTOR_HEALTH": here["collector_health"],
        "COLLECTOR_OWN_PORT": str(ports["collector_own"]),
        "COLLECTOR_PROMETHEUS": here["collector_metrics"],
        "COLLECTOR_QUEUE": str(queue),
        "JAEGER_OTLP": here["jaeger_otlp"],
    }


def jaeger(ports: Ports, page: str | None = None) -> dict[str, Any]:
    """Jaeger, all in one, traces in memory. page: folder of its built web page."""

    def at(name: str) -> dict[str, Any]:
        return {"endpoint": f"127.0.0.1:{ports[name]}"}

    query: dict[str, Any] = {
        "storage": {"traces": "main"},
        "http": at("jaeger"),
        "grpc": at("jaeger_query_grpc"),
    }
    if page:
        query["ui"] = {"assets_path": page}
    protocols = {"grpc": at("jaeger_otlp"), "http": at("jaeger_otlp_http")}
    return {
        "service": {
            "extensions": ["jaeger_storage", "jaeger_query", "healthcheckv2"],
            "pipelines": {
                "traces": {
                    "receivers": ["otlp"],
                    "exporters": ["jaeger_storage_exporter"],
                }
            },
            "telemetry": {"metrics": {"level": "none"}, "logs": {"level": "warn"}},
        },
        "extensions": {
            "healthcheckv2": {"use_v2": True, "http": at("jaeger_health")},
            "jaeger_storage": {"backends": {"main": {"memory": {"max_traces": 100_000}}}},
            "jaeger_query": query,
        },
        "receivers": {"otlp": {"protocols": protocols}},
        "exporters": {"jaeger_storage_exporter": {"trace_storage": "main"}},
    }


def prometheus(ports: Ports, interval: str, rule_files: Sequence[Path]) -> dict[str, Any]:
    """Prometheus: scrapes the collector (application metrics, and its own), asks the rules."""

    def target(name: str) -> list[dict[str, Any]]:
        return [{"targets": [f"127.0.0.1:{ports[name]}"]}]

    return {
        "global": {"scrape_interval": interval, "evaluation_interval": interval},
        "rule_files": [str(path) for path in rule_files],
        "alerting": {"alertmanagers": [{"static_configs": target("alertmanager")}]},
        "scrape_configs": [
            {
                "job_name": "otel-footprint",
                "honor_labels": True,
                "static_configs": target("collector_metrics"),
            },
            {"job_name": "collector", "static_configs": target("collector_own")},
        ],
    }


def alertmanager(ports: Ports) -> dict[str, Any]:
    """Alertmanager: everything at once to the webhook."""
    hook = {"url": f"http://127.0.0.1:{ports['webhook']}/", "send_resolved": True}
    return {
        "route": {
            "receiver": "webhook",
            "group_by": ["alertname"],
            "group_wait": "0s",
            "group_interval": "1s",
            "repeat_interval": "1h",
        },
        "receivers": [{"name": "webhook", "webhook_configs": [hook]}],
    }


def write(path: Path, value: dict[str, Any]) -> Path:
    """Writes one configuration file."""
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")
    return path
