"""The script ledger of one turn: every program that was submitted, labelled as calls come out.

Bounded: 256 programs of at most 64 KiB. When it is full the oldest leaves and is counted, so that
the newest programs, the only ones that may stand under an answer, are always there. Programs
enter through redaction: what the hook leaves is the program from here on, for the answer and the
record alike.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Any, Final, NamedTuple

from ..records.scripts import LABELS, MAX_ROWS, MAX_TEXT_BYTES, Label, Why
from ..text.jsontext import encode
from ..text.skeleton import is_printable
from .declaration import Scripts

Redact = Callable[[str, str], str]
"""`redact(text, where) -> str`: the program as it may be kept; raising withholds it."""
Digest = Callable[[bytes], str]
"""32 hex digits over the bytes of a program (keyed, where the deployment has a key)."""

_NONE: Final = type(None)
FINAL: Final = frozenset({"completed", "failed", "timed_out", "cancelled"})
_NAME_LENGTH: Final = 256
_GONE: Final = 1024
_LANGUAGE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+#./ -]{0,31}\Z")
"""What a call may say its language is; anything else is text and stays unread."""


class Row(NamedTuple):
    """One call that submitted a program."""

    key: int
    """Number of the row in its ledger; names the call where call ids repeat or are missing."""
    call: str
    tool: str
    language: str | None
    text: str | None
    """None: see `why`."""
    byte_count: int | None
    digest: str | None
    label: Label
    exit_code: int | None
    why: Why | None
    """Why there is no text; None when there is one."""


def sha256(data: bytes) -> str:
    """The digest without a key."""
    return hashlib.sha256(data).hexdigest()[:32]


def _fits(code: Any) -> bool:
    return type(code) is int and -(2**63) <= code < 2**63


def _row(key: int, values: Any) -> Row | None:
    """A row that was saved; None for anything else."""
    kinds = (
        (str,), (str,), (str, _NONE), (str, _NONE), (int, _NONE), (str, _NONE), (str,),
        (int, _NONE), (str, _NONE),
    )  # fmt: skip
    if not isinstance(values, list) or len(values) != len(kinds):
        return None
    row = Row(key, *values)
    fits = all(type(v) in kind for v, kind in zip(values, kinds, strict=True))
    known = row.label in LABELS and (row.why is None) == (row.text is not None)
    whole = row.why is not None or row.byte_count == len(encode(row.text or ""))
    return row if fits and known and whole and row.digest != "" else None


class Ledger:
    """The programs of one turn. Every method is safe to call from several threads.

    A call is `submitted` when the model asks for it, `started` when it reaches its tool, and
    `ended` once: the first outcome stands. Code that a provider ran itself enters by `ran`.
    """

    def __init__(
        self,
        scripts: Scripts | None = None,
        redact: Redact | None = None,
        digest: Digest = sha256,
    ) -> None:
        self.scripts = scripts or Scripts()
        self.without_row = 0
        """Calls that reached their tool and whose row has left."""
        self._redact = redact
        self._digest = digest
        self._rows: OrderedDict[int, Row] = OrderedDict()
        self._gone: OrderedDict[int, bool] = OrderedDict()
        self._marks: dict[int, int] = {}
        """Hash of each program as it came, by which a call without an id is known."""
        self._next = 1
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows that are kept, in the order of their submission."""
        with self._lock:
            return tuple(self._rows.values())

    def submitted(self, call: str, tool: str, arguments: Any) -> int | None:
        """A model asked for a tool call. The key of its row; None when the tool is not declared.

        A call without a string under the declared argument has a row without text.
        """
        where = self.scripts.where.get(tool)
        if where is None:
            return None
        given = arguments if isinstance(arguments, Mapping) else {}
        text = given.get(where.argument)
        language = where.language
        said = given.get("language")
        if language is None and isinstance(said, str) and _LANGUAGE.match(said):
            language = said
        return self._add(call, tool, language, text if isinstance(text, str) else None, "submitted")

    def ran(
        self,
        call: str,
        tool: str,
        language: str | None,
        text: str | None,
        label: Label = "started",
        exit_code: int | None = None,
    ) -> int:
        """A provider reports code that it ran itself; declared or not. The key of its row."""
        if label not in LABELS:
            raise ValueError(f"unknown label {label!r}")
        code = exit_code if label == "completed" and _fits(exit_code) else None
        return self._add(call, tool, language, text, label, code)

    def started(self, key: int | None) -> bool:
        """The call reached its tool. False when nothing changed."""
        with self._lock:
            row = self._rows.get(key or 0)
            if row is None:
                return self._miss(key)
            if row.label != "submitted":
                return False
            self._rows[row.key] = row._replace(label="started")
            return True

    def ended(self, key: int | None, label: Label, exit_code: int | None = None) -> bool:
        """The outcome: `completed` (with an exit code, when there is one), `failed`, `timed_out`
        or `cancelled`. False when nothing changed: the first outcome stands.
        """
        if label not in FINAL:
            raise ValueError(f"{label!r} is no outcome")
        with self._lock:
            row = self._rows.get(key or 0)
            if row is None:
                return self._miss(key)
            if row.label in FINAL:
                return False
            code = exit_code if label == "completed" and _fits(exit_code) else None
            self._rows[row.key] = row._replace(label=label, exit_code=code)
            return True

    def key_of(self, call: str) -> int | None:
        """The key of a call by its id: the oldest row that has no outcome, else the newest."""
        with self._lock:
            found = [row for row in self._rows.values() if row.call == call[:_NAME_LENGTH]]
        open_ = [row.key for row in found if row.label not in FINAL]
        return open_[0] if open_ else found[-1].key if found else None

    def key_for(self, tool: str, texts: Iterable[str]) -> int | None:
        """The key of the oldest call that has not reached its tool and submitted one of `texts`."""
        marks = {hash(text) for text in texts}
        with self._lock:
            for key, row in self._rows.items():
                if row.label == "submitted" and row.tool == tool and self._marks.get(key) in marks:
                    return key
        return None

    def refused(self, key: int | None) -> None:
        """The tool refused the arguments before it ran: the call did not reach it after all."""
        with self._lock:
            row = self._rows.get(key or 0)
            if row is not None and row.label == "started":
                self._rows[row.key] = row._replace(label="submitted")

    # --- over a pause ------------------------------------------------------------------------

    def saved(self) -> dict[str, Any]:
        """The rows as JSON."""
        return {"rows": [list(row[1:]) for row in self.rows], "without_row": self.without_row}

    def restore(self, saved: Any) -> None:
        """Takes what `saved` gave; what is no row is left out."""
        if not isinstance(saved, Mapping):
            return
        rows, without = saved.get("rows"), saved.get("without_row")
        if type(without) is int and without > 0:
            self.without_row = without
        for values in rows[-MAX_ROWS:] if isinstance(rows, list) else ():
            row = _row(self._next, values)
            if row is not None:
                self._rows[row.key] = row
                self._next += 1

    # --- keeping -----------------------------------------------------------------------------

    def _add(
        self,
        call: str,
        tool: str,
        language: str | None,
        text: str | None,
        label: Label,
        exit_code: int | None = None,
    ) -> int:
        mark = hash(text)
        text, size, digest, why = self._measure(tool, text)
        with self._lock:
            row = Row(
                self._next, call[:_NAME_LENGTH], tool[:_NAME_LENGTH],
                language[:_NAME_LENGTH] if language else None,
                text, size, digest, label, exit_code, why,
            )  # fmt: skip
            self._next += 1
            self._rows[row.key] = row
            self._marks[row.key] = mark
            if len(self._rows) > MAX_ROWS:
                self._drop_oldest()
            return row.key

    def _measure(
        self, tool: str, text: str | None
    ) -> tuple[str | None, int | None, str | None, Why | None]:
        if text is None:
            return None, None, None, "unreadable"
        if self._redact is not None:
            text = self._redacted(text, tool)
            if text is None:
                return None, None, None, "withheld"
        data = encode(text)
        digest = self._digest(data)
        if len(data) > MAX_TEXT_BYTES:
            return None, len(data), digest, "over_size"
        if not is_printable(text):
            return None, len(data), digest, "unprintable"
        return text, len(data), digest, None

    def _redacted(self, text: str, tool: str) -> str | None:
        try:
            found = self._redact(text, f"scripts.{tool}") if self._redact else text
        except Exception:  # the hook is the application's own
            found = None
        return found if isinstance(found, str) else None

    def _drop_oldest(self) -> None:
        key, row = self._rows.popitem(last=False)
        self._marks.pop(key, None)
        if row.label != "submitted":
            self.without_row += 1
            return
        self._gone[key] = True
        if len(self._gone) > _GONE:
            self._gone.popitem(last=False)

    def _miss(self, key: int | None) -> bool:
        """A call whose row has left reaches its tool: it is counted, once."""
        if key is not None and self._gone.pop(key, False):
            self.without_row += 1
        return False
