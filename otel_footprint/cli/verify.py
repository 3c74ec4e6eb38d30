"""`otel-footprint verify`: whether a trail is whole, by exit code."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Final

from ..errors import FootprintError
from ..records.listing import NEWEST
from ..report.plain import clean
from .output import put
from .source import empty_store, keys_of, named, opened, told

if TYPE_CHECKING:
    from ..trail.verify import Verified

CODES: Final = {"complete": 0, "inconsistent": 1, "incomplete": 2, "open": 3, "unreadable": 4}
NEWEST_ONLY: Final = "the newest turn of a backend; another one is named by its id"


def run(args: Namespace) -> int:
    """Prints the verdict; returns its code: complete 0, inconsistent 1, incomplete 2, open 3,
    unreadable (also: not there, or not to be reached) 4."""
    from ..report.verify import render

    try:
        found, note = _verified(args)
    except FootprintError as error:
        sys.stderr.write(f"otel-footprint verify: unreadable: {clean(str(error))}\n")
        return CODES["unreadable"]
    put(args, lambda width, color, plain: render(found, width, color, plain, note))
    return CODES[found.state]


def _verified(args: Namespace) -> tuple[Verified, str]:
    """The verdict on what is named; on every turn of files where no turn is."""
    from ..trail import ContentStore
    from ..trail.sources import source_of
    from ..trail.sources.paths import Files
    from ..trail.sources.whole import parts_of
    from ..trail.verify import joined, verify

    sources, which = named(args)
    source = None if which else source_of(sources, told())
    if not isinstance(source, Files):
        found = verify(opened(args, sources, which or NEWEST))
        return found, "" if which else NEWEST_ONLY
    store = None if args.store is None else ContentStore(args.store)
    found = joined(verify(*part) for part in parts_of(source, keys=keys_of(args), store=store))
    empty_store(store)
    return found, ""
