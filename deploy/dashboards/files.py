"""The dashboards' JSON, as it is committed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from .pages import PAGES
from .panels import Page, built

FOLDER: Final = Path(__file__).parent
FILES: Final = {FOLDER / f"{page.uid.removeprefix('footprint-')}.json": page for page in PAGES}


def text(page: Page) -> str:
    """One dashboard as JSON."""
    made: str = JSONEncoder(indent=1, sort_keys=True, ensure_ascii=False).encode(built(page))
    return made + "\n"
