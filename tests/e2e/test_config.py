"""`validate` on every merge of the layers that README.md names."""

from __future__ import annotations

import pytest

from .collectors import Collector

EXPORTS = ("export-jaeger.yaml", "export-tempo.yaml", "export-otlp.yaml", "export-prometheus.yaml")
MERGES = {
    "one machine": ("base.yaml", "export-jaeger.yaml", "export-prometheus.yaml"),
    "jaeger": ("base.yaml", "export-jaeger.yaml"),
    "tempo": ("base.yaml", "export-tempo.yaml"),
    "any OTLP": ("base.yaml", "export-otlp.yaml"),
    "everything": (
        "base.yaml",
        "content-drop.yaml",
        "sampling.yaml",
        "derive-metrics.yaml",
        *EXPORTS,
    ),
    "hashed": ("base.yaml", "content-hash.yaml", "export-jaeger.yaml"),
    "sampled": ("base.yaml", "sampling.yaml", "export-jaeger.yaml"),
    "derived": ("base.yaml", "derive-metrics.yaml", "export-jaeger.yaml", "export-prometheus.yaml"),
    "agent": ("base.yaml", "agent.yaml", "export-prometheus.yaml"),
    "agent that derives": (
        "base.yaml",
        "derive-metrics.yaml",
        "agent.yaml",
        "export-prometheus.yaml",
    ),
    "agent that drops content": ("base.yaml", "content-drop.yaml", "agent.yaml"),
    "gateway": ("base.yaml", "gateway.yaml", "sampling.yaml", "export-tempo.yaml"),
    "gateway with all": (
        "base.yaml",
        "gateway.yaml",
        "sampling.yaml",
        "content-hash.yaml",
        "derive-metrics.yaml",
        *EXPORTS,
    ),
}


@pytest.mark.parametrize("merge", MERGES.values(), ids=MERGES.keys())
def test_the_merged_configuration_is_valid(programs, tmp_path, merge):
    env = {"COLLECTOR_GATEWAY_1": "127.0.0.1:4317", "COLLECTOR_GATEWAY_2": "127.0.0.2:4317"}
    said = Collector(programs, tmp_path, merge, env).validate()
    assert said.returncode == 0, said.stdout + said.stderr


def test_layers_may_come_in_any_order_after_the_first(programs, tmp_path):
    layers = list(MERGES["gateway with all"])
    said = Collector(programs, tmp_path, [layers[0], *reversed(layers[1:])]).validate()
    assert said.returncode == 0, said.stdout + said.stderr


def test_a_base_without_an_exporter_is_refused(programs, tmp_path):
    said = Collector(programs, tmp_path, ["base.yaml"]).validate()
    assert said.returncode != 0
    assert "no exporter" in said.stdout + said.stderr
