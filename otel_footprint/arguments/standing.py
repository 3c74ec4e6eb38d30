"""How an answer stands by the arguments of its turn.

A traced source keeps doubt away and never makes an answer *known*; only a person or a check
outside this module does that.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..records.arguments import ArgumentRow, Standing, StandingWord

MAX_REASONS: Final = 12
"""Reasons that are listed; those of assumed values are never among those cut."""


def standing(rows: Iterable[ArgumentRow], known: bool = False) -> Standing:
    """The standing by all rows of a turn, in the order in which they were written.

    A row of the same call and argument replaces an earlier one: a value that was asked for and
    answered is no longer asked for. `known` says that a person or a check has confirmed the
    answer; a doubt of ours still comes first.
    """
    last: dict[tuple[str, str, str], ArgumentRow] = {}
    for row in rows:
        last[row.tool, row.call_id, row.argument] = row
    found = [(reason, row) for row in last.values() for reason in _reasons(row)]
    assessed = sum(1 for row in last.values() if _is_assessed(row))
    word = _word([reason for reason, _ in found], known, assessed)
    return Standing(word, _listed(found), assessed, len(last))


def _word(reasons: list[str], known: bool, assessed: int) -> StandingWord:
    if "argument-asked" in reasons:
        return "ask"
    if reasons:
        return "not-sure"
    if known:
        return "known"
    return "consistent" if assessed else "not-assessed"


def _reasons(row: ArgumentRow) -> list[str]:
    if row.asked is not None:
        return ["argument-asked"]
    out = []
    if row.verdict == "default" or (row.verdict == "model" and row.claimed == "assumed"):
        out.append("argument-assumed")
    elif row.verdict == "model" and (row.failed is not None or row.rule is not None):
        out.append("argument-unverified")
    if row.verdict == "model" and row.claimed == "turn" and row.failed is None:
        out.append("argument-unverified")
    if row.reading:
        out.append("argument-read")
    if row.set_aside is not None:
        out.append("value-contingent")
    return list(dict.fromkeys(out))


def _is_assessed(row: ArgumentRow) -> bool:
    return row.verdict in ("said", "answered", "result", "app", "default") or row.claimed != "none"


def _listed(found: list[tuple[str, ArgumentRow]]) -> tuple[str, ...]:
    clauses = [f"{reason} {row.tool}.{row.argument}" for reason, row in found]
    if len(clauses) <= MAX_REASONS:
        return tuple(clauses)
    kept = {i for i, (reason, _) in enumerate(found) if reason == "argument-assumed"}
    for i in range(len(clauses)):
        if len(kept) >= MAX_REASONS:
            break
        kept.add(i)
    return tuple(clauses[i] for i in sorted(kept))
