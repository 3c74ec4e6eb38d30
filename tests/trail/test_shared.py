"""Traces that other people's instrumentations left, and the same damaged in every way."""

from __future__ import annotations

import io
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from otel_footprint.report import tree
from otel_footprint.trail import Node, Problem, Span, Trail, load, read
from tests.quick import sampled

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "otlp"
FILES = sorted(SHARED.rglob("*.json")) if SHARED.is_dir() else []
NOT_A_TRAIL = ("langfuse_export",)
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

pytestmark = pytest.mark.skipif(
    not FILES, reason="the folder ../shared/data/otlp with recorded traces is not there"
)


def name(path: Path) -> str:
    return path.stem


def nodes(trail: Trail) -> list[Node]:
    out, stack = [], list(trail.roots)
    while stack:
        out.append(stack.pop())
        stack += out[-1].children
    return out


def printed(trail: Trail) -> None:
    """The tree prints, and no line holds a control character."""
    for line in tree.render(trail):
        assert not CONTROL.search(line)
        line.encode()


@pytest.mark.parametrize("path", FILES, ids=name)
def test_every_span_is_in_the_tree_once(path: Path) -> None:
    trail = load(path)
    assert bool(trail.problems) == any(word in str(path) for word in NOT_A_TRAIL)
    assert len(nodes(trail)) == len(trail.spans)
    assert len(trail.spans) == spans_in(json.loads(path.read_text()))
    printed(trail)


def spans_in(value: Any) -> int:
    """Spans of a document, counted apart; one that stands in it twice is one."""
    groups = value if isinstance(value, list) else [value]
    jaeger = [s for g in groups if "traceID" in g for s in g["spans"]]
    return len({s["spanID"] for s in jaeger}) + len(
        {
            (span["traceId"], span["spanId"], span["name"], span.get("kind"))
            for group in groups
            for resource in group.get("resourceSpans", ())
            for scope in resource["scopeSpans"]
            for span in scope["spans"]
        }
    )


@pytest.mark.parametrize("path", sampled(FILES, 6), ids=name)
def test_cut_at_any_place_it_is_still_read(path: Path) -> None:
    data = path.read_bytes()[:60_000]
    whole = len(path.read_bytes()) == len(data)
    before = 0
    for at in range(0, len(data), max(1, len(data) // 40)):
        everything = list(read(io.BytesIO(data[:at])))
        spans = [r for r in everything if isinstance(r, Span)]
        if data[:at].strip() and not (whole and at == len(data)):
            assert any(isinstance(r, Problem) for r in everything)
        assert len(spans) >= before
        before = len(spans)


@pytest.mark.parametrize("path", sampled(FILES, 3), ids=name)
def test_doubled_and_shuffled_it_is_the_same_tree(path: Path) -> None:
    spans = [r for r in read(path) if isinstance(r, Span)]
    once = list(tree.render(Trail(spans)))
    random.Random(1).shuffle(spans)
    again = list(tree.render(Trail(spans + spans)))
    assert sorted(re.sub("[^a-zA-Z0-9]", "", x) for x in again) == sorted(
        re.sub("[^a-zA-Z0-9]", "", x) for x in once
    )


def test_all_of_them_as_one_trail(tmp_path: Path) -> None:
    lines = tmp_path / "all.jsonl"
    with lines.open("w") as out:
        for path in FILES:
            out.write(json.dumps(json.loads(path.read_text())) + "\n")
    trail = load(lines)
    assert len(trail.spans) > 180
    assert {p.line for p in trail.problems} == {
        i for i, p in enumerate(FILES, 1) if any(word in str(p) for word in NOT_A_TRAIL)
    }
    printed(trail)


@pytest.mark.parametrize("path", sampled(FILES[:12], 4), ids=name)
def test_damaged_bytes_raise_nothing(path: Path) -> None:
    rng = random.Random(path.name)
    for _ in range(5):
        data = bytearray(path.read_bytes()[:40_000])
        for _ in range(12):
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(20)] = rng.randbytes(rng.randrange(20))
        printed(load(io.BytesIO(bytes(data))))
