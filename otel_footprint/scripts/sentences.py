"""The sentences under an answer, registered: all stay in the history.

Their wording lives in `records.script_text`, because the reading side builds the same text again.
"""

from __future__ import annotations

from typing import Final

from ..records.script_text import cut_line, label_line, older_line, rowless_line, unshown_line
from ..records.scripts import Call, Reached, Script, Unshown, Why
from ..records.sentence import register

_REACHED: Final[tuple[Reached, ...]] = (
    "started", "completed", "failed", "timed_out", "cancelled",
)  # fmt: skip
_WHY: Final[tuple[Why, ...]] = ("over_size", "withheld")
_CALLS: Final = (
    *(Call(call=call, tool="t1", label=label) for call in ("c1", "") for label in _REACHED),
    Call(call="c1", tool="t1", label="completed", exit_code=1),
)


def _script(call: Call, **fields: object) -> Script:
    return Script.model_validate(
        {**call.model_dump(), "byte_count": 9, "digest": "0" * 32, **fields}
    )


def _labels() -> tuple[str, ...]:
    return tuple(
        label_line(_script(call, withheld=withheld), 1, 2, kept)
        for call in _CALLS
        for withheld, kept in ((False, True), (True, True), (True, False))
    )


def _unshown() -> tuple[str, ...]:
    return tuple(
        unshown_line(Unshown(**call.model_dump(), why=why, byte_count=70_000))
        for call in _CALLS
        for why in _WHY
    )


def _register() -> None:
    register("scripts.label", "answer", "lasting", _labels)
    register("scripts.unshown", "answer", "lasting", _unshown)
    register(
        "scripts.cut",
        "answer",
        "lasting",
        lambda: (cut_line(_script(_CALLS[0], shown_bytes=4), 1),),
    )
    register("scripts.older", "answer", "lasting", lambda: (older_line(1), older_line(2)))
    register("scripts.rowless", "answer", "lasting", lambda: (rowless_line(1), rowless_line(2)))


_register()
