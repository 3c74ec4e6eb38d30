"""Why an answer says what it says, for a person to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..records.why import NO_GROUND, Absent, End, Finding, Ground, Hop, Missing, Suspect, Why
from ..trail import Trail
from .plain import cells, plural
from .rebuilt import TEXTS_ON
from .sheet import Sheet
from .told import told

SHORT: Final = 2
"""Further suspects of a value that are named in one line each."""
PARTS: Final = 14
"""Hops that are drawn beneath one suspect."""
LAW: Final = (
    "The order is one of suspicion, by what is on the trail. Only a run without a piece can "
    "convict it."
)
ENDS: Final[dict[End, str]] = {
    "": "",
    "person": "a person's words",
    "app": "the application's text",
    "tool": "what the tool gave back; nothing it was asked for explains it",
    "model": "the model's own choice",
    "default": "the declared default",
    "gap": "the trail does not say further",
    "shown": "see above",
}
_WORDS: Final = {
    "named": "green", "tie": "cyan", "chance": "warn", "none": "warn", "unread": "alarm",
}  # fmt: skip


def render(
    trail: Trail, why: Why, width: int = 100, color: bool = False, ascii_only: bool = False
) -> Iterator[str]:
    """The lines of a walk: the answer, then each value with its suspects and their hops."""
    sheet = Sheet(trail, width, color, ascii_only)
    yield from _head(sheet, why.number, why.call, why.turn, why.ground, why.foreign)
    if why.answer is None:
        yield from _wrap(sheet, why.unanswered, "  ", "warn")
        yield from _texts_on(sheet, why.turn)
    else:
        yield from _quote(sheet, why.answer, "  ", lines=6)
    if not why.findings and why.answer is not None:
        yield ""
        text = "The answer holds no figure, date, name or quote: name a value or a sentence of it."
        yield from _wrap(sheet, text, "")
    for finding in why.findings:
        yield ""
        whole = len(why.findings) == 1
        yield from _finding(sheet, finding, whole, known=why.answer is not None)
    said = why.unanswered
    yield from _gaps(sheet, [g.what for g in why.gaps if not said or not g.what.endswith(said)])
    if any(f.suspects or f.near for f in why.findings):
        yield ""
        yield from _wrap(sheet, LAW, "", "dim")


def render_absent(
    trail: Trail, found: Absent, width: int = 100, color: bool = False, ascii_only: bool = False
) -> Iterator[str]:
    """The lines of a search for a text that was not in front of a call."""
    sheet = Sheet(trail, width, color, ascii_only)
    yield from _head(sheet, found.number, found.call, found.turn, NO_GROUND, found.foreign)
    yield ""
    yield sheet.paint("bold", sheet.quoted(found.text, sheet.width))
    what = found.what.removesuffix(f": {found.found[0].what}") if found.found else found.what
    yield from _wrap(sheet, what, "  ", "cyan" if found.found else "warn")
    for missing in found.found:
        yield from _missing(sheet, missing)
    if found.near:
        yield ""
        yield "  " + sheet.paint(
            "dim", "near it, or not let in with a text that is not on the trail:"
        )
        for missing in found.near:
            yield from _missing(sheet, missing)
    yield from _gaps(sheet, [g.what for g in found.gaps])


def _texts_on(sheet: Sheet, turn: str) -> Iterator[str]:
    """What to do about a turn whose texts were never recorded."""
    if any(t.id == turn and t.content == "none" for t in sheet.trail.turns):
        yield from _wrap(sheet, TEXTS_ON, "  ", "dim")


def _head(
    sheet: Sheet, number: int | None, call: str, turn: str, ground: Ground, foreign: str
) -> Iterator[str]:
    name = f"call {number}" if number is not None else f"model call {sheet.safe(call, 40)}"
    said = [
        sheet.paint("title", f"answer of {name}"),
        f"{'trace' if foreign else 'turn'} {sheet.safe(turn, 40)}" if turn else "",
        sheet.paint("dim", _ground(sheet, ground)),
    ]
    yield from sheet.flow(said, "", "  ")
    if foreign:
        said_ = f"recorded by {foreign}, not by us: as far as its messages allow"
        yield from _wrap(sheet, said_, "  ", "warn")


def _finding(sheet: Sheet, finding: Finding, whole: bool, known: bool) -> Iterator[str]:
    paint = sheet.paint
    room = sheet.width - len(finding.kind) - 4
    kind = "" if finding.kind == "given" else paint("dim", f"  {finding.kind}")
    yield paint("bold", sheet.quoted(finding.value, room)) + kind
    if known and not finding.in_answer:
        yield from _wrap(sheet, "the answer does not hold it as it stands", "  ", "warn")
    yield from _wrap(sheet, finding.what, "  ", _WORDS[finding.word])
    first = finding.first
    for suspect in first[:4]:
        yield from _suspect(sheet, suspect, whole)
    others = [s for s in finding.suspects if s not in first]
    if whole:
        for suspect in others[:SHORT]:
            yield from _suspect(sheet, suspect, whole=False, brief=True)
        others = others[SHORT:]
    if others or len(first) > 4:
        more = plural(len(others) + max(0, len(first) - 4), "further suspect")
        yield "  " + paint("dim", more)
    if finding.near:
        yield "  " + paint("dim", "near it, and not the value itself:")
        for suspect in finding.near[: 3 if whole else 1]:
            yield from _suspect(sheet, suspect, whole=False, brief=True)


def _suspect(sheet: Sheet, suspect: Suspect, whole: bool, brief: bool = False) -> Iterator[str]:
    """A suspect: what it is, its words, why it stands there, and its walk."""
    paint, hop = sheet.paint, suspect.hop
    mark = sheet.glyphs.asks if suspect.relation == "near" else f"{suspect.rank}."
    lead = f"  {mark:<3}"
    yield from _wrap(sheet, hop.what, "     ", "", lead)
    yield from _quote(sheet, hop.quote, "     ", lines=1 if brief else 3)
    if brief:
        yield from _wrap(sheet, "; ".join(suspect.reasons), "     ", "dim")
        return
    yield "     " + paint("dim", sheet.cut(_ground(sheet, hop.ground), sheet.width - 5))
    if whole:
        yield from _wrap(sheet, "; ".join(suspect.reasons), "     ", "dim")
    if hop.end:
        yield from _end(sheet, hop, "     ")
    budget = [PARTS if whole else 6]
    for i, cause in enumerate(hop.causes):
        yield from _hop(sheet, cause, "     ", i == len(hop.causes) - 1, budget)
    if budget[0] < 0:
        yield "     " + paint("dim", f"{sheet.glyphs.ellipsis} {-budget[0]} more hops")


def _hop(sheet: Sheet, hop: Hop, indent: str, last: bool, budget: list[int]) -> Iterator[str]:
    budget[0] -= 1
    if budget[0] < 0:
        budget[0] -= sum(1 for _ in hop.walk()) - 1
        return
    glyphs, paint = sheet.glyphs, sheet.paint
    branch = indent + paint("dim", glyphs.last if last else glyphs.branch)
    under = indent + (glyphs.blank if last else paint("dim", glyphs.line))
    yield from _wrap(sheet, hop_words(hop), under, "", branch)
    if hop.quote:
        yield from _quote(sheet, hop.quote, under, lines=2)
    said = _ground(sheet, hop.ground)
    if said:
        yield under + paint("dim", sheet.cut(said, sheet.width - cells(under)))
    if hop.end:
        yield from _end(sheet, hop, under)
    for i, cause in enumerate(hop.causes):
        yield from _hop(sheet, cause, under, i == len(hop.causes) - 1, budget)


def hop_words(hop: Hop) -> str:
    """What a hop is, an argument with its value behind its name."""
    value = f" = {hop.value}" if hop.kind == "argument" and hop.value else ""
    return hop.what.replace(":", f"{value}:", 1) if ":" in hop.what else hop.what + value


def _end(sheet: Sheet, hop: Hop, indent: str) -> Iterator[str]:
    style = "warn" if hop.end == "gap" else "green"
    yield from _wrap(sheet, f"{sheet.glyphs.says} {ENDS[hop.end]}", indent, style)


def _missing(sheet: Sheet, missing: Missing) -> Iterator[str]:
    lead = "  " + sheet.paint("magenta", f"{missing.kind.replace('-', ' '):<9}") + " "
    yield from _wrap(sheet, missing.what, " " * 12, "", lead)
    if missing.quote:
        yield from _quote(sheet, missing.quote, " " * 12, lines=2)
    said = _ground(sheet, missing.ground)
    if said:
        yield " " * 12 + sheet.paint("dim", sheet.cut(said, sheet.width - 12))


def _gaps(sheet: Sheet, gaps: list[str]) -> Iterator[str]:
    if gaps:
        yield ""
        yield sheet.paint("warn", f"The trail lacks {plural(len(gaps), 'thing')} here:")
        for gap in gaps[:8]:
            yield from _wrap(sheet, told(sheet.trail, gap), "  ")
        if len(gaps) > 8:
            yield sheet.paint("dim", f"  {sheet.glyphs.ellipsis} and {len(gaps) - 8} more")


def _ground(sheet: Sheet, ground: Ground) -> str:
    return sheet.safe(ground_words(ground), 200)


def ground_words(ground: Ground) -> str:
    """The span and event that something stands on; empty: none is known."""
    if not ground.span_id:
        return ""
    said = f"span {ground.span_id}"
    if ground.event:
        said += f", event {ground.event}"
    if ground.scope:
        said += f", by {ground.scope}"
    return said


def _quote(sheet: Sheet, text: str, indent: str, lines: int) -> Iterator[str]:
    """Words of the trail between quotes, in a few lines."""
    if not text:
        return
    room = sheet.width - cells(indent)
    left, right = sheet.glyphs.quotes
    safe = left + sheet.safe(text, room * lines + 40) + right
    made = list(_lines(safe, room))
    if len(made) > lines:
        made = made[:lines]
        made[-1] = sheet.cut(made[-1] + " " * room, room)
    for line in made:
        yield indent + sheet.paint("cyan", line)


def _wrap(
    sheet: Sheet, text: str, indent: str, style: str = "", lead: str | None = None
) -> Iterator[str]:
    """A text in lines that fit; `lead` stands before the first instead of the indent."""
    room = sheet.width - cells(indent)
    for i, line in enumerate(_lines(sheet.safe(text), room)):
        start = indent if i or lead is None else lead
        yield start + (sheet.paint(style, line) if style else line)


def _lines(text: str, room: int) -> Iterator[str]:
    """A safe text cut at blanks, and inside of words that are too long."""
    line, used = "", 0
    for word in text.split(" "):
        while cells(word) > room:
            if line:
                yield line
                line, used = "", 0
            head = ""
            for char in word:
                if cells(head + char) > room:
                    break
                head += char
            yield head or word[:1]
            word = word[max(1, len(head)) :]
        size = cells(word)
        if line and used + 1 + size > room:
            yield line
            line, used = word, size
        else:
            line, used = (f"{line} {word}", used + 1 + size) if line else (word, size)
    if line:
        yield line
