"""`--from` and TRACE: how every reading command is told which trail it is about."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..errors import SourceError
from ..records.trail import Problem
from ..report.plain import clean

if TYPE_CHECKING:
    from ..trail import ContentStore, Trail

FROM = "OTEL_FOOTPRINT_FROM"
KEYS = "OTEL_FOOTPRINT_KEYS"


def reading(several: bool = False) -> argparse.ArgumentParser:
    """A parent parser: `--from`, `--key`, `--store`, and TRACE (`several`: any number).

    Its commands get their trail by `trail_of(args)`.
    """
    parent = argparse.ArgumentParser(add_help=False)
    parent.add_argument(
        "trace",
        nargs="*" if several else "?",
        metavar="TRACE",
        help="trace id or turn id, or the beginning of one, or `newest`; a file also stands for "
        "itself where --from is not given",
    )
    parent.add_argument(
        "--from",
        dest="sources",
        action="append",
        metavar="SOURCE",
        help="OTLP/JSON file (also gzip), folder of them, - (standard input), or URL of Jaeger or "
        f"Tempo; files may be given several times and are read as one (default: ${FROM})",
    )
    parent.add_argument(
        "--key",
        dest="keys",
        action="append",
        metavar="KEY",
        help="deployment key of the hashes; may be given several times "
        f"(default: ${KEYS}, with commas)",
    )
    parent.add_argument(
        "--store",
        metavar="URI",
        help="folder or fsspec URI of the content store that large texts and media went to",
    )
    return parent


def trail_of(args: argparse.Namespace, default: str = "") -> Trail:
    """The trail that the arguments name; `default`: what is meant without a TRACE.

    "" is everything (of a backend the newest turn), `NEWEST` the turn that began last. Raises
    SourceError and TrailError, which `main` reports with exit code 2.
    """
    sources, which = named(args)
    return opened(args, sources, which or default)


def opened(args: argparse.Namespace, sources: list[str], which: str = "") -> Trail:
    """The trail of these sources, with the keys and the store that the arguments name."""
    from ..trail.sources import open_source

    trail = open_source(sources, which, keys=keys_of(args), store=args.store, progress=told())
    empty_store(trail.store)
    getattr(args, "unread", []).extend(trail.problems)
    return trail


def named(args: argparse.Namespace) -> tuple[list[str], str]:
    """The sources, and the id of a trace or turn (empty: none was given)."""
    given = args.trace if isinstance(args.trace, list) else [args.trace] if args.trace else []
    sources = list(args.sources or ())
    if not sources:
        sources = [g for g in given if is_source(g)]
        given = [g for g in given if g not in sources]
    if not sources:
        fallback = os.environ.get(FROM)
        if fallback:
            sources = [fallback]
        elif given:  # most likely a path that is spelled wrongly
            raise SourceError(f"{given[0]}: No such file or directory (no --from is given)")
        else:
            raise SourceError(f"no trail is named: give a file, or --from SOURCE, or set {FROM}")
    if len(given) > 1:
        raise SourceError(f"one TRACE at a time: {', '.join(given[:6])}")
    return sources, given[0] if given else ""


def keys_of(args: argparse.Namespace) -> list[bytes]:
    """The deployment keys that were given."""
    given: Sequence[str] = args.keys or os.environ.get(KEYS, "").split(",")
    return [k.encode() for k in given if k]


def empty_store(store: ContentStore | None) -> None:
    """Says on standard error that a store's folder is not there, where nothing of it is needed."""
    if store is not None and store.absent:
        sys.stderr.write(
            f"otel-footprint: {clean(store.absent)}: nothing of it is needed, this trail names no "
            "content that was put away\n"
        )


def told() -> Callable[[str, float], None]:
    """Tells on standard error what takes long: a line that is rewritten on a terminal, else one
    line when it begins."""
    err = sys.stderr
    terminal = err.isatty()
    begun = False

    def progress(what: str, done: float) -> None:
        nonlocal begun
        if terminal:
            err.write(f"\r{clean(what)}: {done:4.0%}" + ("\n" if done >= 1 else ""))
        elif not begun:
            err.write(f"otel-footprint: {clean(what)} ...\n")
        begun = True
        err.flush()

    return progress


def lost(trail: Trail) -> int:
    """Exit code for what could not be read: 1, with a line on standard error, or 0."""
    return lost_of(trail.problems)


def lost_of(problems: Sequence[Problem]) -> int:
    """The same of problems that belong to no trail."""
    if not problems:
        return 0
    first = problems[0]
    here = [p for p in problems if p.file == first.file]
    places = len({p.line for p in here})
    lines = "line" if places == 1 else "lines"
    said = ", ".join(str(line) for line in dict.fromkeys(p.line for p in here[:20]))
    more = ", ..." if len(here) > 20 else ""
    others = len({p.file for p in problems}) - 1
    more += f"; nor parts of {others} other file{'s' if others > 1 else ''}" if others else ""
    sys.stderr.write(f"otel-footprint: {clean(first.file)}: could not read {lines} {said}{more}\n")
    return 1


def is_source(word: str) -> bool:
    """True for a word that names a source: a file or folder, standard input, a URL; False also for
    one that can be no path."""
    return word == "-" or "://" in word or os.path.exists(word)


__all__ = ["is_source", "keys_of", "lost", "lost_of", "named", "opened", "reading", "trail_of"]
