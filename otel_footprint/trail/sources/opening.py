"""Opens a trail wherever it is: the one way for every reading command."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from ...errors import SourceError
from ...records.listing import NEWEST, Meant
from ..collected import Records
from ..files import Source as File
from ..memory import few_collections
from ..reader import Trail
from ..store import ContentStore
from .base import Source
from .http import Http
from .index import Progress
from .jaeger import Jaeger, services
from .paths import Files
from .select import MOST_LINKED, linked
from .tempo import Tempo, is_tempo


def source_of(sources: File | Sequence[File], progress: Progress | None = None) -> Source:
    """The source that a person names: files, folders, `-`, or the URL of one backend.

    progress: told what takes long, and how much of it is done (0 to 1). Raises SourceError for a
    path that is not there and for a URL beside anything else.
    """
    many: list[File]
    if isinstance(sources, str | PathLike) or not isinstance(sources, Sequence):
        many = [sources]
    else:
        many = list(sources)
    if not many or "" in many:
        raise SourceError("no source is named: give a file, a folder, - or a URL")
    for one in many:
        if not isinstance(one, str | PathLike) and not hasattr(one, "read"):
            what = f"{type(one).__name__} is no source"
            raise SourceError(f"{what}: give a file, a folder, - or a URL, or an open binary file")
    urls = [s for s in many if isinstance(s, str) and "://" in s]
    if not urls:
        return Files(many, progress)
    if len(many) > 1:
        raise SourceError(f"{urls[0]}: one backend at a time, and no file beside it")
    return _backend(urls[0])


def _backend(url: str) -> Source:
    """The backend at a URL; `jaeger+http://...` and `tempo+http://...` say which it is."""
    kind, plus, rest = url.partition("+")
    if plus and kind.lower() in ("jaeger", "tempo") and "://" not in kind:
        http = Http(rest)
        return Jaeger(http) if kind.lower() == "jaeger" else Tempo(http)
    http = Http(url)
    if services(http) is not None:
        return Jaeger(http)
    if is_tempo(http):
        return Tempo(http)
    raise SourceError(
        f"{http.base} answers neither as Jaeger (/api/services) nor as Tempo (/api/echo); "
        f"jaeger+{url} or tempo+{url} says which it is"
    )


def open_source(
    sources: File | Sequence[File],
    which: str = "",
    *,
    keys: Sequence[bytes] = (),
    store: str | None = None,
    progress: Progress | None = None,
) -> Trail:
    """The trail of one turn or trace, or (`which` empty) of everything in files.

    sources: files of OTLP/JSON (also gzip, or a folder of them) that are read as one, `-`
    (standard input), an open binary file, or the URL of a backend. which: a trace id, a turn id,
    the beginning of one, or `newest`; a backend is never read as a whole: there empty means
    `newest`. keys: deployment keys of the hashes. store: folder or fsspec URI of the content store.
    progress: told what takes long (an index of a big file is made beside it), and how much of it
    is done (0 to 1).

    Links to earlier traces of the conversation are followed within the source; those that it does
    not hold are named among the trail's gaps. Raises SourceError when the source cannot be read
    and TrailError when the id is not there or means several; what cannot be read of a source is
    named in the trail's `problems`.
    """
    return open_from(source_of(sources, progress), which, keys=keys, store=store)


@few_collections()
def open_from(
    source: Source,
    which: str = "",
    *,
    keys: Sequence[bytes] = (),
    store: str | None = None,
) -> Trail:
    """The same from a source that is open already."""
    contents = None if store is None else ContentStore(store)
    if not which:
        everything = source.everything()
        if everything is not None:
            return _trail(everything, keys, None, {}, contents)
    meant = source.find(which or NEWEST)
    wanted = source.traces_of(meant)
    records = source.read(wanted)
    absent = follow(source, records, set(wanted))
    return _trail(records, keys, meant, absent, contents)


def follow(source: Source, records: Records, known: set[str]) -> dict[str, str]:
    """Reads the traces that these lead to; those that are not there, with a sentence's end.

    known: traces that are among the records already; those that are read are added."""
    absent: dict[str, str] = {}
    most = len(known) + MOST_LINKED
    todo = [t for t in linked(records.spans) if t not in known]
    while todo:
        trace = todo.pop()
        if trace in known:
            continue
        known.add(trace)
        if len(known) > most:
            absent[trace] = f"was not read: it leads to more than {MOST_LINKED} traces"
            continue
        more = source.read((trace,))
        if not more.spans and not more.logs:
            absent[trace] = "is not in this source"
        records.join(more)
        todo += [t for t in linked(more.spans) if t not in known]
    return absent


def _trail(
    records: Records,
    keys: Sequence[bytes],
    meant: Meant | None,
    absent: dict[str, str],
    store: ContentStore | None,
) -> Trail:
    return Trail(records.spans, records.logs, keys, records.told(), meant, absent, store)
