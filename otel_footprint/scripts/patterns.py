"""The line patterns of CommonMark's block structure, as far as a boundary depends on them.

All are matched on text whose tabs are spaces (tab stops are columns of the line, so expanding them
first changes no structure) and whose line breaks are single line feeds. `$` stands for the end
that is handed to `match`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import Final

_RAW: Final = ("pre", "script", "style", "textarea")
_BREAKING: Final = (
    "address article aside base basefont blockquote body caption center col colgroup dd details "
    "dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 "
    "head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option "
    "p param search section summary table tbody td tfoot th thead title tr track ul"
)
"""Names of the tags that begin an HTML block of kind 6."""


def _any(names: Iterable[str]) -> str:
    """What matches any of these names, by their first letters, which are told apart fastest."""
    groups = (f"[{first}{first.upper()}](?ai:{'|'.join(name[1:] for name in group)})"
              for first, group in groupby(sorted(names), lambda name: name[0]))  # fmt: skip
    return f"(?:{'|'.join(groups)})"


TAGS: Final = _any((*_RAW, *_BREAKING.split()))
"""Names of the tags that may begin an HTML block of kind 1 or 6."""
RAW_TAGS: Final = _any(_RAW)
BREAKING_TAGS: Final = _any(_BREAKING.split())
"""Those of kind 6."""

_VALUE = r"""(?:[^"'=<>`\x00-\x20]+|'[^']*'|"[^"]*")"""
_OPEN_TAG = rf"<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][A-Za-z0-9:._-]*(?:\s*=\s*{_VALUE})?)*\s*/?>"
_CLOSE_TAG = r"</[A-Za-z][A-Za-z0-9-]*\s*>"

HTML: Final = re.compile(
    rf"(<{RAW_TAGS}(?=\s|>|$))|(<!--)|(<\?)|(<![A-Za-z])|(<!\[CDATA\[)"
    rf"|(</?{BREAKING_TAGS}(?=\s|/?>|$))"
)
"""The begin of an HTML block; the group that matched is its kind, 1 to 6."""
TAG: Final = re.compile(rf"(?:{_OPEN_TAG}|{_CLOSE_TAG})\s*$")
"""The begin of an HTML block of kind 7, which may not interrupt a paragraph."""

HTML_END: Final = (
    None,
    re.compile(r"</(?ai:script|pre|style|textarea)>"),
    re.compile(r"-->"),
    re.compile(r"\?>"),
    re.compile(r">"),
    re.compile(r"\]\]>"),
)
"""What ends an HTML block of kind 1 to 5; kinds 6 and 7 end at a blank line."""

STEPS: Final = re.compile(r"(?:[-+*>] ){2}[-+*> ]*|(?:[0-9]{1,9}[.)] ){2,}(?=[^ \n])")
"""What begins with quotes and bullets one after the other, or numbered items that do."""
SPACES: Final = re.compile(r" *")
QUOTES: Final = re.compile(r"[ >]*")
HEADING: Final = re.compile(r"#{1,6}(?: |$)")
RUN: Final = re.compile(r"`+|~+")
UNDERLINE: Final = re.compile(r"(?:=+|-+) *$")
MARKER: Final = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?= |$)", re.ASCII)
