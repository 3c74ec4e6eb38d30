"""Chat completions: the program stands under the answer in whatever way the answer is read."""

from __future__ import annotations

import asyncio
import json
import subprocess
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.adapters.test_clients import OPENAI
from tests.sdk import Server, chat, chat_sse, client

from .helpers import CODE, TOOLS, Programmed, asks, ran

UNDER = (
    "Recorded program 1 of 1: call `c1` to `run_code` completed; the library attached it out of "
    f"the record.\n\n```python\n{CODE}```"
)
ASKS = chat(None, asks(CODE))


@pytest.fixture
def made() -> Programmed:
    return Programmed()


def loop(fp: Any, model: Any, tool: Any = lambda code: "42", ask: Any = None) -> Any:
    """Runs the tools of the first answer, and returns the second."""
    messages: list[Any] = [{"role": "user", "content": "Run it."}]
    with fp.turn("Run it.") as turn:
        first = model.chat.completions.create(model="gpt-4o-mini", messages=messages)
        messages.append(first.choices[0].message.model_dump(exclude_none=True))
        for call in first.choices[0].message.tool_calls:
            try:
                result = str(turn.tool(call, tool))
            except Exception as error:
                result = repr(error)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        if ask is not None:
            return ask(messages)
        return model.chat.completions.create(model="gpt-4o-mini", messages=messages)


def test_the_program_stands_under_the_answer_and_is_read_back(made: Programmed) -> None:
    model = made.client("openai", "OpenAI", ASKS, chat("It is 42."))
    answer = loop(made.footprint, model)
    assert type(answer).__name__ == "ChatCompletion"
    text = answer.choices[0].message.content
    assert text == "It is 42.\n\n" + UNDER
    assert answer.model_dump() == {
        **type(answer).model_validate(chat("It is 42.")).model_dump(),
        "choices": answer.model_dump()["choices"],
    }
    (attached,) = made.attached
    assert attached.recorded.unread == 0
    assert attached.text == text.removeprefix("It is 42.")
    ((index, script),) = attached.recorded.shown
    assert (index, script.call, script.tool, script.label) == (0, "c1", "run_code", "completed")


def test_the_record_of_the_call_holds_what_the_model_wrote(made: Programmed) -> None:
    loop(made.footprint, made.client("openai", "OpenAI", ASKS, chat("It is 42.")))
    output = made.events(names.EVENT_OUTPUT)[-1]
    assert "Recorded program" not in "".join(output[names.TEXT])


def test_an_open_fence_is_closed_first(made: Programmed) -> None:
    model = made.client("openai", "OpenAI", ASKS, chat("So:\n````py\nx = 1"))
    text = loop(made.footprint, model).choices[0].message.content
    assert text == "So:\n````py\nx = 1\n````\n\n" + UNDER


def test_behind_open_html_the_program_stands_in_the_data_only(made: Programmed) -> None:
    model = made.client("openai", "OpenAI", ASKS, chat("<!-- open"))
    text = loop(made.footprint, model).choices[0].message.content
    assert text.endswith("completed; its text was left out here and kept in the record.")
    (attached,) = made.attached
    assert attached.recorded.shown[0][1].text == CODE
    assert attached.text == text.removeprefix("<!-- open")


@pytest.mark.parametrize("content", [None, ""])
def test_an_empty_answer_gets_the_block_only(made: Programmed, content: str | None) -> None:
    model = made.client("openai", "OpenAI", ASKS, chat(content))
    assert loop(made.footprint, model).choices[0].message.content == UNDER


def test_an_answer_that_asks_for_a_tool_gets_nothing(made: Programmed) -> None:
    model = made.client("openai", "OpenAI", ASKS, chat("One more.", asks("2")))
    answer = loop(made.footprint, model)
    assert answer.choices[0].message.content == "One more."
    assert made.attached == []


