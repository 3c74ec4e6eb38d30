"""Budgets: how full a slot may be. They measure and never truncate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from ..errors import DeclarationError, known_fields

Slot = Literal["system", "messages", "tools"]
Unit = Literal["chars", "tokens"]
Origin = Literal["default", "declared"]

SLOTS: Final[tuple[Slot, ...]] = ("system", "messages", "tools")
DEFAULT_CAPS: Final[dict[Slot, int]] = {"system": 4000, "messages": 10_000, "tools": 2000}
"""Caps in chars of slots that nobody named; with tokens there is no default."""


class _Unset:
    def __repr__(self) -> str:
        return "<default>"


UNSET: Final = _Unset()


@known_fields
@dataclass(frozen=True)
class Budget:
    """Caps of the three slots, in code points of text (`chars`) or estimated `tokens`.

    A slot not named keeps its default (chars only). 0 or None means no cap. Negative numbers,
    bools, floats, strings and unknown units raise DeclarationError.
    """

    system: int | _Unset | None = UNSET
    messages: int | _Unset | None = UNSET
    tools: int | _Unset | None = UNSET
    unit: Unit = "chars"
    caps: tuple[int, int, int] = field(init=False)
    """Caps of system, messages, tools; 0 means none."""
    shown: str = field(init=False, repr=False)
    """The caps as they stand on the record, with commas."""
    origins: tuple[Origin, Origin, Origin] = field(init=False)
    declared: str = field(init=False, repr=False)
    """The slots whose cap was declared, with commas."""

    def __post_init__(self) -> None:
        if self.unit not in ("chars", "tokens"):
            raise DeclarationError("Budget.unit", self.unit, "'chars' or 'tokens'")
        named = [self._cap(slot) for slot in SLOTS]
        defaults = [DEFAULT_CAPS[s] if self.unit == "chars" else 0 for s in SLOTS]
        caps = [d if n is None else n for n, d in zip(named, defaults, strict=True)]
        object.__setattr__(self, "caps", tuple(caps))
        object.__setattr__(self, "shown", ",".join(map(str, caps)))
        object.__setattr__(
            self, "origins", tuple("default" if n is None else "declared" for n in named)
        )
        declared = [s for s, n in zip(SLOTS, named, strict=True) if n is not None]
        object.__setattr__(self, "declared", ",".join(declared))

    def _cap(self, slot: Slot) -> int | None:
        value = getattr(self, slot)
        if value is UNSET:
            return None
        if value is None:
            return 0
        if type(value) is not int or value < 0:
            raise DeclarationError(
                f"Budget.{slot}", value, "a positive whole number, or 0 or None for no cap"
            )
        return value
