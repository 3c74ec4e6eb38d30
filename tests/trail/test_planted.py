"""Scenarios of planted causes: read and refused as their format says, and a few of them run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.studies import planted_causes
from tests.studies.planted.drive import record
from tests.studies.planted.generate import built_in
from tests.studies.planted.judge import judge
from tests.studies.planted.scenario import read_scenarios

SMALL = {
    "name": "small", "kind": "fact", "value": "14", "truth": ["p"],
    "system": [{"text": "Shelf 14 is empty."}],
    "context": [{"as": "p", "source": "fact", "id": "window", "text": "Return goods in 14 days."}],
    "turns": [{"ask": "How long may I wait to return goods?", "calls": [
        {"say": "", "tools": [{"name": "look", "arguments": {"x": 1}, "result": {"y": 2}}]},
        {"say": "You may return goods within 14 days."}]}],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "small.json").write_text(json.dumps(SMALL), "utf-8")
    return tmp_path


@pytest.mark.parametrize("client", ["openai", "anthropic"])
def test_a_scenario_file_is_run_and_judged(folder: Path, client: str) -> None:
    (found,) = read_scenarios(folder)
    found = found._replace(client=client)
    record(found, folder / "trail.jsonl")
    judged = judge(found, folder / "trail.jsonl")
    assert (judged.first, judged.place, judged.confident) == (True, 1, True)
    assert judged.finding.suspects[0].hop.causes[0].kind == "injection"
    assert not judged.earliest


def test_the_command_exits_1_when_a_target_is_missed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {**SMALL, "truth": []}
    (folder / "small.json").write_text(json.dumps([SMALL, wrong]), "utf-8")
    monkeypatch.setattr("sys.argv", ["planted_causes", "--scenarios", str(folder), "--list"])
    assert planted_causes.main() == 1
    assert "MISSED: 1 confident answers without a cause" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"truth": ["nobody"]}, "names no piece"),
        ({"client": "gopher"}, "client is 'gopher'"),
        ({"carried": "somehow"}, "carried is 'somehow'"),
        ({"context": [{"source": "rumour", "text": "x"}]}, "source 'rumour'"),
    ],
)
def test_a_wrong_scenario_is_refused_by_name(
    folder: Path, change: dict[str, object], said: str
) -> None:
    (folder / "small.json").write_text(json.dumps({**SMALL, **change}), "utf-8")
    with pytest.raises(ValueError, match=said):
        read_scenarios(folder)


def test_the_built_in_scenarios_are_what_the_study_needs() -> None:
    found = built_in()
    assert [s._asdict() for s in found] == [s._asdict() for s in built_in()]
    carried = [s for s in found if s.truth]
    assert len({s.name for s in found}) == len(found) >= 60
    assert len(found) - len(carried) >= 20
    assert 3 * sum(s.many for s in carried) >= len(carried)
    assert all(len(s.texts()) > 30 for s in found)
    kinds = {s.kind for s in found}
    assert {"fact", "tool-result", "memory", "instruction", "skill", "earlier-turn"} <= kinds
    assert {"truncated", "tool-description", "argument"} <= kinds
