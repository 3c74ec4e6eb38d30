"""The process's default Footprint, for `footprint.wrap(client)` without further words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from ..errors import known_options
from .callables import recorded_by
from .footprint import Footprint
from .stainless import recorder_of, sdk_of

if TYPE_CHECKING:
    from uuid import UUID

T = TypeVar("T")
_made: Final[list[Footprint]] = []


def default() -> Footprint:
    """The default Footprint; made at first use, with what the environment says."""
    if not _made:
        _made.append(Footprint())
    return _made[0]


def wrap(target: T, **options: Any) -> T:
    """See `Footprint.wrap`. What a Footprint has wrapped already stays that one's."""
    return (wrapped_by(target) or default()).wrap(target, **options)


def wrapped_by(target: object) -> Footprint | None:
    """The Footprint that has wrapped a client or a function; None: none has."""
    sdk = sdk_of(target)
    return recorded_by(target) if sdk is None else recorder_of(target, sdk)


@known_options("tool")
def tool(fn: Any = None, /, *, name: str | None = None) -> Any:
    """See `Footprint.tool`."""
    return default().tool(name=name) if fn is None else default().tool(fn, name=name)


def turn(text: str | None = None, **fields: Any) -> Any:
    """See `Footprint.turn`."""
    return default().turn(text, **fields)


@known_options("feedback")
def feedback(
    turn_id: str | int | UUID, name: str, value: float | str | bool, comment: str | None = None
) -> None:
    """See `Footprint.feedback`."""
    default().feedback(turn_id, name, value, comment)
