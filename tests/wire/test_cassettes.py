"""Recorded traffic of providers: every request is rebuilt exactly, every response is read."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from otel_footprint.text.jsontext import dumps, dumps_sorted
from otel_footprint.text.skeleton import fill, split
from otel_footprint.wire import by_shape, dialect_for, find_media, provider_of

from .helpers import EACH_FILE, FILES, answer, need_recordings, pieces, rebuilt, recorded

NO_CALLS = ("/embeddings", "/traces/", "/files", "tavily.com", "agno.com", "smith.langchain.com")


def test_the_recordings_are_here() -> None:
    need_recordings()
    assert len(FILES) > 50


def calls(file: Any) -> list[tuple[dict[str, Any], Any, Any]]:
    found = []
    for interaction in recorded(file):
        body = (interaction.get("request") or {}).get("json")
        dialect = dialect_for(provider_of(interaction["uri"]), interaction["uri"], body)
        if dialect is not None:
            found.append((interaction, dialect, body))
    return found


@EACH_FILE
def test_every_request_is_rebuilt_exactly(file: Any) -> None:
    for _, dialect, body in calls(file):
        assert rebuilt(dialect, body) == dumps(body)


@EACH_FILE
def test_every_piece_survives_its_skeleton(file: Any) -> None:
    for _, dialect, body in calls(file):
        for items in pieces(dialect, body).values():
            for item in items:
                text = dumps(item.value)
                taken = split(item.value, find_media)
                media = [m.prefix + m.data for m in taken.media]
                assert fill(taken.skeleton, taken.leaves, media.__getitem__) == text


@EACH_FILE
def test_every_call_has_a_dialect_by_path_and_by_shape(file: Any) -> None:
    for interaction in recorded(file):
        body, uri = (interaction.get("request") or {}).get("json"), interaction["uri"]
        if body is None:
            continue
        provider = provider_of(uri)
        dialect = dialect_for(provider, uri, body)
        if any(word in uri for word in NO_CALLS):
            assert dialect is None
        else:
            assert dialect is not None
            assert by_shape(provider, body) is dialect
            assert by_shape("", body) is dialect


@EACH_FILE
def test_every_response_is_read(file: Any) -> None:
    for interaction, dialect, _ in calls(file):
        response = answer(dialect, interaction["response"])
        assert response is not None
        if interaction["status"] != 200:
            assert response.items == ()
            assert not response.complete
            continue
        text = dumps(interaction["response"])
        filtered = response.finish_reasons == ("content_filter",)
        assert response.items or filtered
        assert len(response.extra) == len(response.items)
        assert response.usage.input is not None or not re.search(r"prompt_tokens|nputTokens", text)
        assert response.finish_reasons or "response.compaction" in text
        for item in response.items:
            assert dialect.parts(item.value)
            dumps_sorted(dialect.identity(item.value))


@EACH_FILE
def test_no_piece_is_left_unread(file: Any) -> None:
    for _, dialect, body in calls(file):
        for slot, items in pieces(dialect, body).items():
            for item in items:
                parts = dialect.parts(item.value)
                assert parts
                assert item.source != "custom"
                if slot == "tools":
                    assert [part.kind for part in parts] == ["definition"]
                    assert item.id


def test_outputs_come_back_as_the_same_pieces() -> None:
    """In the agent loops of the recordings an output is a message of the next request."""
    need_recordings()
    found: Counter[bool] = Counter()
    loops = re.compile(
        r"agent_loop|programmatic|phase|tool_exception|instrument_langchain|streaming_with_tools"
        r"|deepseek_deferred|converse_tool_call|invoke_model_with|bedrock_model_retry|lazy_adv"
        r"|multi_tool_call|agent_handoffs|temporal|cache_prefix_stable|direct-uploaded"
    )
    for file in FILES:
        outputs: set[str] = set()
        for interaction, dialect, body in calls(file) if loops.search(file.name) else ():
            sent = {
                dumps_sorted([i.role, dialect.identity(i.value)])
                for i in pieces(dialect, body)["messages"]
            }
            if outputs:
                found[outputs <= sent] += 1
            response = answer(dialect, interaction["response"])
            items = response.items if response else ()
            outputs = {dumps_sorted([i.role, dialect.identity(i.value)]) for i in items}
    assert found[True] >= 20
    assert found[False] == 0, found
