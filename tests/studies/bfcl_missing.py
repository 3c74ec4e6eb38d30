"""The BFCL part of the study: a parameter is missing until the person gives it.

In each case one turn of the person leaves a value out, so that no call can be made (its list of
true calls is empty), and the next turn gives it. The library is asked twice about the calls that
are true then: before that next turn (would a guess have had a source?) and after it. Results of
tools are not recorded in these cases, so only the person's words and the tools slot can carry.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from otel_footprint.arguments import Passage, Prepared, build_corpus
from otel_footprint.text.carriers import Needle
from otel_footprint.text.values import is_common, leaves, value_text

DOCUMENTS = {
    "GorillaFileSystem": "gorilla_file_system",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "MessageAPI": "message_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
    "MathAPI": "math_api",
}


class Case(NamedTuple):
    """One missing parameter: what was said before, what gave it, and the values then used."""

    name: str
    before: list[str]
    given: str
    values: list[tuple[str, str, Any]]
    """Tool, argument and value of the calls that are true after it was given."""
    classes: list[str]


def cases(path: Path) -> Iterator[Case]:
    """Every turn without a true call whose next turn has one."""
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        said = ["\n".join(str(m["content"]) for m in turn) for turn in row["question"]]
        truth = row["ground_truth"]
        for i in range(len(said) - 1):
            if not truth[i] and truth[i + 1]:
                values = [value for call in truth[i + 1] for value in _values(call)]
                yield Case(
                    row["id"], said[: i + 1], said[i + 1], values, row.get("involved_classes", [])
                )


def _values(call: str) -> Iterator[tuple[str, str, Any]]:
    try:
        made = ast.parse(call, mode="eval").body
    except SyntaxError:
        return
    if not isinstance(made, ast.Call):
        return
    name = getattr(made.func, "id", getattr(made.func, "attr", ""))
    given = [(str(i), node) for i, node in enumerate(made.args)]
    for argument, node in [*given, *((k.arg or "", k.value) for k in made.keywords)]:
        try:
            value = ast.literal_eval(node)
        except ValueError:
            continue
        for leaf in leaves(value, argument):
            yield name, leaf.path, leaf.value


def tools_of(folder: Path, classes: list[str]) -> list[Passage]:
    """The tool documents of the classes of a case."""
    out = []
    for name in classes:
        path = folder / f"func_doc_{DOCUMENTS.get(name, name)}.jsonl"
        if path.is_file():
            for line in path.read_text("utf-8").splitlines():
                tool = json.loads(line)
                out.append(Passage("tools", "registry", id=tool.get("name", ""), definition=tool))
    return out


def report(path: Path, everything: bool) -> str:
    """How often the missing source is noticed, and why it is not where it is not."""
    count: Counter[str] = Counter()
    lines: list[str] = []
    for case in cases(path):
        count["cases"] += 1
        tools = tools_of(path.parent, case.classes)
        before = _prepared(case.before, tools)
        after = _prepared([*case.before, case.given], tools)
        given = _prepared([case.given], [])
        supplied = [v for v in case.values if _carried(given, v) == "person"]
        if not supplied:
            count["no value given in words"] += 1
            early = [v for v in case.values if _carried(before, v) != "person"]
            count["without words, no source"] += bool(early)
            values = ", ".join(f"{tool}.{name}={value!r}" for tool, name, value in early[:3])
            lines.append(f"  {case.name}: given in other words: {values} <- {case.given[:60]!r}")
            continue
        count["with a value"] += 1
        unsourced = [v for v in supplied if _carried(before, v) != "person"]
        plain = [v for v in supplied if value_text(v[2]) not in "\n".join(case.before)]
        count["noticed by plain search"] += bool(plain)
        if unsourced:
            count["noticed"] += 1
            count["choice in tools"] += all(_carried(before, v) == "tools" for v in unsourced)
            assert all(_carried(after, v) == "person" for v in unsourced)
            if not plain:
                values = ", ".join(f"{tool}.{name}={value!r}" for tool, name, value in unsourced)
                lines.append(f"  {case.name}: noticed, by plain search not: {values}")
        else:
            count["said before"] += 1
            count["common"] += all(is_common(value) for *_, value in supplied)
            values = ", ".join(f"{tool}.{name}={value!r}" for tool, name, value in supplied[:3])
            lines.append(f"  {case.name}: not noticed, the words were there before: {values}")
    return _table(path, count, lines if everything else lines[:8], len(lines))


def _table(path: Path, count: Counter[str], lines: list[str], of: int) -> str:
    share = 100 * count["noticed"] / max(1, count["with a value"])
    out = [
        f"{path.parent.name}/{path.stem}: {count['cases']} turns that leave a parameter out",
        "",
        f"  {count['with a value']:>4}  the next turn gives a value of the true calls in words",
        f"  {count['noticed']:>4}  of them noticed: before that turn the value had no source "
        f"({share:.0f} %)",
        f"  {count['noticed by plain search']:>4}  noticed by plain search",
        f"  {count['choice in tools']:>4}  noticed although the tools slot offers the value "
        "(a hint, no source)",
        f"  {count['said before']:>4}  not noticed: an earlier message holds the same words "
        f"({count['common']} of them common values)",
        f"  {count['no value given in words']:>4}  the next turn gives no value as whole words "
        "(paraphrased, or derived)",
        f"  {count['without words, no source']:>4}  of them had a value without a source before "
        "that turn (and after it)",
        f"  {count['noticed'] + count['without words, no source']:>4}  in all: a call made too "
        "early would have held a value without a source",
        "",
        *lines,
    ]
    if of > len(lines):
        out.append(f"  ... {of - len(lines)} more (--all)")
    return "\n".join(out) + "\n"


def _prepared(said: list[str], tools: list[Passage]) -> Prepared:
    return Prepared(build_corpus([*(Passage("messages", "user", t) for t in said), *tools]))


def _carried(corpus: Prepared, value: tuple[str, str, Any]) -> str | None:
    tool, argument, found = value
    return corpus.hint(Needle(found), tool, argument).coincides
