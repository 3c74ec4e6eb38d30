"""Prompt templates: an instruction that says run-time facts in words of a closed vocabulary.

A placeholder is a name of ASCII letters, digits and underscores in double braces, white space
inside the braces allowed. Everything else is literal text; there is no escape. Rendering is all or
nothing: with one fact unavailable there is no text at all, never a gap, a stand-in or the
placeholder itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ..errors import DeclarationError
from .blank import SPACES
from .vocabulary import WORDS, Facts

_SPACE: Final = "[" + re.escape(SPACES) + "]*"
PLACEHOLDER: Final = re.compile(r"\{\{" + _SPACE + r"([A-Za-z0-9_]+)" + _SPACE + r"\}\}")


def placeholders(text: str) -> tuple[str, ...]:
    """The names of the placeholders, once each, in order of first appearance."""
    return tuple(dict.fromkeys(PLACEHOLDER.findall(text)))


def is_template(text: str) -> bool:
    """True when the text has at least one placeholder."""
    return PLACEHOLDER.search(text) is not None


def unknown_words(text: str) -> tuple[str, ...]:
    """Names outside the vocabulary, once each, in order of first appearance."""
    return tuple(name for name in placeholders(text) if name not in WORDS)


def refuse_unknown(text: str, field: str) -> None:
    """DeclarationError that names every unknown word and lists what there is."""
    unknown = unknown_words(text)
    if unknown:
        words = "s" if len(unknown) > 1 else ""
        raise DeclarationError(
            field, text, f"no unknown placeholder{words} {braced(unknown)}; there are {listed()}"
        )


def listed() -> str:
    """The vocabulary, as it is shown to an author."""
    return braced(WORDS)


def braced(names: Iterable[str]) -> str:
    """Names as they are written in a template."""
    return ", ".join(f"{{{{{name}}}}}" for name in names)


class Template:
    """A template taken apart once, at its definition.

    `names` are its placeholders in order. An unknown name is left as it is written, so that it
    can be seen; the factories refuse it at definition.
    """

    __slots__ = ("_pieces", "names", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._pieces = PLACEHOLDER.split(text)
        """Literal texts and, at each second place, the name of a placeholder."""
        self.names = tuple(dict.fromkeys(self._pieces[1::2]))

    def missing(self, facts: Facts) -> tuple[str, ...]:
        """Names of known words whose fact is unavailable, in order of first appearance."""
        words = [WORDS[name] for name in self.names if name in WORDS]
        return tuple(word.name for word in words if word.value(facts) is None)

    def render(self, facts: Facts) -> str | None:
        """The text with every fact in its place; None when one is unavailable."""
        values: dict[str, str] = {}
        for name in self.names:
            word = WORDS.get(name)
            if word is not None:
                value = word.value(facts)
                if value is None:
                    return None
                values[name] = str(value)
        if len(values) < len(self.names):
            return PLACEHOLDER.sub(lambda m: values.get(m.group(1), m.group()), self.text)
        pieces = self._pieces.copy()
        pieces[1::2] = [values[name] for name in pieces[1::2]]
        return "".join(pieces)
