"""Trails of every format that was ever written are read as on the day they were written."""

from __future__ import annotations

from pathlib import Path

import pytest

from otel_footprint.cli import main
from otel_footprint.telemetry import names
from otel_footprint.trail import load

DATA = Path(__file__).resolve().parents[1] / "data"
FORMATS = range(1, names.FORMAT + 1)


@pytest.mark.parametrize("number", FORMATS)
def test_a_trail_of_each_format_is_read_whole(number: int) -> None:
    trail = load(DATA / f"trail-format-{number}.jsonl")
    assert not trail.problems
    assert not trail.gaps
    (turn,) = trail.turns
    assert (turn.format, turn.outcome, turn.conversation) == (number, "completed", "golden")
    assert [trail.check(ledger).state for ledger in turn.ledgers] == ["complete"]
    assert [trail.rebuild(call).proof.level for call in turn.calls] == ["body"] * 4
    assert [tool.name for tool in turn.tools] == ["read_skill", "get_order", "run_code"]
    assert [p.slot for p in trail.calls[0].pressures] == ["system"]
    attached = trail.attached[turn.calls[-1].id]
    assert attached.recorded.unread == 0
    assert attached.text is not None
    assert "print(129.00 - 19.35)" in attached.text


@pytest.mark.parametrize("number", FORMATS)
def test_commands_take_it(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(DATA / f"trail-format-{number}.jsonl")
    assert main.main(["verify", file]) == 0
    capsys.readouterr()
    assert main.main(["why", file, "109.65", "--ascii"]) == 0
    said = capsys.readouterr().out
    assert "the result of tool run_code" in said
    assert main.main(["show", file, "--ascii"]) == 0
    assert "shop: (always)" in capsys.readouterr().out
