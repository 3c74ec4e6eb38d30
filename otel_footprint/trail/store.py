"""Reading a content store: the texts and media that a trail names by hash.

The trail says where its store is (`footprint.store`), but it is only opened when a person names
it: what stands in a trail may come from anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from ..errors import MissingExtraError, TrailError
from ..records.trail import MediaNote
from ..text.stored import from_bytes, media_path, text_path


class ContentStore:
    """One content store. Raises TrailError for a URI that fsspec does not know, and for what is no
    folder; a remote store is first asked when something of it is read.

    A local folder that is not there is `absent`, and empty: the writer makes it with the
    first content. Reading a trail that names contents of it raises TrailError.
    """

    def __init__(self, uri: str) -> None:
        if find_spec("fsspec") is None:
            raise MissingExtraError(f"reading the content store {uri}", "store")
        from fsspec.core import url_to_fs

        if not uri:  # fsspec takes it for the folder that we are in
            raise TrailError("no content store is named: its URI is empty")
        try:
            self._fs, root = url_to_fs(uri)
        except (ValueError, ImportError) as error:
            raise TrailError(f"the content store {uri} cannot be opened: {error}") from None
        self._root = str(root).rstrip("/")
        self.absent = ""
        """Said of a folder that is not there; empty where there is one."""
        if "file" in self._protocols() and not self._fs.isdir(self._root):
            if self._fs.exists(self._root):
                raise TrailError(f"{uri}: Not a folder (content store)")
            self.absent = f"{uri}: No such folder (content store)"

    def _protocols(self) -> Sequence[str]:
        found: str | Sequence[str] = self._fs.protocol
        return (found,) if isinstance(found, str) else found

    def texts(self, key: str) -> list[str] | None:
        """The texts of a piece (or a layout) by its hash; None: not there, or not readable."""
        data = self._read(text_path(key))
        return None if data is None else from_bytes(data)

    def media(self, note: MediaNote) -> bytes | None:
        """The bytes of a media value; None: not there. The caller compares their hash."""
        return self._read(media_path(note.sha256))

    def _read(self, path: str) -> bytes | None:
        if not path.rpartition("/")[2].partition(".")[0].isalnum():
            return None
        try:
            data: Any = self._fs.cat_file(f"{self._root}/{path}")
        except Exception:  # whatever a remote store raises, the content is not at hand
            return None
        return data if isinstance(data, bytes) else None
