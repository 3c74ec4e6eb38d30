"""Exit codes: what a tool itself reports about the program it ran."""

from __future__ import annotations

import json
import subprocess  # only its result type: nothing is run here
from collections.abc import Mapping
from typing import Any, Final

KEYS: Final = ("exit_code", "exitCode", "returncode", "return_code", "exit_status")
_LONGEST: Final = 65_536


def exit_code_of(result: Any) -> int | None:
    """The exit code that a tool's result states, or None. Nothing is guessed from prose.

    Read are a `subprocess.CompletedProcess`, and an object (or its JSON text) with one of `KEYS`
    at its top that holds a whole number.
    """
    if type(result) is subprocess.CompletedProcess:
        return _whole(result.returncode)
    if isinstance(result, str):
        result = _parsed(result)
    if not isinstance(result, Mapping):
        return None
    return next((_whole(result[key]) for key in KEYS if key in result), None)


def _parsed(text: str) -> Any:
    if len(text) > _LONGEST or not text.lstrip().startswith("{"):
        return None
    if not any(key in text for key in KEYS):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _whole(value: Any) -> int | None:
    return value if type(value) is int else None
