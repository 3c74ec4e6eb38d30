"""Hash functions of a trail: plain SHA-256, or HMAC-SHA-256 under the keys that were given."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final

LEAST: Final = 16
"""Hex digits of the shortest hash on a trail; a shorter one proves nothing."""

_Hash = Callable[[bytes], str]


def _plain(data: bytes) -> str:
    return sha256(data).hexdigest()


def _keyed(key: bytes) -> _Hash:
    return lambda data: hmac.digest(key, data, "sha256").hex()


class Hashes:
    """Tells whether a text gives a hash. The function that fitted last is tried first."""

    def __init__(self, keys: Sequence[bytes] = ()) -> None:
        self._functions: list[_Hash] = [_plain, *map(_keyed, keys)]
        self.fitted = False
        """True once a text gave its hash, so that the function of this trail is at hand."""

    def fits(self, text: str, hash_: str) -> bool:
        """True when one of the functions makes this hash of the text, or one that begins so."""
        if len(hash_) < LEAST:
            return False
        data = text.encode("utf-8", "surrogatepass")
        for i, function in enumerate(self._functions):
            if function(data).startswith(hash_):
                if i:
                    self._functions.insert(0, self._functions.pop(i))
                self.fitted = True
                return True
        return False
