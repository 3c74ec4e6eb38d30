"""The format of a scenario file: one JSON object (or a list of them) a file.

    {
      "name": "return-window-3",          unique
      "kind": "fact",                     for the table; any word
      "client": "openai",                 or "anthropic": whose real client makes the calls
      "system":  [{"as": "s1", "text": "..."}],
      "context": [{"as": "f1", "source": "fact", "id": "window", "text": "...", "from": 2}],
      "tools":   [{"as": "d1", "name": "find", "description": "...", "parameters": {...}}],
      "history": [{"as": "h1", "role": "user", "text": "..."}],
      "turns": [
        {"as": "q1", "ask": "...", "calls": [
          {"say": "Let me look.", "drop": ["h1"], "cut": {"h2": 80},
           "tools": [{"as": "r1", "name": "find", "arguments": {...}, "result": "text or JSON"}]},
          {"say": "The answer."}
        ]}
      ],
      "value": "14",                      as the last answer spells it; what `why` is asked for
      "truth": ["f1"],                    [] = nothing on the trail carries it
      "carried": "verbatim"               or "respelled", "near", "none": the piece against "value"
    }

- `as` names a piece. Names are free; only those that something refers to are needed.
- `system`: fragments of the system prompt, in front of every call.
- `context`: pieces that the application lets in: `source` is fact, steering, instruction, skill,
  memory or rag; they stand behind the system prompt from call `from` (default 1) of every turn on.
- `history`: messages from before the trail begins, with role user or assistant.
- `turns`: each is a turn of its own on one trail; later turns go on with the messages of the
  earlier ones. The last call of a turn has no `tools`: its `say` is the answer. `tools` are called
  in one batch. A result may be a text or any JSON value.
- `drop`: pieces (history, questions, results with their calls) that are no longer sent from this
  call on. `cut`: messages of which only so many characters are sent from this call on.
- `truth`: the pieces that planted the value. Several: they cannot be told apart and are to be named
  as a tie. `"r1.arguments"` is the model's own choice of the arguments of tool call r1.

The text of a true piece must occur only once among the pieces.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

SOURCES = ("fact", "steering", "instruction", "skill", "memory", "rag")
_TOOL: dict[str, Any] = {"description": "", "parameters": {"type": "object", "properties": {}}}
CARRIED = ("verbatim", "respelled", "near", "none")


class Scenario(NamedTuple):
    """A scenario as read; see the module's text."""

    name: str
    kind: str
    client: str
    system: list[dict[str, Any]]
    context: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    history: list[dict[str, Any]]
    turns: list[dict[str, Any]]
    value: str
    truth: list[str]
    carried: str

    @property
    def many(self) -> bool:
        """True when three pieces and more carry the value as the answer spells it, or nearly."""
        return sum(self.value in text for text in self.texts()) >= 3

    def texts(self) -> list[str]:
        """The text of every piece but the last answer, in no order."""
        out = [p["text"] for p in (*self.system, *self.context, *self.history)]
        out += [json.dumps(t, ensure_ascii=False) for t in self.tools]
        for turn in self.turns:
            out.append(turn["ask"])
            for call in turn["calls"]:
                out.append(call.get("say", ""))
                for tool in call.get("tools", ()):
                    out += [result_text(tool["result"]), dumped(tool["arguments"])]
        return out[:-1]


def read_scenarios(folder: Path) -> list[Scenario]:
    """The scenarios of every `*.json` below a folder. Raises ValueError naming file and fault."""
    out: list[Scenario] = []
    for path in sorted(folder.rglob("*.json")):
        data = json.loads(path.read_text("utf-8"))
        for raw in data if isinstance(data, list) else [data]:
            out.append(scenario(raw, str(path)))
    return out


def scenario(raw: dict[str, Any], where: str = "") -> Scenario:
    """One scenario, checked."""
    for key in ("name", "turns", "value", "truth"):
        if key not in raw:
            raise ValueError(f"{where}: a scenario needs {key!r}")
    found = Scenario(
        raw["name"], raw.get("kind", "?"), raw.get("client", "openai"), raw.get("system", []),
        raw.get("context", []), [{**_TOOL, **t} for t in raw.get("tools", [])],
        raw.get("history", []), raw["turns"],
        raw["value"], raw["truth"], raw.get("carried", "verbatim" if raw["truth"] else "none"),
    )  # fmt: skip
    if found.client not in ("openai", "anthropic"):
        raise ValueError(f"{where}: {found.name}: client is {found.client!r}")
    if found.carried not in CARRIED:
        raise ValueError(f"{where}: {found.name}: carried is {found.carried!r}")
    for piece in found.context:
        if piece["source"] not in SOURCES:
            raise ValueError(f"{where}: {found.name}: source {piece['source']!r}")
    known = names(found)
    for name in found.truth:
        if name not in known:
            raise ValueError(f"{where}: {found.name}: truth {name!r} names no piece")
    return found


def names(found: Scenario) -> dict[str, str]:
    """The text of every named piece; of `r.arguments` the arguments as JSON."""
    out: dict[str, str] = {}
    for piece in (*found.system, *found.context, *found.history):
        out[piece.get("as", "")] = piece["text"]
    for tool in found.tools:
        out[tool.get("as", "")] = tool["name"]
    for turn in found.turns:
        out[turn.get("as", "")] = turn["ask"]
        for call in turn["calls"]:
            out[call.get("as", "")] = call.get("say", "")
            for tool in call.get("tools", ()):
                if "as" in tool:
                    out[tool["as"]] = result_text(tool["result"])
                    out[tool["as"] + ".arguments"] = dumped(tool["arguments"])
    out.pop("", None)
    return out


def result_text(result: Any) -> str:
    """A tool's result as the text that the model gets."""
    return result if isinstance(result, str) else dumped(result)


def dumped(value: Any) -> str:
    """JSON as the scenarios write it."""
    return json.dumps(value, ensure_ascii=False)
