"""Waiting: for an answer, for a condition; always by asking again, always with a bound."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Final, TypeVar

T = TypeVar("T")
_STEP: Final = 0.1
_NO_PROXY: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class NotReadyError(Exception):
    """What was waited for did not come."""


def get(url: str, timeout: float = 5.0) -> bytes:
    """What a URL of loopback answers. Raises OSError, also for statuses from 400."""
    with _NO_PROXY.open(url, timeout=timeout) as response:
        body: bytes = response.read()
    return body


def answers(url: str) -> bool:
    """Whether a URL answers with a good status."""
    try:
        get(url)
    except (OSError, ValueError):
        return False
    return True


def until(
    ask: Callable[[], T | None],
    seconds: float,
    what: str,
    give_up: Callable[[], str | None] = lambda: None,
) -> T:
    """Asks until the answer is true, and gives it. Raises NotReadyError after `seconds`.

    give_up: says why further waiting is in vain, or None.
    """
    end = time.monotonic() + seconds
    while True:
        found = ask()
        if found:
            return found
        why = give_up()
        if why is None and time.monotonic() > end:
            why = f"not within {seconds:g} s"
        if why is not None:
            raise NotReadyError(f"{what}: {why}")
        time.sleep(_STEP)
