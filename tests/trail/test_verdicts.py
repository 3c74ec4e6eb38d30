"""Verdicts that somebody else puts on the turn's own span, as the conventions say."""

from __future__ import annotations

from opentelemetry import trace

from otel_footprint.telemetry import names
from tests.losses.kit import Agent, Session


def test_a_turn_judged_on_its_own_span_is_still_a_turn():
    session = Session()
    agent = Agent(session.footprint)
    with session.footprint.turn("x") as turn:
        agent.say()
        said = {names.EVALUATION_NAME: "right", names.EVALUATION_SCORE: 0.5}
        trace.get_current_span().add_event(names.EVALUATION, said)
        session.footprint.feedback(turn.id, "kind", True)
    session.close()
    (found,) = session.trail().turns
    assert not found.open
    assert [(v.name, v.score) for v in found.verdicts] == [("right", 0.5), ("kind", 1.0)]
