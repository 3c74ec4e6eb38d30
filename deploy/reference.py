"""Writes `reference.md`: every span, event, attribute and metric, from the catalogue of names.

    python -m deploy.reference

In the form of the OpenTelemetry semantic conventions' tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from otel_footprint.telemetry import names
from otel_footprint.telemetry.names.described import DESCRIBED

PAGE: Final = Path(__file__).with_name("reference.md")
LEVELS: Final = "https://opentelemetry.io/docs/specs/semconv/general/attribute-requirement-level/"
STABILITY: Final = "Development"

_STEPS: Final = (
    names.EVENT_STEP_ADVANCED,
    names.EVENT_STEP_SKIPPED,
    names.EVENT_STEPS_UNFINISHED,
    names.EVENT_ABANDONED,
)
PLACES: Final[dict[str, tuple[str, ...]]] = {
    "turn": (names.SPAN_TURN, names.SPAN_TURN_ENDED),
    "turn started": (names.SPAN_TURN_STARTED, names.SPAN_TURN),
    "call": (names.SPAN_CALL, names.SPAN_CALL_RECORD),
    "call (ours only)": (names.SPAN_CALL,),
    "tool": (names.SPAN_TOOL,),
    "compose": (names.SPAN_COMPOSE,),
    "output": (names.EVENT_OUTPUT,),
    "output span": (names.SPAN_OUTPUT,),
    "feedback": (names.SPAN_FEEDBACK,),
    "slot.composed": (names.EVENT_COMPOSED,),
    "parameters": (names.EVENT_PARAMS,),
    "pressure": (names.EVENT_PRESSURE,),
    "injected": (names.EVENT_INJECTED,),
    "removed": (names.EVENT_REMOVED,),
    "skipped": (names.EVENT_SKIPPED,),
    "withheld": (names.EVENT_WITHHELD,),
    "delivery": (names.EVENT_DEFERRED, names.EVENT_STUCK),
    "window": (names.EVENT_WINDOW_REFUSED,),
    "cache.broken": (names.EVENT_CACHE_BROKEN,),
    "steps": _STEPS,
    "step.advanced": (names.EVENT_STEP_ADVANCED,),
    "step.skipped": (names.EVENT_STEP_SKIPPED,),
    "steps.unfinished": (names.EVENT_STEPS_UNFINISHED,),
    "abandoned": (names.EVENT_ABANDONED,),
    "argument": (names.EVENT_ARGUMENT, names.EVENT_ARGUMENT_ASKED),
    "script": (names.EVENT_SCRIPT,),
    "answer.attached": (names.EVENT_ATTACHED,),
    "answer.standing": (names.EVENT_STANDING,),
    "evaluation": (names.EVALUATION,),
    "metrics": (),
    "span links": (),
}
"""Spans and events that the words in the catalogue's `where` stand for."""


def places(entry: names.Entry) -> tuple[str, ...]:
    """Spans and events on which an attribute, or spans on which an event, stands."""
    words = entry.where.split(", ") if entry.where else []
    return tuple(dict.fromkeys(place for word in words for place in PLACES[word]))


def attributes_of(place: str) -> list[names.Entry]:
    """Attributes of a span or event, standard ones first, then by name."""
    found = [e for e in _of("attribute") if place in places(e)]
    if place == names.SPAN_CALL_RECORD:
        found = [e for e in found if e.name.startswith("footprint.")]
    return sorted(found, key=lambda e: (e.name.startswith("footprint."), e.name))