def test_without_a_program_the_bytes_of_the_answer_are_the_providers(made: Programmed) -> None:
    server = Server(chat("Hello."))
    model = made.footprint.wrap(client("openai", "OpenAI", server))
    with made.footprint.turn():
        raw = model.chat.completions.with_raw_response.create(**OPENAI)
    plain = client("openai", "OpenAI", Server(chat("Hello.")))
    expected = plain.chat.completions.with_raw_response.create(**OPENAI)
    assert raw.content == expected.content
    (attached,) = made.attached
    assert (attached.recorded.form, attached.text, attached.recorded.unread) == ("none", "", 0)


@pytest.mark.parametrize(
    ("tool", "label", "code"),
    [
        (lambda code: '{"exit_code": 3}', "completed", 3),
        (lambda code: {"returncode": -9}, "completed", -9),
        (lambda code: subprocess.CompletedProcess([], 2), "completed", 2),
        (lambda code: "exit status unknown", "completed", None),
        (lambda code: 1 / 0, "failed", None),
        (lambda code: (_ for _ in ()).throw(TimeoutError()), "timed_out", None),
        (lambda code: (_ for _ in ()).throw(subprocess.TimeoutExpired("x", 1)), "timed_out", None),
        (lambda code: (_ for _ in ()).throw(asyncio.CancelledError()), "cancelled", None),
    ],
)
def test_the_label_is_what_became_of_the_call(
    made: Programmed, tool: Any, label: str, code: int | None
) -> None:
    model = made.client("openai", "OpenAI", ASKS, chat("Done."))
    try:
        loop(made.footprint, model, tool)
    except asyncio.CancelledError:
        with made.footprint.turn():
            return
    (attached,) = made.attached
    script = attached.recorded.shown[0][1]
    assert (script.label, script.exit_code) == (label, code)


def test_a_call_whose_arguments_the_tool_refuses_never_reached_it(made: Programmed) -> None:
    model = made.client("openai", "OpenAI", ASKS, chat("It failed."))
    answer = loop(made.footprint, model, lambda source: "42")
    assert answer.choices[0].message.content == "It failed."
    assert made.attached[0].recorded.form == "none"


def test_a_call_whose_arguments_cannot_be_read_never_reached_its_tool(made: Programmed) -> None:
    (call,) = asks(CODE)
    call["function"]["arguments"] = '{"code": "print('
    model = made.client("openai", "OpenAI", chat(None, [call]), chat("It failed."))
    assert loop(made.footprint, model).choices[0].message.content == "It failed."
    assert made.attached[0].recorded.form == "none"


def test_a_declared_tool_is_known_by_the_program_it_is_given(made: Programmed) -> None:
    @made.footprint.tool
    def run_code(code: str) -> str:
        return '{"exit_code": 0}'

    model = made.client("openai", "OpenAI", chat(None, asks("1", "2")), chat("Done."))
    with made.footprint.turn():
        model.chat.completions.create(**OPENAI)
        run_code("2")
        model.chat.completions.create(**OPENAI)
    (attached,) = made.attached
    ((_, script),) = attached.recorded.shown
    assert (script.call, script.text, script.exit_code) == ("c2", "2", 0)


def test_a_result_in_the_next_request_says_that_the_call_came_out(made: Programmed) -> None:
    model = made.client("openai", "OpenAI", chat(None, asks(CODE, "2")), chat("Done."))
    messages: list[Any] = [{"role": "user", "content": "Run it."}]
    first = model.chat.completions.create(model="m", messages=messages)
    messages.append(first.choices[0].message.model_dump(exclude_none=True))
    messages.append({"role": "tool", "tool_call_id": "c1", "content": '{"exit_code": 7}'})
    text = model.chat.completions.create(model="m", messages=messages).choices[0].message.content
    assert "call `c1` to `run_code` completed with exit code 7" in text
    assert "c2" not in text


