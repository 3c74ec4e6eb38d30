"""The compose stack, as far as it can be checked where no containers run."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from deploy.local.configs import COLLECTOR, ROOT, RULES
from deploy.runbooks import PORT

FOLDER = ROOT / "deploy" / "compose"
STACK = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = STACK["services"]


def test_it_is_a_compose_file():
    builtin = files("check_jsonschema") / "builtin_schemas" / "vendor" / "compose-spec.json"
    jsonschema.validate(STACK, json.loads(builtin.read_text(encoding="utf-8")))


def test_it_has_the_parts_that_it_promises():
    assert set(SERVICES) == {
        "collector",
        "jaeger",
        "tempo",
        "prometheus",
        "alertmanager",
        "grafana",
        "runbooks",
        "demo",
    }


def test_alerts_link_to_where_the_runbooks_are_served():
    published = SERVICES["runbooks"]["ports"]
    assert published == [f"127.0.0.1:{PORT}:{PORT}"]
    assert f"http://localhost:{PORT}/" in RULES.read_text(encoding="utf-8")


@pytest.mark.parametrize("service", SERVICES)
def test_images_are_pinned(service):
    assert re.search(r":v?\d+\.\d+(\.\d+)?(-slim)?$", SERVICES[service]["image"])


@pytest.mark.parametrize("service", SERVICES)
def test_everything_listens_on_loopback_only(service):
    assert all(p.startswith("127.0.0.1:") for p in SERVICES[service].get("ports", ()))


@pytest.mark.parametrize("service", SERVICES)
def test_what_is_mounted_is_there(service):
    for mount in SERVICES[service]["volumes"]:
        source = mount.split(":")[0]
        if source.startswith("."):
            assert (FOLDER / source).exists(), mount
        else:
            assert source in STACK["volumes"]


def test_the_collector_gets_layers_that_exist_and_variables_that_they_read():
    collector = SERVICES["collector"]
    layers = [COLLECTOR / Path(c.partition("=")[2]).name for c in collector["command"]]
    read = "".join(layer.read_text(encoding="utf-8") for layer in layers)
    for variable in collector["environment"]:
        assert f"${{env:{variable}" in read, variable


def test_hosts_are_services():
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for path in [*FOLDER.glob("*.yaml"), *ROOT.glob("deploy/grafana/**/*.yaml")]
    }
    for name, text in texts.items():
        for host in re.findall(r"(?:http://|[\[ \"])([a-z]+):\d{4,5}\b", text):
            assert host in {*SERVICES, "localhost"}, (name, host)


def test_grafana_shows_the_dashboards_that_are_mounted():
    mounts = dict(m.split(":")[:2] for m in SERVICES["grafana"]["volumes"])
    provisioned = ROOT / "deploy/grafana/provisioning/dashboards/footprint.yaml"
    (provider,) = yaml.safe_load(provisioned.read_text(encoding="utf-8"))["providers"]
    assert provider["options"]["path"] == mounts["../dashboards"]
    assert list((FOLDER / "../dashboards").glob("*.json"))


def test_prometheus_reads_the_rules_that_are_mounted():
    config = yaml.safe_load((FOLDER / "prometheus.yaml").read_text(encoding="utf-8"))
    targets = [m.split(":")[1] for m in SERVICES["prometheus"]["volumes"]]
    assert any(t.startswith("/etc/prometheus/rules/") for t in targets)
    assert config["rule_files"] == ["/etc/prometheus/rules/*.yaml"]


def test_tempo_takes_the_largest_trace_that_is_written():
    from otel_footprint.config.settings import MAX_CONTENT_BYTES

    tempo = yaml.safe_load((FOLDER / "tempo.yaml").read_text(encoding="utf-8"))
    bound = tempo["overrides"]["defaults"]["global"]["max_bytes_per_trace"]
    assert bound >= 2 * MAX_CONTENT_BYTES
