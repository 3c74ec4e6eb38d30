"""The reference page is the catalogue, and the catalogue is what runs record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import otel_footprint as footprint
from deploy import reference
from otel_footprint.cli.demo import agent as demo_agent
from otel_footprint.cli.demo import client as demo_client
from otel_footprint.telemetry import names
from otel_footprint.telemetry.names.described import DESCRIBED
from tests.sdk import Recording, Server, chat, chat_sse, client

TYPES = {str: "string", bool: "boolean", int: "int", float: "double"}


def test_the_page_is_current() -> None:
    assert reference.PAGE.read_text(encoding="utf-8") == reference.page(), (
        "run `python -m deploy.reference`"
    )


def test_every_attribute_is_described_with_a_value_of_its_type() -> None:
    attributes = {e.name: e for e in names.CATALOG.values() if e.kind == "attribute"}
    assert set(DESCRIBED) == set(attributes), (
        "say in telemetry/names/described.py when it is there, with an example"
    )
    for name, (_, example) in DESCRIBED.items():
        assert type_of(example) == attributes[name].type, name


def test_every_name_is_on_the_page_where_it_stands() -> None:
    page = reference.page()
    for entry in names.CATALOG.values():
        assert f"`{entry.name}`" in page
        if entry.kind == "attribute" and entry.where not in ("metrics", "span links"):
            assert reference.places(entry), f"{entry.name} stands nowhere"
        if entry.kind == "event":
            assert reference.places(entry), f"{entry.name} stands on no span"
        if entry.kind == "metric":
            for label in entry.where.split(", "):
                assert names.CATALOG[label].kind == "attribute", label


def type_of(value: Any) -> str:
    if isinstance(value, list | tuple):
        kinds = {TYPES[type(v)] for v in value}
        assert len(kinds) == 1
        return f"{kinds.pop()}[]"
    return TYPES[type(value)]


@pytest.fixture(scope="module")
def recording() -> Iterator[Recording]:
    """Turns of many kinds: the demo, streams, errors, small budgets, no turn at all, feedback."""
    made = Recording()
    options: dict[str, Any] = {"content": "full", "window": 60, **made.providers}
    tight = footprint.Budget(system=10, messages=10, tools=10)
    fp = footprint.Footprint("support", budget=tight, **options)
    demo_agent(fp, fp.wrap(demo_client()))
    server = Server(
        chat_sse("a", "b"), chat("w" * 30_000), (429, {"error": {"message": "no"}}), chat()
    )
    wrapped = fp.wrap(client("openai", "OpenAI", server))
    said = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello?"}]}
    with fp.turn(
        "Hello?", user="u", tags=["t"], metadata={"k": 1}, prompt=("p", "1"), action_budget=3
    ) as turn:
        for _ in wrapped.chat.completions.create(stream=True, seed=3, stop=["x"], **said):
            pass
        wrapped.chat.completions.create(n=2, top_p=0.5, **said)
        with pytest.raises(Exception, match="no"):
            wrapped.chat.completions.create(max_tokens=5, presence_penalty=0.1, **said)
        asked = {"id": "c1", "function": {"name": "look", "arguments": "{}"}}
        with pytest.raises(ZeroDivisionError):
            turn.tool(asked, lambda: 1 / 0)
        with fp.turn("Below."):
            pass
    fp.feedback(turn.id, "helpful", False, "It is not.")
    wrapped.chat.completions.create(messages=said["messages"] * 400, model="gpt-4o-mini")
    fp.flush()
    yield made
    made.tracer_provider.shutdown()
    made.meter_provider.shutdown()


def test_what_runs_record_is_on_the_page(recording: Recording) -> None:
    spans = {e.name for e in names.CATALOG.values() if e.kind == "span"}
    allowed = {
        place: {e.name: e.type for e in reference.attributes_of(place)} for place in names.CATALOG
    }
    wrong: set[str] = set()
    seen: set[str] = set()
    for span in recording.spans:
        name = max((s for s in spans if span.name.startswith(s)), key=len, default="")
        assert name, f"span {span.name} is not in the catalogue"
        seen.add(name)
        on = [(name, span.attributes)]
        for event in span.events:
            assert name in reference.places(names.CATALOG[event.name]), (name, event.name)
            on.append((event.name, event.attributes))
        for place, attributes in on:
            for key, value in attributes.items():
                if key.startswith(names.TURN_METADATA_PREFIX):
                    continue
                seen.add(key)
                if key not in allowed[place]:
                    wrong.add(f"{key} on {place}: not in the catalogue there")
                elif value != () and type_of(value) != allowed[place][key]:
                    wrong.add(f"{key} on {place}: {type_of(value)}")
    assert not wrong, "\n".join(sorted(wrong))
    assert len(seen) > 70, "the runs show little"


def test_what_is_required_is_there(recording: Recording) -> None:
    missing: set[str] = set()
    for span in recording.spans:
        for place in (names.SPAN_TURN_STARTED, names.SPAN_CALL, names.SPAN_COMPOSE):
            if span.name.startswith(place):
                for entry in reference.attributes_of(place):
                    if not DESCRIBED[entry.name][0] and entry.name not in span.attributes:
                        missing.add(f"{entry.name} on {place}")
        for event in span.events:
            for entry in reference.attributes_of(event.name):
                if not DESCRIBED[entry.name][0] and entry.name not in event.attributes:
                    missing.add(f"{entry.name} on {event.name}")
    assert not missing, "\n".join(sorted(missing))


def test_metrics_have_the_labels_of_the_page(recording: Recording) -> None:
    data = recording.reader.get_metrics_data()
    found: dict[str, set[str]] = {}
    for resource in data.resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                for point in metric.data.data_points:
                    found.setdefault(metric.name, set()).update(point.attributes)
    assert len(found) > 10
    for name, labels in found.items():
        assert labels <= set(names.CATALOG[name].where.split(", ")), name
