"""Tokens: what counts as a word, a number or an id when one text is looked for in another.

There are two alphabets. `tokens` knows ASCII only and is what a *claim* about a source is judged
by; a letter outside ASCII separates, so a text without any ASCII token cannot be judged at all.
`words` also knows the letters of other scripts and is what the library's own *search* for
carriers uses. Both agree on every ASCII text.

A token keeps ids, paths, times, dates and mail addresses whole (`fc1/3`, `2024-05-20`,
`ann@example.com`), so that a value is never found inside one of them. Case is ignored, numbers
have one spelling (`1,200.00`, `01200` and `1200` are one token), a leading `0x` is dropped.
Nothing here raises.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from decimal import Decimal
from typing import Final, NamedTuple

MAX_TOKENS: Final = 200_000
"""A text with more tokens than this is not read to its end: it answers "cannot tell"."""
BREAK: Final = "\x01"
"""Stands in a text, and among its tokens, where two parts meet that no value may span."""

_CHARACTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_-/.,%+@#$"
_TABLE: Final = bytes(
    ord(chr(code).lower()) if chr(code) in _CHARACTERS + BREAK else 0x20 for code in range(256)
)
"""Lower-cases what can stand in a token and makes a blank of everything else."""

_IDEOGRAPHS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003134f"
)
"""Scripts that are written without blanks: each character is a token of its own."""
_MARKS: Final = "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
"""Vowel signs and accents that belong to the letter before them."""
_WIDE_RUN: Final = re.compile(
    rf"[{_IDEOGRAPHS}{BREAK}]|(?:[:_\-/.,%+@#${_MARKS}]|(?![{_IDEOGRAPHS}])[^\W_])+"
)
_LIST_COMMA: Final = re.compile(r"(?<![0-9]),|,(?![0-9])")
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_GROUPED: Final = re.compile(r"-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?=[a-z]*$)")
_EXACT_DIGITS: Final = 15
"""Digits that a double holds exactly; a longer number is kept digit for digit."""
_TINY: Final = "000000"
"""Zeros behind the point of a number that is spelled with an exponent."""
_LEADING: Final = "$#@+"
_TRAILING: Final = ".,:%"

_BLANK: Final = frozenset(
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def is_blank(text: str) -> bool:
    """True for a text of white space only, in the sense of JSON's home language.

    A byte order mark and a no-break space are blank, the separators U+001C to U+001F are not.
    """
    return all(c in _BLANK for c in text)


class Tokens(NamedTuple):
    """The tokens of a text."""

    tokens: list[str]
    whole: bool
    """False: the text has more tokens than were read."""


def tokens(text: str) -> list[str]:
    """The ASCII tokens of a text, in order."""
    return _spelled(_runs(text, -1))


def words(text: str) -> list[str]:
    """The tokens of a text in any script; equal to `tokens` for a text in ASCII.

    Compatibility forms are folded (full-width digits are digits), and so is case.
    """
    return tokens(text) if text.isascii() else _spelled(_WIDE_RUN.findall(fold(text)))


def read(text: str, wide: bool = False, limit: int = MAX_TOKENS) -> Tokens:
    """The tokens of a text (`words` when `wide`) as far as it is read: `limit` of them."""
    if wide and not text.isascii():
        matches = _WIDE_RUN.finditer(fold(text))
        runs = [run.group() for run in itertools.islice(matches, limit + 1)]
    else:
        runs = _runs(text, limit + 1)[: limit + 1]
    return Tokens(_spelled(runs[:limit]), len(runs) <= limit)


def _runs(text: str, limit: int) -> list[str]:
    plain = text.encode("ascii", "replace").translate(_TABLE).decode("ascii")
    return plain.split(None, limit)


def fold(text: str) -> str:
    """The text as `words` sees it: lower case, compatibility forms folded."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", text).casefold()


def _spelled(runs: list[str]) -> list[str]:
    if len(_spellings) > _SPELLINGS_KEPT:
        _spellings.clear()
    return " ".join(map(_spellings.__getitem__, runs)).split()


class _Spellings(dict[str, str]):
    """Tokens of each run of characters, joined by blanks; emptied when it grows large."""

    def __missing__(self, run: str) -> str:
        parts = _LIST_COMMA.split(run) if "," in run else [run]
        if BREAK in run:
            parts = [s for part in parts for s in re.split(f"({BREAK})", part)]
        made = " ".join(canonical(part) for part in parts)
        if len(run) <= 64:
            self[run] = made
        return made


_SPELLINGS_KEPT: Final = 200_000
_spellings: Final = _Spellings()


def canonical(run: str) -> str:
    """One run of token characters in the one spelling by which it is compared; may be empty."""
    token = run.lower().lstrip(_LEADING).rstrip(_TRAILING)
    if "," in token and (grouped := _GROUPED.match(token)):
        token = grouped.group().replace(",", "") + token[grouped.end() :]
    if _NUMBER.fullmatch(token):
        return _plain_number(token)
    if token.startswith("0x") and len(token) > 2:
        return token[2:]
    return token


def _plain_number(token: str) -> str:
    """A decimal number as `number_text` spells it; digits that a double holds are not computed."""
    digits = token.lstrip("-")
    if len(digits) - ("." in digits) > _EXACT_DIGITS:
        return token
    whole, _, fraction = digits.partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    if whole == "0" and (not fraction or fraction.startswith(_TINY)):
        return number_text(float(token))
    made = f"{whole}.{fraction}" if fraction else whole
    return "-" + made if token[0] == "-" else made


def number_text(value: float) -> str:
    """A number as JSON's home language spells it: 5.0 is `5`, 1e21 is `1e+21`.

    Whole numbers keep all their digits. Empty for what is no number, and for a number whose
    digits cannot be written out.
    """
    if isinstance(value, int):
        try:
            return str(int(value))
        except ValueError:
            return ""
    if not math.isfinite(value):
        return ""
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    point = len(digits) + int(exponent)
    return ("-" if sign else "") + _decimal(text, point)


def _decimal(digits: str, point: int) -> str:
    size = len(digits)
    if size <= point <= 21:
        return digits + "0" * (point - size)
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    power = point - 1
    fraction = "." + digits[1:] if size > 1 else ""
    return f"{digits[0]}{fraction}e{'+' if power > 0 else '-'}{abs(power)}"
