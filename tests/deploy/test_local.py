"""`deploy.local` without the backends: ports, programs, and a stack of the webhook alone."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from deploy.local import MissingProgramError, Ports, Programs, Stack, configs, processes
from deploy.local.configs import ROOT
from deploy.local.health import NotReadyError, answers, get, until
from deploy.local.ports import USUAL
from deploy.local.programs import NAMES


def local(*arguments: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k != "FOOTPRINT_BACKENDS"}
    command = [sys.executable, "-m", "deploy.local", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)


def test_free_ports_are_free_and_differ():
    ports = Ports.free()
    assert set(ports) == set(USUAL)
    assert len(set(ports.values())) == len(USUAL)
    assert ports.taken() == []


def test_a_taken_port_is_named():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        ports = Ports.free()
        ports["jaeger"] = listener.getsockname()[1]
        assert ports.taken() == ["jaeger"]


def test_an_unknown_port_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match=r"no port is called jager: otlp_grpc, "):
        Ports.usual({"jager": 1})


def test_a_missing_program_is_named_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingProgramError, match=r"otelcol-footprint is not in .*\.ci/backends"):
        Programs(tmp_path).find("collector")
    assert "jaeger" in Programs(tmp_path).missing()


def test_programs_come_from_the_folder_of_the_variable(tmp_path, monkeypatch):
    (tmp_path / "jaeger").touch()
    monkeypatch.setenv("FOOTPRINT_BACKENDS", str(tmp_path))
    assert Programs().find("jaeger") == tmp_path / "jaeger"


def test_up_without_programs_says_so_and_leaves_nothing_behind(tmp_path):
    empty = tmp_path / "bin"
    empty.mkdir()
    env = {**os.environ, "PATH": str(empty)}
    command = [sys.executable, "-m", "deploy.local", "up", "--free-ports"]
    command += ["--folder", str(tmp_path / "s"), "--bin", str(empty)]
    said = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)
    assert said.returncode == 1
    assert "is not in" in said.stderr
    assert not (tmp_path / "s" / "state.json").exists()


def test_down_and_status_of_nothing(tmp_path):
    assert "Nothing was started" in local("down", "--folder", str(tmp_path)).stdout
    found = local("status", "--folder", str(tmp_path))
    assert found.returncode == 1
    assert "Nothing was started" in found.stdout


@pytest.mark.parametrize("port", ["jaeger", "jaeger=", "jaeger=x", "jaeger=0", "jaeger=99999"])
def test_a_port_that_is_none_is_refused(port):
    said = local("up", "--port", port)
    assert said.returncode == 2
    assert f"{port!r} is not NAME=NUMBER with a port of 1 to 65535" in said.stderr


@pytest.mark.parametrize("text", ['{"bad', "[]", '{"services": {"jaeger": 7}, "ports": {}}'])
def test_a_damaged_state_file_is_named(tmp_path, text):
    (tmp_path / "state.json").write_text(text)
    for command in ("status", "down", "up"):
        said = local(command, "--folder", str(tmp_path))
        assert said.returncode == 1
        assert said.stderr.startswith(f"{tmp_path / 'state.json'} does not say what was started")


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "x"
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in NAMES.values():
        (programs / name).touch()
    said = local("up", "--free-ports", "--folder", str(folder), "--bin", str(programs))
    assert said.returncode == 1
    assert str(folder) in said.stderr
    assert "Traceback" not in said.stderr


def test_up_beside_one_that_runs_says_how_to_stop_it(webhook):
    said = local("up", "--folder", str(webhook.folder))
    assert said.returncode == 1
    assert "It is up already; " in said.stderr
    assert f"stop it with: python -m deploy.local down --folder {webhook.folder}" in said.stderr


@pytest.fixture
def webhook(tmp_path):
    with Stack(tmp_path / "stack", Ports.free(), services=("webhook",)) as stack:
        yield stack


def test_it_serves_the_runbooks_and_nothing_else(tmp_path):
    with Stack(tmp_path / "stack", Ports.free(), services=("runbooks",)) as stack:
        base = stack.url("runbooks")
        assert b"slot-over-budget.md" in get(base)
        assert get(f"{base}/slot-over-budget.md").startswith(b"# FootprintSlotOverBudget\n")
        for other in ("/__main__.py", "/../promql.py", "/%2e%2e/promql.py", "/nothing.md"):
            assert not answers(base + other)


def test_alerts_link_to_the_runbooks_of_their_stack(tmp_path):
    ports = Ports.free()
    text = configs.rules(tmp_path / "rules.yaml", ports).read_text(encoding="utf-8")
    urls = re.findall(r"runbook_url: '(.+)/[a-z-]+\.md'", text)
    assert set(urls) == {f"http://localhost:{ports['runbooks']}"}


def post(stack: Stack, value: object) -> None:
    body = json.dumps(value, indent=1).encode()
    request = urllib.request.Request(stack.url("webhook"), body, method="POST")
    with urllib.request.urlopen(request, timeout=5) as response:
        assert response.status == 200


def test_the_webhook_keeps_what_it_gets(webhook):
    post(webhook, {"alerts": [1]})
    post(webhook, {"alerts": [2]})
    assert webhook.alerts() == [{"alerts": [1]}, {"alerts": [2]}]


def test_another_process_sees_and_stops_it(webhook):
    process = webhook.running["webhook"]
    seen = local("status", "--folder", str(webhook.folder))
    assert "webhook       up" in seen.stdout
    assert "collector     not started" in seen.stdout
    assert "Stopped" in local("down", "--folder", str(webhook.folder)).stdout
    assert not processes.alive(process)
    assert not answers(webhook.url("webhook"))


def test_a_process_that_is_gone_is_not_taken_for_another_one(webhook):
    process = webhook.running["webhook"]
    stranger = process._replace(pid=os.getpid())
    assert not processes.alive(stranger)
    processes.stop(stranger)  # and nothing happens to this process
    assert processes.alive(process)


def test_a_service_is_killed_and_started_again(webhook):
    post(webhook, {"n": 1})
    webhook.stop("webhook", kill=True)
    assert not answers(webhook.url("webhook"))
    webhook.start("webhook")
    post(webhook, {"n": 2})
    assert [a["n"] for a in webhook.alerts()] == [1, 2]


def test_a_service_that_ends_at_once_shows_the_end_of_its_log(tmp_path):
    ports = Ports.free()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", ports["webhook"]))
        listener.listen()
        stack = Stack(tmp_path, ports, services=("webhook",))
        with pytest.raises(NotReadyError, match=r"(?s)the process has ended.*Address already"):
            stack.up()
    assert stack.running == {}


def test_waiting_has_a_bound():
    with pytest.raises(NotReadyError, match=r"the moon: not within 0 s"):
        until(lambda: None, 0, "the moon")


def test_layers_are_files_of_the_collector_folder_or_paths():
    from deploy.local.configs import DEFAULT_LAYERS, layer_paths

    for path in layer_paths(DEFAULT_LAYERS):
        assert path.is_file()
    assert layer_paths(["/a/b.yaml"]) == [Path("/a/b.yaml")]
