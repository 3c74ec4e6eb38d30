"""Names of the tools that the library offers itself."""

from __future__ import annotations

from typing import Final

READ_SKILL: Final = "read_skill"
LIST_SKILLS: Final = "list_skills"
SKIP_STEP: Final = "skip_step"
LIBRARY_TOOLS: Final = (READ_SKILL, LIST_SKILLS, SKIP_STEP)
