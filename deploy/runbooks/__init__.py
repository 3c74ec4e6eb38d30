"""What to do when an alert fires: a page for each, and a server of them.

    python -m deploy.runbooks [--host HOST] [--port PORT]

The links of the alert rules lead to `BASE`, where the stacks of this folder serve the pages;
`python -m deploy.rules --runbooks URL` has them lead elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

PORT: Final = 9098
BASE: Final = f"http://localhost:{PORT}"
FOLDER: Final = Path(__file__).parent


def link(page: str, base: str = BASE) -> str:
    """The address of a page, by its file's name without suffix."""
    return f"{base.rstrip('/')}/{page}.md"
