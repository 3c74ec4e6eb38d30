"""How a period of time is spelled in an argument. A spelling is kept as text, never computed."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias, get_args

Spelling: TypeAlias = Literal["lookback", "signed-lookback", "iso-range"]
"""`24h`; `-24h`; two instants with their zones, joined by `..`."""
SPELLINGS: Final[tuple[str, ...]] = get_args(Spelling)

_INSTANT: Final = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
    r"(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_PATTERNS: Final = {
    "lookback": re.compile(r"[1-9][0-9]*[mhdw]"),
    "signed-lookback": re.compile(r"-[1-9][0-9]*[mhdw]"),
    "iso-range": re.compile(rf"{_INSTANT}\.\.{_INSTANT}"),
}


def is_spelled(value: object, spelling: str) -> bool:
    """True when a value is a text in this spelling."""
    pattern = _PATTERNS.get(spelling)
    return pattern is not None and isinstance(value, str) and bool(pattern.fullmatch(value))


def respelled(value: object, spelled: str | None, wanted: str | None) -> str | None:
    """A period in another spelling; None when there is none that says the same.

    Only `lookback` and `signed-lookback` say the same.
    """
    if not isinstance(value, str) or spelled is None or not is_spelled(value, spelled):
        return None
    if (spelled, wanted) == ("lookback", "signed-lookback"):
        return "-" + value
    if (spelled, wanted) == ("signed-lookback", "lookback"):
        return value[1:]
    return None
