"""The base64 text of an image, a sound or a file, and the bytes it stands for."""

from __future__ import annotations

import base64
import binascii
from typing import Final

URL_SAFE: Final = "base64url"
UNPADDED: Final = "base64url-unpadded"
"""Stand as the prefix of media whose text is in the URL-safe alphabet, with and without its
padding; nothing stands before such a text."""
_STANDARD: Final = str.maketrans("-_", "+/")


def decoded(data: str) -> bytes:
    """The bytes of a base64 text in either alphabet. Raises ValueError for anything else."""
    padding = "=" * (-len(data) % 4)
    return base64.b64decode(data.translate(_STANDARD) + padding, validate=True)


def spelled(prefix: str, data: bytes) -> str:
    """The whole string value of media, as it stood in the request."""
    if prefix in (URL_SAFE, UNPADDED):
        text = base64.urlsafe_b64encode(data).decode("ascii")
        return text if prefix == URL_SAFE else text.rstrip("=")
    return prefix + binascii.b2a_base64(data, newline=False).decode("ascii")
