"""Credentials that stand in a request's body: they are on no record, whatever the content mode."""

from __future__ import annotations

from typing import Any, Final

CREDENTIAL: Final = "[redacted:credential]"


def without(value: Any, secrets: tuple[str, ...]) -> Any:
    """The JSON value with each of the secrets replaced; the same object when there is none."""
    if not secrets:
        return value
    kind = type(value)
    if kind is str:
        for secret in secrets:
            value = value.replace(secret, CREDENTIAL)
        return value
    if kind is dict:
        return {k: without(v, secrets) for k, v in value.items()}
    return [without(v, secrets) for v in value] if kind is list else value