@pytest.mark.parametrize(
    ("results", "told"),
    [(["1", '{"exit_code": 7}'], True), (["1"], False), (["1", "2", "3"], False), ([], False)],
)
def test_results_of_calls_without_an_id_are_told_apart_by_their_order(
    made: Programmed, results: list[str], told: bool
) -> None:
    calls = [{**call, "id": ""} for call in asks("1", "2")]
    model = made.client("openai", "OpenAI", chat(None, calls), chat("Done."))
    messages: list[Any] = [{"role": "user", "content": "Run it."}]
    first = model.chat.completions.create(model="m", messages=messages)
    messages.append(first.choices[0].message.model_dump(exclude_none=True))
    messages += [{"role": "tool", "tool_call_id": "", "content": result} for result in results]
    text = model.chat.completions.create(model="m", messages=messages).choices[0].message.content
    if told:
        assert "a call to `run_code` completed with exit code 7" in text
        assert "```python\n2\n```" in text
    else:
        assert text == "Done."


def test_a_typed_answer_gets_the_data_only(made: Programmed) -> None:
    from pydantic import BaseModel

    class Sum(BaseModel):
        value: int

    model = made.client("openai", "OpenAI", ASKS, chat('{"value": 42}'))
    completions = model.chat.completions
    parse = getattr(completions, "parse", None) or model.beta.chat.completions.parse
    answer = loop(
        made.footprint,
        model,
        ask=lambda messages: parse(model="gpt-4o-mini", messages=messages, response_format=Sum),
    )
    assert answer.choices[0].message.content == '{"value": 42}'
    assert answer.choices[0].message.parsed == Sum(value=42)
    (attached,) = made.attached
    assert attached.recorded.form == "data"
    assert attached.recorded.shown[0][1].text == CODE
    assert attached.text == ""


def test_parse_without_a_schema_raw_and_streaming_responses_carry_it(made: Programmed) -> None:
    for read in (
        lambda m, messages: m.chat.completions.with_raw_response.create(
            model="m", messages=messages
        ).parse(),
        lambda m, messages: _streamed(m, messages),
        lambda m, messages: (
            getattr(m.chat.completions, "parse", None) or m.beta.chat.completions.parse
        )(model="m", messages=messages),
    ):
        model = made.client("openai", "OpenAI", ASKS, chat("It is 42."))
        answer = loop(made.footprint, model, ask=lambda m, r=read, c=model: r(c, m))
        assert answer.choices[0].message.content == "It is 42.\n\n" + UNDER


def _streamed(model: Any, messages: Any) -> Any:
    with model.chat.completions.with_streaming_response.create(
        model="m", messages=messages
    ) as response:
        return response.parse()


def test_a_stream_gets_it_as_one_more_chunk(made: Programmed) -> None:
    model = made.client("openai", "OpenAI", ASKS, chat_sse("It ", "is 42."))

    def ask(messages: Any) -> Any:
        return list(model.chat.completions.create(model="m", messages=messages, stream=True))

    chunks = loop(made.footprint, model, ask=ask)
    plain = client("openai", "OpenAI", Server(chat_sse("It ", "is 42.")))
    expected = list(plain.chat.completions.create(stream=True, **OPENAI))
    assert [c for i, c in enumerate(chunks) if i != 3] == expected
    assert chunks[3].choices[0].delta.content == "\n\n" + UNDER
    assert chunks[3].choices[0].finish_reason is None
    (attached,) = made.attached
    assert attached.text == "\n\n" + UNDER


def test_the_accumulator_of_a_stream_stays_valid(made: Programmed) -> None:
    model = made.client("openai", "OpenAI", ASKS, chat_sse("It ", "is 42."))

    def ask(messages: Any) -> Any:
        with model.chat.completions.stream(model="m", messages=messages) as stream:
            list(stream)
            return stream.get_final_completion()

    answer = loop(made.footprint, model, ask=ask)
    assert answer.choices[0].message.content == "It is 42.\n\n" + UNDER
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.total_tokens == 15


