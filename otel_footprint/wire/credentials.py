"""Credentials that a request carries in its body: never for the record, in no mode."""

from __future__ import annotations

from typing import Any, Final

_KEYS: Final = frozenset({"authorization", "authorization_token", "api_key", "access_token"})


def credentials(body: dict[str, Any]) -> tuple[str, ...]:
    """The secret texts in the definitions of remote tool servers: tokens and header values.

    They stand inside pieces and layout (`tools` of type `mcp`, `mcp_servers`), which are recorded;
    whoever records them puts something else in their place. Never raises.
    """
    found: list[str] = []
    for key in ("tools", "mcp_servers"):
        entries = body.get(key) if type(body) is dict else None
        for entry in entries if type(entries) is list else ():
            if type(entry) is dict and (key == "mcp_servers" or entry.get("type") == "mcp"):
                _collect(entry, found)
    return tuple(found)


def _collect(entry: dict[str, Any], found: list[str]) -> None:
    for key, value in entry.items():
        if key in _KEYS and isinstance(value, str) and value:
            found.append(value)
        elif key == "headers" and isinstance(value, dict):
            found += [v for v in value.values() if isinstance(v, str) and v]
