"""What a person declares about recording: budgets, content mode, settings (floor 1)."""

from .budget import SLOTS, Budget, Slot
from .content import ContentMode, content_mode, is_stricter
from .settings import Once, Redact, Settings, Sink, StandardContent

__all__ = [
    "SLOTS",
    "Budget",
    "ContentMode",
    "Once",
    "Redact",
    "Settings",
    "Sink",
    "Slot",
    "StandardContent",
    "content_mode",
    "is_stricter",
]
