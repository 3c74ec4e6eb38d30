"""Rows of `prompt_templates.json`: placeholders, refusals, missing facts and rendered texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from otel_footprint import injection
from otel_footprint.errors import DeclarationError
from otel_footprint.injection import template
from otel_footprint.injection.context import Context

from .rows import Result, run_rows


def run(path: Path, texts_root: Path | None = None) -> Result:
    """Runs every row of the file."""
    return run_rows(path, _found)


def _found(row: dict[str, Any]) -> dict[str, Any]:
    text, given = row["template"], row["context"]
    ctx = Context(action=given["iteration"], action_budget=given.get("max_iterations"))
    refused = _is_refused(text)
    return {
        "placeholders": list(template.placeholders(text)),
        "is_template": template.is_template(text),
        "unknown": list(template.unknown_words(text)),
        "refused": refused,
        "missing": None if refused else list(template.Template(text).missing(ctx)),
        "rendered": None if refused else template.Template(text).render(ctx),
    }


def _is_refused(text: str) -> bool:
    try:
        template.refuse_unknown(text, "template")
    except DeclarationError:
        return True
    if text:
        injection.instruction("row", template=text)
    return False
