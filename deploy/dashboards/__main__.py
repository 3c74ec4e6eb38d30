"""`python -m deploy.dashboards`: writes the JSON files."""

from __future__ import annotations

from .files import FILES, text

for path, page in FILES.items():
    path.write_text(text(page), encoding="utf-8")
