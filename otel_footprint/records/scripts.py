"""What stands on the record about the programs under an answer.

The recorded form is plain data (`Attached.value`), the same in an event and in a file.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import Self

from ..text.jsontext import encode

MAX_SHOWN: Final = 8
"""Programs under one answer."""
DEFAULT_SHOWN_BYTES: Final = 4000
"""UTF-8 bytes shown of each program, when nothing else is declared."""
MAX_TEXT_BYTES: Final = 65_536
"""A longer program keeps its digest and size and no text."""
MAX_ROWS: Final = 256
"""Programs that a ledger keeps of one turn."""

Label: TypeAlias = Literal["submitted", "started", "completed", "failed", "timed_out", "cancelled"]
"""How far a call came, by the execution record alone. A `submitted` one never reached its tool."""
Reached: TypeAlias = Literal["started", "completed", "failed", "timed_out", "cancelled"]
Which: TypeAlias = Literal["last", "all"]
Form: TypeAlias = Literal["text", "data", "none"]
"""How programs travelled: under a prose answer, beside a typed one, or there were none."""
After: TypeAlias = Literal["nothing", "newline", "text"]
"""What the block followed: an empty answer, one that ended with a line feed, or another."""
Why: TypeAlias = Literal["over_size", "unreadable", "unprintable", "withheld"]
"""Why a program has no text: too long; no string among the arguments; a NUL or a lone surrogate,
which no renderer and not every store gives back; or a redaction that raised."""

LABELS: Final[tuple[Label, ...]] = (
    "submitted", "started", "completed", "failed", "timed_out", "cancelled",
)  # fmt: skip
CHARS: Final = {"`": "backtick", "~": "tilde"}


class Boundary(NamedTuple):
    """What the text before a block leaves open; of `closed` the fence that a line closes."""

    kind: Literal["clean", "closed", "unsettled"]
    char: str = ""
    length: int = 0

    @property
    def closing_line(self) -> str:
        """The line that closes what is open; empty unless `closed`."""
        return self.char * self.length

    def value(self) -> dict[str, Any]:
        """The recorded form."""
        if self.kind != "closed":
            return {"kind": self.kind}
        return {"kind": "closed", "char": CHARS[self.char], "length": self.length}


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


_Size = Field(ge=0)
_Digest = Field(pattern=r"^[0-9a-f]{32}$")


class Call(_Record):
    """The call that a program belongs to, and how it came out."""

    call: str
    """Tool call id; empty when the provider gives none."""
    tool: str
    label: Reached
    exit_code: int | None = None
    """Only of a completed call whose tool reported one."""

    @model_validator(mode="after")
    def _exit_code_of_completed(self) -> Self:
        if self.exit_code is not None and self.label != "completed":
            raise ValueError("an exit code belongs to a completed call")
        return self


class Script(Call):
    """A program as it travelled with an answer."""

    language: str | None = None
    byte_count: int = _Size
    """UTF-8 bytes of the whole program (as redaction left it)."""
    digest: str = _Digest
    """32 hex digits over the whole program (as redaction left it)."""
    shown_bytes: int | None = Field(default=None, ge=0)
    """Bytes of `text` when the program was cut; else absent."""
    withheld: bool = False
    """True when the program stood in the data only."""
    text: str | None = None
    """The program, or its beginning; absent where the capture mode hides it."""

    @model_validator(mode="after")
    def _sizes(self) -> Self:
        size = self.byte_count if self.shown_bytes is None else self.shown_bytes
        if self.shown_bytes is not None and self.shown_bytes >= self.byte_count:
            raise ValueError("a cut program shows fewer bytes than it has")
        if self.text is not None and len(encode(self.text)) != size:
            raise ValueError("the text has not the size that is stated")
        return self


class Unshown(Call):
    """A call that reached its tool and whose program could not be shown."""

    why: Why
    byte_count: int | None = Field(default=None, ge=0)
    digest: str | None = Field(default=None, pattern=r"^[0-9a-f]{32}$")

    @model_validator(mode="after")
    def _over_size_has_size(self) -> Self:
        if self.why == "over_size" and self.byte_count is None:
            raise ValueError("a program that is too long has its size")
        return self


class Attached(NamedTuple):
    """What went under one answer."""

    which: Which
    form: Form = "none"
    shown: tuple[Script, ...] = ()
    omitted: int = 0
    """Programs that could not be shown: `unshown`, those without a row, those beyond the newest."""
    unshown: tuple[Unshown, ...] = ()
    without_row: int = 0
    """Calls that reached their tool and of which the ledger keeps no row any more."""
    boundary: Boundary | None = None
    """Absent when no text was put under the answer."""
    after: After | None = None
    """Present with the boundary."""
    kept: bool = True
    """Whether the texts of the programs stand on the record."""

    @property
    def older(self) -> int:
        """Programs that were left out because newer ones filled the bound."""
        rowless = self.without_row if self.which == "all" else 0
        return self.omitted - len(self.unshown) - rowless

    def value(self) -> dict[str, Any]:
        """The recorded form: fresh plain data, JSON as it is."""
        out: dict[str, Any] = {
            "which": self.which,
            "form": self.form,
            "shown": [_plain(script, self.kept) for script in self.shown],
            "omitted": self.omitted,
            "unshown": [_plain(entry) for entry in self.unshown],
            "without_row": self.without_row,
            "kept": self.kept,
        }
        if self.boundary is not None:
            out["boundary"] = self.boundary.value()
            out["after"] = self.after
        return out


def _plain(record: _Record, kept: bool = True) -> dict[str, Any]:
    out = record.model_dump(exclude_defaults=True)
    if not kept:
        out.pop("text", None)
    return out
