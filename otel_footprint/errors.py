"""The errors that a person sees: all of them say what was declared, where, and what is allowed.

    FootprintError
    ├── DeclarationError      a declaration is wrong (also a ValueError)
    ├── MissingExtraError     an optional package is needed for what was asked (also an ImportError)
    └── TrailError            a trail cannot be used for what was asked
        └── SourceError       the place that a trail is read from cannot be read

Nothing here is ever raised into a wrapped agent: `DeclarationError` is raised where the declaration
is written, the others by setup and by reading commands.
"""

from __future__ import annotations


class FootprintError(Exception):
    """Base of every error this library raises on purpose."""


class DeclarationError(FootprintError, ValueError):
    """A declaration is wrong: names the field, the value and what is allowed."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        self.field = field
        self.value = value
        self.allowed = allowed
        super().__init__(f"{field}={_shown(value)} is not allowed; expected: {allowed}")


class MissingExtraError(FootprintError, ImportError):
    """An optional package is missing: names the extra that brings it."""

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{what} needs: pip install 'otel-footprint[{extra}]'")


class TrailError(FootprintError):
    """A trail, or a part of it, cannot be used for what was asked."""


class SourceError(TrailError):
    """A file, folder or backend that a trail is read from cannot be read: says which and why."""


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__qualname__}>"
    return text if len(text) <= 80 else text[:77] + "..."
