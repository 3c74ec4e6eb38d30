"""The built-in scenarios: sixteen stories in eight shapes each, and those written by hand."""

from __future__ import annotations

from random import Random
from typing import Any

from .by_hand import by_hand
from .scenario import Scenario, dumped, scenario
from .spellings import near, other, verbatim
from .stories import FILLER, STORIES, Story

KINDS = (
    "fact", "tool-result", "memory", "instruction", "skill", "earlier-turn", "truncated",
    "tool-description", "argument",
)  # fmt: skip
SHAPES = (
    "plain", "many", "many respelled", "respelled", "many rival", "none", "tie or none",
    "none by chance",
)  # fmt: skip
_IN_CONTEXT = ("fact", "memory", "instruction", "skill")


def built_in() -> list[Scenario]:
    """All of them."""
    out = []
    for s, story in enumerate(STORIES):
        for i, shape in enumerate(SHAPES):
            kind = KINDS[(s * len(SHAPES) + i) % len(KINDS)]
            made = shape
            if shape == "tie or none":
                made = "tie" if s % 2 else "none"
            out.append(_Maker(story, kind, made, f"{story.name}-{i + 1}").make())
    return out + by_hand()


def is_held_back(found: Scenario) -> bool:
    """True for the third that was not looked at until the first version of `why` was whole."""
    return not found.name.startswith("hand-") and Random("held back " + found.name).random() < 1 / 3


