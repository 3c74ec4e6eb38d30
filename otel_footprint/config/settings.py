"""Settings of one Footprint, checked when they are declared."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from ..errors import DeclarationError, gives_coroutine, takes
from .budget import Budget
from .content import ContentMode, content_mode

Redact = Callable[[str, str], str]
"""`redact(text, where) -> str`: the text as it may be recorded; `where` names the place."""
Sink = Literal["span", "log", "both"]
Once = Literal["trace", "conversation"]
StandardContent = Literal["none", "output", "full"]

MAX_CONTENT_BYTES: Final = 3_000_000
"""Default bound of text a trace, in UTF-8 bytes (Tempo refuses a trace over 5 MB)."""


@dataclass(frozen=True)
class Settings:
    """What a Footprint records and how. Wrong values raise DeclarationError, naming the field.

    content: `none` (default: hash, size, source, reason), `redacted` or `full`.
    budget: caps of the slots. window: tokens of the model's context window when the catalogue
    does not know the model. redact: the hook, see `Redact`. key, key_id: deployment key of the
    hashes (bytes) and its public name. once: where a text is written once. sink: span events,
    log-based events or both. max_content_bytes: UTF-8 bytes of text a trace. turn_timeout: seconds
    after which an implicit turn is over. store: folder or fsspec URI of the content store, for
    texts that are large or for which a trace has no room, and (in `full`) the bytes of media.
    """

    content: ContentMode = field(default_factory=content_mode)
    budget: Budget = field(default_factory=Budget)
    window: int | None = None
    redact: Redact | None = None
    key: bytes | None = None
    key_id: str | None = None
    once: Once = "trace"
    sink: Sink = "span"
    standard_content: StandardContent | None = None
    max_content_bytes: int = MAX_CONTENT_BYTES
    turn_timeout: float = 600.0
    store: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        content_mode(self.content)
        _one_of("once", self.once, ("trace", "conversation"))
        _one_of("sink", self.sink, ("span", "log", "both"))
        if self.standard_content is not None:
            _one_of("standard_content", self.standard_content, ("none", "output", "full"))
        if not isinstance(self.budget, Budget):
            raise DeclarationError("budget", self.budget, "a Budget")
        if self.redact is not None and (not takes(self.redact, 2) or gives_coroutine(self.redact)):
            raise DeclarationError(
                "redact", self.redact, "a callable (text, where) -> str that is not async"
            )
        if self.key is not None and (not isinstance(self.key, bytes) or len(self.key) < 16):
            raise DeclarationError("key", "<key>", "bytes, 16 or more")
        if self.key_id is not None and (not isinstance(self.key_id, str) or not self.key_id):
            raise DeclarationError("key_id", self.key_id, "a non-empty string or None")
        if self.window is not None:
            _positive(
                "window", self.window, " (tokens), a strategy such as sliding_window(20), or None"
            )
        _positive("max_content_bytes", self.max_content_bytes)
        if isinstance(self.store, os.PathLike):
            object.__setattr__(self, "store", os.fspath(self.store))
        if self.store is not None and (not isinstance(self.store, str) or not self.store):
            raise DeclarationError("store", self.store, "a folder, an fsspec URI, or None")
        if type(self.turn_timeout) not in (int, float) or not self.turn_timeout > 0:
            raise DeclarationError("turn_timeout", self.turn_timeout, "seconds above 0")

    def standard(self, mode: ContentMode) -> StandardContent:
        """What of the standard content attributes is written in a turn of this mode."""
        if self.standard_content is not None:
            return self.standard_content
        return "output" if mode == "full" else "none"

    def key_name(self, mode: ContentMode) -> str | None:
        """The public name of the key that hashes are made with; None: plain SHA-256."""
        key = self.hash_key(mode)
        if key is None:
            return None
        if key is self.key and self.key_id:
            return self.key_id
        name = hashlib.sha256(b"footprint key id" + key).hexdigest()[:8]
        return name if key is self.key else f"process-{name}"

    def hash_key(self, mode: ContentMode) -> bytes | None:
        """The HMAC key of a mode's hashes; None means plain SHA-256.

        Without a deployment key, mode `none` takes a random key of the process: hashes of short
        secrets could be guessed.
        """
        if self.key is not None:
            return self.key
        return _PROCESS_KEY if mode == "none" else None


_PROCESS_KEY: Final = os.urandom(32)


def _one_of(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise DeclarationError(name, value, " or ".join(repr(a) for a in allowed))


def _positive(name: str, value: object, also: str = "") -> None:
    if type(value) is not int or value <= 0:
        raise DeclarationError(name, value, f"a positive whole number{also}")
