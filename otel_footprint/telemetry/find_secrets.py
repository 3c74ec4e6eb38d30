"""The built-in redaction rules: where in a text secrets and personal data stand.

`find(text)` answers spans (start, end, kind), in order, without overlap. Time is linear in the
text, whatever it holds: no pattern has nested or adjacent unbounded repeats, each unbounded run is
consumed once, and everything around a hit is bounded. A text without anything that could be one is
passed over in about 5 ns a character: byte tables say whether a long token, a long number or one
of the pivots (`@`, `://`, `=`) occurs at all.

A key may stand in JSON inside JSON (`\\nsk-...`) or in a percent-encoded text (`%22sk-...`): the
character before it is then the end of an escape and no part of a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from . import find_numbers


class Found(NamedTuple):
    """A span of a text that must not leave."""

    start: int
    end: int
    kind: str


SHORTEST: Final = 6
"""A shorter text holds nothing that a rule finds."""

_WORD: Final = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"


def _table(members: bytes) -> bytes:
    return bytes(119 if i in members else 32 for i in range(256))


_TOKEN_TABLE: Final = _table(_WORD)
_VALUE_TABLE: Final = _table(_WORD + b"+/=.~")
_LONG: Final = b"w" * 16

_PREFIXES: Final = (
    "sk-", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "pk-lf-", "whsec_",
    "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-",
    "ya29.", "GOCSPX-", "AQ.",
    "xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xapp-",
    "hf_", "gsk_", "xai-", "r8_", "pplx-", "npm_", "pypi-", "SG.", "nvapi-", "tvly-",
    "dop_v1_", "lsv2_pt_", "lsv2_sk_", "fw_", "csk-", "dckr_pat_", "figd_", "shpat_", "sntrys_",
)  # fmt: skip
_EDGE: Final = r"(?:(?![A-Za-z0-9])|(?=[nrtbf]\\)|(?=[0-9A-Fa-f]{4}u\\)|(?=[0-9A-Fa-f]{2}%))"
_BACKWARD: Final = re.compile(
    "(" + "|".join(re.escape(p[::-1]) for p in sorted(_PREFIXES, key=len, reverse=True)) + ")"
    + _EDGE
)  # fmt: skip
_ENDINGS: Final = "|".join(sorted({re.escape(p[-3:-1]) for p in _PREFIXES}))
_PIVOT: Final = re.compile(rf"[-_.](?=[A-Za-z0-9_-]{{10}})(?<=(?:{_ENDINGS})[-_.])")
_EDGE_BACK: Final = re.compile(_EDGE)
_KEY_TAIL: Final = re.compile(r"[A-Za-z0-9_-]{13,}(?:\.[A-Za-z0-9_-]{20,}){0,2}")
_FIXED: Final = re.compile(
    r"A(?:KIA|SIA|ROA|IDA|GPA|NPA|NVA|BIA|CCA)[A-Z0-9]{16}"
    r"|AIza[A-Za-z0-9_-]{30,}|ABSK[A-Za-z0-9+/=]{40,}"
)
_DATABRICKS: Final = re.compile(r"dapi[0-9a-f]{32}(?:-[0-9])?")
_JWT: Final = re.compile(r"eyJ[A-Za-z0-9_-]{8,}((?:\.{1,2}[A-Za-z0-9_-]+){0,4})")
_BEARER: Final = re.compile(r"[Bb](?:earer|EARER)(?:\s|%20|\+){1,4}([A-Za-z0-9._~+/=-]{8,})")
_SCHEME: Final = re.compile(
    r"[Aa](?:uthorization|UTHORIZATION)[\"'\\]{0,4}\s{0,4}[:=]\s{0,4}[\"'\\]{0,4}"
    r"(?:Basic|Bearer|Token|Digest|ApiKey|Api-Key|Key|SSWS)\s{1,4}([^\s\"'\\,;]{4,})"
)
_PRIVATE: Final = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\]*"
    r"(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?"
)
_ASSIGNED: Final = {
    word: (
        re.compile(word + r"[\"'\\]{0,4}\s{0,4}[:=]\s{0,4}[\"'\\]{0,4}([a-z0-9_./+=~-]{16,})"),
        re.compile("[-_ ]?(?:" + "|".join(b[::-1] for b in before.split()) + ")"),
    )
    for word, before in {
        "key": "api access secret subscription",
        "token": "access auth api refresh",
        "secret": "client api app",
    }.items()
}
"""Of the last word of a name: what follows up to the value, and which words may stand before."""
_USER_INFO: Final = re.compile(r"://([^\s/?#\"'<>\\]+)@")
_QUERY: Final = re.compile(
    r"[?&#;](?:[\w.%-]{0,40}?(?:key|token|secret|sig|signature|passw(?:or)?d|pwd|credentials?"
    r"|auth|jwt|session(?:_?id)?)|code|AWSAccessKeyId)=([^\s&#\"'<>\\]+)",
    re.IGNORECASE,
)
_HOOK: Final = re.compile(r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/_-]{8,})")
_DOMAIN: Final = r"(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}"
_AT: Final = re.compile("@" + _DOMAIN)
_ENCODED_AT: Final = re.compile("%40" + _DOMAIN)
_LOCAL: Final = re.compile(r"[\w.%+-]{1,64}")


def find(text: str) -> list[Found]:
    """All that the rules find in a text."""
    if len(text) < SHORTEST:
        return []
    found = list(_all(text))
    return _merged(found) if len(found) > 1 else found


def _all(text: str) -> Iterator[Found]:
    raw = text.encode("utf-8", "surrogatepass")
    if "@" in text:
        yield from _emails(text, _AT)
    if "%40" in text:
        yield from _emails(text, _ENCODED_AT)
    if find_numbers.may_hold_one(raw):
        for start, end, kind in find_numbers.find(text):
            yield Found(start, end, kind)
    if _LONG in raw.translate(_VALUE_TABLE):
        yield from _assigned(text)
        if _LONG in raw.translate(_TOKEN_TABLE):
            yield from _keys(text)
    if "://" in text:
        yield from _group(_USER_INFO, text, "credentials")
    if "=" in text and ("?" in text or "&" in text or "#" in text):
        yield from _group(_QUERY, text, "secret")
    yield from _headers(text)
    if "hooks.slack.com" in text:
        yield from _group(_HOOK, text, "api_key")


def _headers(text: str) -> Iterator[Found]:
    if "earer" in text or "EARER" in text:
        for match in _BEARER.finditer(text):
            if _is_token(match.group(1)):
                yield Found(match.start(1), match.end(1), "bearer_token")
    if "uthorization" in text or "UTHORIZATION" in text:
        yield from _group(_SCHEME, text, "credentials")
    if "PRIVATE KEY" in text:
        for match in _PRIVATE.finditer(text):
            yield Found(match.start(), match.end(), "private_key")


def _assigned(text: str) -> Iterator[Found]:
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = text
    for word, (pattern, before) in _ASSIGNED.items():
        if word not in lowered:
            continue
        for match in pattern.finditer(lowered):
            at = match.start()
            if before.match(lowered[max(0, at - 16) : at][::-1]):
                yield Found(match.start(1), match.end(1), "api_key")


def _group(pattern: re.Pattern[str], text: str, kind: str) -> Iterator[Found]:
    for match in pattern.finditer(text):
        if not match.group(1).startswith("[redacted:"):
            yield Found(match.start(1), match.end(1), kind)


def _is_token(text: str) -> bool:
    return len(text) >= 16 or not text.isalpha()


def _keys(text: str) -> Iterator[Found]:
    past = 0
    for pivot in _PIVOT.finditer(text):
        at = pivot.start() + 1
        if at <= past:
            continue
        before = _BACKWARD.match(text[max(0, at - 20) : at][::-1])
        if before is not None and (tail := _KEY_TAIL.match(text, at)):
            past = tail.end()
            yield Found(at - len(before.group(1)), past, "api_key")
    for pattern in (_FIXED, _DATABRICKS) if "dapi" in text else (_FIXED,):
        for match in pattern.finditer(text):
            if _at_edge(text, match.start()):
                yield Found(match.start(), match.end(), "api_key")
    if "eyJ" in text:
        for match in _JWT.finditer(text):
            if len(match.group(1)) > 8:
                yield Found(match.start(), match.end(), "jwt")


def _at_edge(text: str, at: int) -> bool:
    return at == 0 or _EDGE_BACK.match(text[max(0, at - 6) : at][::-1]) is not None


def _emails(text: str, pattern: re.Pattern[str]) -> Iterator[Found]:
    for match in pattern.finditer(text):
        at = match.start()
        head = text[max(0, at - 64) : at][::-1]
        local = _LOCAL.match(head)
        if local is None:
            continue
        start = at - local.end()
        if text[start - 1 : start] == "\\" and text[start] in "nrtbf" and at - start > 1:
            start += 1  # the end of an escape in JSON inside a text, not the person's name
        yield Found(start, match.end(), "email")


def _merged(found: list[Found]) -> list[Found]:
    found.sort(key=lambda f: (f.start, -f.end))
    out = [found[0]]
    for item in found[1:]:
        last = out[-1]
        if item.start >= last.end:
            out.append(item)
        elif last.kind == "credentials" and item.kind == "email":
            continue  # `user:password@host` of a URL only looks like one
        elif item.end > last.end:
            out[-1] = Found(last.start, item.end, last.kind)
    return out
