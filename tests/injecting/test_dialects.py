"""The same declarations on Anthropic Messages and OpenAI Responses, sync, async and streamed."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

import otel_footprint as footprint
from otel_footprint.telemetry import names
from tests.adapters.test_clients import RESPONSE
from tests.sdk import Recording, Server, chat, chat_sse, client, message

SKILL = footprint.skill(
    "refund",
    "Refunds an order.",
    "Look the order up, then pay.",
    tools=["lookup", "charge"],
    steps=[footprint.Step("lookup", "find it"), footprint.Step("charge", "pay it back")],
)
CONTEXT = [
    footprint.fact("shop", "We are in Ghent."),
    footprint.fact("seen", "Seen.", slot="messages", role="assistant"),
    footprint.instruction("n", template="Call {{action}}."),
    SKILL,
]


class Kit:
    """A footprint, a client of one SDK, and what left it."""

    def __init__(self, package: str, cls: str, *answers: Any, **options: Any) -> None:
        self.recording = Recording()
        self.server = Server(*answers)
        options = {"content": "full", "context": CONTEXT, "dispatch": True, **options}
        self.footprint = footprint.Footprint("agent", **options, **self.recording.providers)
        self.client = self.footprint.wrap(client(package, cls, self.server))

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [json.loads(body) for body in self.server.bodies]

    def events(self, name: str, prefix: str = "") -> list[dict[str, Any]]:
        return [
            dict(e.attributes or {})
            for s in self.recording.named(prefix)
            for e in s.events
            if e.name == name
        ]

    def run(self, create: Any, **options: Any) -> Any:
        """One call, sync or async, as the client is."""
        result = create(**options)
        if not asyncio.iscoroutine(result):
            return result
        return _finished(result)


def _finished(coroutine: Any) -> Any:
    async def finish() -> Any:
        made = await coroutine
        if hasattr(made, "__aiter__"):
            return [event async for event in made]
        return made

    return asyncio.run(finish())


def use(id_: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def uses(*blocks: dict[str, Any]) -> Any:
    return message(content=list(blocks), stop_reason="tool_use")


def tools_of(*names_: str) -> list[dict[str, Any]]:
    schema = {"type": "object", "properties": {}}
    return [{"name": n, "description": f"Runs {n}.", "input_schema": schema} for n in names_]


class TestAnthropic:
    @pytest.mark.parametrize("cls", ["Anthropic", "AsyncAnthropic"])
    @pytest.mark.parametrize("system", ["Be brief.", [{"type": "text", "text": "Be brief."}], None])
    def test_fragments_are_blocks_of_the_system_prompt(self, cls: str, system: Any) -> None:
        context = [CONTEXT[0], footprint.instruction("later", "Later.", when=_later)]
        kit = Kit("anthropic", cls, message(), context=context if "Async" in cls else CONTEXT[:1])
        more = {"system": system} if system is not None else {}
        kit.run(
            kit.client.messages.create,
            model="claude-test-1",
            max_tokens=10,
            messages=[{"role": "user", "content": "Hello?"}],
            **more,
        )
        (sent,) = kit.sent
        said = [block["text"] for block in sent["system"]]
        expected = ["Be brief."] * (system is not None) + ["We are in Ghent."]
        assert said == expected + ["Later."] * ("Async" in cls)
        assert sent["messages"] == [{"role": "user", "content": "Hello?"}]
        assert kit.events(names.EVENT_INJECTED, "compose system")

    def test_a_procedure_is_told_in_result_blocks(self) -> None:
        kit = Kit(
            "anthropic",
            "Anthropic",
            uses(use("c1", "read_skill", skill="refund")),
            uses(use("c2", "lookup")),
            message("Done."),
        )
        messages: list[Any] = [{"role": "user", "content": "Refund me."}]
        tools = tools_of("lookup", "charge")
        with kit.footprint.turn("Refund me.") as turn:
            for _ in range(3):
                answer = kit.client.messages.create(
                    model="claude-test-1", max_tokens=10, messages=messages, tools=tools
                )
                messages.append({"role": "assistant", "content": answer.content})
                found = [
                    {
                        "type": "tool_result",
                        "tool_use_id": block.id,
                        "content": turn.tool(block, lambda **_: "found"),
                    }
                    if block.name == "lookup"
                    else {
                        "type": "tool_result",
                        "tool_use_id": block.id,
                        "content": turn.tool(block),
                    }
                    for block in answer.content
                    if block.type == "tool_use"
                ]
                if found:
                    messages.append({"role": "user", "content": found})
        first, second, third = kit.sent
        assert [t["name"] for t in first["tools"]] == ["lookup", "charge", "read_skill"]
        assert "input_schema" in first["tools"][-1]
        assert first["messages"] == [{"role": "user", "content": "Refund me."}]
        assert second["tools"][0]["description"] == "[Step 1 of 2 — find it] Runs lookup."
        assert "step 1 of 2 stood next" in second["messages"][-1]["content"][0]["content"]
        assert "step 1 of 2 was done" in third["messages"][-1]["content"][0]["content"]
        assert [t["name"] for t in third["tools"]] == ["charge", "read_skill", "skip_step"]
        assert messages[-2]["content"][0]["content"] == "found"

    def test_a_request_may_not_end_with_a_message_of_the_model(self) -> None:
        kit = Kit("anthropic", "Anthropic", message())
        kit.client.messages.create(
            model="claude-test-1",
            max_tokens=10,
            messages=[{"role": "user", "content": "Hello?"}],
        )
        assert kit.sent[0]["messages"] == [{"role": "user", "content": "Hello?"}]
        (stuck,) = kit.events(names.EVENT_STUCK)
        assert stuck[names.DELIVERY_REASON] == "role-not-last"

    def test_marks_are_set_at_the_ends_of_stable_prefixes_and_the_callers_own_count(self) -> None:
        kit = Kit(
            "anthropic", "Anthropic", message(), message(), context=CONTEXT[:1], cache_marks=True
        )
        mark = {"type": "ephemeral"}
        request: dict[str, Any] = {
            "model": "claude-test-1",
            "max_tokens": 10,
            "system": "Be brief.",
            "tools": tools_of("lookup", "charge"),
            "messages": [{"role": "user", "content": "Hello?"}],
        }
        kit.client.messages.create(**request)
        sent = kit.sent[0]
        assert [b.get("cache_control") for b in sent["system"]] == [None, mark]
        assert [t.get("cache_control") for t in sent["tools"]] == [None, mark]
        assert sent["messages"] == [
            {"role": "user", "content": [{"type": "text", "text": "Hello?", "cache_control": mark}]}
        ]
        own = [{**t, "cache_control": mark} for t in request["tools"]]
        kit.client.messages.create(**{**request, "tools": [*own, *tools_of("a")]})
        marked = json.dumps(kit.sent[1]).count("cache_control")
        assert marked == 4

    def test_a_stream_is_read_at_its_end(self) -> None:
        block = {"type": "tool_use", "id": "c1", "name": "read_skill", "input": {}}
        delta = {"type": "input_json_delta", "partial_json": '{"skill": "refund"}'}
        ended = {"delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}}
        events = [
            {"type": "message_start", "message": message("", content=[], stop_reason=None)},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", **ended},
            {"type": "message_stop"},
        ]
        text = "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)
        kit = Kit("anthropic", "Anthropic", text, message("Done."))
        messages: list[Any] = [{"role": "user", "content": "Refund me."}]
        request: dict[str, Any] = {"model": "claude-test-1", "max_tokens": 10}
        with kit.footprint.turn("Refund me.") as turn:
            with kit.client.messages.stream(messages=messages, **request) as stream:
                answer = stream.get_final_message()
            messages.append({"role": "assistant", "content": answer.content})
            result = turn.tool(answer.content[0])
            found = {"type": "tool_result", "tool_use_id": "c1", "content": result}
            messages.append({"role": "user", "content": [found]})
            kit.client.messages.create(messages=messages, **request)
        assert "was activated" in kit.sent[1]["messages"][-1]["content"][0]["content"]


async def _later(ctx: Any) -> bool:
    await asyncio.sleep(0)
    return True


def asked(id_: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {
        "type": "function_call", "id": f"fc_{id_}", "call_id": id_, "name": name,
        "arguments": json.dumps(arguments), "status": "completed",
    }  # fmt: skip


def functions(*names_: str) -> list[dict[str, Any]]:
    schema = {"type": "object", "properties": {}}
    return [
        {"type": "function", "name": n, "description": f"Runs {n}.", "parameters": schema}
        for n in names_
    ]


class TestResponses:
    @pytest.mark.parametrize("cls", ["OpenAI", "AsyncOpenAI"])
    def test_fragments_are_items_at_the_head_and_a_text_stays_one_message(self, cls: str) -> None:
        kit = Kit("openai", cls, RESPONSE)
        kit.run(
            kit.client.responses.create,
            model="gpt-4o-mini",
            instructions="Be brief.",
            input="Hello?",
        )
        (sent,) = kit.sent
        assert sent["instructions"] == "Be brief."
        assert [(i["role"], i["content"]) for i in sent["input"]] == [
            ("developer", "We are in Ghent."),
            ("developer", "Call 1."),
            ("user", "Hello?"),
            ("assistant", "Seen."),
        ]

    def test_where_the_provider_keeps_the_items_the_fragments_go_to_the_instructions(self) -> None:
        kit = Kit("openai", "OpenAI", RESPONSE, context=CONTEXT[:1])
        kit.client.responses.create(
            model="gpt-4o-mini", instructions="Be brief.", input="And?", previous_response_id="r"
        )
        (sent,) = kit.sent
        assert sent["instructions"] == "Be brief.\n\nWe are in Ghent."
        assert sent["input"] == "And?"
        (injected,) = kit.events(names.EVENT_INJECTED, "compose system")
        assert injected[names.INJECTION_ID] == "shop"

    def test_a_procedure_is_told_in_outputs(self) -> None:
        answers = [
            {**RESPONSE, "output": [asked("c1", "read_skill", skill="refund")]},
            {**RESPONSE, "output": [asked("c2", "lookup")]},
            RESPONSE,
        ]
        kit = Kit("openai", "OpenAI", *answers, context=[SKILL])
        items: list[Any] = [{"role": "user", "content": "Refund me."}]
        with kit.footprint.turn("Refund me.") as turn:
            for _ in range(3):
                answer = kit.client.responses.create(
                    model="gpt-4o-mini", input=items, tools=functions("lookup", "charge")
                )
                for item in answer.output:
                    items.append(item.model_dump(exclude_none=True))
                    if item.type == "function_call":
                        fn = (lambda: "found") if item.name == "lookup" else None
                        output = turn.tool(item, fn)
                        items.append(
                            {
                                "type": "function_call_output",
                                "call_id": item.call_id,
                                "output": output,
                            }
                        )
        first, second, third = kit.sent
        assert [t["name"] for t in first["tools"]] == ["lookup", "charge", "read_skill"]
        assert first["tools"][-1]["strict"] is False
        assert "step 1 of 2 stood next" in second["input"][-1]["output"]
        assert second["tools"][0]["description"] == "[Step 1 of 2 — find it] Runs lookup."
        assert "step 1 of 2 was done" in third["input"][-1]["output"]
        assert [t["name"] for t in third["tools"]] == ["charge", "read_skill", "skip_step"]


class TestChat:
    def test_async_calls_await_predicates_and_summarisers(self) -> None:
        async def summarise(text: str) -> str:
            await asyncio.sleep(0)
            return "They talked."

        kit = Kit(
            "openai",
            "AsyncOpenAI",
            chat(),
            chat(),
            context=[footprint.instruction("later", "Later.", when=_later)],
            window=footprint.summarise_oldest(5, summarise, keep_rounds=1),
        )
        messages: list[Any] = []
        for n in range(4):
            messages += [
                {"role": "user", "content": f"Question {n}. " + "word " * 60},
                {"role": "assistant", "content": "Answer " * 40},
            ]
        messages.append({"role": "user", "content": "Now?"})

        async def go() -> None:
            async with kit.footprint.turn("Now?"):
                for _ in range(2):
                    await kit.client.chat.completions.create(model="gpt-4o-mini", messages=messages)

        asyncio.run(go())
        assert kit.sent[0]["messages"][0] == {"role": "system", "content": "Later."}
        assert "They talked." in kit.sent[1]["messages"][1]["content"]

    def test_streams_let_in_too_and_give_what_they_gave(self) -> None:
        kit = Kit("openai", "OpenAI", chat_sse("Hel", "lo"), context=CONTEXT[:1])
        stream = kit.client.chat.completions.create(
            model="gpt-4o-mini", messages=[{"role": "user", "content": "Hi."}], stream=True
        )
        said = [c.choices[0].delta.content for c in stream if c.choices]
        assert "".join(t for t in said if t) == "Hello"
        assert kit.sent[0]["messages"][0]["content"] == "We are in Ghent."

    def test_what_a_caller_adds_to_the_body_is_kept(self) -> None:
        kit = Kit("openai", "OpenAI", chat(), context=CONTEXT[:1])
        kit.client.chat.completions.create(
            model="gpt-4o-mini",
            messages=[{"role": "user", "content": "Hi."}],
            extra_body={"top_k": 5, "messages": [{"role": "user", "content": "Other."}]},
        )
        (sent,) = kit.sent
        assert sent["top_k"] == 5
        assert [m["content"] for m in sent["messages"]] == ["We are in Ghent.", "Other."]

    def test_the_callers_own_objects_are_never_changed(self) -> None:
        kit = Kit("openai", "OpenAI", chat(), chat())
        messages: list[Any] = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi."},
        ]
        tools = [{"type": "function", "function": {"name": "lookup", "description": "Looks."}}]
        before = json.dumps([messages, tools])
        with kit.footprint.turn("Hi."):
            for _ in range(2):
                kit.client.chat.completions.create(
                    model="gpt-4o-mini", messages=messages, tools=tools
                )
        assert json.dumps([messages, tools]) == before


class TestKeptByTheProvider:
    def test_what_was_added_to_a_kept_history_is_added_once_and_never_called_lost(self) -> None:
        answers = [
            {**RESPONSE, "output": [asked("c1", "read_skill", skill="refund")]},
            RESPONSE,
            RESPONSE,
        ]
        kit = Kit("openai", "OpenAI", *answers, context=[CONTEXT[1], SKILL])
        with kit.footprint.turn("Refund me.") as turn:
            answer = kit.client.responses.create(model="gpt-4o-mini", input="Refund me.")
            output = turn.tool(answer.output[0])
            found = {"type": "function_call_output", "call_id": "c1", "output": output}
            for item in (found, {"role": "user", "content": "And?"}):
                kit.client.responses.create(
                    model="gpt-4o-mini",
                    input=[item],  # type: ignore[list-item]
                    previous_response_id="resp_1",
                )
        first, second, third = kit.sent
        assert [i["content"] for i in first["input"]] == ["Refund me.", "Seen."]
        assert "was activated" in second["input"][0]["output"]
        assert third["input"] == [{"role": "user", "content": "And?"}]
        assert kit.events(names.EVENT_REMOVED) == []
        (injected,) = kit.events(names.EVENT_INJECTED, "compose messages")[:1]
        assert injected[names.DELIVERY_AT] == 1


@pytest.mark.parametrize(("package", "cls"), [("anthropic", "Anthropic"), ("openai", "OpenAI")])
def test_credit_survives_what_the_sdk_makes_of_a_message(package: str, cls: str) -> None:
    answer = message() if package == "anthropic" else RESPONSE
    kit = Kit(package, cls, answer, context=[])
    text = footprint.credit("Likes tea.", source="memory", id="likes")
    said: list[Any] = [
        footprint.credit({"role": "user", "content": "Drinks tea."}, source="rag", id="doc"),
        {"role": "user", "content": [{"type": "text", "text": text}]},
    ]
    with kit.footprint.turn("Tea?"):
        if package == "anthropic":
            kit.client.messages.create(model="claude-test-1", max_tokens=10, messages=said)
        else:
            kit.client.responses.create(model="gpt-4o-mini", input=said)
    found = kit.events(names.EVENT_INJECTED)
    assert [e[names.INJECTION_ID] for e in found] == ["doc", "likes"]
    assert b"footprint" not in kit.server.bodies[0]