class _Maker:
    def __init__(self, story: Story, kind: str, shape: str, name: str) -> None:
        self.story, self.kind, self.shape, self.name = story, kind, shape, name
        self.rng = rng = Random(name)
        self.value = rng.choice(story.values)
        self.answer = verbatim(story.type, self.value, rng)
        self.spelled = self.answer
        if "respelled" in shape:
            self.spelled = other(story.type, self.value, self.answer, rng)
        if shape.startswith("none"):
            self.spelled = near(story.type, self.value, rng)
        self.system: list[dict[str, Any]] = []
        self.context: list[dict[str, Any]] = []
        self.history: list[dict[str, Any]] = []
        self.tools: list[dict[str, Any]] = []
        self.calls: list[dict[str, Any]] = []
        self.earlier: list[dict[str, Any]] = []
        self.truth: list[str] = []

    def make(self) -> Scenario:
        self._innocent()
        self._calls()
        self._plant()
        if "many" in self.shape:
            self._repeat()
        if "rival" in self.shape:
            text = self.story.rival.replace("{v}", self.answer)
            self.system.insert(self.rng.randrange(4), {"text": text})
        if self.shape == "tie":
            self._twin()
        if self.shape == "none by chance":
            for text in self.story.chance[:2]:
                at = self.rng.randrange(4)
                self.system.insert(at, {"text": text.replace("{v}", self.answer)})
        self.calls.append({"say": self.story.answer.format(a=self.answer)})
        carried = "respelled" if "respelled" in self.shape else "verbatim"
        return scenario(
            {
                "name": self.name,
                "kind": self.kind,
                "client": "anthropic" if self.rng.random() < 0.3 else "openai",
                "system": self.system,
                "context": self.context,
                "tools": self.tools,
                "history": self.history,
                "turns": [*self.earlier, {"as": "q", "ask": self.story.ask, "calls": self.calls}],
                "value": self.answer,
                "truth": [] if self.shape.startswith("none") else self.truth,
                "carried": "none" if self.shape.startswith("none") else carried,
            }
        )

    # --- around the cause ------------------------------------------------------------------

    def _innocent(self) -> None:
        """Thirty-six innocent pieces and more, none of which holds the value."""
        rng = self.rng
        lines = [self._filler(text) for text in rng.sample(FILLER, 18)]
        lines += [self._filler(text) for text in rng.sample(FILLER, 18)]
        lines += self.story.beside
        rng.shuffle(lines)
        for i, line in enumerate(lines):
            place = i % 4
            if place == 0:
                self.system.append({"text": line})
            elif place == 1:
                source = rng.choice(("fact", "memory", "instruction", "steering", "rag"))
                self.context.append(
                    {"source": source, "id": f"i{i}", "text": line, "from": rng.choice((1, 1, 2))}
                )
            else:
                role = ("user", "assistant")[len(self.history) % 2]
                self.history.append({"role": role, "text": line})
        for name, about, arguments in (self.story.tool, self.story.choice[:3]):
            self.tools.append(_tool(name, about, arguments))
        self.tools.append(_tool(self.story.later[0], "Does it.", self.story.later[1]))
        self.tools.append(_tool("look_around", self._filler(FILLER[9]), {"topic": "x"}))

    def _filler(self, text: str) -> str:
        taken = {self.value} if isinstance(self.value, int) else set()
        taken |= set(self.value) if isinstance(self.value, tuple) else set()
        numbers = [n for n in range(2, 99) if n not in taken]
        return text.format(n=self.rng.choice(numbers), m=self.rng.choice(numbers))

    def _calls(self) -> None:
        """Two calls that look around."""
        for i in (1, 2):
            batch = [
                {"as": f"a{i}{j}", "name": "look_around", "arguments": {"topic": word},
                 "result": self._filler(self.rng.choice(FILLER))}
                for j, word in enumerate(("desk", "yard"))
            ]  # fmt: skip
            self.calls.append({"say": "I look around first.", "tools": batch})

    # --- the cause --------------------------------------------------------------------------

    def _plant(self) -> None:
        text = self.story.planted.replace("{v}", self.spelled)
        at = self.rng.randrange(3, 9)
        self.truth = ["p"]
        if self.kind in _IN_CONTEXT:
            piece = {"as": "p", "source": self.kind, "id": "planted", "text": text, "from": 1}
            self.context.insert(min(at, len(self.context)), piece)
        elif self.kind == "tool-result":
            name, _, arguments = self.story.tool
            record = {k: self._typed(v) for k, v in self.story.record.items()}
            result = record if self.rng.random() < 0.6 else text
            call = {"as": "p", "name": name, "arguments": arguments, "result": result}
            self.calls.append({"say": "", "tools": [call]})
        elif self.kind == "earlier-turn":
            if self.rng.random() < 0.5:
                self.history.insert(2 * at, {"as": "p", "role": "user", "text": text})
            else:
                said = [{"say": "Thank you, noted."}]
                self.earlier = [{"as": "p", "ask": text, "calls": said}]
        elif self.kind == "truncated":
            self._truncated(text, at)
        elif self.kind == "tool-description":
            name, _, arguments = self.story.tool
            self.tools[0] = {**_tool(name, text, arguments), "as": "p"}
        else:
            self._chosen()

    def _truncated(self, text: str, at: int) -> None:
        """A long message of which only the beginning is sent later, or nothing at all."""
        rest = " ".join(self._filler(t) for t in self.rng.sample(FILLER, 12))
        self.history.insert(2 * at, {"as": "p", "role": "user", "text": f"{text} {rest}"})
        if self.shape.startswith("none") or self.rng.random() < 0.5:
            call = {"say": "I read your long note.", "cut": {"p": len(text) + 120}}
            self.calls.append({**call, "tools": [self._look("p2")]})
            return
        said = self.story.echo.replace("{v}", self.spelled)
        self.calls.append({"say": said, "tools": [self._look("p2")]})
        self.calls.append({"say": "Now the rest.", "drop": ["p"], "tools": [self._look("p3")]})

    def _look(self, name: str) -> dict[str, Any]:
        return {
            "as": name, "name": "look_around", "arguments": {"topic": name},
            "result": self._filler(self.rng.choice(FILLER)),
        }  # fmt: skip

    def _chosen(self) -> None:
        """The model chooses the value itself; the tool repeats it."""
        name, _, arguments, result = self.story.choice
        value = self.spelled
        chosen = {k: v.replace("{v}", value) for k, v in arguments.items() if isinstance(v, str)}
        call = {"as": "p", "name": name, "arguments": {**arguments, **chosen},
                "result": result.replace("{v}", value)}  # fmt: skip
        self.calls.append({"say": "I take care of it.", "tools": [call]})
        self.truth = ["p.arguments"]

    def _typed(self, field: Any) -> Any:
        if field != "{v}":
            return field
        plain = self.story.type in ("count", "money") and self.spelled == str(self.value)
        return self.value if plain else self.spelled

    # --- more carriers ------------------------------------------------------------------------

    def _repeat(self) -> None:
        """An innocent piece before and after, an echo, a later tool result."""
        rng, story = self.rng, self.story
        chances = rng.sample(story.chance, 2)
        self.system.insert(rng.randrange(3), {"text": chances[0].replace("{v}", self.answer)})
        name, arguments, result = story.later
        repeated = result.replace("{v}", self.answer)
        late = {"name": "look_around", "arguments": {"topic": "hall"},
                "result": chances[1].replace("{v}", self.answer)}  # fmt: skip
        say = story.echo.replace("{v}", self.answer) if rng.random() < 0.7 else "One more look."
        batch = [{"name": name, "arguments": arguments, "result": repeated}]
        self.calls.append({"say": say, "tools": batch})
        self.calls.append({"say": "And the hall.", "tools": [late]})

    def _twin(self) -> None:
        """A second piece of the same kind, place and words."""
        text = self.story.planted.replace("{v}", self.spelled)
        twin = {"as": "w", "source": "fact", "id": "twin", "text": f"{text} ", "from": 1}
        if self.kind in _IN_CONTEXT:
            at = next(i for i, p in enumerate(self.context) if p.get("as") == "p")
            twin["source"] = self.kind
            self.context.insert(at + 1, twin)
        elif self.kind == "tool-result":
            call = dict(self.calls[-1]["tools"][0])
            call["as"], call["result"] = "w", dumped(call["result"]) + " "
            self.calls[-1]["tools"].append(call)
        else:
            return
        self.truth.append("w")


def _tool(name: str, about: str, arguments: dict[str, Any]) -> dict[str, Any]:
    properties = {k: {"type": "string" if isinstance(v, str) else "number"}
                  for k, v in arguments.items()}  # fmt: skip
    return {"name": name, "description": about,
            "parameters": {"type": "object", "properties": properties}}  # fmt: skip
