"""The whole page, part after part: what a hundred calls take in memory, a thousand take too."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, TextIO

from ...errors import MissingExtraError
from ...records.trail import Node, TurnTrail
from ...trail import Trail
from ...trail.cost import total_usage
from ..pauses import question
from ..plain import number, plural, utc
from ..sheet import Sheet
from ..told import told
from ..tree import foreign_spans, tokens

GAPS = 300
"""Gaps and problems that are listed; the rest is counted."""


def write(trail: Trail, out: TextIO) -> None:
    """Writes the report of a trail. Raises MissingExtraError without the extra `report`."""
    template = _environment().get_template("report.html.j2")
    stream = template.stream(_context(trail))
    stream.enable_buffering(64)
    stream.dump(out)


def _environment() -> Any:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise MissingExtraError("The report", "report") from error
    from .safe import visible

    return Environment(
        loader=PackageLoader("otel_footprint.report.html"),
        autoescape=True,
        finalize=visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )


def _context(trail: Trail) -> dict[str, Any]:
    from markupsafe import Markup

    from .steps import Steps, walk
    from .timeline import timeline

    sheet = Sheet(trail, 10_000, False, False)
    steps = Steps(sheet)

    def sections() -> Iterator[dict[str, Any]]:
        for number_, root in enumerate(trail.roots, 1):
            drawn, more = timeline(walk(root), steps.anchor)
            yield {
                "id": f"s{number_}",
                "title": _title(root),
                "root": root,
                "timeline": drawn,
                "more": more,
                "views": steps.views(root),
                "why": steps.chains.of(None) if number_ == 1 and not trail.turns else None,
            }

    style, script = _asset("report.css"), _asset("report.js")
    gaps = [told(trail, gap.what) for gap in trail.gaps]
    problems = [str(problem) for problem in trail.problems]
    return {
        "title": _name(trail),
        "style": Markup(style),  # noqa: S704
        "script": Markup(script),  # noqa: S704
        "policy": f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        "facts": list(_facts(trail)),
        "sections": sections(),
        "contents": [
            (f"s{n}", _title(root), plural(len(root.children), "step"))
            for n, root in enumerate(trail.roots, 1)
        ],
        "pressures": list(_pressures(trail, steps)),
        "errors": list(_errors(trail, steps)),
        "gaps": gaps[:GAPS],
        "gaps_more": max(0, len(gaps) - GAPS),
        "gap_count": plural(len(gaps), "gap"),
        "problems": problems[:GAPS],
        "problems_more": max(0, len(problems) - GAPS),
        "problem_count": plural(len(problems), "place"),
    }


def _asset(name: str) -> str:
    return files(__package__).joinpath("templates").joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    return "sha256-" + b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _name(trail: Trail) -> str:
    asked = trail.asked
    if len(asked) == 1 and asked[0].agent:
        return f"{asked[0].agent[:80]}, turn {asked[0].id[:40]}"
    return plural(len(trail.turns), "turn") if trail.turns else "a trail without turns of ours"


def _title(root: Node) -> str:
    item = root.item
    if isinstance(item, TurnTrail):
        said = " ".join((question(item) or "").split())
        said = said if len(said) <= 90 else said[:89] + "…"
        return f"{item.agent or 'turn'}: {said}" if said else item.agent or f"turn {item.id}"
    return getattr(item, "name", "") or "a call whose turn is missing"


def _facts(trail: Trail) -> Iterator[tuple[str, str]]:
    starts = [t.start for t in trail.turns if t.start is not None]
    starts = starts or [s.start for s in trail.spans if s.start is not None]
    began = utc(min(starts, default=None))
    yield "began", f"{began} UTC" if began else "unknown"
    yield "turns", number(len(trail.turns))
    yield "model calls", number(len(trail.calls))
    yield "tool calls", number(sum(len(t.tools) for t in trail.turns))
    usage, silent = total_usage(trail.calls)
    if trail.calls:
        yield "tokens", tokens(usage, silent)
    others = foreign_spans(trail)
    if others:
        yield "not ours", plural(others, "span") + " of other instrumentations"
    traces = list(dict.fromkeys(s.trace_id for s in trail.spans if s.trace_id))
    yield "traces", ", ".join(traces[:3]) + (f" and {len(traces) - 3} more" if traces[3:] else "")


def _pressures(trail: Trail, steps: Any) -> Iterator[dict[str, Any]]:
    for found in trail.pressure:
        cap = f"its {found.origin} cap".replace("  ", " ")
        yield {
            "link": steps.anchors.call(found.call),
            "what": f"{found.slot} {found.state} {cap if found.state == 'over' else ''}".rstrip(),
            "figures": f"{number(found.used)} of {number(found.cap)} {found.unit}".rstrip(),
        }


def _errors(trail: Trail, steps: Any) -> Iterator[dict[str, Any]]:
    for turn in trail.turns:
        if turn.error:
            yield {"link": steps.anchors.turn(turn.id), "what": turn.error}
        for call in turn.calls:
            if call.error:
                yield {"link": steps.anchors.call(call.id), "what": call.error}
        for tool in turn.tools:
            if tool.error:
                what = f"tool {tool.name}: {tool.error}"
                yield {"link": steps.anchors.turn(turn.id), "what": what}
