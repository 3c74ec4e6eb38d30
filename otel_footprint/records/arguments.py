"""Where arguments of tool calls come from: what was claimed, what was searched, what was found.

Plain values, shared by the rules (`arguments`), by `run`, and by readers of a trail. A *claim* is
what the model says of an argument; a *verdict* is what the library found; a *hint* is a carrier
that the library came upon by itself, and is never called a source.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

SOURCES: Final = ("user", "result", "turn", "app", "assumed")
"""What a model may claim, in the order in which it is served."""
Claimed: TypeAlias = Literal["user", "result", "turn", "app", "assumed", "none"]
VerdictWord: TypeAlias = Literal[
    "said", "answered", "result", "app", "default", "model", "hint", "nowhere", "uncheckable"
]
"""said: a person's words; answered: a person's answer when asked; result: a tool's result; app:
the application's text; default: the declared default; model: the model chose it, or its claim did
not hold. Without declared sources: hint (some piece carries it), nowhere (no piece does),
uncheckable (cannot tell)."""
Matched: TypeAlias = Literal["quote", "phrase", "spelling"]
"""quote: the value itself stands there; phrase: a spoken phrase declared for the value; spelling:
the same value in another spelling."""
Failed: TypeAlias = Literal[
    "uncheckable",
    "quote-not-found",
    "composed-message",
    "unknown-result",
    "placed-result",
    "not-in-result",
    "no-earlier-turn",
    "only-in-model-answer",
    "not-in-earlier-turns",
    "not-in-app-text",
]
"""Why a claim did not hold."""
Kind: TypeAlias = Literal["person", "result", "app", "tools", "model"]
"""What kind of piece carries a value; `model` (its own earlier words) is never a hint."""
SetAside: TypeAlias = Literal["open", "noise", "ruled-out"]
RuleWord: TypeAlias = Literal["ask", "assume"]
Asked: TypeAlias = Literal["missing", "unverified", "invalid-answer"]
"""Why a person was asked: no value; a value that could not be traced; the answer did not fit."""
StandingWord: TypeAlias = Literal["ask", "not-sure", "known", "consistent", "not-assessed"]

RESERVED: Final = "_findings"
"""Name of the argument that is planted into tools, in which a model says where values are from."""
MARKER: Final = "[otel-footprint sources 1]"
"""Opens its description; by it a planted schema is recognised, on either side."""
REDACTED: Final = "[redacted:argument]"
"""Stands for a value that a rule hides."""


def is_planted(property_: Any) -> bool:
    """True for the schema of the reserved argument as planted by the library, also in a copy."""
    if not isinstance(property_, Mapping):
        return False
    description = property_.get("description")
    return isinstance(description, str) and description.startswith(MARKER)


# --- what was claimed ------------------------------------------------------------------------


class Claim(NamedTuple):
    """One entry of a call's `_findings.from`, as it was kept."""

    argument: str
    source: str
    quote: str | None = None
    """The person's words; `user` only."""
    id: str | None = None
    """The tool call whose result it was; `result` only."""


class Claims(NamedTuple):
    """What a call declared; nothing is repaired, what was dropped is counted."""

    kept: tuple[Claim, ...] = ()
    malformed: int = 0


# --- what is searched ------------------------------------------------------------------------


class PersonText(NamedTuple):
    """Words of a person in front of the model."""

    text: str
    earlier: bool = False
    """They stood there before the current request."""
    composed: bool = False
    """Another program wrote them and handed them on."""
    key: str = ""
    """Hash of the piece."""


class ResultText(NamedTuple):
    """A tool's result in front of the model: the tool's own bytes, no notes of the library."""

    id: str
    """Tool call id."""
    texts: tuple[str, ...] | None = ()
    """Its text blocks; None: known, but its bytes are not at hand."""
    tool: str = ""
    earlier: bool = False
    set_aside: SetAside | None = None
    """How the run has set it aside."""
    placed: bool = False
    """Only a ticket stands in the context, the bytes were placed elsewhere."""
    key: str = ""


class ModelText(NamedTuple):
    """What the model itself said or asked for before."""

    text: str
    key: str = ""


class AppText(NamedTuple):
    """The application's own text: system prompt, facts, documents it let in."""

    text: str
    label: str = ""
    """Names an external ground, for example `viewer-selection`; else empty."""
    key: str = ""


class ToolText(NamedTuple):
    """A tool definition in front of the model."""

    name: str
    definition: Any
    """The definition as JSON, in any provider's spelling."""
    key: str = ""


class Answer(NamedTuple):
    """What a person answered when asked for an argument."""

    tool: str
    argument: str
    value: Any
    turn: int
    """The turn in which it was given, 1-based."""
    period: bool = False
    """The argument is the tool's period."""
    spelling: str | None = None
    """How that period is spelled."""
    readable: bool = True
    """False: only a cut or redacted form is left of it."""


class Corpus(NamedTuple):
    """All that a claim of this turn may rest on."""

    turn: int = 1
    """The turn of the conversation, 1-based."""
    person: tuple[PersonText, ...] = ()
    results: tuple[ResultText, ...] = ()
    model: tuple[ModelText, ...] = ()
    app: tuple[AppText, ...] = ()
    tools: tuple[ToolText, ...] = ()
    answers: tuple[Answer, ...] = ()
    missing: frozenset[str] = frozenset()
    """Kinds of pieces that were in front of the model and are not at hand: of these nothing can be
    told. `Kind`."""


# --- what was found --------------------------------------------------------------------------


