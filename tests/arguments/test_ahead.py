"""Texts are made ready for search while the model thinks, once each, and nothing depends on it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import otel_footprint as footprint
from otel_footprint.run.ahead import AHEAD, WAITING, Ahead
from otel_footprint.telemetry.guard import set_raising
from otel_footprint.text.cache import SHARED
from tests.sdk import Recording

from .loops import SYSTEM, Asked, OpenAILoop, Shop

FRESH = "The shop of the ahead test sells 4711 lamps on 2024-02-03."


def test_texts_are_read_before_any_tool_runs(recording: Recording) -> None:
    fp = footprint.Footprint("shop", arguments=footprint.Arguments(), **recording.providers)
    Shop(fp)
    loop = OpenAILoop(fp, [[Asked("t1", "lookup", {"host": "db-9"})]])
    loop.messages[1] = {"role": "user", "content": FRESH}
    with fp.turn():
        loop.call()
        assert AHEAD.wait(20)
        read = {text.text: text.known for text in SHARED._kept.values()}
    assert "4711" in (read[FRESH] or ())
    assert "payments" in (read[SYSTEM] or ())


def test_a_request_without_tools_reads_nothing_ahead(recording: Recording) -> None:
    fp = footprint.Footprint("shop", arguments=footprint.Arguments(), **recording.providers)
    loop = OpenAILoop(fp, ["Hello."])
    loop.messages[1] = {"role": "user", "content": FRESH + " Without tools."}
    loop.tools = []
    with fp.turn():
        loop.call()
    assert AHEAD.wait(20)
    assert FRESH + " Without tools." not in {text.text for text in SHARED._kept.values()}


def test_jobs_run_in_order_in_one_thread_that_ends() -> None:
    made, done = Ahead(), []

    def job(n: int) -> Any:
        def steps() -> Iterator[None]:
            done.append((n, threading.current_thread().name))
            yield

        return steps

    for n in range(5):
        made.put(job(n))
    assert made.wait(20)
    assert [n for n, _ in done] == [0, 1, 2, 3, 4]
    assert {name for _, name in done} == {"otel-footprint-ahead"}


def test_more_jobs_than_wait_are_dropped_and_a_job_that_fails_stops_nothing() -> None:
    made, held, done = Ahead(), threading.Event(), []

    def wait() -> Iterator[None]:
        held.wait(20)
        yield

    def fail() -> Iterator[None]:
        raise LookupError
        yield

    def note() -> Iterator[None]:
        done.append(time.monotonic())
        yield

    before = set_raising(False)
    try:
        made.put(wait)
        for _ in range(WAITING + 10):
            made.put(note)
        made.put(fail)
        made.put(note)
        held.set()
        assert made.wait(20)
    finally:
        set_raising(before)
    assert len(done) in (WAITING - 1, WAITING)
