"""What is missing, told with the names of calls that a person sees."""

from __future__ import annotations

import re
from typing import Final

from ..errors import TrailError
from ..trail import Trail
from ..trail.naming import names_of

_CALL: Final = re.compile(r"\bcall ([0-9a-f]+\.\d+)")


def told(trail: Trail, what: str) -> str:
    """A sentence of the trail in which calls stand by id, with their names as commands take them:
    the number, or `TURN.NUMBER` where there are several turns."""

    def name(found: re.Match[str]) -> str:
        try:
            call = trail.call(found[1])
        except TrailError:
            return found[0]
        return f"call {names_of([call], alone=len(trail.turns) == 1)}"

    return _CALL.sub(name, what)
