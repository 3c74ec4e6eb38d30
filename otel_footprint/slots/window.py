"""The model's context window: its size, and how many calls are left before it is full.

Sizes come from `genai-prices` (an extra), which takes about 200 ms to import: it is loaded in a
thread when first needed, and until then, and for a model it does not know, the size is unknown.
Unknown means no utilisation, never a guess.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

GROWTHS: Final = 5
"""Calls whose mean growth is projected."""
MODELS: Final = 512

Lookup = Callable[[str, str], int | None]


class Windows:
    """Window sizes by model, looked up once, never on a call's path."""

    def __init__(self) -> None:
        self._sizes: OrderedDict[tuple[str, str], int | None] = OrderedDict()
        self._lookup: Lookup | None = None
        self._loading: threading.Thread | None = None
        self._lock = threading.Lock()

    def size(self, provider: str, model: str) -> int | None:
        """Tokens of the model's window; None while unknown."""
        key = (provider, model)
        if key in self._sizes:
            return self._sizes[key]
        if self._lookup is None:
            self.load(wait=False)
            return None
        size = self._sizes[key] = self._lookup(provider, model)
        while len(self._sizes) > MODELS:
            self._sizes.popitem(last=False)
        return size

    def load(self, wait: bool = True) -> None:
        """Loads the catalogue; with `wait` it is there when this returns."""
        with self._lock:
            if self._lookup is None and self._loading is None:
                # No daemon: one that dies while it imports keeps the lock of a module, for which
                # whoever imports the same at the end of the process waits for ever.
                self._loading = threading.Thread(
                    target=self._load, name="footprint-windows", daemon=False
                )
                self._loading.start()
            loading = self._loading
        if wait and loading is not None:
            loading.join()

    def _load(self) -> None:
        try:
            self._lookup = _catalogue()
        except Exception:  # without the extra every size is unknown
            self._lookup = _unknown


def _unknown(_provider: str, _model: str) -> int | None:
    return None


def _catalogue() -> Lookup:
    from genai_prices import data_snapshot

    snapshot = data_snapshot.get_snapshot()

    def lookup(provider: str, model: str) -> int | None:
        for provider_id in (provider, None):
            try:
                _, info = snapshot.find_provider_model(model, None, provider_id, None)
            except LookupError:
                continue
            size = getattr(info, "context_window", None)
            return size if isinstance(size, int) and size > 0 else None
        return None

    return lookup


class Growth:
    """The last fillings of a window, and the calls that are left at their mean growth."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: deque[int] = deque(maxlen=GROWTHS + 1)

    def add(self, tokens: int) -> None:
        """Takes in the tokens of a call's request."""
        self._last.append(tokens)

    def mean(self) -> float | None:
        """Mean growth a call over the last five; None before the second call."""
        if len(self._last) < 2:
            return None
        return (self._last[-1] - self._last[0]) / (len(self._last) - 1)

    def calls_left(self, size: int | None) -> float | None:
        """Calls until the window is full; None: unknown, or it does not grow."""
        mean = self.mean()
        if size is None or mean is None or mean <= 0:
            return None
        return max(0.0, (size - self._last[-1]) / mean)


WINDOWS: Final = Windows()
"""The process's catalogue."""
