"""The Responses API: in the last text of the last message, or in a message of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.adapters.test_clients import RESPONSE
from tests.sdk import Server, client

from .helpers import CODE, Programmed

UNDER = (
    "Recorded program 1 of 1: call `c1` to `run_code` completed; the library attached it out of "
    f"the record.\n\n```python\n{CODE}```"
)
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "c1",
    "name": "run_code",
    "arguments": json.dumps({"code": CODE}),
    "status": "completed",
}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}
INTERPRETED = {
    "type": "code_interpreter_call",
    "id": "ci_1",
    "status": "completed",
    "code": "print(6 * 7)",
    "container_id": "cntr_1",
    "outputs": None,
}


def response(*output: Any, **more: Any) -> dict[str, Any]:
    return {**RESPONSE, "output": list(output), **more}


def said(text: str, id_: str = "msg_1") -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {
        "type": "message",
        "id": id_,
        "status": "completed",
        "role": "assistant",
        "content": [part],
    }


def sse(*output: Any, **more: Any) -> str:
    """The events of a response."""
    whole = response(*output, **more)
    bare = {**whole, "output": [], "status": "in_progress", "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": bare}]
    for at, item in enumerate(output):
        started = {**item, "status": "in_progress"} if "status" in item else dict(item)
        if item["type"] != "message":
            events += [
                {"type": "response.output_item.added", "output_index": at, "item": started},
                {"type": "response.output_item.done", "output_index": at, "item": item},
            ]
            continue
        where = {"output_index": at, "item_id": item["id"], "content_index": 0}
        (part,) = item["content"]
        events += [
            {
                "type": "response.output_item.added",
                "output_index": at,
                "item": {**started, "content": []},
            },
            {"type": "response.content_part.added", **where, "part": {**part, "text": ""}},
            *(
                {
                    "type": "response.output_text.delta",
                    **where,
                    "delta": word,
                    "logprobs": [],
                }
                for word in part["text"].split(" ")
            ),
            {"type": "response.output_text.done", **where, "text": part["text"], "logprobs": []},
            {"type": "response.content_part.done", **where, "part": part},
            {"type": "response.output_item.done", "output_index": at, "item": item},
        ]
    events.append({"type": "response.completed", "response": whole})
    return "".join(
        f"event: {e['type']}\ndata: {json.dumps({**e, 'sequence_number': n})}\n\n"
        for n, e in enumerate(events)
    )


@pytest.fixture
def made() -> Programmed:
    return Programmed()


def loop(made: Programmed, answer: Any, ask: Any = None) -> Any:
    model = made.client("openai", "OpenAI", response(REASONING, CALL), answer)
    with made.footprint.turn() as turn:
        first = model.responses.create(model="m", input="Run it.")
        turn.tool(first.output[1], lambda code: "42")
        read = ask or (lambda model: model.responses.create(model="m", input="Go on."))
        return read(model)


def streamed(model: Any) -> Any:
    return list(model.responses.create(model="m", input="Go on.", stream=True))


def test_the_program_stands_in_the_last_text(made: Programmed) -> None:
    answer = loop(made, response(REASONING, said("It is 42.")))
    assert answer.output_text == "It is 42.\n\n" + UNDER
    assert [item.type for item in answer.output] == ["reasoning", "message"]
    assert made.attached[0].text == "\n\n" + UNDER


def test_an_answer_without_a_message_gets_one(made: Programmed) -> None:
    answer = loop(made, response(REASONING))
    assert answer.output_text == UNDER
    assert [item.type for item in answer.output] == ["reasoning", "message"]


def test_code_that_the_provider_ran_needs_no_declaration() -> None:
    import otel_footprint as footprint

    made = Programmed(footprint.Scripts())
    model = made.client("openai", "OpenAI", response(INTERPRETED, said("It is 42.")))
    text = model.responses.create(model="m", input="6 * 7?").output_text
    assert text == (
        "It is 42.\n\nRecorded program 1 of 1: call `ci_1` to `code_interpreter` completed; the "
        "library attached it out of the record.\n\n```python\nprint(6 * 7)\n```"
    )
    assert made.attached[0].recorded.unread == 0


def test_a_typed_answer_gets_the_data_only(made: Programmed) -> None:
    from pydantic import BaseModel

    class Sum(BaseModel):
        value: int

    answer = loop(
        made,
        response(said('{"value": 42}')),
        lambda model: model.responses.parse(model="m", input="Go on.", text_format=Sum),
    )
    assert answer.output_parsed == Sum(value=42)
    assert made.attached[0].recorded.form == "data"


def test_a_stream_gets_a_last_delta_and_stays_consistent(made: Programmed) -> None:
    events = loop(made, sse(REASONING, said("It is 42.")), streamed)
    numbers = [event.sequence_number for event in events]
    assert numbers == list(range(len(events)))
    deltas = [e.delta for e in events if e.type == "response.output_text.delta"]
    assert deltas == ["It", "is", "42.", "\n\n" + UNDER]
    whole = "It is 42.\n\n" + UNDER
    by_type = {event.type: event for event in events}
    assert by_type["response.output_text.done"].text == whole
    assert by_type["response.content_part.done"].part.text == whole
    assert by_type["response.output_item.done"].item.content[0].text == whole
    assert by_type["response.completed"].response.output_text == whole
    assert made.attached[0].text == "\n\n" + UNDER


def test_the_accumulator_of_a_stream_stays_valid(made: Programmed) -> None:
    def ask(model: Any) -> Any:
        with model.responses.stream(model="m", input="Go on.") as stream:
            for _ in stream:
                pass
            return stream.get_final_response()

    assert loop(made, sse(said("It is 42.")), ask).output_text == "It is 42.\n\n" + UNDER


def test_the_stream_of_an_answer_without_a_message_gets_one(made: Programmed) -> None:
    events = loop(made, sse(REASONING), streamed)
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[-1].response.output_text == UNDER
    added = [e for e in events if e.type == "response.output_item.added"]
    assert [e.output_index for e in added] == [0, 1]
    assert added[1].item.id == events[-1].response.output[1].id

    def ask(model: Any) -> Any:
        with model.responses.stream(model="m", input="Go on.") as stream:
            for _ in stream:
                pass
            return stream.get_final_response()

    assert loop(Programmed(), sse(REASONING), ask).output_text == UNDER


def test_a_stream_that_asks_for_a_tool_is_handed_on_as_it_came(made: Programmed) -> None:
    again = {**CALL, "call_id": "c2"}
    stream = sse(said("I look."), again)
    plain = client("openai", "OpenAI", Server(stream))
    assert loop(made, stream, streamed) == streamed(plain)
    assert made.attached == []


def test_a_text_between_two_items_is_handed_on_and_the_last_one_ends(made: Programmed) -> None:
    events = loop(made, sse(said("First."), INTERPRETED, said("Last.", "msg_2")), streamed)
    last = events[-1].response
    assert last.output[0].content[0].text == "First."
    assert last.output[2].content[0].text.startswith("Last.\n\nRecorded program 1 of 1")
    assert "print(6 * 7)" in last.output_text


def test_custom_tools_take_their_program_as_it_is(made: Programmed) -> None:
    custom = {
        "type": "custom_tool_call",
        "id": "ctc_1",
        "call_id": "c1",
        "name": "run_code",
        "input": "print('{')",
    }
    model = made.client("openai", "OpenAI", response(custom), response(said("Done.")))
    items: list[Any] = [{"role": "user", "content": "Run it."}]
    model.responses.create(model="m", input=items)
    items += [custom, {"type": "custom_tool_call_output", "call_id": "c1", "output": "{"}]
    text = model.responses.create(model="m", input=items).output_text
    assert text.endswith("```python\nprint('{')\n```")
    assert made.attached[0].recorded.shown[0][1].label == "completed"
