"""Programs under answers, put together from the events that arrived of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from ..records import digest
from ..records.script_fields import value_of
from ..records.script_reader import recorded_scripts
from ..records.script_text import rebuild
from ..records.trail import AttachedTrail, Gap, Span
from ..telemetry import names
from ..telemetry.names.catalog import CATALOG
from . import values

_READ: Final[Mapping[str, Callable[[values.Attributes, str], Any]]] = {
    "string": values.text,
    "int": values.integer,
    "boolean": values.flag,
    "string[]": values.texts,
    "int[]": values.integers,
}
_SCRIPT: Final = {name: key for key, name in names.SCRIPT_FIELDS.items()}
_ANSWER: Final = {name: key for key, name in names.ATTACHMENT_FIELDS.items()}
Fields = dict[str, Any]


class AttachedBundle:
    """The events of one answer."""

    __slots__ = ("answers", "call", "parts", "parts_of", "spans")

    def __init__(self, call: str) -> None:
        self.call = call
        self.answers: list[values.Attributes] = []
        self.parts: dict[int, dict[int, values.Attributes]] = {}
        """Of each program, by its index, the parts of its event."""
        self.parts_of: dict[int, int] = {}
        self.spans: dict[str, None] = {}

    @property
    def seq(self) -> int | None:
        """Number of the record; None when it is missing."""
        return values.integer(self.answers[0], names.SEQ) if self.answers else None

    def add(self, span: Span, name: str, a: values.Attributes) -> None:
        """Takes an event."""
        self.spans[span.span_id] = None
        if name == names.EVENT_ATTACHED:
            self.answers.append(a)
            return
        index = values.integer(a, names.SCRIPT_INDEX)
        index = -1 if index is None else index
        number = max(1, values.integer(a, names.PART) or 1)
        self.parts.setdefault(index, {}).setdefault(number, a)
        self.parts_of[index] = max(
            number, values.integer(a, names.PARTS) or 1, self.parts_of.get(index, 1)
        )

    def answer(self) -> Fields:
        """The answer's fields by their short names; empty when its event is missing."""
        return _fields(self.answers[0], _ANSWER) if self.answers else {}

    def scripts(self) -> list[Fields]:
        """Of each program that arrived its fields; one of which a part is missing lacks text."""
        out = []
        for index in sorted(self.parts):
            parts = self.parts[index]
            if 1 not in parts:
                continue
            fields = _fields(parts[1], _SCRIPT)
            if "text" in fields:
                texts = [values.texts(parts.get(n, {}), names.SCRIPT_TEXT)
                         for n in range(1, min(self.parts_of[index], 10_000) + 1)]  # fmt: skip
                if None in texts:
                    fields["text"] = None
                else:
                    fields["text"] = [piece for text in texts for piece in text or ()]
            out.append(fields)
        return out

    def line(self) -> str | None:
        """What its digest covers; None when an event of it is missing."""
        if len(self.answers) != 1:
            return None
        answer, scripts = self.answer(), self.scripts()
        if len(scripts) != answer.get("shown"):
            return None
        for fields in scripts:
            fields.pop("text", None)
        return digest.attached_line(
            self.seq or 0,
            self.call,
            {names.ATTACHMENT_FIELDS[k]: v for k, v in answer.items()},
            [{names.SCRIPT_FIELDS[k]: v for k, v in fields.items()} for fields in scripts],
        )


def collect(spans: Iterable[Span]) -> dict[str, AttachedBundle]:
    """The answers under which programs stood, by the id of their call."""
    found: dict[str, AttachedBundle] = {}
    for span in spans:
        for event in span.events:
            if event.name in (names.EVENT_SCRIPT, names.EVENT_ATTACHED):
                call = values.text(event.attributes, names.CALL_ID)
                bundle = found.setdefault(call, AttachedBundle(call))
                bundle.add(span, event.name, event.attributes)
    return found


def attached_trail(bundle: AttachedBundle, within: int | None = None) -> AttachedTrail:
    """What stood under one answer. `within`: characters of the answer, when they are known."""
    value = value_of(bundle.answer(), bundle.scripts())
    value["shown"] += [None] * max(0, len(bundle.answers) - 1)
    recorded = recorded_scripts(value, within)
    assert recorded is not None
    return AttachedTrail(bundle.call, recorded, rebuild(recorded), bundle.seq)


def gap_of(attached: AttachedTrail) -> Gap | None:
    """What is missing of the programs under an answer."""
    unread = attached.recorded.unread
    if not unread:
        return None
    many = "record" if unread == 1 else "records"
    what = f"call {attached.call}: {unread} {many} of the programs under its answer cannot be read"
    return Gap("parts", what, attached.call)


def _fields(a: values.Attributes, keys: Mapping[str, str]) -> Fields:
    out: Fields = {}
    for name, key in keys.items():
        if name in a:
            read = _READ[CATALOG[name].type](a, name)
            out[key] = a[name] if read is None else read
    return out
