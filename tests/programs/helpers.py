"""Wrapped clients whose answers ask for programs, and what a reader makes of the record."""

from __future__ import annotations

import json
from typing import Any

import otel_footprint as footprint
from otel_footprint.records.trail import AttachedTrail
from tests.losses.kit import trail_of
from tests.sdk import Recording, Server, client

CODE = "print(41 + 1)\n"
TOOLS: dict[str, Any] = {"run_code": ("code", "python")}


class Programmed:
    """A Footprint with scripts and providers of its own."""

    def __init__(self, scripts: footprint.Scripts | None = None, **options: Any) -> None:
        self.recording = Recording()
        declared = footprint.Scripts(tools=TOOLS) if scripts is None else scripts
        options = {"content": "full", **options}
        self.footprint = footprint.Footprint(
            "agent", scripts=declared, **options, **self.recording.providers
        )

    def client(self, package: str, cls: str, *answers: Any) -> Any:
        return self.footprint.wrap(client(package, cls, Server(*answers)))

    @property
    def trail(self) -> Any:
        self.footprint.flush()
        return trail_of(self.recording.spans)

    @property
    def attached(self) -> list[AttachedTrail]:
        """What stood under each answer, as read back; its ledger is whole."""
        trail = self.trail
        for turn in trail.turns:
            for ledger in turn.ledgers:
                assert trail.check(ledger).state == "complete"
        return [found for call in trail.calls if (found := trail.attached.get(call.id))]

    def events(self, name: str) -> list[dict[str, Any]]:
        return [
            dict(event.attributes)
            for span in self.recording.spans
            for event in span.events
            if event.name == name
        ]


def asks(*codes: Any, tool: str = "run_code", name: str = "code") -> list[dict[str, Any]]:
    """Tool calls of a chat completion, one a program."""
    return [
        {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": tool, "arguments": json.dumps({name: code})},
        }
        for number, code in enumerate(codes, 1)
    ]


def ran(fp: Any, *programs: Any, outcome: Any = "done") -> Any:
    """An entered turn in which these programs reached their tool."""
    from otel_footprint.run.programs import Programs

    turn = fp.turn("Run it.").__enter__()
    found = turn.features.get(Programs)
    for number, program in enumerate(programs, 1):
        key = found.ledger.submitted(f"c{number}", "run_code", {"code": program})
        found.ledger.started(key)
        found.ledger.ended(key, "completed")
    return turn
