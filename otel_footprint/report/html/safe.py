"""Texts made safe and anchors made harmless: everything of a trail passes here on its way out."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from ..plain import clean


def visible(value: Any) -> Any:
    """A text with what no reader can see, or what turns or hides text, escaped; jinja's `finalize`.

    Line ends and tabs stay. What is no text, and what the templates made, passes as it is.
    """
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return "\n".join(
        "\t".join(clean(cell) for cell in line.split("\t"))
        for line in value.replace("\r\n", "\n").split("\n")
    )


def text_id(hash_: str) -> str:
    """The id of a text on the page: letters and digits only, whatever the trail holds."""
    return "t" + "".join(c for c in hash_[:20] if c.isascii() and c.isalnum())
