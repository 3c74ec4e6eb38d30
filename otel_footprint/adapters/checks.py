"""What is declared wrongly about a Footprint or a turn is refused here: field, value, allowed.

Refused is what an author writes (names, numbers, kinds of containers). What an application has at
run time is data and passes, whatever it is: a person's words, tags, the values of metadata, and
what is in a state that was kept somewhere.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Final

from ..errors import DeclarationError, takes
from ..text.identifiers import as_text

if TYPE_CHECKING:
    from ..injection import Injection

_LOG: Final = logging.getLogger("otel_footprint")
_PROVIDERS: Final = {
    "tracer_provider": "get_tracer",
    "meter_provider": "get_meter",
    "logger_provider": "get_logger",
}


def pieces(field: str, context: object) -> tuple[Injection, ...]:
    """Declared pieces as a tuple; DeclarationError for anything else."""
    from ..injection import Injection

    listed = isinstance(context, Sequence | Set) and not isinstance(context, str | bytes)
    if not listed or not all(isinstance(piece, Injection) for piece in context):  # type: ignore[attr-defined]
        raise DeclarationError(
            field, context, "a list of pieces made by fact(), steering(), skill(), ..."
        )
    return tuple(context)  # type: ignore[arg-type]


def check_provider(field: str, value: object, settings: Iterable[str]) -> None:
    """Refuses what is no provider, and a setting that there is not."""
    if field in ("ids", "clock"):
        if not takes(value, 0):
            raise DeclarationError(field, value, "a callable without arguments")
        return
    if field not in _PROVIDERS:
        there = ", ".join([*(name for name in settings if name != "providers"), *_PROVIDERS])
        raise DeclarationError(field, value, f"one of the settings {there}")
    if value is not None and not hasattr(value, _PROVIDERS[field]):
        raise DeclarationError(field, value, f"an object with {_PROVIDERS[field]}, or None")


def check_names(where: str, **values: object) -> None:
    """Refuses what is neither a name nor None."""
    for field, value in values.items():
        if value is not None and (not isinstance(value, str) or not value):
            raise DeclarationError(f"{where}.{field}", value, "a non-empty string or None")


def identifier(field: str, value: object) -> str | None:
    """What identifies a turn, a conversation or a person, as a text: databases count, and have
    UUIDs. Empty is nothing. DeclarationError for what is no identifier."""
    named_ = as_text(value)
    if named_ is None or isinstance(named_, str):
        return named_ or None
    raise DeclarationError(field, value, "a string, a whole number, a UUID or None")


def check_action_budget(where: str, value: object) -> None:
    """Refuses what is neither a number of model calls nor None."""
    if value is not None and (type(value) is not int or value < 1):
        raise DeclarationError(f"{where}.action_budget", value, "a whole number above 0")


def check_described(tags: object, metadata: object, prompt: object) -> None:
    """Refuses what does not describe a turn."""
    if tags is not None and (isinstance(tags, str | bytes) or not isinstance(tags, Sequence | Set)):
        raise DeclarationError("turn.tags", tags, "a sequence of strings or None")
    if metadata is not None and not isinstance(metadata, Mapping):
        raise DeclarationError("turn.metadata", metadata, "a mapping or None")
    if prompt is not None and (
        not isinstance(prompt, tuple | list)
        or len(prompt) != 2
        or not all(isinstance(part, str) for part in prompt)
    ):
        raise DeclarationError("turn.prompt", prompt, "(name, version), both strings, or None")


def check_resumed(state: object) -> None:
    """Refuses what no pause returned: it always names a turn.

    A state that was damaged where it was kept is data: it does what it still can, and the log says
    that it names no turn.
    """
    if state is None:
        return
    if not isinstance(state, Mapping) or "turn" not in state:
        raise DeclarationError(
            "turn.resume", state, "the dict that Turn.pause returned, or None for a turn of its own"
        )
    if named(state["turn"]) is None:
        _LOG.warning(
            "turn.resume holds no turn's id (%s): a new turn begins", type(state["turn"]).__name__
        )


def named(value: object) -> str | None:
    """A name out of a restored state; None for anything else."""
    return value if isinstance(value, str) and value else None
