"""The collector's configuration says what the library writes, and its layers do not collide."""

from __future__ import annotations

import re

import pytest
import yaml

from deploy.local.configs import COLLECTOR
from otel_footprint.config.budget import DEFAULT_CAPS
from otel_footprint.telemetry import names
from otel_footprint.telemetry.buckets import BOUNDARIES

from .layers import LAYERS, components, lists, read

FOREIGN = {
    "gen_ai.tool.definitions",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
    "gen_ai.prompt",
    "gen_ai.completion",
}
"""Content keys of other instrumentations, current and older."""
NAME = re.compile(r"\b(?:footprint|gen_ai|user|error)\.[a-z_]+(?:\.[a-z_]+)*")
MAY_REPLACE = {
    ("service", "pipelines", "traces/keep", "processors"),  # of base: empty, made to be filled
}


def text(path) -> str:
    """A layer without comments and with its regular expressions' `[.]` as dots."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line.split(" # ")[0] for line in lines if not line.lstrip().startswith("#"))


@pytest.mark.parametrize("path", LAYERS, ids=lambda p: p.stem)
def test_every_name_is_one_of_ours_or_a_known_foreign_one(path):
    body = re.sub(r"gen_ai\[\.\](\(prompt|content)[^\"]*", "", text(path)).replace("[.]", ".")
    body = body.replace("footprint.yaml", "")
    used = set(NAME.findall(body))
    assert used - set(names.CATALOG) - FOREIGN == set()


@pytest.mark.parametrize("name", ["content-drop.yaml", "content-hash.yaml"])
@pytest.mark.parametrize("context", ["span", "spanevent", "log"])
def test_every_content_key_is_dropped_or_hashed(name, context):
    body = text(COLLECTOR / name).replace("[.]", ".")
    statements = [line for line in body.splitlines() if f"({context}.attributes" in line]
    found = {n for line in statements for n in NAME.findall(line)}
    assert set(names.CONTENT) <= found
    assert found >= FOREIGN


def test_whatever_the_catalogue_calls_content_is_on_the_list():
    said = re.compile(r"Content mode full|by content mode|person's words|model's words")
    for entry in names.CATALOG.values():
        if entry.kind == "attribute" and said.search(entry.meaning):
            assert entry.name in names.CONTENT, entry


def test_no_two_layers_set_the_same_list():
    seen: dict[tuple[str, ...], str] = {}
    for path in LAYERS:
        if path.name == "content-hash.yaml":  # instead of content-drop.yaml, never with it
            continue
        for where in lists(read(path)):
            if where not in MAY_REPLACE:
                assert where not in seen, f"{path.name} and {seen.get(where)}: {where}"
                seen[where] = path.name


def test_the_distribution_has_every_component_that_a_layer_names():
    built = yaml.safe_load((COLLECTOR / "builder.yaml").read_text(encoding="utf-8"))
    modules = " ".join(
        m["gomod"] for kind in built.values() if type(kind) is list for m in kind if type(m) is dict
    )
    spelled = {"otlp_grpc": "otlp", "otlp_http": "otlphttp"}
    suffixes = {"extensions": "", "health_check": "extension"}
    for path in LAYERS:
        for kind, name in components(read(path)):
            module = spelled.get(name, name).replace("_", "")
            suffix = suffixes.get(kind, kind.rstrip("s"))
            assert f"/{module}{suffix}" in modules, (path.name, kind, name)


def test_derived_histograms_have_the_buckets_of_the_sdk():
    derived = read("derive-metrics.yaml")["connectors"]["signal_to_metrics/derived"]["spans"]
    histograms = [m for m in derived if "histogram" in m]
    assert len(histograms) > 3
    for metric in histograms:
        assert tuple(metric["histogram"]["buckets"]) == BOUNDARIES[metric["name"]], metric["name"]


def test_derived_metrics_have_the_units_and_labels_of_the_catalogue():
    connectors = read("derive-metrics.yaml")["connectors"]
    for metric in connectors["signal_to_metrics/derived"]["spans"]:
        entry = names.CATALOG[metric["name"]]
        assert metric["unit"] == entry.unit
        assert ("histogram" in metric) == (entry.type == "histogram"), metric["name"]
        added = {names.LABEL_OUTCOME} if names.TURN_UNFINISHED in str(metric) else set()
        keys = {a["key"] for a in metric["attributes"]} | added  # later, where time is set
        assert keys == set(entry.where.split(", "))
    for name, metric in connectors["count/derived"]["spanevents"].items():
        entry = names.CATALOG[name]
        assert entry.type == "counter"
        assert {a["key"] for a in metric["attributes"]} == set(entry.where.split(", "))


def test_default_caps_are_those_of_the_library():
    caps = ",".join(str(cap) for cap in DEFAULT_CAPS.values())
    assert f'"{caps}") where' in text(COLLECTOR / "derive-metrics.yaml")


def test_no_group_of_statements_mixes_contexts():
    """In a mixed one, statements on spans run for each event: not for a span without events."""
    for path in LAYERS:
        for processor in (read(path).get("processors") or {}).values():
            for kind in ("trace_statements", "log_statements", "metric_statements"):
                for group in processor.get(kind, ()):
                    if "context" in group:  # said on purpose: once for each of these
                        continue
                    targets = {re.match(r"\w+\((\w+)", s).group(1) for s in group["statements"]}
                    assert len(targets) == 1, (path.name, targets)