class Ref(NamedTuple):
    """A piece that carries a value."""

    kind: Kind
    at: int
    """Its place in the corpus, among those of its kind."""
    how: str = "verbatim"
    """Spelling: verbatim, tokens, number, date, near; in slot tools: choice, name, prose."""
    id: str = ""
    """Tool call id of a result, name of a tool, label of an app text."""
    key: str = ""
    """Hash of the piece."""


class Verdict(NamedTuple):
    """What the library found of one claim; fields that do not apply are None or False."""

    source: VerdictWord
    claimed: Claimed = "none"
    matched: Matched | None = None
    reading: bool = False
    """The person's words are there, the value is the model's reading of them."""
    earlier: bool = False
    result: str | None = None
    """The tool call that produced the value."""
    set_aside: SetAside | None = None
    arguments_from: Literal["listed", "unlisted"] | None = None
    """Whether the producing tool is among the grounds that the author declared."""
    app_source: str | None = None
    coincides: Kind | None = None
    """Hint: what kind of piece carries the value anyway."""
    failed: Failed | None = None
    carriers: tuple[Ref, ...] = ()
    """The pieces on which the verdict or the hint rests."""

    @property
    def is_traced(self) -> bool:
        """True when the value has a source other than the model and the declared default."""
        if self.source == "said":
            return not self.reading
        return self.source in ("answered", "result", "app")


class ArgumentRow(NamedTuple):
    """One argument of one call: the event `footprint.argument.source`."""

    tool: str
    call_id: str
    argument: str
    """Its name; of a nested value its path."""
    verdict: VerdictWord | None = None
    """None while a person is being asked."""
    claimed: Claimed = "none"
    matched: Matched | None = None
    reading: bool = False
    earlier: bool = False
    result: str | None = None
    set_aside: SetAside | None = None
    arguments_from: Literal["listed", "unlisted"] | None = None
    app_source: str | None = None
    coincides: Kind | None = None
    failed: Failed | None = None
    rule: RuleWord | None = None
    period: bool = False
    asked: Asked | None = None
    malformed: int = 0
    """Entries of the call that were dropped; on its first row only."""
    size: int | None = None
    """Code points of the value; None: hidden, or no value."""
    common: bool = False
    """The value is too short or usual for a carrier to say much."""
    carriers: tuple[Ref, ...] = ()
    more_carriers: int = 0
    """Carriers that are not listed."""
    turn: int = 1
    value: str | None = None
    """Content: the value, cut; on the record in content mode `full` only."""
    proposed: str | None = None
    """Content: what the model had proposed where another value took its place."""
    quote: str | None = None
    """Content: the words that were claimed."""

    def fields(self, content: bool = False) -> dict[str, str | int | bool | list[str]]:
        """What is written, by the short names of `telemetry.names.ARGUMENT_FIELDS`.

        Absent fields are left out. Neither value nor quote is in it unless `content` is true.
        """
        out: dict[str, str | int | bool | list[str]] = {}
        for name, value in self._asdict().items():
            if name == "carriers" or (name in CONTENT_FIELDS and not content):
                continue
            if value is None or value is False or value == "" or (name in _COUNTS and not value):
                continue
            out[name] = value
        if self.carriers:
            out["carriers"] = [ref.key for ref in self.carriers]
            out["carrier_kinds"] = [f"{ref.kind} {ref.how}" for ref in self.carriers]
            out["carrier_ids"] = [ref.id for ref in self.carriers]
        return out

    @property
    def produced_by(self) -> tuple[str, ...]:
        """Ids of the tool calls that produced the value; where a span link goes."""
        if self.result is not None:
            return (self.result,)
        found = (ref.id for ref in self.carriers if ref.kind == "result")
        return tuple(dict.fromkeys(found)) if self.coincides == "result" else ()


CONTENT_FIELDS: Final = frozenset({"value", "proposed", "quote"})
_COUNTS: Final = frozenset({"malformed", "more_carriers"})


# --- asking ----------------------------------------------------------------------------------


class AskField(NamedTuple):
    """One question of an ask."""

    id: str
    """`f1`, `f2`, ... in this ask."""
    tool: str
    argument: str
    calls: tuple[str, ...]
    """The tool calls that wait for it."""
    question: str
    """The author's words."""
    type: Literal["string", "number", "integer", "boolean"]
    choices: tuple[Any, ...] = ()
    reason: Asked = "missing"
    quoted: str | None = None
    """The person's own words that the model read a value into; only when they may be shown."""
    at: tuple[int, ...] = ()
    """Places of those calls in their batch; ids may be empty or equal."""


class Ask(NamedTuple):
    """One pause of a batch: nothing of it has run. The model's value never rides it."""

    fields: tuple[AskField, ...]
    round: int = 1

    def payload(self) -> dict[str, Any]:
        """The ask as JSON, for an interrupt or a handler."""
        return {
            "ask": "arguments",
            "round": self.round,
            "fields": [
                {
                    "id": f.id,
                    "tool": f.tool,
                    "argument": f.argument,
                    "calls": list(f.calls),
                    "question": f.question,
                    "type": f.type,
                    **({"choices": list(f.choices)} if f.choices else {}),
                    "reason": f.reason,
                    **({"quoted": f.quoted} if f.quoted is not None else {}),
                }
                for f in self.fields
            ],
        }


class Standing(NamedTuple):
    """How an answer stands by the arguments of its turn."""

    word: StandingWord
    reasons: tuple[str, ...] = ()
    """`argument-assumed`, `argument-unverified`, `argument-read`, `value-contingent`,
    `argument-asked`; each with the arguments it is about, at most 12 in all."""
    assessed: int = 0
    """Arguments that were judged."""
    of: int = 0
    """Arguments of the turn."""