def page() -> str:
    """The whole page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Spans, events, attributes and metrics"
    yield ""
    yield (
        "Generated from `otel_footprint/telemetry/names` by `python -m deploy.reference`; do not "
        "edit. Trail format " + str(names.FORMAT) + ", instrumentation scope `" + names.SCOPE + "`."
    )
    yield ""
    yield (
        "Names that start with `footprint.` are ours; all others are those of the OpenTelemetry "
        "semantic conventions. What an attribute's absence means stands in its description; "
        "`Required` attributes are always there. How the trail is read: `CONTRIBUTING.md`."
    )
    yield from _spans()
    yield from _events()
    yield from _metrics()
    yield from _rest()


def _spans() -> Iterator[str]:
    yield from ("", "## Spans")
    for span in _of("span"):
        yield from ("", f"### Span: `{span.name}`", "", span.meaning, "")
        yield "**Span kind:** " + ("`CLIENT`." if span.name == names.SPAN_CALL else "`INTERNAL`.")
        events = [f"[`{e.name}`](#event-{_anchor(e.name)})" for e in _on(span.name)]
        if events:
            yield from ("", "**Events:** " + ", ".join(events) + ".")
        yield from _attributes(attributes_of(span.name))
    yield from ("", "### On another instrumentation's inference span", "")
    yield "At most these, set where that span has room; never a token count."
    foreign = [names.CATALOG[name] for name in names.FOREIGN_SPAN]
    yield from _attributes(sorted(foreign, key=lambda e: e.name))


def _events() -> Iterator[str]:
    yield from ("", "## Events")
    for event in _of("event"):
        yield from ("", f"### Event: `{event.name}`", "", event.meaning)
        yield from ("", "**On spans:** " + ", ".join(f"`{s}`" for s in _spans_of(event)) + ".")
        yield from _attributes(attributes_of(event.name))


def _metrics() -> Iterator[str]:
    yield from ("", "## Metrics", "")
    yield (
        "Recorded for every call and turn, also of unsampled traces. A label holds at most 100 "
        "values, further ones are `_other`. Prometheus spells `footprint.slot.budget.exceeded` "
        "`footprint_slot_budget_exceeded_total`."
    )
    for metric in _of("metric"):
        yield from ("", f"### Metric: `{metric.name}`", "")
        yield "| Name | Instrument Type | Unit (UCUM) | Description | Stability |"
        yield "| --- | --- | --- | --- | --- |"
        kind = metric.type.capitalize()
        yield _row(f"`{metric.name}`", kind, f"`{metric.unit}`", metric.meaning, STABILITY)
        yield from _attributes([names.CATALOG[name] for name in metric.where.split(", ")])


def _rest() -> Iterator[str]:
    yield from ("", "## Span links", "", "Links that we make say what they are.")
    yield from _attributes([names.CATALOG[names.LINK_TYPE]])
    yield from ("", "## Metadata of a turn", "")
    yield (
        f"`{names.TURN_METADATA_PREFIX}{{key}}` on `{names.SPAN_TURN_STARTED}`: what "
        "`fp.turn(metadata=...)` was given, one attribute a key."
    )


def _attributes(entries: Iterable[names.Entry]) -> Iterator[str]:
    rows = []
    for entry in entries:
        when, example = DESCRIBED[entry.name]
        level = "`Required`"
        if when.startswith("opt-in: "):
            level = f"`Opt-In` {when.removeprefix('opt-in: ')}"
        elif when:
            level = f"`Conditionally Required` {when}"
        meaning = entry.meaning + (f" Unit: {entry.unit}." if entry.unit else "")
        shown = example if isinstance(example, str) else json.dumps(example, ensure_ascii=False)
        rows.append(
            _row(f"`{entry.name}`", STABILITY, level, entry.type, meaning, f"`{_code(shown)}`")
        )
    if rows:
        yield ""
        yield (
            f"| Key | Stability | [Requirement Level]({LEVELS}) | Value Type | Description "
            "| Example Values |"
        )
        yield "| --- | --- | --- | --- | --- | --- |"
        yield from rows


def _of(kind: str) -> list[names.Entry]:
    return [entry for entry in names.CATALOG.values() if entry.kind == kind]


def _on(span: str) -> list[names.Entry]:
    return [event for event in _of("event") if span in _spans_of(event)]


def _spans_of(event: names.Entry) -> tuple[str, ...]:
    return places(event)


def _anchor(name: str) -> str:
    return name.replace(".", "")


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _code(text: str) -> str:
    return text.replace("`", "'")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
