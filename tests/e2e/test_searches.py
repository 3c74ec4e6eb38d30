"""Each search of `deploy/README.md` finds, in a real Jaeger, the turns that it should."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import otel_footprint as footprint
from deploy.local.health import get

from . import runs
from .kit import Sender, arrived

DEPLOY = Path(__file__).parents[2] / "deploy"
PAGES = [DEPLOY / "README.md", *sorted(DEPLOY.glob("runbooks/*.md"))]
SEARCHES = [
    found
    for page in PAGES
    for found in re.findall(r"`([a-z_.]+)=([\w.-]+)`", page.read_text(encoding="utf-8"))
]
FOUND = {
    "gen_ai.agent.name=crowded": {"crowded"},
    "gen_ai.conversation.id=c-17": {"crowded", "early", "liar", "stuffed"},
    "footprint.slot.over.declared=true": {"crowded"},
    "footprint.slot.messages.over=true": {"crowded"},
    "footprint.pressure.state=over": {"crowded", "stuffed"},
    "footprint.pressure.state=near": {"stuffed"},
    "footprint.argument.refuted=true": {"liar"},
    "footprint.argument.failed=quote-not-found": {"liar"},
    "footprint.argument.verdict=said": {"steady"},
    "footprint.standing=not-sure": {"liar"},
    "footprint.step.outcome=accepted": {"early"},
    "footprint.step.outcome=cut-short": {"cut"},
    "footprint.window.method=estimated": {"stuffed"},
    "error.type=ZeroDivisionError": {"broken"},
    "footprint.delivery.reason=role-not-last": {"mute"},
    "footprint.turn.outcome=completed": {
        "crowded",
        "cut",
        "early",
        "liar",
        "mute",
        "steady",
        "stuffed",
    },
    "footprint.turn.outcome=error": {"broken"},
}
"""Agents whose turns a search finds (among others, where the tag is common)."""
WHOLE = {"gen_ai.conversation.id=c-17", "footprint.window.method=estimated"}
"""Searches of which more is found than is listed."""


@pytest.fixture(scope="module")
def sender(backends):
    with Sender(backends.url("otlp_http")) as made:

        def make(name: str, **options: Any) -> footprint.Footprint:
            providers = {"tracer_provider": made.traces, "meter_provider": made.meters}
            return footprint.Footprint(name, **providers, **options)

        for run in (
            runs.healthy, runs.over_budget, runs.full_window, runs.unfinished_steps,
            runs.refuted_source, runs.stuck_delivery, runs.cut_short,
        ):  # fmt: skip
            run(make)
        with pytest.raises(ZeroDivisionError):
            broken(make)
        made.flush()
        arrived(backends, made)
        yield made


def broken(make: runs.Make) -> None:
    """A turn whose tool raises."""

    def look() -> float:
        return 1 / 0

    tools = (runs.tool("look"),)
    runs.loop(make("broken"), "Look.", runs.asks("look"), tools=tools, functions={"look": look})


def agents(backends: Any, sender: Sender, tag: str, value: str, operation: str = "") -> set[str]:
    """Agents of the turns that Jaeger finds."""
    asked = {"service": sender.service, "tags": json.dumps({tag: value}), "limit": 50}
    if operation:
        asked |= {"operation": operation, "tags": "{}"}
    url = f"{backends.url('jaeger')}/api/traces?{urlencode(asked)}"
    return {
        tag["value"]
        for trace in json.loads(get(url))["data"]
        for span in trace["spans"]
        if span["operationName"] == "turn started"
        for tag in span["tags"]
        if tag["key"] == "gen_ai.agent.name"
    }


def test_every_search_of_the_page_is_tried():
    said = {f"{tag}={value}" for tag, value in SEARCHES if value != "..."}
    seen = {"error=true"}  # how Jaeger shows a failed span; not every store of it finds that
    assert said - seen == set(FOUND)


@pytest.mark.parametrize("search", FOUND)
def test_it_finds_what_it_should(backends, sender, search):
    tag, _, value = search.partition("=")
    found = agents(backends, sender, tag, value)
    assert found >= FOUND[search] if search in WHOLE else found == FOUND[search]


def test_calls_and_turns_are_found_by_their_ids(backends, sender):
    for name, id_of in (("chat", "footprint.call.id"), ("turn started", "footprint.turn.id")):
        span = next(s for s in sender.seen if s.name.startswith(name))
        assert len(agents(backends, sender, id_of, str(span.attributes[id_of]))) == 1


def test_open_turns_are_found_by_operation(backends, sender):
    every = FOUND["footprint.turn.outcome=completed"] | FOUND["footprint.turn.outcome=error"]
    assert agents(backends, sender, "", "", "turn started") == every
