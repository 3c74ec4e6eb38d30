"""The boundary read line by line: every line of the text, by `Blocks` alone, without a shortcut."""

from __future__ import annotations

import re

from otel_footprint.scripts.blocks import FENCE, OTHER, RAW, TOP_TEXT, Blocks

_ENDS = {"$": "$$", "\\": "\\]"}


def normal(text: str) -> str:
    """Line feeds and blanks, no U+0000, and a line feed before the first line."""
    text = text.replace("\0", "\ufffd").replace("\r\n", "\n").replace("\r", "\n")
    return "\n" + text.expandtabs(4)


def read_all(text: str) -> Blocks:
    """The blocks after every line of a text."""
    blocks, _ = _read(text)
    return blocks


def read(text: str) -> tuple[tuple[str, str, int], str]:
    """The boundary and its reason."""
    blocks, math = _read(text)
    if math:
        return ("unsettled", "", 0), "math"
    if blocks.inside or blocks.leaf not in (FENCE, RAW) or (blocks.leaf == RAW and blocks.kind > 5):
        return ("clean", "", 0), ""
    if blocks.leaf == FENCE:
        return ("closed", blocks.char, blocks.length), ""
    return ("unsettled", "", 0), "html"


def _read(text: str) -> tuple[Blocks, str]:
    text = normal(text)
    blocks, math = Blocks(text), ""
    while blocks.at < len(text):
        start = blocks.at + 1
        said = blocks.line()
        line = text[start : blocks.at]
        if math:
            math = math if said == OTHER or math not in line else ""
        elif said == TOP_TEXT and (mark := re.match(r" {0,3}(\$\$+|\\\[)", line)):
            end = _ENDS[mark[1][0]]
            math = "" if end in line[mark.end() :] else end
    return blocks, math
