"""What a person declares about recording: budgets, content mode, settings (floor 1)."""

from .budget import SLOTS, Budget, Origin, Slot, Unit
from .content import CONTENT_MODES, ContentMode, content_mode, is_stricter
from .settings import Once, Redact, Settings, Sink, StandardContent

__all__ = [
    "CONTENT_MODES",
    "SLOTS",
    "Budget",
    "ContentMode",
    "Once",
    "Origin",
    "Redact",
    "Settings",
    "Sink",
    "Slot",
    "StandardContent",
    "Unit",
    "content_mode",
    "is_stricter",
]
