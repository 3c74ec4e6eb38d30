"""Calls that ran at the same time are not shown as changes of one another without a word."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.report import onecall, tree
from otel_footprint.trail import Trail

from ..sdk import Recording, Server, chat, client
from ..trail.builder import Turn, Writer, system, user
from ..trail.conftest import read
from ..trail.test_why_recorded import read_back, written
from .page import page


class Meeting(Server):
    """Answers two first questions of sub-agents only when both are there."""

    def __init__(self) -> None:
        super().__init__(chat("Fine."))
        self.both = threading.Barrier(2)

    def __call__(self, package: str, request: Any) -> Any:
        if json.loads(request.content)["messages"][-1]["content"] in ("a", "b"):
            self.both.wait(10)
        return super().__call__(package, request)


def messages(rules: str, *words: str) -> list[dict[str, str]]:
    roles = ("user", "assistant")
    said = [{"role": roles[i % 2], "content": text} for i, text in enumerate(words)]
    return [{"role": "system", "content": rules}, *said]


def recorded(path: Path, tools: bool) -> Trail:
    """A call, then two sub-agents at once on the same client, then a call that goes on."""
    recording = Recording()
    written(recording, path)
    fp = footprint.Footprint("planner", content="full", **recording.providers)
    made = fp.wrap(client("openai", "OpenAI", Meeting()))

    def ask(*words: str) -> None:
        made.chat.completions.create(model="m", messages=messages(*words))

    def agent(name: str) -> None:
        ask(f"You do {name}.", name)
        ask(f"You do {name}.", name, "Fine.", f"And more {name}?")

    run: Callable[[str], Any] = fp.tool(agent) if tools else agent
    with fp.turn("Go."):
        ask("Be brief.", "plan")
        threads = [threading.Thread(target=footprint.propagate(run), args=(x,)) for x in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ask("Be brief.", "plan", "Fine.", "sum up")
    return read_back(fp, path)


def blocks(trail: Trail) -> dict[str, list[str]]:
    """The lines of each call of the tree, by its number."""
    out: dict[str, list[str]] = {}
    for line in tree.render(trail, ascii_only=True):
        bare = re.sub(r"^[ |`-]*", "", line)
        head = re.match(r"(\d+)  m(-1)? ", bare)
        if head:
            out[head[1]] = []
        elif out:
            out[list(out)[-1]].append(bare)
    return out


@pytest.mark.parametrize("tools", [False, True])
def test_what_another_agent_had_is_never_shown_as_gone_without_a_word(
    tools: bool, tmp_path: Path
) -> None:
    """With which call each is compared is a matter of which was quicker; that it is said is not."""
    found = blocks(recorded(tmp_path / "trail.jsonl", tools))
    assert sorted(found) == ["1", "2", "3", "4", "5", "6"]
    for number in ("2", "3"):
        lines = found[number]
        for at, line in enumerate(lines):
            if re.match(r"was +(You do|a |b )", line):
                assert lines[at - 2] == "compared with call 2, which ran beside it"
    assert "compared with call 1" in found["6"]


def in_turn(*texts: str) -> Writer:
    """A turn of calls one after the other, each with a system prompt of its own."""
    writer = Writer()
    turn = Turn(writer)
    for text in texts:
        turn.call([system(f"Rules of {text}.")], [user(text)])
    turn.end()
    return writer


def beside() -> Writer:
    """Three calls; the third began before the second ended."""
    writer = in_turn("plan", "a", "b")
    second, third = [s for s in writer.spans if s["name"].startswith("chat")][1:]
    third["startTimeUnixNano"] = str(int(second["endTimeUnixNano"]) - 1_000)
    return writer


def test_two_that_ran_side_by_side_are_told_so() -> None:
    trail = read(beside().spans)
    found = blocks(trail)
    said = "compared with call 2, which ran beside it"
    assert [sum(said in line for line in found[n]) for n in "123"] == [0, 0, 2]
    assert "  " + said in list(onecall.render(trail, trail.call(3), ascii_only=True))
    assert " ".join(page(trail).text.split()).count(said) == 2


def test_calls_in_turn_say_nothing_of_it() -> None:
    writer = in_turn("a", "b", "c")
    assert not any("compared" in line for line in tree.render(read(writer.spans)))
