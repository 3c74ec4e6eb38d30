"""`python -m deploy.rules`: writes the rule files."""

from __future__ import annotations

from .files import FILES, text

for path, spelling in FILES.items():
    path.write_text(text(spelling), encoding="utf-8")
