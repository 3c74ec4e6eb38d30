"""Real programs: recorded InterCode and SWE-agent runs go through the ledger, call by call."""

from __future__ import annotations

import json

import pytest

from otel_footprint.scripts import Ledger, Scripts, attach, rebuild, recorded_scripts, select

from .oracle import expected, stands


@pytest.fixture(scope="session")
def trajectories(shared):
    folder = shared / "data" / "trajectories"
    if not folder.is_dir():
        pytest.skip("no recorded trajectories in ../shared/data")
    return folder


def episodes(folder):
    """(name, tool, programs, last answer) of every run."""
    for path in sorted((folder / "intercode").glob("*.json")):
        data = json.loads(path.read_text("utf-8"))
        for number, episode in enumerate(data.get("logs", data).values()):
            history = episode["turn_history"]
            said = "\n\n".join(str(seen) for seen in history["observations"])
            yield f"{path.stem}/{number}", "execute", [str(a) for a in history["actions"]], said
    for path in sorted((folder / "swe-agent").glob("*.traj*")):
        data = json.loads(path.read_text("utf-8"))
        if "trajectory" in data:
            said = "\n".join(str(step["thought"]) for step in data["trajectory"])
            yield path.stem, "bash", [str(step["action"]) for step in data["trajectory"]], said
            continue
        messages = data["history"] if isinstance(data, dict) else data
        answers = [m for m in messages if m["role"] == "assistant"]
        called = [c["function"]["arguments"] for m in answers for c in m.get("tool_calls") or []]
        said = str(answers[-1]["content"])
        yield path.stem, "bash", called or [str(m["content"]) for m in answers], said


@pytest.mark.slow
def test_every_recorded_program_is_kept_attached_and_read_back(trajectories):
    programs = runs = 0
    for name, tool, actions, answer in episodes(trajectories):
        for which in ("last", "all"):
            ledger = Ledger(Scripts(tools={tool: ("code", "bash")}, which=which))
            for number, program in enumerate(actions):
                key = ledger.submitted(f"call_{number}", tool, {"code": program})
                ledger.started(key)
                ledger.ended(key, "completed", number % 3)
            kept = ledger.rows
            assert [row.text for row in kept] == actions[-256:], name
            attachment = attach(select(ledger), answer)
            record = attachment.record
            if not actions:
                assert attachment.appended == ""
                continue
            boundary = record.boundary
            if boundary.kind != "unsettled":
                assert stands(attachment.to(answer), expected(record)), (name, which)
            read = recorded_scripts(json.loads(json.dumps(record.value())), len(answer))
            assert read.unread == 0
            assert rebuild(read) == attachment.appended
            shown = [script.call for _, script in read.shown]
            last = [f"call_{n}" for n in range(len(actions))]
            assert shown == (last[-1:] if which == "last" else last[-8:])
            assert record.omitted == (0 if which == "last" else max(0, len(actions) - 8))
        programs += len(actions)
        runs += 1
    assert runs == 139
    assert programs > 1000, programs
