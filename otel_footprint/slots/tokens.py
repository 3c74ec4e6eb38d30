"""Token estimates by kind of content, calibrated by what the provider reported.

Prose takes about four characters a token, JSON and code about three, CJK text about one, an
encrypted blob about ten; a tool definition, which providers rewrite, about four fifths of a token a
word. The factor `reported / estimated` of a model's previous call corrects the next estimate.
Measured over recorded traffic by `tests/studies/token_estimates.py`.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Final

PROSE: Final = 4.0
JSON: Final = 3.0
CJK: Final = 1.0
BLOB: Final = 10.0
OTHER: Final = 2.5
"""Characters a token; OTHER is for text outside ASCII that is not CJK."""
WORD: Final = 0.8
"""Tokens of a word of a tool definition."""
MESSAGE: Final = 4
"""Tokens around a message: its role and its borders."""
TOOL_PROMPT: Final = {"anthropic.messages": 346, "bedrock.converse": 346}
"""Tokens of the system prompt that a provider adds when a request has tools (as documented)."""
BLOB_LENGTH: Final = 200
MODELS: Final = 256
"""Models whose factor is kept."""

_SPACE: Final = re.compile(r"[\s,.{]")
_WORD: Final = re.compile(r"[A-Za-z0-9]+|[^\x00-\x7f]")
_CJK: Final = (
    "[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003134f]"
)
"""Compiled (4 ms) at the first text that is not ASCII, and then kept by `re`."""


def estimate(text: str, dense: bool = False) -> int:
    """Tokens of a text; `dense` for JSON and code. 0 for an empty text."""
    if not text:
        return 0
    per = JSON if dense or text[0] in "{[<" else PROSE
    if len(text) >= BLOB_LENGTH and not _SPACE.search(text, 0, BLOB_LENGTH):
        per = BLOB
    if text.isascii():
        return int(len(text) / per) + 1
    cjk = len(re.findall(_CJK, text))
    outside = sum(1 for c in text if c > "\x7f") - cjk
    rest = len(text) - cjk - outside
    return int(cjk / CJK + outside / OTHER + rest / per) + 1


def definition(text: str) -> int:
    """Tokens of a tool's definition, given as compact JSON."""
    return int(len(_WORD.findall(text)) * WORD) + 8


class Calibration:
    """The correction factor of each model; bounded, shared by the process."""

    def __init__(self) -> None:
        self._factors: OrderedDict[str, float] = OrderedDict()

    def learn(self, model: str, estimated: int, reported: int | None) -> None:
        """Takes in a call whose input tokens the provider reported."""
        if not reported or reported <= 0 or estimated <= 0:
            return
        self._factors[model] = min(8.0, max(0.125, reported / estimated))
        self._factors.move_to_end(model)
        while len(self._factors) > MODELS:
            self._factors.popitem(last=False)

    def apply(self, model: str, estimated: int) -> tuple[int, str]:
        """Tokens and the method: `calibrated` when a call of this model was reported before."""
        factor = self._factors.get(model)
        if factor is None:
            return estimated, "estimated"
        return round(estimated * factor), "calibrated"


__all__ = [
    "CJK",
    "JSON",
    "MESSAGE",
    "OTHER",
    "PROSE",
    "TOOL_PROMPT",
    "Calibration",
    "definition",
    "estimate",
]
