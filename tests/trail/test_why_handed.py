"""A message in a person's place that an application made of what a model wrote is no person's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import otel_footprint as footprint
from otel_footprint.records.why import Hop
from tests.arguments.loops import Asked, OpenAILoop
from tests.sdk import Recording, Server, chat, client

from .test_why_recorded import read_back, written

FOUND = "It is heat code 7741 in Ghent."


def chain(fp: footprint.Footprint, first: str, conversation: str) -> None:
    """A turn of two calls; the second one gets the answer of the first one as its message."""
    wrapped = fp.wrap(client("openai", "OpenAI", Server(chat(FOUND), chat("Code 7741."))))

    def call(text: str) -> Any:
        messages: Any = [{"role": "user", "content": text}]
        made = wrapped.chat.completions.create(model="gpt-4o-mini", messages=messages)
        return made.choices[0].message.content

    with fp.turn("Which code?", conversation=conversation):
        call("Summarise in two words: " + call(first))


def hops(hop: Hop) -> list[Hop]:
    return [hop, *(each for cause in hop.causes for each in hops(cause))]


def test_an_answer_given_on_as_a_message_leads_to_what_it_was_made_of(tmp_path: Path) -> None:
    recording = Recording()
    path = written(recording, tmp_path / "trail.jsonl")
    fp = footprint.Footprint("weather", content="full", **recording.providers)
    chain(fp, "Ghent has heat code 7741 today. Which is it?", "a")
    (found,) = read_back(fp, path).why("7741").findings
    whole = [hop.what for suspect in found.suspects for hop in hops(suspect.hop)]
    handed = "a message that hands on what the model wrote, messages 1, first in front of call 2"
    assert handed in whole
    assert "the model's own words in call 1" in whole
    ends = {(h.what, h.end) for suspect in found.suspects for h in hops(suspect.hop)}
    assert ("a person's message, messages 1, first in front of call 1", "person") in ends
    assert (handed, "person") not in ends


def test_the_same_words_in_another_conversation_are_no_part_of_the_walk(tmp_path: Path) -> None:
    recording = Recording()
    path = written(recording, tmp_path / "trail.jsonl")
    fp = footprint.Footprint("weather", content="full", **recording.providers)
    chain(fp, "Ghent has heat code 7741 today. Which is it?", "a")
    chain(fp, "The code of heat in Ghent is 7741, is it?", "b")
    trail = read_back(fp, path)
    (found,) = trail.why("7741").findings
    whole = [hop for suspect in found.suspects for hop in hops(suspect.hop)]
    assert not [hop.what for hop in whole if " of turn " in hop.what]
    traces = {hop.ground.trace_id for hop in whole}
    assert traces == set(trail.turns[1].trace_ids)


def test_what_a_model_asks_another_agent_is_not_a_persons(tmp_path: Path) -> None:
    recording = Recording()
    path = written(recording, tmp_path / "trail.jsonl")
    outer, inner = (
        footprint.Footprint(name, content="full", **recording.providers)
        for name in ("outer", "inner")
    )
    question = "When does the museum MZ-4471 open?"

    @outer.tool
    def hosts(service: str) -> str:
        with inner.turn(service) as turn:
            loop = OpenAILoop(inner, ["MZ-4471 opens at ten."])
            loop.messages = [{"role": "user", "content": service}]
            loop.run(turn)
        return "It opens at ten."

    with outer.turn("When does it open?") as turn:
        OpenAILoop(outer, [[Asked("t1", "hosts", {"service": question})], "At ten."]).run(turn)
    trail = read_back(outer, path)
    (child,) = (t for t in trail.turns if t.agent == "inner")
    (found,) = trail.why("MZ-4471", child.calls[0].id).findings
    assert "model" in {hop.end for s in found.suspects for hop in hops(s.hop)}
    assert "person" not in {hop.end for s in found.suspects for hop in hops(s.hop)}