def test_a_stream_that_asks_for_a_tool_is_handed_on_as_it_came(made: Programmed) -> None:
    head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    deltas = [
        ({"role": "assistant", "content": "I "}, None),
        ({"tool_calls": [{**asks("2")[0], "index": 0}]}, None),
        ({}, "tool_calls"),
    ]
    sse = "".join(
        f"data: {json.dumps({**head, 'choices': [{'index': 0, 'delta': d, 'finish_reason': f}]})}"
        "\n\n"
        for d, f in deltas
    )
    model = made.client("openai", "OpenAI", ASKS, sse + "data: [DONE]\n\n")

    def ask(messages: Any) -> Any:
        return list(model.chat.completions.create(model="m", messages=messages, stream=True))

    assert len(loop(made.footprint, model, ask=ask)) == 3
    assert made.attached == []


def test_a_stream_left_early_has_no_answer(made: Programmed) -> None:
    model = made.client("openai", "OpenAI", ASKS, chat_sse(*["word "] * 40))

    def ask(messages: Any) -> Any:
        stream = model.chat.completions.create(model="m", messages=messages, stream=True)
        next(iter(stream))
        stream.close()

    loop(made.footprint, model, ask=ask)
    assert made.attached == []


async def test_async_clients_and_async_tools(made: Programmed) -> None:
    async def run(code: str) -> str:
        return '{"exit_code": 0}'

    model = made.client("openai", "AsyncOpenAI", ASKS, chat("It is 42."), chat_sse("And ", "on."))
    async with made.footprint.turn() as turn:
        first = await model.chat.completions.create(**OPENAI)
        await turn.tool(first.choices[0].message.tool_calls[0], run)
        second = await model.chat.completions.create(**OPENAI)
        stream = await model.chat.completions.create(stream=True, **OPENAI)
        third = "".join([c.choices[0].delta.content or "" async for c in stream if c.choices])
    under = UNDER.replace("completed;", "completed with exit code 0;")
    assert second.choices[0].message.content == "It is 42.\n\n" + under
    assert third == "And on.\n\n" + under
    assert [a.text for a in made.attached] == ["\n\n" + under] * 2


def test_several_choices_get_the_data_only(made: Programmed) -> None:
    two = chat("one")
    two["choices"].append({**two["choices"][0], "index": 1})
    model = made.client("openai", "OpenAI", ASKS, two)
    answer = loop(made.footprint, model)
    assert [c.message.content for c in answer.choices] == ["one", "one"]
    assert made.attached[0].recorded.form == "data"


def test_a_stream_of_several_choices_is_handed_on_as_it_came(made: Programmed) -> None:
    model = made.client("openai", "OpenAI", ASKS, chat_sse("It ", "is 42."))

    def ask(messages: Any) -> Any:
        return list(model.chat.completions.create(model="m", messages=messages, stream=True, n=2))

    plain = client("openai", "OpenAI", Server(chat_sse("It ", "is 42.")))
    expected = list(plain.chat.completions.create(stream=True, **OPENAI))
    assert loop(made.footprint, model, ask=ask) == expected
    assert made.attached[0].recorded.form == "data"


def test_a_refusal_gets_the_data_only(made: Programmed) -> None:
    refused = chat(None)
    refused["choices"][0]["message"]["refusal"] = "No."
    answer = loop(made.footprint, made.client("openai", "OpenAI", ASKS, refused))
    assert answer.choices[0].message.content is None
    assert made.attached[0].recorded.form == "data"


def test_the_block_that_comes_back_is_known_to_be_the_librarys(made: Programmed) -> None:
    model = made.client("openai", "OpenAI", ASKS, chat("It is 42."), chat("Yes."))
    text = loop(made.footprint, model).choices[0].message.content
    with made.footprint.turn():
        model.chat.completions.create(
            model="m",
            messages=[
                {"role": "assistant", "content": text},
                {"role": "user", "content": "Sure?"},
            ],
        )
    (event,) = made.events(names.EVENT_INJECTED)
    assert event[names.INJECTION_SOURCE] == "scripts"
    assert event[names.INJECTION_ID] == made.attached[0].call
    assert event[names.INJECTION_REASON] == "the library wrote it from character 9 on"


