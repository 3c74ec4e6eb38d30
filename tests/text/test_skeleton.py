"""A JSON text splits into skeleton, leaves and media, and comes back exactly."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from otel_footprint.text import chunks, jsontext, skeleton

LONG = 'a text that is long enough to be taken out of the skeleton, with "quotes"\nand lines. '
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.text(min_size=60, max_size=90),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def test_a_short_value_is_its_own_skeleton() -> None:
    value = {"role": "user", "content": "hi"}
    split = skeleton.split(value)
    assert split == ('{"role":"user","content":"hi"}', (), ())


def test_a_long_string_stands_beside_the_skeleton_as_it_is_read() -> None:
    value = {"role": "tool", "tool_call_id": "c1", "content": LONG * 4}
    split = skeleton.split(value)
    assert split.skeleton == '{"role":"tool","tool_call_id":"c1","content":$0}'
    assert split.leaves == (LONG * 4,)


def test_another_spelling_of_a_known_piece_costs_its_skeleton_only() -> None:
    first = {"role": "user", "content": LONG * 4}
    known = skeleton.split(first).leaves
    marked = {"content": [{"type": "text", "text": LONG * 4, "cache_control": {"type": "x"}}]}
    split = skeleton.respell(marked, known)
    assert LONG not in split.skeleton
    assert skeleton.fill(split.skeleton, known) == jsontext.dumps(marked)


def test_media_is_recorded_by_size_and_hash_and_put_back() -> None:
    data = base64.b64encode(bytes(range(256)) * 4).decode()

    def find(parent: dict[str, Any], key: str, value: str) -> skeleton.Media | None:
        if key != "data":
            return None
        raw = base64.b64decode(value)
        return skeleton.Media("image/png", len(raw), hashlib.sha256(raw).hexdigest(), "", value)

    value = {"type": "image", "source": {"media_type": "image/png", "data": data}}
    split = skeleton.split(value, find)
    assert data not in split.skeleton
    assert (split.media[0].size, split.media[0].type) == (1024, "image/png")
    assert skeleton.fill(split.skeleton, (), lambda i: data) == jsontext.dumps(value)


def test_a_layout_takes_the_pieces_of_its_slots() -> None:
    texts = {"s": ["S1", "S2"], "m": [], "t": ["T"]}

    def take(slot: str, n: int | None) -> list[str]:
        found = texts[slot][: n if n is not None else None]
        texts[slot] = texts[slot][len(found) :]
        return found

    layout = '{"instructions":#s1,"input":[#s,#m],"tools":[#t],"x":"#m $0"}'
    assert (
        skeleton.expand(layout, take) == '{"instructions":S1,"input":[S2],"tools":[T],"x":"#m $0"}'
    )


@given(JSON)
def test_any_json_comes_back_exactly(value: Any) -> None:
    split = skeleton.split(value)
    assert json.loads(skeleton.fill(split.skeleton, split.leaves)) == value


@given(
    st.dictionaries(
        st.text("aé\0\ud800", max_size=3), st.text('aé\0\ud800"\\', max_size=9), max_size=4
    )
)
@example({"b": "é\0"})
def test_a_short_value_is_spelled_in_one_way_beside_whatever_it_stands(texts: Any) -> None:
    value = {**texts, "n": 1}
    assert skeleton.split([value]).skeleton == f"[{skeleton.split(value).skeleton}]"


@given(st.text(max_size=400), st.integers(4, 50))
def test_chunks_are_short_and_join_to_the_text(text: str, limit: int) -> None:
    strings = chunks.chunk(text, limit)
    assert "".join(strings) == text
    assert all(len(s.encode("utf-8", "surrogatepass")) <= limit for s in strings)
    assert chunks.unchunk(strings, [len(strings)]) == [text]
