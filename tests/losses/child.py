"""A process that records an agent and does what it is told, a line at a time: say N, flush, end.

    python -m tests.losses.child file|endpoint TARGET BODIES

Writes the bodies of its requests to BODIES, one JSON a line, as they leave.
"""

from __future__ import annotations

import sys
from pathlib import Path

import otel_footprint as footprint

from .kit import Agent


def main(kind: str, target: str, bodies: str) -> None:
    handle = footprint.configure(**{kind: target}, metrics=False, service_name="child")
    fp = footprint.Footprint("agent", content="full")
    agent = Agent(fp)
    written = 0
    with fp.turn("What happened?", id="turn-of-the-child"):
        for line in sys.stdin:
            word, _, number = line.strip().partition(" ")
            if word == "end":
                break
            if word == "flush":
                handle.flush()
            for _ in range(int(number or 0)):
                agent.say()
            with Path(bodies).open("ab") as file:
                file.writelines(body + b"\n" for body in agent.bodies[written:])
            written = len(agent.bodies)
            print("done", flush=True)
    handle.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
