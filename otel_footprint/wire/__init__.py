"""How providers write requests and responses, read into slots, pieces and facts.

`FORMATS` names the dialects, each with a path; `dialect_for` finds that of a request. A dialect
takes a body apart (`layout`, `items`), says what a piece reads (`parts`) and what makes it itself
(`identity`), and reads responses and streams. `layout_text` and `rebuild` put a request together
again, exactly. Nothing here raises on odd input except `rebuild`, when the pieces do not fit the
layout.
"""

from __future__ import annotations

from .credentials import credentials
from .detect import (
    DIALECTS,
    FORMATS,
    by_shape,
    dialect_for,
    model_in_path,
    plain_path,
    provider_of,
    stream_in_path,
)
from .layout import layout_text, rebuild
from .media import find_media
from .sse import parse_ndjson, parse_sse
from .types import (
    Dialect,
    Facts,
    Hole,
    Item,
    Part,
    Response,
    Usage,
)

__all__ = [
    "DIALECTS",
    "FORMATS",
    "Dialect",
    "Facts",
    "Hole",
    "Item",
    "Part",
    "Response",
    "Usage",
    "by_shape",
    "credentials",
    "dialect_for",
    "find_media",
    "layout_text",
    "model_in_path",
    "parse_ndjson",
    "parse_sse",
    "plain_path",
    "provider_of",
    "rebuild",
    "stream_in_path",
]
