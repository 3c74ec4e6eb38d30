"""The texts of a trail: each was written once, and is found again by identity and exact hash."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from ..records.trail import GapKind, MediaNote, PieceRow
from ..text.jsontext import dumps
from ..text.media import spelled
from ..text.skeleton import Media, Split, fill, source, split
from ..wire.media import find_media
from .hashes import Hashes
from .store import ContentStore

MediaBytes = Callable[[MediaNote], "bytes | None"]
"""Gives the bytes of a media value, for example from a content store; None: not there."""

STORED: Final = "is in the content store"
Key = tuple[str, str]
"""Identity and exact hash."""


class Found(NamedTuple):
    """A text that was looked for."""

    text: str | None
    proven: bool
    """True when the text gives the hash that it was looked for by."""
    gap: GapKind | None = None
    """Why there is none."""
    what: str = ""


class Layout(NamedTuple):
    """A request outside its slots, as one event wrote it."""

    text: str
    dialect: str


class Texts:
    """Every text that some event wrote."""

    def __init__(self, hashes: Hashes, store: ContentStore | None = None) -> None:
        self.hashes = hashes
        self._store = store
        self._stored: set[Key] = set()
        self._pieces: dict[Key, list[tuple[str, ...]]] = {}
        self._leaves: dict[str, list[tuple[str, ...]]] = {}
        self._media: dict[Key, tuple[MediaNote, ...]] = {}
        self._layouts: dict[str, list[Layout]] = {}
        self._dialects: dict[str, str] = {}
        self._partly: dict[Key, str] = {}
        """Texts that were written in parts that are not all there: the call."""
        self._left_out: set[Key] = set()

    # --- writing down --------------------------------------------------------------------

    def record(self, row: PieceRow, texts: list[str] | None, call: str) -> None:
        """Takes in the texts of a row; None: some of them are missing."""
        key = (row.hash, row.exact)
        if row.media:
            self._media.setdefault(key, row.media)
        if texts is None:
            self._partly.setdefault(key, call)
            return
        if not texts:
            return
        recorded = self._pieces.setdefault(key, [])
        if tuple(texts) not in recorded:
            recorded.append(tuple(texts))
        leaves = tuple(texts[1:])
        if leaves:
            of_hash = self._leaves.setdefault(row.hash, [])
            if leaves not in of_hash:
                of_hash.append(leaves)

    def record_layout(self, hash_: str, text: str | None, dialect: str) -> None:
        """Takes in the dialect of a request's layout, and its text when it is all there."""
        if dialect:
            self._dialects.setdefault(hash_, dialect)
        if text is not None:
            known = self._layouts.setdefault(hash_, [])
            if Layout(text, dialect) not in known:
                known.append(Layout(text, dialect))

    def leave_out(self, hash_: str, exact: str = "") -> None:
        """Notes a text that the writer left out because the trace was full."""
        self._left_out.add((hash_, exact))

    def put_away(self, hash_: str, exact: str = "") -> None:
        """Notes a text that the writer put into its content store."""
        self._stored.add((hash_, exact))

    @property
    def put_away_any(self) -> bool:
        """Whether any text went to the content store."""
        return bool(self._stored)

    @property
    def media_any(self) -> bool:
        """Whether any piece has media, whose bytes are on no trail."""
        return bool(self._media)

    # --- finding -------------------------------------------------------------------------

    def dialect(self, layout: str) -> str:
        """The dialect of the layout with this hash; empty when no record says."""
        return self._dialects.get(layout, "")

    def piece(self, row: PieceRow, media: MediaBytes | None = None) -> Found:
        """The exact JSON text of a piece, proven by its hash where the hash function is at hand.

        Of several recordings the one that gives the hash; without one, the first that is whole,
        and `proven` is False.
        """
        key = (row.hash, row.exact)
        recorded = self._pieces.get(key) or self._fetched(key)
        if not recorded:
            return self._missing(key)
        notes = row.media or self._media.get(key, ())
        asked = _Media(notes, media)
        first: str | None = None
        for skeleton, leaves in self._candidates(row, recorded):
            try:
                text = fill(skeleton, leaves, asked)
            except (LookupError, ValueError):
                continue
            proven = self._proven(row, skeleton, leaves, notes, text)
            if proven is not None:
                return Found(proven, True)
            first = text if first is None else first
        if asked.missing:
            note = asked.missing[0]
            what = f"{note.type or 'media of unsaid type'}, {note.size} bytes, sha256 {note.sha256}"
            return Found(None, False, "media", what)
        if first is None:
            return Found(None, False, "text", "its long strings are missing")
        return Found(first, False)

    def shown(self, row: PieceRow) -> str | None:
        """The text of a piece for a person to look at: media stand as a note. Never a proof."""
        key = (row.hash, row.exact)
        notes = row.media or self._media.get(key, ())
        for skeleton, leaves in self._candidates(row, self._pieces.get(key) or self._fetched(key)):
            try:
                return fill(skeleton, leaves, _Shown(notes))
            except (LookupError, ValueError):
                continue
        return None

    def layout(self, hash_: str) -> Found:
        """The text of a request's layout."""
        recorded = self._layouts.get(hash_) or self._fetched_layout(hash_)
        if not recorded:
            if (hash_, "") in self._stored:
                return Found(None, False, "content", STORED)
            if (hash_, "") in self._left_out:
                return Found(None, False, "content", "was left out, because the trace was full")
            return Found(None, False, "layout")
        for text, dialect in recorded:
            for exact in (text, unescaped(text)):
                if self.hashes.fits(f"{dialect}\n{exact}", hash_):
                    return Found(exact, True)
        return Found(recorded[0].text, False)

    def _missing(self, key: Key) -> Found:
        call = self._partly.get(key)
        if call is not None:
            what = f"was written in parts by call {call}, and not all of them are there"
            return Found(None, False, "parts", what)
        if key in self._stored:
            return Found(None, False, "content", STORED)
        if key in self._left_out:
            return Found(None, False, "content", "was left out, because the trace was full")
        return Found(None, False, "text")

    def _fetched(self, key: Key) -> list[tuple[str, ...]]:
        """The texts of a piece out of the content store, kept from then on."""
        found = self._store.texts("".join(key)) if self._store is not None else None
        if found is None:
            return []
        made = self._pieces[key] = [tuple(found)]
        return made

    def _fetched_layout(self, hash_: str) -> list[Layout]:
        found = self._store.texts(hash_) if self._store is not None else None
        if found is None:
            return []
        made = self._layouts[hash_] = [Layout(found[0], self.dialect(hash_))]
        return made

    def _candidates(
        self, row: PieceRow, recorded: list[tuple[str, ...]]
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Skeletons with leaves: their own, or those that were recorded with the same identity."""
        for texts in recorded:
            skeleton, leaves = texts[0], texts[1:]
            yield skeleton, leaves
            if not leaves:
                for others in self._leaves.get(row.hash, ()):
                    yield skeleton, others

    def _proven(
        self,
        row: PieceRow,
        skeleton: str,
        leaves: tuple[str, ...],
        notes: tuple[MediaNote, ...],
        text: str,
    ) -> str | None:
        """The exact text when it gives the hash: as it was recorded, or split again."""
        media = tuple(Media(*note, "") for note in notes)
        if self.hashes.fits(source(Split(skeleton, leaves, media)), row.exact):
            return text
        try:
            value = json.loads(text)
            if self.hashes.fits(source(split(value, find_media)), row.exact):
                return dumps(value)
        except (ValueError, RecursionError):
            return None
        return None


class _Media:
    """Puts media back, and remembers what was not there."""

    def __init__(self, notes: tuple[MediaNote, ...], lookup: MediaBytes | None) -> None:
        self.notes = notes
        self.lookup = lookup
        self.missing: list[MediaNote] = []

    def __call__(self, index: int) -> str:
        note = self.notes[index] if index < len(self.notes) else MediaNote("", 0, "unknown", "")
        data = self.lookup(note) if self.lookup is not None else None
        if data is None or sha256(data).hexdigest() != note.sha256:
            self.missing.append(note)
            raise LookupError(index)
        return spelled(note.prefix, data)


class _Shown:
    def __init__(self, notes: tuple[MediaNote, ...]) -> None:
        self.notes = notes

    def __call__(self, index: int) -> str:
        if index >= len(self.notes):
            return "[media]"
        note = self.notes[index]
        return f"[{note.type or 'media'}, {note.size} bytes]"


def unescaped(text: str) -> str:
    """Lone surrogates as themselves, which stand escaped on the trail."""
    if "\\ud" not in text:
        return text
    out, at = [], 0
    while (found := text.find("\\ud", at)) >= 0:
        digits = text[found + 2 : found + 6]
        out.append(text[at:found])
        is_code = len(digits) == 4 and digits[1] in "89abcdef" and digits.isalnum()
        out.append(_char(digits) if is_code else text[found : found + 6])
        at = found + 6
    return "".join(out) + text[at:]


def _char(digits: str) -> str:
    try:
        return chr(int(digits, 16))
    except ValueError:
        return "\\u" + digits


__all__ = ["Found", "MediaBytes", "Texts", "unescaped"]
