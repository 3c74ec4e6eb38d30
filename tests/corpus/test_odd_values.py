"""Odd values: the wrapped call does what the unwrapped one does, and the value is on the record."""

from __future__ import annotations

import enum
import inspect
import itertools
import json
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from otel_footprint.telemetry import guard, names
from otel_footprint.telemetry.sanitize import clean_text
from otel_footprint.text import jsontext
from otel_footprint.text.jsontext import MAX_AGAIN, plain
from otel_footprint.trail.verify import verify
from tests.adapters.conftest import Recorded
from tests.quick import sampled
from tests.sdk import chat

from .helpers import PACKAGES, Logged, Model, of, outcome, trail_of, user
from .odd import VALUES, Colour, Hostile, coroutine, generator

ODD = sorted(VALUES)
PATH = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
REFUSED = ("hostile", "hostile dict")


@pytest.fixture(autouse=True)
def no_failure() -> Iterator[None]:
    """Nothing of ours fails: failures are raised here, and none was counted before."""
    guard.take_failures()
    yield
    assert guard.take_failures() == 0


def exportable(recorded: Recorded) -> None:
    """What was recorded can be exported by every exporter: spans as OTLP/JSON and as text."""
    for span in recorded.recording.spans:
        span.to_json().encode()
    assert not trail_of(recorded).problems


def same(one: Any, two: Any) -> bool:
    """Equal outcomes; texts of errors without the addresses in them."""
    kinds = (one[0] == two[0], type(one[1]) is type(two[1]))
    return all(kinds) and (one[0] == "value" or str(one[1])[:40] == str(two[1])[:40])


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("odd", ODD)
def test_a_client_does_with_an_odd_value_what_it_does_without_us(
    recorded: Recorded, package: str, odd: str
) -> None:
    plain_model, wrapped = Model((package, False)), Model((package, False))
    recorded.footprint.wrap(wrapped.client)

    def call(model: Model) -> Any:
        part = {"type": "text", "text": "Hello?", "odd": VALUES[odd]()}
        return model.call_now([user([part])])

    expected, found = outcome(lambda: call(plain_model)), outcome(lambda: call(wrapped))
    assert same(expected, found)
    assert wrapped.server.bodies == plain_model.server.bodies
    if not recorded.calls:  # the client itself refuses it before it makes a request
        assert found[0] != "value"
        assert odd in REFUSED
        return
    (recorded_call,) = recorded.calls
    assert (of(recorded_call, names.ERROR_TYPE) is None) is (found[0] == "value")
    exportable(recorded)
    trail = trail_of(recorded)
    text = trail.rebuild(trail.calls[0]).text
    assert text is not None
    if found[0] == "value" and "$opaque" not in text:
        assert text.encode() == wrapped.server.bodies[0]


