"""Real runs of agents over real clients: healthy ones, and one for each thing that goes wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import otel_footprint as footprint
from otel_footprint.arguments import RESERVED
from tests.sdk import Server, chat, client, message

MODEL = "gpt-4o-mini"
SMALL = "a-small-window"
"""A model whose window is declared."""
Make = Callable[..., footprint.Footprint]
"""Makes a Footprint: name, and options."""


def asks(name: str, id_: str = "c1", **arguments: Any) -> Any:
    """An answer of the model that asks for one tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return chat(None, [{"id": id_, "type": "function", "function": function}])


def tool(name: str, **properties: Any) -> dict[str, Any]:
    """A tool's definition."""
    schema = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


def loop(
    fp: footprint.Footprint,
    question: str,
    *answers: Any,
    tools: tuple[Any, ...] = (),
    functions: dict[str, Callable[..., Any]] | None = None,
    budget: int | None = None,
    model: str = MODEL,
) -> None:
    """One turn of a hand-written loop, until an answer that asks for no tool."""
    wrapped = fp.wrap(client("openai", "OpenAI", Server(*answers)))
    for fn in (functions or {}).values():
        fp.tool(fn)
    messages: list[Any] = [{"role": "user", "content": question}]
    more = {"tools": list(tools)} if tools else {}
    with fp.turn(question, action_budget=budget, conversation="c-17", dispatch=True) as turn:
        while True:
            made = wrapped.chat.completions.create(model=model, messages=messages, **more)
            said = made.choices[0].message
            messages.append(said)
            if not said.tool_calls:
                return
            for call in said.tool_calls:
                result = turn.tool(call)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def look(what: str = "") -> str:
    """A tool."""
    return f"{what or 'It'} is green."


def healthy(make: Make) -> None:
    """Two calls and a tool, everything declared and nothing wrong: two steps done of two."""
    steps = [footprint.Step("look", "what there is"), footprint.Step("note", "what was seen")]
    care = footprint.skill(
        "care", "How to look.", "Look, then note.", tools=["look", "note"], steps=steps
    )

    def note(what: str = "") -> str:
        return f"Noted {what}."

    fp = make(
        "steady",
        budget=footprint.Budget(messages=50_000, tools=50_000),
        arguments=footprint.Arguments(),
        context=[care, footprint.fact("shop", "The shop is in Ghent.")],
    )
    claimed = {"from": [{"argument": "what", "source": "user", "quote": "the lamp"}]}
    properties = {"what": {"type": "string"}}
    loop(
        fp,
        "Look at the lamp and note it.",
        asks("read_skill", "c0", skill="care"),
        asks("look", "c1", what="the lamp", **{RESERVED: claimed}),
        asks("note", "c2", what="the lamp", **{RESERVED: claimed}),
        chat("It is green."),
        tools=(tool("look", **properties), tool("note", **properties)),
        functions={"look": look, "note": note},
        budget=9,
    )


def over_budget(make: Make, turns: int = 1) -> None:
    """A slot over its declared cap, in each of two calls a turn."""
    fp = make("crowded", budget=footprint.Budget(messages=10))
    for _ in range(turns):
        loop(
            fp,
            "What is the colour of the lamp?",
            asks("look"),
            chat("Green."),
            tools=(tool("look"),),
            functions={"look": look},
        )


def over_default(make: Make) -> None:
    """A slot over its default cap: no budget was declared."""
    loop(make("plain"), "What? " * 2_000, chat("Nothing."))


def full_window(make: Make) -> None:
    """A window that fills up: growth by one long result a call, until no room is left.

    A model of its own that reports no usage: estimates of the others' tokens are calibrated by what
    their answers report, which is far from what was sent.
    """

    def read() -> str:
        return "It is a long page about lamps. " * 40

    fp = make("stuffed", window=800)
    answers = [*(asks("read", f"c{n}") for n in range(3)), chat("Done.")]
    loop(
        fp,
        "Read on.",
        *({**answer, "usage": None} for answer in answers),
        tools=(tool("read"),),
        functions={"read": read},
        model=SMALL,
    )


def spent_actions(make: Make) -> None:
    """A turn that takes the two actions it is allowed."""
    loop(
        make("hasty"),
        "Look.",
        asks("look"),
        chat("Green."),
        tools=(tool("look"),),
        functions={"look": look},
        budget=2,
    )


def cut_short(make: Make) -> None:
    """The same, ended by the action budget."""
    unfinished_steps(make, "cut", budget=3)


def unfinished_steps(make: Make, name: str = "early", budget: int | None = None) -> None:
    """A procedure of three steps, of which one ran."""
    steps = [footprint.Step("look", "first"), footprint.Step("note", "second")]
    steps.append(footprint.Step("look", "again"))

    def note() -> str:
        return "Noted."

    care = footprint.skill("care", "How.", "Look and note.", tools=["look", "note"], steps=steps)
    loop(
        make(name, context=[care]),
        "Look.",
        asks("read_skill", "c0", skill="care"),
        asks("look", "c1"),
        chat("Green."),
        tools=(tool("look"), tool("note")),
        functions={"look": look, "note": note},
        budget=budget,
    )


