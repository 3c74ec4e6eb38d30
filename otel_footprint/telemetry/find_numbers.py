"""Numbers that name a person or an account: payment cards, IBANs and phone numbers.

A card counts when its check digit (Luhn) is right, an IBAN when its length and its check digits
(mod 97) are; a phone number by its way of writing. Digits may be grouped. Linear in the text: runs
of digits and separators are found once, and each is looked at in bounded windows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_SEPARATORS: Final = " ().\\-/\u00a0\u202f\u2011"
_RUN: Final = re.compile(
    f"[0-9](?:([09][0-9]{{2}}-[01][0-9]-[0-3][0-9](?![0-9-]))|[0-9{_SEPARATORS}]{{6,}})"
)
"""A run of digits and separators; group 1 says that it is a date."""
_HEAD: Final = re.compile("[A-Za-z]{2}[0-9]{2}")
_SEVEN: Final = re.compile("(?:[0-9][^0-9]*){7}")
_THIRTEEN: Final = re.compile("(?:[0-9][^0-9]*){13}")
_GROUP: Final = re.compile("[0-9]+")
_DIGIT_TABLE: Final = bytes(100 if 48 <= i < 58 else 32 for i in range(256))
_DROPPED: Final = b" ().-/\xc2\xa0\xe2\x80\xaf\x91"
_ENOUGH: Final = b"d" * 7

_CARD: Final = re.compile(
    "[2-6](?:[0-9]{3}(?P<gap>[ \u00a0\u202f\u2011-])"
    "(?:[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)[0-9]{1,4}|[0-9]{6}(?P=gap)[0-9]{4,5})"
    "|[0-9]{7}[ -][0-9]{8}|[0-9]{12,18})(?![0-9])"
)
_CARD_LONG: Final = re.compile(
    "[2-6][0-9]{3}([ -])[0-9]{4}\\1[0-9]{4}\\1[0-9]{4}\\1[0-9]{1,3}(?![0-9])"
)
_CARD_FIRST: Final = {13: "4", 14: "3", 15: "3"}
"""First digits of cards of a length; longer ones begin with 2 to 6."""
_DOUBLED: Final = str.maketrans("0123456789", "0246813579")
_IBAN: Final = re.compile("[A-Za-z]{2}[0-9]{2}(?:[ \u00a0-]?[A-Za-z0-9]){11,32}")
_OVERLAPPING: Final = re.compile("(?=[A-Za-z]{2}[0-9]{2})")
_IBAN_LENGTHS: Final = {
    c: n
    for n, countries in {
        15: "NO", 16: "BE", 18: "DK FO FI GL NL SD FK", 19: "MK SI",
        20: "AT BA EE KZ LT LU XK MN", 21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM SO TL", 24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST",
        26: "IS TR", 27: "BI DJ FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
        29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC", 32: "LC", 33: "RU",
    }.items()
    for c in countries.split()
}  # fmt: skip

_INTERNATIONAL: Final = re.compile(r"[1-9](?:[ .()/\u00a0-]{0,2}[0-9]){6,14}(?![0-9])")
_NATIONAL: Final = re.compile(
    r"(?<![0-9])(?:"
    r"(?:1[ .-])?(?:\([2-9][0-9]{2}\)|[2-9][0-9]{2})[ .\u00a0-]{1,2}"
    r"[2-9][0-9]{2}[ .\u00a0-][0-9]{4}"
    r"|0[1-9](?:[ .-][0-9]{2}){4}"
    r"|(?:\(0[1-9][0-9]{1,4}\)|0[1-9][0-9]{1,4})[ /\u00a0-]{1,3}[0-9](?:[ \u00a0-]?[0-9]){5,9}"
    r"|00[1-9][0-9]{0,2}[ ./()-]{1,2}[0-9](?:[ ./()-]{0,2}[0-9]){5,11}"
    r")(?![0-9])"
)
_JOINED: Final = re.compile(r"[A-Za-z0-9_]")
_ESCAPE: Final = re.compile(r"\\(?:[nrtbf]|u[0-9A-Fa-f]{4})$")


def may_hold_one(raw: bytes) -> bool:
    """A cheap look: False when the UTF-8 text holds no seven digits close to each other."""
    return _ENOUGH in raw.translate(_DIGIT_TABLE, _DROPPED)


def find(text: str) -> Iterator[tuple[int, int, str]]:
    """Spans (start, end, kind); IBANs and cards before phone numbers."""
    past = 0
    for run in _RUN.finditer(text):
        if run.group(1) is not None:
            continue
        start, end = run.span()
        head = _HEAD.search(text, max(past, start - 18), start + 2)
        if head is not None:
            iban = _iban(text, head.start(), start + 2)
            if iban is not None:
                past = iban[1]
                start = max(start, past)
                yield (*iban, "iban")
        if _SEVEN.match(text, start, end):
            yield from _in_run(text, start, end)


def _in_run(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    if _THIRTEEN.match(text, start, end):
        for card in _cards(text, start, end):
            yield from _phones(text, start, card[0])
            yield card
            start = card[1]
    yield from _phones(text, start, end)


def _iban(text: str, start: int, end: int) -> tuple[int, int] | None:
    for head in _OVERLAPPING.finditer(text, start, end):
        at = head.start()
        length = _IBAN_LENGTHS.get(text[at : at + 2].upper())
        if length is None or _is_joined(text, at):
            continue
        match = _IBAN.match(text, at)
        last = match and _first_characters(text, at, match.end(), length)
        if last and _mod97(text[at:last]):
            return at, last
    return None


def _first_characters(text: str, at: int, end: int, count: int) -> int | None:
    seen = 0
    for i in range(at, end):
        if text[i].isalnum():
            seen += 1
            if seen == count:
                return i + 1
    return None


def _mod97(iban: str) -> bool:
    plain = "".join(c for c in iban if c.isalnum()).upper()
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


def _cards(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    at = start
    while at < end:
        group = _GROUP.search(text, at, end)
        if group is None:
            return
        at = group.end()
        for pattern in (_CARD_LONG, _CARD):
            match = pattern.match(text, group.start(), end)
            if (
                match is not None
                and _is_card(match.group())
                and not _is_joined(text, match.start())
                and not _JOINED.match(text, match.end())
            ):
                at = match.end()
                yield match.start(), at, "card"
                break


def _is_card(text: str) -> bool:
    digits = "".join(_GROUP.findall(text))
    size = len(digits)
    if not 13 <= size <= 19 or digits[0] not in _CARD_FIRST.get(size, "23456"):
        return False
    total = sum(map(int, digits[-1::-2])) + sum(map(int, digits[-2::-2].translate(_DOUBLED)))
    return total % 10 == 0 and digits.count(digits[0]) < size


def _phones(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    plus = start - 2 if text[start - 2 : start] == "+(" else start - 1
    if text[plus : plus + 1] == "+" and plus >= 0 and not _is_joined(text, plus):
        match = _INTERNATIONAL.match(text, start, end)
        if match is not None:
            yield plus, match.end(), "phone"
            start = match.end()
    first = start - 1 if text[start - 1 : start] == "(" else start
    for match in _NATIONAL.finditer(text, max(first, 0), end):
        if not _is_joined(text, match.start()) and not _JOINED.match(text, match.end()):
            yield match.start(), match.end(), "phone"


def _is_joined(text: str, at: int) -> bool:
    """True when a number at `at` is the rest of a word, an identifier or a decimal."""
    if at == 0:
        return False
    if text[at - 1] == "." and at > 1 and text[at - 2].isdigit():
        return True
    return _JOINED.match(text, at - 1) is not None and not _ESCAPE.search(text[max(0, at - 6) : at])
