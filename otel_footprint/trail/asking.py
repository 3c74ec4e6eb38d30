"""`footprint.read`: a trail from wherever it is, for programs."""

from __future__ import annotations

from collections.abc import Sequence, Set

from ..errors import DeclarationError
from .files import Source
from .reader import Trail
from .sources import open_source


def read(
    source: Source | Sequence[Source], trace: str | None = None, *, keys: Sequence[bytes] = ()
) -> Trail:
    """Reads a trail.

        trail = footprint.read("trail.jsonl")
        trail = footprint.read("http://localhost:16686", "0af7651916cd43dd8448eb211c80319c")
        assert trail.call(2).saw("restocking fee")

    source: a file of OTLP/JSON (also gzip), a folder of them, `-` (standard input), an open binary
    file, several files that are read as one, or the URL of Jaeger or Tempo. trace: a trace id, a
    turn id, the beginning of one, or `newest`; None: everything (of a backend the newest turn).
    keys: deployment keys, where hashes are keyed.

    What is missing of it is named in `trail.gaps`, what could not be read in `trail.problems`.
    Raises SourceError when the source cannot be read, TrailError when the id is not there, and
    DeclarationError for an id that is no text and keys that are no bytes.
    """
    if trace is not None and not isinstance(trace, str):
        raise DeclarationError("read.trace", trace, "an id, the beginning of one, or None")
    if not isinstance(keys, Sequence | Set) or not all(isinstance(key, bytes) for key in keys):
        raise DeclarationError("read.keys", "<keys>", "a list of bytes")
    return open_source(source, trace or "", keys=keys)
