"""What a person said: the registry of authored frames, as injection and its users know it.

It lives in `records.frames`, because arguments (writing) and trails (reading) ask it as well.
"""

from __future__ import annotations

from ..records.frames import FRAMES, Frame, frame_of, framed, is_credited, is_said_by_person

__all__ = ["FRAMES", "Frame", "frame_of", "framed", "is_credited", "is_said_by_person"]
