"""Streams in frames: the text comes in a frame of its own, all other bytes as they were sent."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_footprint.adapters.edits.answers import EventEdit
from otel_footprint.adapters.edits.answers_stream import AnswerStream
from otel_footprint.wire.eventstream import parse_eventstream
from otel_footprint.wire.sse import parse_sse
from tests.adapters.test_variants import frames

from .test_anthropic import said, sse

EVENTS = [value for _, value in parse_sse(sse(said("It |is 42.")).encode())]
DATA = frames(EVENTS)
TEXT = "\n\nUnder it."
DELTA = {
    "type": "content_block_delta",
    "index": 0,
    "delta": {"type": "text_delta", "text": TEXT},
}


def edited(data: bytes, cuts: Any = (), text: str = TEXT) -> bytes:
    edit = EventEdit("anthropic.messages", lambda _: text, framed=True)
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    out = [edit.feed(data[a:b]) for a, b in pairwise(places)]
    return b"".join([*out, edit.flush()])


@given(cuts=st.lists(st.integers(0, 6000), max_size=8))
@settings(max_examples=30, deadline=None)
def test_one_frame_is_added_however_the_stream_is_cut(cuts: list[int]) -> None:
    made = edited(DATA, cuts)
    values = [value for _, value in parse_eventstream(made)]
    at = values.index(DELTA)
    assert values[:at] + values[at + 1 :] == EVENTS
    assert values[at + 1]["type"] == "content_block_stop"


def test_all_other_frames_are_the_bytes_that_were_sent() -> None:
    made, at = edited(DATA), DATA.index(frames([EVENTS[4]]))
    size = len(made) - len(DATA)
    assert (made[:at], made[at + size :]) == (DATA[:at], DATA[at:])


def test_an_sdk_reads_the_frame() -> None:
    pytest.importorskip("botocore")
    from botocore.eventstream import EventStreamBuffer

    buffer = EventStreamBuffer()
    buffer.add_data(edited(DATA))
    found = list(buffer)
    assert len(found) == len(EVENTS) + 1
    assert {message.headers[":event-type"] for message in found} == {"chunk"}


def test_a_stream_to_which_nothing_is_put_is_handed_on_byte_for_byte() -> None:
    assert edited(DATA, text="") == DATA
    asks = frames([v for _, v in parse_sse(sse(said("a"), stop="tool_use").encode())])
    assert edited(asks, text="") == asks


@given(
    start=st.sampled_from([b"", DATA[:500], DATA]),
    data=st.binary(max_size=60),
    cut=st.integers(0, 60),
)
@settings(max_examples=200, deadline=None)
def test_what_is_no_frame_is_handed_on_byte_for_byte(start: bytes, data: bytes, cut: int) -> None:
    assert edited(start + data, [len(start), len(start) + cut], text="") == start + data


@pytest.mark.parametrize("payload", [b"nope", b"[]", b"{}", b'{"bytes": 7}', b'{"bytes": "e30="}'])
def test_a_frame_that_holds_no_event_of_a_model_is_handed_on(payload: bytes) -> None:
    size = (16 + len(payload)).to_bytes(4, "big")
    frame = size + bytes(4) + b"crc." + payload + b"crc."
    made = edited(frame + DATA + frame)
    assert made.startswith(frame)
    assert made.endswith(frame)
    assert DELTA in [value for _, value in parse_eventstream(made)]


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("framed", [True, False])
@pytest.mark.parametrize("at", range(len(EVENTS)))
def test_our_own_failure_loses_no_byte(framed: bool, at: int) -> None:
    class Failing(AnswerStream):
        seen = 0

        def feed(self, event: Any) -> Any:
            self.seen += 1
            if self.seen > at:
                raise ValueError("ours")
            if self.seen == at:
                self.held.append(event)
                return []
            return self.release(event)

    data = DATA if framed else sse(said("It |is 42.")).encode()
    for cuts in ([0, len(data)], [0, 700, len(data)]):
        edit = EventEdit("anthropic.messages", lambda _: "", framed=framed)
        edit._stream = Failing(lambda: "")
        out = [edit.feed(data[a:b]) for a, b in pairwise(cuts)]
        assert b"".join([*out, edit.flush()]) == data
