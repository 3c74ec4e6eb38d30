"""Where the programs are: one folder, given or by `FOOTPRINT_BACKENDS`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final

VARIABLE: Final = "FOOTPRINT_BACKENDS"
COLLECTOR: Final = "otelcol-footprint"
NAMES: Final = {
    "collector": COLLECTOR,
    "jaeger": "jaeger",
    "prometheus": "prometheus",
    "promtool": "promtool",
    "alertmanager": "alertmanager",
}
"""Program of each service; promtool checks rules."""
_ELSEWHERE: Final = {"alertmanager": ("prometheus-alertmanager",)}
"""Names under which a distribution installs them."""


class MissingProgramError(Exception):
    """A program of the stack is not there."""


class Programs:
    """Finds the programs of the stack.

    folder: where they are; None: what `FOOTPRINT_BACKENDS` names, else the search path.
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        named = folder or os.environ.get(VARIABLE) or None
        self.folder = Path(named) if named else None

    def find(self, service: str) -> Path:
        """The program of a service. Raises MissingProgramError."""
        name = NAMES[service]
        candidates = (name, *_ELSEWHERE.get(service, ()))
        if self.folder is not None and (self.folder / name).exists():
            return (self.folder / name).resolve()
        for candidate in candidates:
            found = shutil.which(candidate)
            if found:
                return Path(found)
        where = f"in {self.folder} or " if self.folder else ""
        raise MissingProgramError(
            f"{name} is not {where}on the search path; build it with .ci/backends "
            f"and name the folder by --bin or {VARIABLE}"
        )

    def missing(self, services: tuple[str, ...] = tuple(NAMES)) -> list[str]:
        """The services whose program is not there."""
        out = []
        for service in services:
            try:
                self.find(service)
            except MissingProgramError:
                out.append(service)
        return out
