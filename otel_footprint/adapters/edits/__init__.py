"""Edits of a request: the plan of what is declared, made on a copy of the provider's own JSON.

Each dialect has an `Editor`; a dialect without one gets no edits. What a plan does not name is the
caller's very own object in the copy, also every message and tool that is not changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...records.plan import Plan
from ...wire.types import Layout
from .anthropic_messages import EDITOR as ANTHROPIC
from .editor import NO_EDITS, Edited, Editor
from .openai_chat import EDITOR as CHAT
from .openai_responses import EDITOR as RESPONSES

_EDITORS: Final = {
    "openai.chat": CHAT,
    "openai.responses": RESPONSES,
    "anthropic.messages": ANTHROPIC,
}


def editor(dialect: str) -> Editor | None:
    """The editor of a dialect, by its name."""
    return _EDITORS.get(dialect)


def apply(dialect: str, body: Mapping[str, Any], layout: Layout, plan: Plan) -> Edited:
    """The body with the plan's edits; `layout` is the body's own. Nothing of `body` changes.

    A plan without effect (all of it names what the request does not hold) gives the body itself.
    """
    found = editor(dialect)
    return NO_EDITS if found is None else found.apply(body, layout, plan)


__all__ = ["Edited", "Editor", "apply", "editor"]
