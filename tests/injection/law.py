"""The language law: which words break a rule on a surface that lasts.

A lasting sentence is read again on later calls. It is checked word by word; code spans and the
sample values of a sentence are taken out first.
"""

from __future__ import annotations

import re
from typing import Literal

from otel_footprint.records.sentence import Sentence

Rule = Literal["present", "promise", "denial", "bare"]
"""What a lasting sentence must not do: speak of now, of what comes, of what is not, or say `this
call` where a later reader would take another call for it."""

RULES: dict[Rule, re.Pattern[str]] = {
    "present": re.compile(
        r"\b(is|are|am|has|have|does|do|now|currently|stays?|remains?|stands?|needs?|takes?|asks?|"
        r"goes|moves?|returns?|holds|keeps?|says?|means?|requires?|expects?|must|please|"
        r"should)\b",
        re.IGNORECASE,
    ),
    "promise": re.compile(
        r"\b(will|shall|going to|would|can|may|able to|available|guarantee[sd]?|always|next time|"
        r"later|from now on|until|once you)\b|'ll\b",
        re.IGNORECASE,
    ),
    "denial": re.compile(
        r"\b(cannot|can't|could not|couldn't|impossible|does not exist|doesn't exist|no such|"
        r"there (is|are|was|were) (no|none|nothing)|unavailable|not available|not allowed|"
        r"never|withheld|hidden|forbidden|unknown)\b",
        re.IGNORECASE,
    ),
    "bare": re.compile(r"\b(this|the current|the present) (call|turn|request|step|action)\b", re.I),
}

_SAMPLES = re.compile(r"`[^`]*`|\bnote( \d)?\b|\breason: reason\b|\bsample\b|\"[^\"]*\"")


def broken(sentence: Sentence, text: str) -> dict[Rule, str]:
    """The rules a rendered text breaks, with the words; a fleeting text breaks none."""
    if sentence.lifetime == "fleeting":
        return {}
    words = _SAMPLES.sub("", text)
    found = {rule: pattern.search(words) for rule, pattern in RULES.items()}
    return {rule: match.group() for rule, match in found.items() if match is not None}
