"""What the log says of a call handed to `Footprint.record` that could not be read.

The sentences name the provider, the path and types, as redaction leaves them; never content.
"""

from __future__ import annotations

from typing import Final

from ..telemetry.redact import Redactor
from ..wire import FORMATS, plain_path

LONGEST: Final = 100
"""Characters of a name that are shown."""


def unknown_format(redactor: Redactor, provider: object, path: object, body: object) -> str:
    """Of a request whose format is not known: what was given, and what can be given."""
    what = f"provider {_shown(redactor, provider)}"
    if not isinstance(path, str):
        return (
            f"{what}: the path is of type {_kind(path)}; it is a text, such as /v1/chat/completions"
        )
    what = f"{what}, path {_shown(redactor, path)}"
    if not isinstance(body, dict):
        return f"{what}: the request's body is of type {_kind(body)}; it is its JSON, a dict"
    known = ", ".join(f"{example} ({name})" for name, example in FORMATS.items())
    return (
        f"{what}: neither the path nor the keys of the body are those of a model call in a known "
        f"format; give the path that the request goes to, which ends like one of these: {known}"
    )


def unreadable_response(redactor: Redactor, provider: object, response: object) -> str:
    """Of a response that is no JSON: its type, and what it should be."""
    return (
        f"provider {_shown(redactor, provider)}: the response is of type {_kind(response)}, so the "
        "call is recorded without an answer; give its JSON (a dict, of an SDK's object "
        "`model_dump(mode='json')`), or a list of (event, JSON) of a stream"
    )


def _shown(redactor: Redactor, name: object) -> str:
    if not isinstance(name, str):
        return f"of type {_kind(name)}"
    plain = plain_path(name) if "/" in name else name
    shown = redactor.text(plain, "record")
    return repr(shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…")


def _kind(value: object) -> str:
    return type(value).__name__
