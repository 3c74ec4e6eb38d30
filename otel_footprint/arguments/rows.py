"""Records of arguments: verdicts and hints as rows, leaf by leaf where a value is a container."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final, NamedTuple

from ..records.arguments import REDACTED, ArgumentRow, Asked, Claim, RuleWord, Verdict
from ..records.hints import MAX_CARRIERS
from ..text.carriers import Needle
from ..text.jsontext import dumps, plain
from ..text.values import is_common, kind_of, leaves, value_text
from .prepared import Prepared

MAX_LEAVES: Final = 64
"""Values inside one argument that get a row each; further ones are counted."""
MAX_COUNTED: Final = 100_000
MAX_NAME: Final = 200
MAX_VALUE: Final = 80
MAX_QUOTE: Final = 240


class Place(NamedTuple):
    """What all rows of one argument have in common."""

    tool: str
    call_id: str
    argument: str
    turn: int = 1
    rule: RuleWord | None = None
    period: bool = False
    hidden: bool = False
    quotes: bool = True
    """False: no quote is kept anywhere, since some tool hides an argument."""


def clip(text: str, limit: int = MAX_VALUE) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def clip_quote(text: str) -> str:
    """A quote, or its beginning and how many characters were cut."""
    if len(text) <= MAX_QUOTE:
        return text
    return f"{text[:MAX_QUOTE]}… [{len(text) - MAX_QUOTE} more chars]"


def as_text(value: Any) -> str:
    """A value as text: itself, or compact JSON."""
    if kind_of(value) is not None:
        return value_text(value)
    try:
        return dumps(plain(value))
    except (TypeError, ValueError, RecursionError):
        return ""


def row_of(
    place: Place,
    verdict: Verdict | None,
    value: Any,
    claim: Claim | None = None,
    asked: Asked | None = None,
    proposed: Any = None,
) -> ArgumentRow:
    """The row of one argument; while a person is asked it has no verdict and no value."""
    found = verdict or Verdict("model")
    pending = asked is not None
    text = as_text(value)
    row = ArgumentRow(
        place.tool,
        place.call_id,
        clip(place.argument, MAX_NAME),
        None if pending else found.source,
        found.claimed,
        found.matched,
        found.reading,
        found.earlier,
        found.result,
        found.set_aside,
        found.arguments_from,
        found.app_source,
        found.coincides,
        found.failed,
        rule=place.rule,
        period=place.period,
        asked=asked,
        size=None if place.hidden or (pending and value is None) else len(text),
        common=is_common(value),
        carriers=found.carriers[:MAX_CARRIERS],
        more_carriers=max(0, len(found.carriers) - MAX_CARRIERS),
        turn=place.turn,
        value=None if pending else _content(text, place.hidden),
        quote=_quote(claim, place),
    )
    if pending and value is not None:
        row = row._replace(proposed=_content(text, place.hidden))
    elif proposed is not None:
        row = row._replace(proposed=_content(as_text(proposed), place.hidden))
    return row


def _content(text: str, hidden: bool) -> str:
    return REDACTED if hidden else clip(text)


def _quote(claim: Claim | None, place: Place) -> str | None:
    if claim is None or claim.quote is None:
        return None
    return clip_quote(claim.quote) if place.quotes else REDACTED


class HintRows(NamedTuple):
    """Hints of one argument or call."""

    rows: tuple[ArgumentRow, ...] = ()
    left_out: int = 0
    """Values that got no row."""


def hint_rows(place: Place, value: Any, corpus: Prepared, limit: int = MAX_LEAVES) -> HintRows:
    """What carries a value, or each value inside it, as the library finds by itself."""
    found = leaves(value, place.argument)
    rows = tuple(
        hint_row(place._replace(argument=leaf.path), leaf.value, corpus)
        for leaf in islice(found, limit)
    )
    return HintRows(rows, sum(1 for _ in islice(found, MAX_COUNTED)))


def hint_row(place: Place, value: Any, corpus: Prepared) -> ArgumentRow:
    """The hint of one plain value."""
    hint = corpus.hint(Needle(value), place.tool, place.argument)
    if hint.coincides:
        verdict = Verdict("hint", coincides=hint.coincides, carriers=hint.carriers)
    elif hint.unread or not hint.checkable or corpus.corpus.missing:
        verdict = Verdict("uncheckable")
    else:
        verdict = Verdict("nowhere")
    return row_of(place, verdict, value)._replace(more_carriers=hint.more)


def call_hints(
    tool: str, call_id: str, arguments: Any, corpus: Prepared, turn: int = 1
) -> HintRows:
    """Hints for every value of a call; nothing of it needs to have been declared."""
    place = Place(tool, call_id, "", turn)
    return hint_rows(place, arguments, corpus)