def odd_call(place: str, value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A request and an answer with an odd value in some place."""
    body: dict[str, Any] = {"model": "m", "messages": [user("Hello?")]}
    response: dict[str, Any] = chat()
    if place == "system":
        body["messages"].insert(0, {"role": "system", "content": value})
    elif place == "content":
        body["messages"][0]["content"] = value
    elif place == "part":
        body["messages"][0] = user([{"type": "text", "text": "Hello?"}, value])
    elif place == "tool":
        function = {"name": "look", "parameters": {"type": "object", "x": value}}
        body["tools"] = [{"type": "function", "function": function}, value]
    elif place == "parameter":
        body["metadata"] = value
    else:
        response["choices"][0]["message"]["content"] = value
        response["usage"] = {"prompt_tokens": value, "completion_tokens": value}
        response["id"] = value
    return body, response


PIECES = {
    "system": "1,1,0", "content": "0,1,0", "part": "0,1,0",
    "tool": "0,1,2", "parameter": "0,1,0", "response": "0,1,0",
}  # fmt: skip


@pytest.mark.parametrize("mode", sampled(["full", "none"], 2))
@pytest.mark.parametrize("odd", ODD)
def test_an_odd_value_in_a_record_is_on_it(
    make: Callable[..., Recorded], odd: str, mode: str
) -> None:
    recorded = make(content=mode)
    value = VALUES[odd]()
    for place in PIECES:
        with recorded.footprint.turn():
            for _ in range(2):
                recorded.footprint.record("openai", PATH["openai"], *odd_call(place, value))
    found = [of(c, names.SLOT_PIECES) for c in recorded.calls]
    assert found == [p for p in PIECES.values() for _ in range(2)]
    exportable(recorded)


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("odd", ODD)
def test_a_tool_takes_and_returns_odd_values(
    recorded: Recorded, odd: str, asynchronous: bool
) -> None:
    value = VALUES[odd]()

    @recorded.footprint.tool
    def work(*args: Any, **kwargs: Any) -> Any:
        return args[0] if args else kwargs["x"]

    @recorded.footprint.tool(name="work")
    async def work_async(*args: Any, **kwargs: Any) -> Any:
        return args[0] if args else kwargs["x"]

    def run(*args: Any, **kwargs: Any) -> Any:
        if not asynchronous:
            return work(*args, **kwargs)
        with pytest.raises(StopIteration) as stopped:
            work_async(*args, **kwargs).send(None)
        return stopped.value.value

    with recorded.footprint.turn():
        found = run(value), run(x=value), run(value, y=[value])
    assert all(f is value for f in found)
    tools = recorded.recording.named(names.SPAN_TOOL)
    assert len(tools) == 3
    exportable(recorded)
    (turn,) = trail_of(recorded).turns
    assert all(tool.arguments and tool.result for tool in turn.tools)


@pytest.mark.parametrize("odd", ODD)
def test_a_turn_takes_odd_metadata(recorded: Recorded, odd: str) -> None:
    with recorded.footprint.turn("x", metadata={"odd": VALUES[odd]()}, tags=[VALUES[odd]()]):
        pass
    exportable(recorded)
    (turn,) = trail_of(recorded).turns
    assert set(turn.metadata) == {"odd"}
    assert len(turn.tags) == 1
    assert not turn.open


@pytest.mark.parametrize("package", PACKAGES)
def test_an_iterator_of_messages_is_read_once_by_the_client(
    recorded: Recorded, package: str
) -> None:
    read: list[int] = []

    def messages() -> Iterator[Any]:
        for number in range(3):
            read.append(number)
            yield user(f"Message {number}.")

    bodies = []
    for wrap in (False, True):
        model = Model((package, False))
        if wrap:
            recorded.footprint.wrap(model.client)
        outcome(lambda model=model: model.call_now(messages()))
        bodies.append(model.server.bodies)
    assert bodies[0] == bodies[1]
    assert len(read) in (0, 6)
    assert len(recorded.calls) == 1
    if bodies[1]:
        trail = trail_of(recorded)
        assert (trail.rebuild(trail.calls[0]).text or "").encode() == bodies[1][0]


def test_iterators_are_not_consumed_and_coroutines_not_awaited(recorded: Recorded) -> None:
    numbers, waiting = generator(), coroutine()
    body = {"model": "m", "messages": [user([{"x": numbers, "y": waiting}])]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recorded.footprint.record("openai", PATH["openai"], body, chat())
        with recorded.footprint.turn():
            recorded.footprint.tool(lambda *a: a, name="work")(numbers, waiting)
    assert list(numbers) == [0, 1, 2]
    assert inspect.getcoroutinestate(waiting) == "CORO_CREATED"
    waiting.close()


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("body", [[], None, "text", 1, {}, {"choices": None}, {"choices": [None]}])
def test_an_odd_answer_is_returned_as_without_us(
    recorded: Recorded, package: str, body: Any
) -> None:
    found = []
    for wrap in (False, True):
        model = Model((package, False), body)
        if isinstance(body, str):
            model.server.answers = [(200, body)]
        if wrap:
            recorded.footprint.wrap(model.client)
        found.append(outcome(lambda model=model: model.call_now([user("Hello?")])))
    assert found[0] == found[1]
    assert len(recorded.calls) == 1
    exportable(recorded)


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize(
    "text",
    [
        "data: {\n\n",
        "data: not json\n\n",
        "data: [1, 2]\n\n",
        "data: null\n\n",
        "event: unknown\ndata: {}\n\n",
        ": only a comment\n\n",
        'data: {"choices": [{"delta": "text"}]}\n\n',
        "",
        "\n\n\n",
        "data: \ud83d\n\n".encode("utf-8", "replace").decode(),
    ],
)
def test_an_odd_stream_is_read_as_without_us(recorded: Recorded, package: str, text: str) -> None:
    found = []
    for wrap in (False, True):
        model = Model((package, False), text)
        if wrap:
            recorded.footprint.wrap(model.client)
        stream = model.call_now([user("Hello?")], stream=True)
        found.append(outcome(lambda stream=stream: list(stream)))
        stream.close()
    assert found[0] == found[1]
    (call,) = recorded.calls
    assert of(call, names.OUTPUT_STATE) in ("cut", None)
    exportable(recorded)


def test_a_cycle_costs_no_more_than_it_holds() -> None:
    braided = VALUES["braid"]()
    made = json.dumps(plain(braided))
    assert len(made) < 100 * MAX_AGAIN
    shared: Any = []
    for _ in range(64):
        shared = [shared, shared]
    assert plain(shared)


def test_a_marker_names_a_type_and_never_a_value() -> None:
    assert plain(Colour.RED) == {"$opaque": f"{Colour.__module__}.Colour"}
    assert plain(Hostile()) == {"$opaque": f"{Hostile.__module__}.Hostile"}


def test_a_hook_that_raises_withholds_and_counts(
    make: Callable[..., Recorded], logged: Logged
) -> None:
    def redact(text: str, where: str) -> str:
        raise ValueError(text)

    recorded = make(content="full", redact=redact)
    model = Model(("openai", False))
    recorded.footprint.wrap(model.client)
    assert model.call_now([user("secret word")]).choices[0].message.content == "hello"
    assert "secret word" not in recorded.text() + "".join(logged.messages)
    assert guard.take_failures() > 0


@pytest.mark.parametrize("package", PACKAGES)
def test_objects_of_a_type_of_its_own_are_written_again_as_they_were(
    recorded: Recorded, package: str
) -> None:
    messages: list[Any] = []
    bodies: list[str] = []
    with recorded.footprint.turn():
        for number in range(40):  # beyond the first whole manifest
            part = OrderedDict(type="text", text=f"Message {number}.", more=OrderedDict(z=1, a="x"))
            messages.append(OrderedDict(role="user", content=[part]))
            body = {"model": "m", "messages": messages}
            recorded.footprint.record(package, PATH[package], body, chat())
            bodies.append(jsontext.dumps(body))
    trail = trail_of(recorded)
    assert verify(trail).state == "complete"
    assert [trail.rebuild(call).text for call in trail.calls] == bodies


class Name(str, enum.Enum):
    """As `Role.USER` or `Tool.LOOK`; `str` of one is the name of the member."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    LOOK = "look"
    CALL = "c1"


@pytest.mark.parametrize("look", [Name.LOOK, "lo\ud800ok", "look\0"], ids=ascii)
@pytest.mark.parametrize("content", ["none", "redacted", "full"])
def test_names_and_ids_that_no_record_holds_as_they_are_leave_the_trail_whole(
    look: str, content: str
) -> None:
    recorded = Recorded(content=content)
    call_id = Name.CALL if type(look) is Name else look
    asked = {"id": call_id, "type": "function", "function": {"name": look, "arguments": "{}"}}
    messages = [
        {"role": Name.USER, "content": "Look."},
        {"role": Name.ASSISTANT, "content": None, "tool_calls": [asked]},
        {"role": Name.TOOL, "tool_call_id": call_id, "content": "Seen."},
    ]
    body = {"model": "m", "messages": messages, "tools": [{"function": {"name": look}}]}
    for _ in range(2):
        with recorded.footprint.turn():
            recorded.footprint.record("openai", PATH["openai"], body, chat())
    trail = trail_of(recorded)
    assert verify(trail).state == "complete"
    for call in trail.calls:
        (tool,) = trail.rows(call, "tools").rows
        assert tool is not None
        assert (tool.source, tool.id) == ("registry", str.__str__(clean_text(look)))
        if content == "full":
            assert json.loads(trail.rebuild(call).text or "") == body


def test_a_hook_that_redacts_otherwise_each_time_leaves_the_trail_whole() -> None:
    numbers = itertools.count()
    recorded = Recorded(content="full", redact=lambda text, _: f"{text} {next(numbers)}")
    messages: list[Any] = []
    with recorded.footprint.turn():
        for number in range(40):
            messages.append(user(f"Message {number}."))
            body = {"model": "m", "messages": messages}
            recorded.footprint.record("openai", PATH["openai"], body, chat())
    assert verify(trail_of(recorded)).state == "complete"


def test_a_parameter_with_the_keys_inside_it_in_another_order_is_a_change(
    recorded: Recorded,
) -> None:
    formats = [{"type": "x", "schema": {"a": 1, "b": 2}}, {"type": "x", "schema": {"b": 2, "a": 1}}]
    bodies = [{"model": "m", "messages": [], "response_format": f} for f in formats * 2]
    with recorded.footprint.turn():
        for body in bodies:
            recorded.footprint.record("openai", PATH["openai"], body, chat())
    trail = trail_of(recorded)
    assert [trail.rebuild(call).text for call in trail.calls] == list(map(jsontext.dumps, bodies))
    assert len(recorded.recording.named(f"{names.SPAN_COMPOSE} parameters")) == 2
