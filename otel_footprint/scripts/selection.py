"""Which programs travel with an answer, and how much of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, cast

from ..records.scripts import MAX_SHOWN, Call, Reached, Script, Unshown, Which
from ..text.jsontext import encode
from .ledger import Ledger, Row


class Selection(NamedTuple):
    """What is to stand under an answer. Detached: nothing in it is shared with the ledger."""

    which: Which
    shown: tuple[Script, ...] = ()
    """At most eight, in the order of their calls."""
    unshown: tuple[Unshown, ...] = ()
    """Calls that were selected and whose program has no text."""
    omitted: int = 0
    """Programs that could not be shown."""
    without_row: int = 0

    def __bool__(self) -> bool:
        """False when nothing travels."""
        return bool(self.shown or self.omitted)


def select(ledger: Ledger) -> Selection:
    """The programs of a turn that travel with its answer, as declared.

    `last`: the last call that reached its tool, never an older one in its place. `all`: of those
    that have a text the newest eight; the others are counted.
    """
    scripts = ledger.scripts
    return select_rows(ledger.rows, scripts.which, scripts.max_bytes, ledger.without_row)


def select_rows(
    rows: Iterable[Row], which: Which, max_bytes: int, without_row: int = 0
) -> Selection:
    """`select` on rows that are at hand."""
    reached = [row for row in rows if row.label != "submitted"]
    if which == "last":
        reached = reached[-1:]
    texts = [row for row in reached if row.text is not None]
    unshown = tuple(_unshown(row) for row in reached if row.text is None)
    older = max(0, len(texts) - MAX_SHOWN)
    return Selection(
        which,
        tuple(_script(row, max_bytes) for row in texts[older:]),
        unshown,
        older + len(unshown) + (without_row if which == "all" else 0),
        without_row,
    )


def cut(text: str, limit: int) -> str:
    """The longest beginning of at most `limit` UTF-8 bytes, cut between characters."""
    if len(text) * 4 <= limit:
        return text
    data = encode(text[:limit])
    return text[:limit] if len(data) <= limit else data[:limit].decode("utf-8", "ignore")


def _script(row: Row, max_bytes: int) -> Script:
    text = row.text or ""
    shown = cut(text, max_bytes)
    return Script(
        **_call(row).model_dump(),
        language=row.language,
        byte_count=row.byte_count or 0,
        digest=row.digest or "",
        shown_bytes=None if len(shown) == len(text) else len(encode(shown)),
        text=shown,
    )


def _unshown(row: Row) -> Unshown:
    return Unshown(
        **_call(row).model_dump(),
        why=row.why or "unreadable",
        byte_count=row.byte_count,
        digest=row.digest,
    )


def _call(row: Row) -> Call:
    label = cast(Reached, row.label)
    return Call(call=row.call, tool=row.tool, label=label, exit_code=row.exit_code)