def test_all_shows_the_newest_eight_and_counts_the_others() -> None:
    made = Programmed(footprint.Scripts(tools=TOOLS, which="all"))
    codes = [f"print({n})" for n in range(10)]
    model = made.client("openai", "OpenAI", chat(None, asks(*codes)), chat("Done."))
    text = loop(made.footprint, model).choices[0].message.content
    assert "Recorded program 8 of 8: call `c10`" in text
    assert text.endswith(
        "Recorded and left out: 2 earlier programs of the turn that this answer closed."
    )
    (attached,) = made.attached
    assert (attached.recorded.omitted, len(attached.recorded.shown)) == (2, 8)
    assert text == "Done." + (attached.text or "")


def test_a_call_that_still_runs_had_started(made: Programmed) -> None:
    model = made.client("openai", "OpenAI", ASKS, chat("It runs."))
    inner: list[str] = []

    def slow(code: str) -> str:
        answer = model.chat.completions.create(**OPENAI)
        inner.append(answer.choices[0].message.content)
        return "42"

    with made.footprint.turn() as turn:
        first = model.chat.completions.create(**OPENAI)
        turn.tool(first.choices[0].message.tool_calls[0], slow)
    assert "call `c1` to `run_code` had started and its outcome was still open; " in inner[0]
    assert made.attached[0].recorded.shown[0][1].label == "started"


def test_calls_beyond_the_bound_of_the_ledger_are_counted_and_said() -> None:
    made = Programmed(footprint.Scripts(tools=TOOLS, which="all"))
    codes = [str(n) for n in range(300)]
    model = made.client("openai", "OpenAI", chat(None, asks(*codes)), chat("Done."))
    text = loop(made.footprint, model).choices[0].message.content
    assert "call `c300` to `run_code` completed" in text
    (attached,) = made.attached
    assert attached.recorded.without_row == 44
    assert attached.recorded.omitted == 300 - 8
    assert "Recorded by number only: 44 earlier calls" in text
    assert text == "Done." + str(attached.text)


@pytest.mark.parametrize("cls", ["AnthropicBedrock", "AsyncAnthropicBedrock"])
async def test_clients_of_other_clouds_whose_streams_are_framed_get_it_in_a_frame(cls: str) -> None:
    from tests.adapters.test_variants import VARIANTS, server_of
    from tests.adapters.test_variants import ask as asked

    async def read(model: Any) -> list[Any]:
        found = asked(variant, model, stream=True)
        if not cls.startswith("Async"):
            return list(found)
        return [event async for event in await found]

    (variant,) = [v for v in VARIANTS if v.cls == cls]
    made = Programmed()
    turn = ran(made.footprint, CODE)
    events = await read(made.footprint.wrap(variant.client(server_of(variant, stream=True))))
    turn.__exit__(None, None, None)
    plain = await read(variant.client(server_of(variant, stream=True)))
    (attached,) = made.attached
    (ours,) = [event for event in events if event not in plain]
    assert (attached.recorded.form, ours.type, ours.delta.text) == (
        "text", "content_block_delta", attached.text
    )  # fmt: skip
    assert [event for event in events if event is not ours] == plain


def test_several_programs_of_several_answers_are_one_ledger(made: Programmed) -> None:
    model = made.client(
        "openai", "OpenAI", chat(None, asks("1")), chat(None, asks("2")), chat("Done.")
    )
    with made.footprint.turn() as turn:
        for _ in range(2):
            answer = model.chat.completions.create(**OPENAI)
            turn.tool(answer.choices[0].message.tool_calls[0], lambda code: "ok")
        text = model.chat.completions.create(**OPENAI).choices[0].message.content
    assert "```python\n2\n```" in text


def test_a_declaration_of_a_wrong_kind_is_refused_where_it_is_written() -> None:
    with pytest.raises(footprint.DeclarationError, match="scripts"):
        footprint.Footprint(scripts={"run_code": "code"})  # type: ignore[arg-type]
