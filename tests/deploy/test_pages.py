"""Pages under `deploy` refer to what there is, and pictures are light."""

from __future__ import annotations

import re
from pathlib import Path

DEPLOY = Path(__file__).parents[2] / "deploy"


def test_links_and_pictures_are_there() -> None:
    for page in DEPLOY.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_pictures_are_light() -> None:
    pictures = list((DEPLOY / "pictures").iterdir())
    assert pictures
    assert all(picture.stat().st_size < 100_000 for picture in pictures)
