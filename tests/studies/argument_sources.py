"""Study: what do the arguments of recorded tool calls rest on?

    python -m tests.studies.argument_sources DIR [DIR ...] [--all]

Reads every recording below DIR and prints one table a set:

- conversations as tau-bench keeps them (a JSON object whose `traj` is a list of OpenAI chat
  messages; tool definitions in a file `*tools*.json` beside them): every value of every tool call
  is searched for in what was in front of the model, once by plain text search and once by the
  library, and every difference is explained;
- BFCL cases whose parameter is missing (`*miss_param*.jsonl`, tool documents `func_doc_*.jsonl`
  beside them): how often the library notices that a value has no source yet.

`--all` lists every difference instead of three examples each.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from otel_footprint.arguments import Passage, Prepared, build_corpus, call_hints
from otel_footprint.records.arguments import ArgumentRow
from otel_footprint.text.carriers import Needle
from otel_footprint.text.dates import date_of
from otel_footprint.text.values import leaves, value_text

from . import bfcl_missing

LEFT_OUT = frozenset({"think", "transfer_to_human_agents"})
"""Tools whose only argument is the model's own prose."""
OPERATOR = re.compile(r"[\d)]\s*[-+*/]\s*[\d(]")


class Value(NamedTuple):
    """One value of a tool call, as both searches see it."""

    file: str
    tool: str
    path: str
    text: str
    naive: str
    ours: str
    why: str


def conversations(folder: Path) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """Every recording below a folder, with its messages; what is none is passed over."""
    for path in sorted(folder.rglob("*.json")):
        try:
            data = json.loads(path.read_text("utf-8"))
        except ValueError:
            continue
        if isinstance(data, dict) and isinstance(data.get("traj"), list):
            yield path, [m for m in data["traj"] if isinstance(m, dict)]


def tools_of(folder: Path) -> list[Passage]:
    """The tool definitions beside the recordings."""
    out = []
    for path in sorted(folder.glob("*tools*.json")):
        for tool in json.loads(path.read_text("utf-8")):
            name = tool.get("function", tool).get("name", "")
            out.append(Passage("tools", "registry", id=name, definition=tool))
    return out


def values_of(path: Path, messages: list[dict[str, Any]]) -> Iterator[Value]:
    """Every value of every tool call, in order."""
    tools = tools_of(path.parent)
    passages: list[Passage] = []
    for message in messages:
        for call in message.get("tool_calls") or []:
            name, arguments = _call(call)
            if name not in LEFT_OUT:
                found = str(call.get("id") or "")
                yield from _values(path.name, name, found, arguments, passages, tools)
        passage = _passage(message)
        if passage is not None:
            passages.append(passage)


def _call(call: dict[str, Any]) -> tuple[str, Any]:
    """Name and arguments; other recorders keep the arguments as an object."""
    made = call.get("function")
    name, arguments = (
        (made.get("name"), made.get("arguments"))
        if isinstance(made, dict)
        else (made, call.get("arguments"))
    )
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            arguments = {}
    return str(name), arguments


def _passage(message: dict[str, Any]) -> Passage | None:
    text, role = message.get("content") or "", message.get("role")
    if isinstance(text, list):
        text = "\n".join(str(p.get("text", "")) for p in text if isinstance(p, dict))
    if role == "tool":
        return Passage(
            "messages", "tool-result", text, id=message.get("tool_call_id", ""),
            tool=message.get("name", ""),
        )  # fmt: skip
    source = {"user": "user", "assistant": "assistant", "system": "base"}.get(str(role))
    return Passage("messages", source, text) if source and text else None


def _values(
    file: str, tool: str, call_id: str, arguments: Any, seen: list[Passage], tools: list[Passage]
) -> Iterator[Value]:
    prepared = Prepared(build_corpus([*seen, *tools]))
    found = call_hints(tool, call_id, arguments, prepared)
    assert not found.left_out
    for row, leaf in zip(found.rows, leaves(arguments), strict=True):
        text = value_text(leaf.value) if not isinstance(leaf.value, float) else repr(leaf.value)
        naive, ours = _naive(text, seen), _ours(row)
        why = _why(text, naive, row, prepared, seen)
        yield Value(file, tool, row.argument, text, naive, ours, why)


def _naive(text: str, seen: list[Passage]) -> str:
    """Plain text search, as the baseline has it: under three characters it says nothing."""
    by = {
        source: "\n".join(p.text for p in seen if p.source == source)
        for source in ("tool-result", "user", "base")
    }
    if len(text) < 3:
        return "short"
    if text in by["tool-result"]:
        return "result + person" if text in by["user"] else "result"
    if text in by["user"]:
        return "person"
    if text in by["base"]:
        return "app"
    return "case" if text.lower() in "".join(by.values()).lower() else "nowhere"


def _ours(row: ArgumentRow) -> str:
    """The library's hint: the kinds that carry the value itself, else what comes near."""
    if row.verdict != "hint":
        return str(row.verdict)
    near = {ref.kind for ref in row.carriers if ref.how == "near"}
    exact = {ref.kind for ref in row.carriers if ref.how not in ("near", "prose", "name")}
    if "result" in exact:
        return "result + person" if "person" in exact else "result"
    for kind in ("person", "app"):
        if kind in exact:
            return kind
    if "tools" in exact:
        return "tools: choice"
    return "near: " + sorted(near)[0] if near else "tools: prose"


