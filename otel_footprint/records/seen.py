"""Whether a text was in front of the model at a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..errors import TrailError
from .trail import PieceRow

QUOTED = 60
"""Characters of a text that are shown in words."""


class SeenAt(NamedTuple):
    """A piece that holds the text."""

    slot: str
    position: int
    """In the slot, from 0."""
    row: PieceRow


@dataclass(frozen=True, slots=True, repr=False)
class Seen:
    """The answer of `call.saw(text)`: true, false, or that it cannot be told.

    It is true when some piece holds the text. It is false only when every piece could be read;
    asking for the truth of anything else raises TrailError, so that no assertion passes for lack
    of evidence.
    """

    text: str
    call: str
    """What the call is called."""
    at: tuple[SeenAt, ...]
    """The pieces that hold it, slot by slot."""
    searched: int
    """Pieces that were read."""
    unread: tuple[str, ...]
    """Why some could not be; a sentence each, without a full stop."""

    def __bool__(self) -> bool:
        __tracebackhide__ = True  # pytest then shows the test's own line
        if self.at or not self.unread:
            return bool(self.at)
        raise TrailError(f"cannot tell whether {self.call} saw {_quoted(self.text)}: {self._lack}")

    def __repr__(self) -> str:
        if self.at:
            places = ", ".join(f"{a.slot}[{a.position}] ({a.row.source})" for a in self.at[:4])
            more = f" and {len(self.at) - 4} more" if self.at[4:] else ""
            return f"<{self.call} saw {_quoted(self.text)} in {places}{more}>"
        if self.unread:
            return f"<cannot tell whether {self.call} saw {_quoted(self.text)}: {self._lack}>"
        return (
            f"<{self.call} did not see {_quoted(self.text)}: none of {self.searched} pieces has it>"
        )

    @property
    def _lack(self) -> str:
        return f"{len(self.unread)} pieces cannot be read, {self.unread[0]}"


def _quoted(text: str) -> str:
    return repr(text if len(text) <= QUOTED else text[: QUOTED - 1] + "…")
