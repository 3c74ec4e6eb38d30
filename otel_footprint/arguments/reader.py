"""What a call declares about its arguments, taken out of them and read.

Nothing is repaired and nothing raises: what is not as it should be is dropped and counted.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ..records.arguments import RESERVED, SOURCES, Claim, Claims
from ..text.tokens import is_blank
from ..text.values import kind_of

_NOTHING: Final = Claims()


class Peeled(NamedTuple):
    """A call's arguments as the tool gets them, and what was declared about them."""

    arguments: Any
    """The very same object when nothing was declared; else a new dict in the same order."""
    claims: Claims = _NOTHING
    declared: bool = False
    """True when a readable declaration was there, however little of it was kept."""


def peel(arguments: Any, planted: bool = True, strict: bool = False) -> Peeled:
    """Takes the reserved argument out of a call.

    `planted` says whether the tool was served with it: else the name is the author's own, and
    stays. `strict` says that it was served as nullable: then null declares nothing and is no
    fault. Keys beside `from` are read past.
    """
    if not planted or not isinstance(arguments, dict) or RESERVED not in arguments:
        return Peeled(arguments)
    own = {key: value for key, value in arguments.items() if key != RESERVED}
    findings = arguments[RESERVED]
    if findings is None and strict:
        return Peeled(own)
    if not isinstance(findings, dict):
        return Peeled(own, Claims(malformed=1))
    if "from" not in findings:
        return Peeled(own)
    return Peeled(own, read_sources(findings["from"], own), declared=True)


def read_sources(raw: Any, arguments: Any) -> Claims:
    """The entries of `from` that can be read, and how many were dropped.

    `arguments` are the call's own, without the reserved one. An entry is dropped when a field is
    missing or of a wrong type, its argument is missing from the call or holds no plain value, or
    an earlier kept entry names the same argument. Kept entries hold only their own fields.
    """
    if not isinstance(raw, list):
        return Claims(malformed=1)
    own = arguments if isinstance(arguments, dict) else {}
    kept: dict[str, Claim] = {}
    dropped = 0
    for item in raw:
        claim = _entry(item, own)
        if claim is None or claim.argument in kept:
            dropped += 1
        else:
            kept[claim.argument] = claim
    return Claims(tuple(kept.values()), dropped)


def _entry(item: Any, arguments: dict[str, Any]) -> Claim | None:
    if not isinstance(item, dict):
        return None
    argument, source = item.get("argument"), item.get("source")
    if not isinstance(argument, str) or not isinstance(source, str) or source not in SOURCES:
        return None
    if is_missing(arguments, argument) or kind_of(arguments[argument]) is None:
        return None
    if source == "user":
        quote = item.get("quote")
        return Claim(argument, source, quote=quote) if isinstance(quote, str) else None
    if source == "result":
        call_id = item.get("id")
        return Claim(argument, source, id=call_id) if isinstance(call_id, str) else None
    return Claim(argument, source)


def is_missing(arguments: Any, name: str) -> bool:
    """True when a call does not give an argument: absent, null, or blank text."""
    if not isinstance(arguments, dict) or name not in arguments:
        return True
    value = arguments[name]
    return value is None or (isinstance(value, str) and is_blank(value))