def _why(text: str, naive: str, row: ArgumentRow, prepared: Prepared, seen: list[Passage]) -> str:
    """Why the two differ, or why a value stands nowhere."""
    ours = _ours(row)
    if ours == naive and ours != "nowhere":
        return ""
    if naive == "short":
        return "one or two characters, judged as a whole token and marked common"
    if row.verdict == "nowhere" and naive != "nowhere":
        return f"only inside a longer token: {_around(text, seen)}"
    hows = {ref.how for ref in row.carriers if ref.kind == row.coincides}
    if row.verdict == "hint" and naive in ("nowhere", "case"):
        return {
            "tools": "stands in the tools slot only",
        }.get(str(row.coincides), "another spelling: " + ", ".join(sorted(hows)))
    if row.verdict == "hint":
        return _more_or_less(text, naive, ours, row, seen)
    return _nowhere(text, prepared)


def _more_or_less(text: str, naive: str, ours: str, row: ArgumentRow, seen: list[Passage]) -> str:
    kinds = {"result": "tool-result", "person": "user", "app": "base"}
    lost = [k for k in kinds if k in naive and k not in ours]
    if lost:
        inside = _around(text, [p for p in seen if p.source == kinds[lost[0]]])
        return f"in the text of {lost[0]} only inside a longer token: {inside}"
    won = sorted({f"{r.kind} {r.how}" for r in row.carriers if r.kind not in naive})
    return "also in another spelling: " + ", ".join(won)


def _around(text: str, seen: list[Passage]) -> str:
    word = r"[\w@.:/%+#$-]*"
    for flags in (re.ASCII, re.ASCII | re.IGNORECASE):
        for piece in seen:
            match = re.search(word + re.escape(text) + word, piece.text, flags)
            if match:
                return match.group()[:60]
    return "?"


def _nowhere(text: str, prepared: Prepared) -> str:
    if date_of(text):
        return "a date that no text holds (relative to another one)"
    if OPERATOR.search(text):
        operands = re.findall(r"\d+(?:\.\d+)?", text)
        carried = [n for n in operands if prepared.hint(Needle(n)).coincides]
        if len(carried) == len(operands):
            return "an expression; each of its operands is carried"
        return "an expression; some operands are carried nowhere"
    if prepared.by_model(Needle(text)):
        return "only in the model's own earlier words"
    if re.fullmatch(r"-?\d+(?:\.\d+)?", text):
        return "a number that no text holds (computed)"
    return "a word that no text holds (known or made up)"


# --- the table -------------------------------------------------------------------------------


def report(values: list[Value], title: str, files: int, everything: bool) -> str:
    """The table of one set, and every difference."""
    out = [f"{title}: {files} conversations, {len(values)} values of tool arguments", ""]
    naive, ours = Counter(v.naive for v in values), Counter(v.ours for v in values)
    out.append(f"  {'':22}{'plain search':>14}{'footprint':>12}")
    rows = [*_ROWS, *sorted((set(naive) | set(ours)) - set(_ROWS))]
    for name in rows:
        if naive[name] or ours[name]:
            out.append(f"  {name:22}{naive[name]:>14}{ours[name]:>12}")
    traced = sum(n for name, n in naive.items() if name in ("result", "result + person", "person"))
    out += ["", f"  plain search: {traced} in earlier words of a person or a result, "]
    out[-1] += f"{naive['nowhere']} nowhere"
    itself = sum(n for name, n in ours.items() if name in _ITSELF)
    out.append(
        f"  footprint: {itself} carried by a person, a result or the application, "
        f"{ours['tools: choice'] + ours['tools: prose']} by the tools slot only, "
        f"{ours['near: person']} near, {ours['nowhere']} nowhere"
    )
    out += ["", "  differences, and what stands nowhere (plain search -> footprint):"]
    groups: dict[tuple[str, str, str], list[Value]] = defaultdict(list)
    for value in values:
        if value.why:
            groups[value.naive, value.ours, value.why.split(": ", 1)[0]].append(value)
    open_ = sum(v.why.endswith("?") for v in values)
    different = sum(bool(v.why) for v in values)
    out.append(f"  {different} values in all; without an explanation: {open_}")
    for (before, after, why), group in sorted(groups.items(), key=lambda g: -len(g[1])):
        out.append(f"  {len(group):>4}  {before} -> {after}: {why}")
        examples: dict[str, str] = {}
        for v in group:
            detail = f" [{v.why.split(': ', 1)[1]}]" if ": " in v.why else ""
            examples.setdefault(f"{v.tool}.{v.path}={v.text[:50]}{detail}", v.file)
        for example in list(examples)[: None if everything else 3]:
            out.append(f"          {example}")
    return "\n".join(out) + "\n"


_ITSELF = ("result", "result + person", "person", "app")
_ROWS = (
    "result", "result + person", "person", "app", "case", "tools: choice", "tools: prose",
    "near: person", "short", "nowhere", "uncheckable",
)  # fmt: skip


def main(argv: list[str]) -> int:
    """Prints the tables of all folders; 1 when nothing was found in them."""
    parser = argparse.ArgumentParser(prog="tests.studies.argument_sources")
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--all", action="store_true", help="every difference, not three each")
    options = parser.parse_args(argv)
    printed = 0
    for folder in options.folders:
        sets: dict[str, list[Value]] = defaultdict(list)
        files: Counter[str] = Counter()
        for path, messages in conversations(folder):
            name = f"{path.parent.name}/{path.stem.split('_')[0]}"
            files[name] += 1
            sets[name].extend(values_of(path, messages))
        for name, values in sets.items():
            print(report(values, name, files[name], options.all))
            printed += 1
        for path in sorted(folder.rglob("*miss_param*.jsonl")):
            print(bfcl_missing.report(path, options.all))
            printed += 1
    if not printed:
        print("no recordings found")
    return 0 if printed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