def refuted_source(make: Make) -> None:
    """An argument that the model says a person said, who did not."""
    claimed = {"from": [{"argument": "what", "source": "user", "quote": "the red chair"}]}
    loop(
        make("liar", arguments=footprint.Arguments()),
        "What is the colour of the lamp?",
        asks("look", what="the red chair", **{RESERVED: claimed}),
        chat("Green."),
        tools=(tool("look", what={"type": "string"}),),
        functions={"look": look},
    )


def stuck_delivery(make: Make) -> None:
    """A declared message in a role that this provider never takes in front of a call."""
    fp = make("mute", context=[footprint.fact("x", "Hm.", slot="messages", role="assistant")])
    wrapped = fp.wrap(client("anthropic", "Anthropic", Server(message("Hello."))))
    with fp.turn("Hello?"):
        wrapped.messages.create(
            model="claude-test-1", max_tokens=9, messages=[{"role": "user", "content": "Hello?"}]
        )


def open_turn(make: Make) -> Any:
    """A turn that does not end; keep what is answered."""
    return make("gone").turn("Are you there?").start()


def attached_program(make: Make) -> None:
    """A program that a tool ran, under the answer."""

    def run_code(code: str) -> str:
        return "42" if code else ""

    loop(
        make("coder", scripts=footprint.Scripts(tools={"run_code": "code"})),
        "What is 6 times 7?",
        asks("run_code", code="print(6 * 7)"),
        chat("It is 42."),
        tools=(tool("run_code", code={"type": "string"}),),
        functions={"run_code": run_code},
    )


def shorter_history(make: Make) -> None:
    """A loop that takes its first message out before the second call."""
    fp = make("brief")
    wrapped = fp.wrap(client("openai", "OpenAI", Server(chat("One."), chat("Two."))))
    messages: list[Any] = [{"role": "user", "content": "First?"}]
    with fp.turn("First?"):
        for question in ("Second?", ""):
            wrapped.chat.completions.create(model=MODEL, messages=messages)
            messages = [{"role": "user", "content": question}]


def left_procedure(make: Make) -> None:
    """Two procedures: of the first a step is skipped, and it loses the tenure with two left."""

    def skill(name: str) -> Any:
        notes = ("first", "second", "third", "fourth")
        steps = [footprint.Step("look", note) for note in notes]
        return footprint.skill(name, "How.", "Look.", tools=["look"], steps=steps)

    loop(
        make("fickle", context=[skill("care"), skill("other")]),
        "Look.",
        asks("read_skill", "c0", skill="care"),
        asks("look", "c1"),
        asks("skip_step", "c2", reason="It was seen."),
        asks("read_skill", "c3", skill="other"),
        asks("look", "c4"),
        chat("Green."),
        tools=(tool("look"),),
        functions={"look": look},
    )


def many_programs(make: Make) -> None:
    """More programs than are shown, too long ones, ones without a text: under two answers."""

    def run_code(code: str) -> str:
        return "42" if code else ""

    long = "z" * 70_000
    codes: list[Any] = [*(f"print({n})" for n in range(9)), long, long, "a\0b", 7]
    asked = [
        {
            "id": f"p{n}",
            "type": "function",
            "function": {"name": "run_code", "arguments": json.dumps({"code": code})},
        }
        for n, code in enumerate(codes)
    ]
    fp = make("coder-2", scripts=footprint.Scripts(tools={"run_code": "code"}, which="all"))
    fp.tool(run_code)
    wrapped = fp.wrap(client("openai", "OpenAI", Server(chat(None, asked), *[chat("42.")] * 2)))
    with fp.turn("Well?", dispatch=True) as turn:
        messages: list[Any] = [{"role": "user", "content": "Well?"}]
        for call in (
            wrapped.chat.completions.create(model=MODEL, messages=messages)
            .choices[0]
            .message.tool_calls
        ):
            turn.tool(call)
        for _ in range(2):
            wrapped.chat.completions.create(model=MODEL, messages=messages)


def waiting_delivery(make: Make) -> None:
    """A message that waits for a tool's result, and is delivered behind it."""
    note = footprint.fact("note", "Seen.", slot="messages", role="assistant")
    fp = make("patient", context=[note])
    wrapped = fp.wrap(client("openai", "OpenAI", Server(chat("One."), chat("Two."))))
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages: list[Any] = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "tool_calls": [call, {**call, "id": "c2"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "green"},
    ]
    with fp.turn("Look."):
        wrapped.chat.completions.create(model=MODEL, messages=messages)
        messages.append({"role": "tool", "tool_call_id": "c2", "content": "red"})
        wrapped.chat.completions.create(model=MODEL, messages=messages)


def sliding(make: Make) -> None:
    """A window strategy that takes old rounds out of the messages."""
    fp = make("sliding", window=footprint.sliding_window(2))
    wrapped = fp.wrap(client("openai", "OpenAI", Server(chat("Yes."))))
    messages: list[Any] = []
    for n in range(4):
        messages.append({"role": "user", "content": f"Question {n}"})
        messages.append({"role": "assistant", "content": f"Answer {n}"})
    with fp.turn("Now?"):
        messages.append({"role": "user", "content": "Now?"})
        wrapped.chat.completions.create(model=MODEL, messages=messages)
