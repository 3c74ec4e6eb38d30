"""Trails that the tests of this folder share."""

from __future__ import annotations

import io
from typing import Any

import pytest

from otel_footprint.trail import Trail, load

from .builder import Turn, Writer, as_lines, assistant, result, system, tool, user

LONG = "A long sentence about refunds that is taken out of its skeleton. " * 30


def read(spans: list[dict[str, Any]], **options: Any) -> Trail:
    """The trail of these spans, through a file of lines."""
    return load(io.BytesIO(as_lines(spans)), **options)


def story(writer: Writer, turns: int = 1, **more: Any) -> list[list[str]]:
    """Turns of four calls with tools; returns the requests of each turn, by call."""
    out = []
    for n in range(turns):
        turn = Turn(writer, agent=f"bot{n}", **more)
        bodies = []
        rules, look = [system(LONG + str(n)), system("Be short.")], [tool("look", "Looks it up.")]
        history = [user(f"Why {n}?")]
        layout = '{"model":"m-1","messages":[#s,#m],"temperature":0,"tools":[#t]}'
        for i in range(4):
            answer = assistant(None, (f"c{n}{i}", "look", '{"q":"why"}'))
            if i == 3:
                answer = assistant("Because " + LONG)
            now = rules if i < 2 else rules[:1]
            turn.call(now, history, look, [answer], layout, keyframe=i == 2)
            bodies.append(turn.body(layout, now, history, look))
            if i < 3:
                turn.tool("look", f"c{n}{i}", '{"q":"why"}', f"found {i} {LONG}")
                history = [*history, answer, result(f"c{n}{i}", f"found {i} {LONG}")]
        turn.end()
        out.append(bodies)
    return out


@pytest.fixture
def writer() -> Writer:
    return Writer()
