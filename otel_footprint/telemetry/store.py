"""The content store: large texts and the bytes of media, by hash, beside the trail.

A folder or any URI that fsspec knows (`s3://bucket/prefix`, `memory://`, ...). A thread writes, so
that nothing waits for it. What could not be written is counted, and its owner is told, so that the
next composition writes it again.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, Final

from ..errors import DeclarationError, MissingExtraError
from ..text.media import decoded
from ..text.stored import media_path, text_path, to_bytes
from .guard import failed

MAX_WAITING: Final = 64_000_000
"""Bytes that wait for the thread at most; beyond them nothing is taken."""
AT_EXIT: Final = 5.0
"""Seconds that a process waits at its end for what is not written yet."""
MAX_KNOWN: Final = 20_000
"""Names that are remembered as written."""

Lost = Callable[[], None]
_Job = tuple[str, Callable[[], bytes], int, Lost]
"""Path, what makes the bytes, about how many, whom to tell when they could not be written."""


class Store:
    """Writes to one content store. Thread-safe; it never raises once it is made, nor waits."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self._fs, self._root = _filesystem(uri)
        self._known: OrderedDict[str, None] = OrderedDict()
        self._jobs: deque[_Job] = deque()
        self._waiting = 0
        self._open = 0
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self.dropped: Callable[[int], None] = lambda _n: None
        """Told how many contents were lost, for the metrics."""
        closing = weakref.WeakMethod(self.flush)
        atexit.register(lambda: (f := closing()) and f(AT_EXIT))
        if hasattr(os, "register_at_fork"):
            forked = weakref.WeakMethod(self._forked)
            os.register_at_fork(after_in_child=lambda: (f := forked()) and f())

    @property
    def shown(self) -> str:
        """The URI as it may stand on a record: without user, password, query and fragment."""
        scheme, mark, rest = self.uri.partition("://")
        if not mark:
            return self.uri
        place = rest.partition("?")[0].partition("#")[0]
        host, slash, path = place.partition("/")
        return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"

    def put_text(self, key: str, texts: Sequence[str], lost: Lost) -> bool:
        """Takes the texts of a piece; False when there is no room for them now."""
        held = tuple(texts)
        size = sum(map(len, held))
        return self._put((text_path(key), lambda: to_bytes(held), size, lost))

    def put_media(self, sha256: str, data: str, lost: Lost) -> bool:
        """Takes the base64 text of media; False when there is no room for it now."""
        return self._put((media_path(sha256), lambda: decoded(data), len(data), lost))

    def flush(self, timeout: float = 30.0) -> bool:
        """Waits until all that was taken is written; False when the time (seconds) is over."""
        end = time.monotonic() + timeout
        with self._change:
            while self._open:
                left = end - time.monotonic()
                if left <= 0 or not self._change.wait(left):
                    return False
        return True

    def _put(self, job: _Job) -> bool:
        path, _, size, _ = job
        with self._change:
            if path in self._known:
                self._known.move_to_end(path)
                return True
            if self._waiting + size > MAX_WAITING:
                return False
            self._known[path] = None
            if len(self._known) > MAX_KNOWN:
                self._known.popitem(last=False)
            self._jobs.append(job)
            self._waiting += size
            self._open += 1
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._work, name="otel-footprint-store", daemon=True
                )
                try:
                    self._thread.start()
                except RuntimeError:  # the interpreter is shutting down
                    self._thread = None
            self._change.notify_all()
        return True

    def _work(self) -> None:
        while True:
            with self._change:
                while not self._jobs:
                    self._change.wait()
                path, make, size, lost = self._jobs.popleft()
            try:
                self._write(path, make())
            except Exception as error:
                self._lose(path, lost, type(error))
            with self._change:
                self._waiting -= size
                self._open -= 1
                self._change.notify_all()

    def _write(self, path: str, data: bytes) -> None:
        whole = f"{self._root.rstrip('/')}/{path}"
        self._fs.makedirs(whole.rpartition("/")[0], exist_ok=True)
        self._fs.pipe_file(whole, data)

    def _lose(self, path: str, lost: Lost, kind: type[BaseException]) -> None:
        with self._change:
            self._known.pop(path, None)
        failed("store.write", kind)
        try:
            lost()
            self.dropped(1)
        except Exception as error:
            failed("store.lost", type(error))

    def _forked(self) -> None:
        """In a child process: what waited is the parent's to write."""
        self._change = threading.Condition()
        self._jobs.clear()
        self._waiting = self._open = 0
        self._thread = None


def _filesystem(uri: str) -> tuple[Any, str]:
    """fsspec's file system of a URI, and the path in it."""
    if find_spec("fsspec") is None:
        raise MissingExtraError("a content store", "store")
    from fsspec.core import url_to_fs

    try:
        fs, root = url_to_fs(uri)
    except (ValueError, ImportError) as error:
        allowed = f"a folder or a URI that fsspec knows ({error})"
        raise DeclarationError("store", uri, allowed) from None
    return fs, str(root)
