"""Jaeger and Tempo as sources: the same trail comes back, by any id; failures are said plainly."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from otel_footprint.cli.main import main
from otel_footprint.errors import SourceError, TrailError
from otel_footprint.trail import Trail
from otel_footprint.trail.sources import NEWEST, open_source

from .backends import Answer, Spans, jaeger, serving, tempo
from .builder import Turn, Writer, system, user
from .conftest import LONG, read, story

KINDS: dict[str, Any] = {
    "Jaeger": jaeger,
    "Jaeger without v3": lambda spans: jaeger(spans, v3=False),
    "Tempo": tempo,
    "Tempo without v2": lambda spans: tempo(spans, v2=False),
}


@pytest.fixture(scope="module")
def stored() -> tuple[Spans, list[str], list[str]]:
    """Spans, ids of the traces, ids of the turns; the second began later."""
    spans: Spans = []
    traces, turns = [], []
    for seed in (1, 2):
        writer = Writer(seed)
        writer.now += seed * 10**12
        story(writer)
        spans += writer.spans
        traces.append(writer.trace)
        turns.append(read(writer.spans).turns[0].id)
    return spans, traces, turns


def requests(trail: Trail) -> list[str | None]:
    return [trail.rebuild(c).text for c in trail.calls]


@pytest.mark.parametrize("kind", KINDS)
def test_a_trail_comes_back_as_it_was_sent(
    kind: str, stored: tuple[Spans, list[str], list[str]]
) -> None:
    spans, traces, turns = stored
    with serving(KINDS[kind](spans)) as url:
        for i in (0, 1):
            sent = read([s for s in spans if s["traceId"] == traces[i]])
            for which in (traces[i], traces[i].upper(), turns[i], traces[i][:6], turns[i][:6]):
                trail = open_source(url, which)
                assert [t.id for t in trail.asked] == [turns[i]]
                assert requests(trail) == requests(sent)
                assert None not in requests(trail)
                assert not trail.gaps
                assert not trail.problems
                (ledger,) = trail.asked[0].ledgers
                assert trail.check(ledger).state == "complete"
                assert len(trail.roots) == len(sent.roots)
        for newest in ("", NEWEST):
            assert [t.id for t in open_source(url, newest).asked] == [turns[1]]
        with pytest.raises(TrailError, match="no turn or trace"):
            open_source(url, "ffffffffffffffffffffffffffffffff")


@pytest.mark.parametrize("kind", KINDS)
def test_earlier_traces_are_fetched_or_named(kind: str) -> None:
    first, second = Writer(1), Writer(2)
    turn = Turn(first, conversation="c")
    turn.call([system(LONG)], [user("a")])
    turn.end()
    second.written, later = first.written, Turn(second, conversation="c")
    later.call([system(LONG)], [user("a"), user("b")])
    later.end()
    span = next(s for s in second.spans if s["name"] == "compose system")
    span["links"] = [{"traceId": first.trace, "spanId": turn.span_id, "attributes": [
        {"key": "footprint.link.type", "value": {"stringValue": "text"}}]}]  # fmt: skip
    with serving(KINDS[kind](first.spans + second.spans)) as url:
        assert None not in requests(open_source(url, second.trace))
    with serving(KINDS[kind](second.spans)) as url:
        alone = open_source(url, second.trace)
        assert first.trace in alone.gaps[0].what
        assert requests(alone) == [None]


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_store_is_said_to_be_empty(kind: str) -> None:
    with serving(KINDS[kind]([])) as url, pytest.raises(TrailError, match="no turn is in http"):
        open_source(url)


def test_a_part_of_a_trace_is_named(stored: tuple[Spans, list[str], list[str]]) -> None:
    spans, traces, _ = stored
    with serving(tempo(spans, partial=True)) as url:
        assert "trace exceeds max size" in open_source(url, traces[0]).problems[0].what


def test_headers_and_credentials_are_sent(
    stored: tuple[Spans, list[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    spans, traces, _ = stored
    seen: list[dict[str, str]] = []
    inner = jaeger(spans)

    def answer(path: str, query: dict[str, str]) -> tuple[int, Any]:
        seen.append(query)
        return inner(path, query)

    monkeypatch.setenv("OTEL_FOOTPRINT_FROM_HEADERS", "X-Scope-OrgID=team%201")
    with serving(answer) as url:
        trail = open_source("jaeger+" + url.replace("//", "//me:p%40ss@") + "/", traces[0])
    assert trail.calls
    assert {q["header"] for q in seen} == {"team 1"}
    assert {q["authorization"] for q in seen} == {"Basic bWU6cEBzcw=="}


def unused() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def failing(status: int, body: bytes) -> Answer:
    return lambda path, query: (status, body)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (failing(404, b"404 page not found"), "answers neither as Jaeger"),
        (failing(200, b"<html>welcome</html>"), "answers neither as Jaeger"),
        (failing(500, b"storage\x1b[2J is down"), "answered 500 Internal Server Error: storage"),
        (failing(401, b"<html>log in</html>"), "answered 401 Unauthorized (credentials: set"),
    ],
)
def test_failures_of_a_backend_are_said_and_exit_2(
    answer: Answer, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(answer) as url:
        assert main(["show", "--from", url]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "\x1b" not in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://host/x", "is no http or https URL"),
        ("http://", "is no http or https URL"),
        ("http://host:port", "is no URL"),
        ("zipkin+http://host", "is no http or https URL"),
    ],
)
def test_wrong_urls_are_refused(url: str, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        open_source(url)


def test_a_backend_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    url = f"http://127.0.0.1:{unused()}"
    assert main(["show", "--from", url, "abc"]) == 2
    assert f"{url} cannot be reached" in capsys.readouterr().err
    with pytest.raises(SourceError, match="one backend at a time"):
        open_source([url, "file.json"])


def test_what_answers_no_json_of_its_kind_is_refused() -> None:
    with serving(failing(200, b"\x1f\x8b nonsense")) as url:
        with pytest.raises(SourceError, match="serves neither"):
            open_source(f"jaeger+{url}")
        with pytest.raises(TrailError, match="no turn is in"):
            open_source(f"tempo+{url}")
