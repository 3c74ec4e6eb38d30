"""The rule files, made from the alerts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ..promql import DOTS, UNDERSCORES, Spelling
from ..runbooks import BASE, link
from .alerts import ALERTS, Alert, Times

_EXPR: Final[dict[str, Any]] = {
    "initial_indent": " " * 10,
    "subsequent_indent": " " * 10,
    "break_long_words": False,
    "break_on_hyphens": False,
}
FOLDER: Final = Path(__file__).parent
FILES: Final = {
    FOLDER / "footprint.yaml": UNDERSCORES,
    FOLDER / "footprint-dots.yaml": DOTS,
}
_NOTE: Final = {
    UNDERSCORES: "For metrics from the collector's Prometheus exporter, or sent to Prometheus' "
    "OTLP receiver as it is by default.",
    DOTS: "For metrics sent to Prometheus' OTLP receiver with translation_strategy NoTranslation, "
    "where they keep the SDK's names.",
}


def rule(alert: Alert, spelling: Spelling, times: Times, runbooks: str = BASE) -> dict[str, Any]:
    """One alert as Prometheus has it. runbooks: where its page is, see `deploy.runbooks`."""
    made: dict[str, Any] = {"alert": alert.name, "expr": alert.expr(spelling, times)}
    if alert.holds:
        made["for"] = times.hold
    made["labels"] = {"severity": alert.severity}
    made["annotations"] = {
        "summary": alert.text(spelling),
        "runbook_url": link(alert.page, runbooks),
    }
    return made


def groups(spelling: Spelling, times: Times, runbooks: str = BASE) -> dict[str, Any]:
    """A whole rule file."""
    name = f"footprint-{spelling.name}"
    rules = [rule(alert, spelling, times, runbooks) for alert in ALERTS]
    return {"groups": [{"name": name, "rules": rules}]}


def text(spelling: Spelling, runbooks: str = BASE) -> str:
    """A rule file; with the default it is the one that is committed."""
    return "\n".join(_lines(spelling, runbooks)) + "\n"


def _lines(spelling: Spelling, runbooks: str) -> Iterator[str]:
    times = Times()
    note = f"{_NOTE[spelling]} Written by `python -m deploy.rules`; do not edit."
    yield from textwrap.wrap(note, 98, initial_indent="# ", subsequent_indent="# ")
    limit = (
        f"A turn is incomplete when it did not end within {times.turn}: where they "
        f"take longer, change `offset {times.turn}` (the limit) and `[{times.whole}]` "
        f"(it and {times.memory})."
    )
    yield from textwrap.wrap(limit, 98, initial_indent="# ", subsequent_indent="# ")
    where = (
        "Runbooks are linked to where `python -m deploy.runbooks` serves them; with "
        "`python -m deploy.rules --runbooks URL --to FOLDER` to yours."
    )
    yield from textwrap.wrap(where, 98, initial_indent="# ", subsequent_indent="# ")
    (group,) = groups(spelling, times, runbooks)["groups"]
    yield from ("groups:", f"  - name: {group['name']}", "    rules:")
    for made in group["rules"]:
        yield f"      - alert: {made['alert']}"
        yield "        expr: >-"
        yield from textwrap.wrap(made["expr"], 88, **_EXPR)
        if "for" in made:
            yield f"        for: {made['for']}"
        for key in ("labels", "annotations"):
            yield f"        {key}:"
            yield from (f"          {name}: {_quoted(said)}" for name, said in made[key].items())


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
