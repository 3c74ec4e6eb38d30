"""The corpus of a turn, made of the pieces that were in front of the model.

What the library itself wrote is nobody's word: neither a person's nor the application's, and not
a part of a result. What left the window is not in front of the model and not in the corpus.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from ..records.arguments import (
    Answer,
    AppText,
    Corpus,
    ModelText,
    PersonText,
    ResultText,
    SetAside,
    ToolText,
)
from ..records.frames import frame_of


class Passage(NamedTuple):
    """One piece of a request, as `run` knows it."""

    slot: str
    """system, messages or tools."""
    source: str
    """A baseline source (`user`, `assistant`, `tool-result`, `base`, `registry`) or that of what
    let it in (`fact`, `instruction`, `memory`, `rag`, ...)."""
    text: str = ""
    key: str = ""
    """Hash of the piece."""
    id: str = ""
    """Tool call id of a result, name of a tool, id of an injection."""
    tool: str = ""
    """Of a result the tool's name."""
    earlier: bool = False
    """It was there before the current request of the person."""
    ours: bool = False
    """The library wrote it."""
    blocks: tuple[str, ...] | None = None
    """Texts of a result that came in several blocks; None: `text` is the only one."""
    unread: bool = False
    """Of a result: its bytes are not at hand."""
    placed: bool = False
    set_aside: SetAside | None = None
    definition: Any = None
    """Of a tool: its definition as JSON, before anything of ours was planted."""
    person: bool = True
    """Of a user message: a person said it (`records.frames.is_said_by_person`)."""


LABELLED: Final = frozenset({"memory", "rag", "custom"})
"""Sources that name themselves as grounds of their own, beside the application's own text."""


def build_corpus(
    passages: Iterable[Passage],
    turn: int = 1,
    composed: bool = False,
    answers: tuple[Answer, ...] = (),
    notes: Iterable[str] = (),
    grounds: Iterable[AppText] = (),
    missing: Iterable[str] = (),
) -> Corpus:
    """The corpus of a turn.

    `composed`: the user messages of the current request were handed on by another program.
    `notes`: texts that the library put behind results; they are cut off. `grounds`: texts of the
    application from outside the request, each with its label. `missing`: kinds of pieces that are
    not at hand.
    """
    cut = tuple(note for note in notes if note)
    person: list[PersonText] = []
    results: list[ResultText] = []
    model: list[ModelText] = []
    app: list[AppText] = []
    tools: list[ToolText] = []
    for piece in passages:
        if piece.ours:
            continue
        if piece.slot == "tools":
            tools.append(ToolText(piece.id, piece.definition, piece.key))
        elif piece.source == "tool-result":
            results.append(_result(piece, cut))
        elif piece.source == "assistant":
            model.append(ModelText(piece.text, piece.key))
        elif piece.source == "user":
            if piece.person and frame_of(piece.text) is None:
                handed_on = composed and not piece.earlier
                person.append(PersonText(piece.text, piece.earlier, handed_on, piece.key))
        elif piece.text:
            label = (piece.id or piece.source) if piece.source in LABELLED else ""
            app.append(AppText(piece.text, label, piece.key))
    return Corpus(
        turn,
        tuple(person),
        tuple(results),
        tuple(model),
        (*app, *grounds),
        tuple(tools),
        answers,
        frozenset(missing),
    )


def _result(piece: Passage, notes: tuple[str, ...]) -> ResultText:
    texts: tuple[str, ...] | None = None
    if not piece.unread:
        texts = tuple(own_text(t, notes) for t in piece.blocks or (piece.text,))
    return ResultText(
        piece.id, texts, piece.tool, piece.earlier, piece.set_aside, piece.placed, piece.key
    )


def own_text(text: str, notes: Iterable[str]) -> str:
    """A result without the library's notes behind it."""
    changed = True
    while changed:
        changed = False
        for note in notes:
            if note and text.endswith(note):
                text = text[: -len(note)].rstrip("\n")
                changed = True
    return text
