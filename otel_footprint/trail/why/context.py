"""What stands around a value, and how much of it two texts have in common.

The measure is one of suspicion and nothing else: words that few pieces of the trail hold count
most, words beside the value count more than words further off, and what stands right before or
after the value (a unit, a label) counts once more.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Final

from ...text.places import Place
from ...text.searchable import Needle
from ...text.values import COMMON_WORDS

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?|[%\u20ac$\u00a3\u00a5]")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_KEY: Final = re.compile(r'"([^"\\]{1,80})"\s*:')
_END: Final = re.compile(r"[.!?](?=\s)|\n|\u2022")
_CLAUSE: Final = 90
"""Characters to each side of a value that belong to it, where no sentence ends before."""
_FAR: Final = 400
_READ: Final = 20_000
"""Characters of a part whose words are counted."""
_SCALE: Final = 1.3
"""How much shared weight makes two texts likely to be about the same: see `likeness`."""

_PLAIN: Final = """
a an the of to in on at by for from with without and or but not no nor is are was were be been
being am do does did has have had will would can could may might must shall should this that these
those it its he she they them we us you your yours our my mine i me his her their there here as if
then than so such into over under about up down out off per via any some each every all both more
most other which who whom whose what when where why how much many one also just please very only
own same too within after before between during again once let look says said text content type
role name value result results string number object null true false id
"""
STOP: Final = frozenset(_PLAIN.split()) | COMMON_WORDS
"""Words that tell nothing."""


def folded(word: str) -> str:
    """A word as it is compared: lower case, without a plural or verb ending."""
    word = word.lower()
    if word.endswith(("'s", "\u2019s")):
        word = word[:-2]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("ing", "ed", "es", "s", "ly"):
        if len(word) - len(ending) >= 3 and word.endswith(ending) and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


_MONEY: Final = {"\u20ac": "eur", "$": "usd", "\u00a3": "gbp", "euro": "eur", "euros": "eur",
                 "dollar": "usd", "dollars": "usd", "percent": "%", "km/h": "kmh"}  # fmt: skip


def words_in(text: str) -> list[str]:
    """The words of a text that may tell something, folded, in order."""
    return [folded_ for folded_, _ in _pairs(text)]


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """The same, each with the word as it stands in lower case."""
    for match in _WORD.finditer(_CAMEL.sub(" ", text)):
        lower = match.group().lower()
        if lower not in STOP:
            yield folded(_MONEY.get(lower, lower)), lower


@dataclass(slots=True)
class Around:
    """The words around a value in one text, each with its weight from 0 to 1."""

    weights: dict[str, float] = field(default_factory=dict)
    beside: frozenset[str] = frozenset()
    """Words that stand right before or after the value."""
    keys: frozenset[str] = frozenset()
    """Words of JSON keys and bare numbers of JSON, which name a field and no thing."""

    def add(self, words: Iterable[str], weight: float) -> None:
        """Takes words in; each keeps its greatest weight."""
        for word in words:
            if weight > self.weights.get(word, 0.0):
                self.weights[word] = weight

    def without(self, words: Iterable[str]) -> Around:
        """The same without the words of the value itself."""
        gone = set(words)
        kept = {w: x for w, x in self.weights.items() if w not in gone}
        return Around(kept, self.beside - gone, self.keys)

    def merged(self, other: Around) -> Around:
        """Both together."""
        out = Around(dict(self.weights), self.beside | other.beside, self.keys | other.keys)
        for word, weight in other.weights.items():
            out.add((word,), weight)
        return out


def around(text: str, found: Iterable[Place], needle: Needle) -> Around:
    """The words around the places of a value in a text."""
    own = set(words_in(needle.text))
    out = Around()
    beside: set[str] = set()
    for place in found:
        before, after = _sides(text, place)
        near_before, near_after = words_in(before), words_in(after)
        beside |= set(near_before[-1:]) | set(near_after[:1])
        out.add(near_before[-6:] + near_after[:6], 1.0)
        out.add(near_before + near_after, 0.8)
        out.add(words_in(text[max(0, place.start - _FAR) : place.end + _FAR]), 0.3)
    out.add(words_in(text[:200]), 0.3)
    out.beside = frozenset(beside)
    if text[:1] in "{[":
        fields = set(words_in(" ".join(_KEY.findall(text[:_READ]))))
        out.keys = frozenset(fields | {word for word in out.weights if word.isdigit()})
    return out.without(own)


def _sides(text: str, place: Place) -> tuple[str, str]:
    """What stands before and after a place, to the end of its sentence or clause."""
    before = text[max(0, place.start - _CLAUSE) : place.start]
    after = text[place.end : place.end + _CLAUSE]
    ends = [m.end() for m in _END.finditer(before)]
    if ends:
        before = before[ends[-1] :]
    end = _END.search(after)
    return before, after[: end.start()] if end else after


class Words:
    """How telling each word is, by the pieces that hold it."""

    def __init__(self, texts: Iterable[Iterable[str]]) -> None:
        self._held: Counter[str] = Counter()
        self._forms: dict[str, str] = {}
        self._weights: dict[str, float] = {}
        self.total = 0
        for parts in texts:
            held: set[str] = set()
            for part in parts:
                for word, form in _pairs(part[:_READ]):
                    held.add(word)
                    self._forms.setdefault(word, form)
            if held:
                self.total += 1
                self._held.update(held)

    def weight(self, word: str) -> float:
        """From 0 (every piece holds it) to 1 (one piece or two do)."""
        found = self._weights.get(word)
        if found is None:
            held = self._held.get(word, 0)
            most = max(math.log(1 + self.total), 1e-9)
            found = 1.0 if held <= 2 else max(0.05, 1 - math.log(held / 2) / most)
            self._weights[word] = found
        return found

    def likeness(self, a: Around, b: Around) -> float:
        """How much two surroundings have in common, from 0 (nothing) to nearly 1."""
        return 1 - math.exp(-self.shared(a, b) / _SCALE)

    def shared(self, a: Around, b: Around) -> float:
        """The weight of what two surroundings share."""
        small, large = (a, b) if len(a.weights) <= len(b.weights) else (b, a)
        mass = 0.0
        for word, weight in small.weights.items():
            other = large.weights.get(word)
            if other is not None:
                mass += weight * other * self.weight(word)
        for word in a.beside & b.beside:
            mass += 0.6 * self.weight(word)
        return mass

    def foreign(self, around_: Around, known: Set[str]) -> float:
        """The share of the words close to a value that are not among the known ones."""
        close = {
            w: self.weight(w)
            for w, weight in around_.weights.items()
            if weight >= 0.8 and w not in around_.keys
        }
        whole = sum(close.values())
        return sum(x for w, x in close.items() if w not in known) / whole if whole else 0.0

    def common(self, a: Around, b: Around, most: int = 4) -> list[str]:
        """The words that two surroundings share, the most telling first."""
        both = set(a.weights) & set(b.weights)
        scored: Mapping[str, float] = {
            w: a.weights[w] * b.weights[w] * self.weight(w) for w in both
        }
        found = sorted(both, key=lambda w: (-scored[w], w))[:most]
        return [self._forms.get(word, word) for word in found]


def rarity(needle: Needle) -> float:
    """How unlikely it is that a text holds the value by chance, from 0 to 1."""
    if needle.day is not None:
        return 0.85 if needle.day.year else 0.6
    if needle.number is not None:
        digits = needle.number.lstrip("-").partition("e")[0]
        whole, _, part = digits.partition(".")
        size = len(whole.strip("0") or "0") + len(part)
        long = len(whole)
        if long <= 2 and not part:
            return 0.1
        if long == 4 and not part and 1900 <= int(whole) <= 2100:
            return 0.35
        return min(0.95, 0.25 + 0.15 * size + 0.05 * (long - size if long > size else 0))
    if not needle.wide:
        return 0.0
    if len(needle.wide) == 1:
        word = needle.wide[0]
        if word in COMMON_WORDS or len(word) < 3:
            return 0.1
        mixed = any(c.isdigit() for c in word) and any(not c.isdigit() for c in word)
        return 0.85 if mixed and len(word) >= 5 else 0.55
    telling = [w for w in needle.wide if w not in STOP]
    return min(0.95, 0.45 + 0.2 * len(telling))
