"""Values of arguments and answers: their tokens, and the other ways a text may spell them.

A value is a text, a number or a boolean; a container is looked at leaf by leaf (`leaves`).
Numbers in other groupings (`1.200,00`, `1 200` with a no-break space, `1'200`, `1.2e3`) are the
same value in another spelling (dates: `text.dates`). Nothing here raises.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

from .jsontext import MAX_DEPTH
from .tokens import canonical, number_text, tokens, words

Kind = Literal["string", "number", "boolean"]

COMMON_WORDS: Final = frozenset({"yes", "no", "true", "false", "none", "null", "ok", "all", "n/a"})
_LONG: Final = 64
_SHORT: Final = 3
"""A single token of fewer characters says nothing about where it comes from."""


def kind_of(value: object) -> Kind | None:
    """What a value is; None for a container, a null, and for what is no finite number."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return "number"
    return None


def value_text(value: object) -> str:
    """The value as text: `true`, `5` for 5.0; empty for what is no value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return number_text(value) if isinstance(value, int | float) else ""


def same_value(a: object, b: object) -> bool:
    """True for two values of one type with the same tokens; nothing equals nothing."""
    if kind_of(a) is None or kind_of(a) != kind_of(b):
        return False
    mine = tokens(value_text(a))
    return bool(mine) and mine == tokens(value_text(b))


def is_common(value: object) -> bool:
    """True for a value so short or usual that its standing in a text says little.

    Booleans, whole numbers below 100, words such as `yes`, and single tokens under three
    characters.
    """
    if kind_of(value) == "boolean":
        return True
    text = value_text(value)
    if len(text) > _LONG:
        return False
    found = words(text)
    if len(found) != 1:
        return not found
    token = found[0].lstrip("-")
    return len(token) < _SHORT or token in COMMON_WORDS


class Leaf(NamedTuple):
    """One value inside a container."""

    path: str
    """`flights[0].date`; empty for a value that is no container."""
    value: Any


def leaves(value: Any, path: str = "") -> Iterator[Leaf]:
    """Every text, number and boolean of a value in order, with its path.

    Nulls and what JSON does not know are left out, as is what lies deeper than 64 levels or
    inside itself.
    """
    yield from _leaves(value, path, ())


def _leaves(value: Any, path: str, above: tuple[int, ...]) -> Iterator[Leaf]:
    if isinstance(value, dict | list | tuple):
        if len(above) >= MAX_DEPTH or id(value) in above:
            return
        inner = (*above, id(value))
        if isinstance(value, dict):
            for key, item in value.items():
                name = key if isinstance(key, str) else value_text(key)
                yield from _leaves(item, f"{path}.{name}" if path else name, inner)
        else:
            for i, item in enumerate(value):
                yield from _leaves(item, f"{path}[{i}]", inner)
    elif kind_of(value) is not None:
        yield Leaf(path, value)


# --- numbers in other spellings --------------------------------------------------------------

SPACED: Final = "'_\u00a0\u202f\u2009’"
"""Characters that group digits and belong to no token."""
_FOREIGN: Final = re.compile(
    r"(?<![\w.,])-?(?:"
    r"(?P<dotted>[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{1,2}|[0-9]{1,3}(?:\.[0-9]{3}){2,})"
    rf"|(?P<spaced>[0-9]{{1,3}}(?:[{SPACED}][0-9]{{3}})+(?:[.,][0-9]+)?)"
    r"|(?P<power>[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]{1,2})"
    r")(?![\w]|[.,][0-9])"
)
_GROUPS: Final = tuple(
    (mark, re.compile(re.escape(mark) + r"(?<=[0-9].)[0-9]{3}(?![0-9])")) for mark in "." + SPACED
)
_POWERS: Final = tuple((mark, re.compile(mark + r"(?<=[0-9].)[+-]?[0-9]")) for mark in "eE")
"""Each begins with the one character that the search leaps to."""
_PLAIN: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?")


def number_of(value: object) -> str | None:
    """The one spelling of a number, also of one written as text; None for anything else."""
    kind = kind_of(value)
    if kind == "number":
        return value_text(value) or None
    if kind != "string":
        return None
    text = str(value).strip()
    found = tokens(text)
    if len(found) == 1 and _PLAIN.fullmatch(found[0]):
        return found[0]
    foreign = _FOREIGN.fullmatch(text)
    return _foreign(foreign) if foreign else None


def numbers_in(text: str) -> frozenset[str]:
    """The numbers of a text that stand in another grouping than tokens know, spelled as ours."""
    return frozenset(spelled for _, _, spelled in spelled_numbers(text))


def spelled_numbers(text: str) -> Iterator[tuple[int, int, str]]:
    """The same, each with its beginning and end."""
    if _any(_GROUPS, text) or has_powers(text):
        for match in _FOREIGN.finditer(text):
            yield match.start(), match.end(), _foreign(match)


def has_powers(text: str) -> bool:
    """True for a text in which a number may be spelled with an exponent."""
    return _any(_POWERS, text)


def _any(patterns: tuple[tuple[str, re.Pattern[str]], ...], text: str) -> bool:
    return any(mark in text and pattern.search(text) for mark, pattern in patterns)


def group_marks(number: str) -> tuple[str, ...]:
    """Of these one stands in each text that spells a number (as `number_of`) in other groups of
    digits than tokens know; none is known of a number with an exponent."""
    digits = number.lstrip("-").split(".", 1)[0]
    if not digits.isdigit() or len(digits) < 4:
        return ()
    return tuple(f"{digits[-4]}{mark}{digits[-3:]}" for mark in "." + SPACED)


def _foreign(match: re.Match[str]) -> str:
    text = match.group()
    if match["dotted"]:
        return canonical(text.replace(".", "").replace(",", "."))
    if match["spaced"]:
        return canonical(re.sub(f"[{SPACED}]", "", text).replace(",", "."))
    try:
        return number_text(float(text))
    except (ValueError, OverflowError):
        return ""
