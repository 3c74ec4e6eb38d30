"""Two texts as runs of what stayed, left and came: by words, of long texts by lines.

    difference("a fee of 15 %", "a fee of 20 %")
    # [Run("=", "a fee of "), Run("-", "15"), Run("+", "20"), Run("=", " %")]

The work is bounded whatever the texts hold: what is too long to be compared stands as one run that
left and one that came.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, Literal, NamedTuple

Sign = Literal["=", "-", "+"]

MOST_WORDS: Final = 1_500
"""Words of a stretch, on either side, that are compared one by one."""
MOST_LINES: Final = 1_500
"""Lines of a stretch, on either side, that are compared one by one."""
_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_GLUE: Final = 2
"""Letters of what stayed between two changes that are not worth an interruption."""


class Run(NamedTuple):
    """A stretch of text: `=` it stayed, `-` it left, `+` it came."""

    sign: Sign
    text: str


def difference(before: str, after: str) -> list[Run]:
    """The runs, in order: without those that came they give `before`, without the left `after`."""
    if before == after:
        return [Run("=", before)] if before else []
    runs = list(_lines(before, after) if _long(before) or _long(after) else _words(before, after))
    return _glued(_joined(runs))


def shortened(runs: Sequence[Run], around: int, ellipsis: str = "…") -> list[Run]:
    """The runs with at most `around` characters of what stayed on each side of a change."""
    out: list[Run] = []
    for i, run in enumerate(runs):
        first, last = i == 0, i == len(runs) - 1
        most = around if first or last else 2 * around
        if run.sign != "=" or len(run.text) <= most + len(ellipsis):
            out.append(run)
            continue
        head = "" if first else run.text[:around]
        tail = "" if last else run.text[-around:]
        out.append(Run("=", f"{head}{ellipsis}{tail}"))
    return out


def _long(text: str) -> bool:
    return len(text) > 4 * MOST_WORDS or len(_WORD.findall(text)) > MOST_WORDS


def _words(before: str, after: str) -> Iterator[Run]:
    return _matched(_WORD.findall(before), _WORD.findall(after), MOST_WORDS)


def _lines(before: str, after: str) -> Iterator[Run]:
    """By lines; a stretch of lines that changed is looked at by words where it is short."""
    left: list[str] = []
    came: list[str] = []
    for run in _matched(_LINE.findall(before), _LINE.findall(after), MOST_LINES):
        if run.sign == "=":
            yield from _finer("".join(left), "".join(came))
            left, came = [], []
            yield run
        else:
            (left if run.sign == "-" else came).append(run.text)
    yield from _finer("".join(left), "".join(came))


def _finer(left: str, came: str) -> Iterator[Run]:
    if left and came and not _long(left) and not _long(came):
        yield from _words(left, came)
    else:
        yield Run("-", left)
        yield Run("+", came)


def _matched(old: list[str], new: list[str], most: int) -> Iterator[Run]:
    """The runs of two lists of tokens; what is longer than `most` in the middle is one change."""
    start = 0
    shorter = min(len(old), len(new))
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    yield Run("=", "".join(old[:start]))
    olds, news = old[start : len(old) - end], new[start : len(new) - end]
    if len(olds) > most or len(news) > most:
        yield Run("-", "".join(olds))
        yield Run("+", "".join(news))
    else:
        for tag, a, b, c, d in SequenceMatcher(None, olds, news, False).get_opcodes():
            if tag == "equal":
                yield Run("=", "".join(olds[a:b]))
            else:
                yield Run("-", "".join(olds[a:b]))
                yield Run("+", "".join(news[c:d]))
    yield Run("=", "".join(old[len(old) - end :]))


def _joined(runs: list[Run]) -> list[Run]:
    """Without empty runs; neighbours of one sign are one, what left stands before what came."""
    out: list[Run] = []
    held = {"=": "", "-": "", "+": ""}

    def put(*signs: Sign) -> None:
        out.extend(Run(sign, held[sign]) for sign in signs if held[sign])
        held.update(dict.fromkeys(signs, ""))

    for run in runs:
        if run.text:
            put(*(("-", "+") if run.sign == "=" else ("=",)))
            held[run.sign] += run.text
    put("=", "-", "+")
    return out


def _glued(runs: list[Run]) -> list[Run]:
    """A few letters that stayed between two changes are part of the change: easier to read."""
    out: list[Run] = []
    for i, run in enumerate(runs):
        inside = 0 < i < len(runs) - 1 and run.sign == "="
        if inside and len(run.text.strip()) <= _GLUE and "\n" not in run.text:
            out += [Run("-", run.text), Run("+", run.text)]
        else:
            out.append(run)
    return _joined(out)
