"""Processes that outlive who started them: known by their id and the moment of their start."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

_PATIENCE: Final = 15.0
"""Seconds in which a process may end by itself."""
_STEP: Final = 0.05
_children: Final[dict[int, subprocess.Popen[bytes]]] = {}
"""Those that this very process started, which must be waited for."""


class Running(NamedTuple):
    """A process that was started."""

    pid: int
    born: str
    """What tells it from a later process with the same id."""


def start(command: Sequence[str], log: Path, env: Mapping[str, str], folder: Path) -> Running:
    """Starts a process of its own session, whose output is appended to `log`."""
    with log.open("ab") as out:
        made = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, **env},
            cwd=folder,
            start_new_session=True,
        )
    _children[made.pid] = made
    return Running(made.pid, _born(made.pid))


def alive(process: Running) -> bool:
    """Whether it still runs."""
    child = _children.get(process.pid)
    if child is not None:
        return child.poll() is None
    return _exists(process.pid) and _born(process.pid) == process.born


def stop(process: Running, kill: bool = False) -> None:
    """Ends it (SIGTERM; SIGKILL at once with `kill`, or when it takes too long) and waits."""
    if not alive(process):
        _forget(process)
        return
    _send(process, signal.SIGKILL if kill else signal.SIGTERM)
    if not _gone(process):
        _send(process, signal.SIGKILL)
        _gone(process)
    _forget(process)


def _send(process: Running, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, number)


def _gone(process: Running) -> bool:
    end = time.monotonic() + _PATIENCE
    while alive(process):
        if time.monotonic() > end:
            return False
        time.sleep(_STEP)
    return True


def _forget(process: Running) -> None:
    child = _children.pop(process.pid, None)
    if child is not None:
        child.wait()


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _born(pid: int) -> str:
    """The moment of its start, as the system says it; empty when it is gone."""
    stat = Path(f"/proc/{pid}/stat")
    if stat.parent.parent.is_dir() and Path("/proc/self/stat").exists():
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            return ""
        return "" if fields[0] == "Z" else fields[19]
    said = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return said.stdout.strip()
