"""Benchmark: one call of 10 arguments against a corpus of 200 results of 2,000 characters.

    python -m tests.benchmarks.argument_check [--runs 50]

Prints milliseconds: the first time a text is seen (it is prepared then, once per hash), and every
time after that. An agent reads texts ahead, in a thread, while the model thinks (`run/ahead.py`),
so the check behind an answer is the first one after that. The aim is under 5 ms. `common values`
are ten that stand in nearly every text (small numbers, `true`): where the letters of a value are
everywhere, a text that nobody has read ahead is read then.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from otel_footprint.arguments import (
    Arguments,
    Bindings,
    Corpus,
    Prepared,
    ToolCall,
    call_hints,
    decide,
)
from otel_footprint.records.arguments import AppText, PersonText, ResultText
from otel_footprint.text.cache import SearchCache

ARGUMENTS = {
    "host": "srv-4417", "flight": "HAT999", "date": "2024-05-20", "amount": 1250,
    "service": "checkout service", "cabin": "economy", "origin": "JFK", "share": 3.5,
    "confirmed": True, "kind": "one_way",
}  # fmt: skip
COMMON = {
    "a": 3, "b": 5, "c": True, "d": "no", "e": "and", "f": 1, "g": "open", "h": "2024-06-01",
    "i": 1400, "j": 0,
}  # fmt: skip


def corpus(results: int, chars: int, prose: bool) -> Corpus:
    """Results of a booking system, all different, as JSON or as prose."""
    rng = random.Random(5)
    return Corpus(
        person=(PersonText("Please book the economy flight on May 20th for me."),),
        app=(AppText("You are an airline agent. " * 40),),
        results=tuple(
            ResultText(f"t{i}", (_prose if prose else _json)(rng, chars)) for i in range(results)
        ),
    )


def _json(rng: random.Random, chars: int) -> tuple[str]:
    rows: list[dict[str, Any]] = []
    while len(json.dumps(rows)) < chars:
        rows.append(
            {
                "flight": f"HAT{rng.randint(0, 998):03}",
                "price": rng.randint(50, 5000),
                "date": f"2024-06-{rng.randint(1, 30):02}",
                "note": 'seats are "open"\n',
            }
        )
    return (json.dumps(rows),)


def _prose(rng: random.Random, chars: int) -> tuple[str]:
    words = ["flight", "gate", "delay", "crew", "fuel", "2024-06-01", "1,400.50", "srv-1", "and"]
    return (" ".join(rng.choices(words, k=chars // 6))[:chars],)


def timed(run: Callable[[], object], runs: int) -> tuple[float, float, float]:
    """CPU time of this thread (median), and wall time (median, best), in milliseconds."""
    cpu, wall = [], []
    for _ in range(runs):
        start, spent = time.perf_counter(), time.thread_time()
        run()
        cpu.append((time.thread_time() - spent) * 1000)
        wall.append((time.perf_counter() - start) * 1000)
    return statistics.median(cpu), statistics.median(wall), min(wall)


def main(argv: list[str]) -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.argument_check")
    parser.add_argument("--runs", type=int, default=50)
    runs = parser.parse_args(argv).runs
    bindings = Bindings(Arguments())
    claims = [
        {"argument": "host", "source": "result", "id": "t7"},
        {"argument": "cabin", "source": "user", "quote": "the economy flight"},
        {"argument": "flight", "source": "turn"},
        {"argument": "origin", "source": "app"},
        {"argument": "amount", "source": "assumed"},
    ]
    call = ToolCall("c1", "book", {**ARGUMENTS, "_findings": {"from": claims}}, planted=True)
    print(
        f"{'10 arguments, 200 results of 2,000 chars':44}{'cpu ms':>9}{'wall ms':>9}{'best ms':>9}"
    )
    for kind in ("json", "prose"):
        texts = corpus(200, 2000, kind == "prose")
        cold = timed(lambda texts=texts: decide([call], bindings, texts, None, SearchCache()), 5)
        common = ToolCall("c2", "book", COMMON, planted=True)
        everywhere = timed(
            lambda texts=texts, call=common: decide([call], bindings, texts, None, SearchCache()), 5
        )
        cache = SearchCache()
        for _ in range(8):
            decide([call], bindings, texts, None, cache)
        warm = timed(
            lambda texts=texts, cache=cache: decide([call], bindings, texts, None, cache), runs
        )
        hints = timed(
            lambda texts=texts, cache=cache: call_hints(
                "book", "c1", ARGUMENTS, Prepared(texts, cache)
            ),
            runs,
        )
        caches = [SearchCache() for _ in range(5)]
        reading, first = iter(caches), iter(caches)

        def read(texts: Corpus = texts, caches: Iterator[SearchCache] = reading) -> None:
            for _ in Prepared(texts, next(caches)).warm():
                pass

        def check(texts: Corpus = texts, caches: Iterator[SearchCache] = first) -> None:
            decide([call], bindings, texts, None, next(caches))

        ahead, then = timed(read, 5), timed(check, 5)
        _line(f"{kind}: first sight of all 200 texts", cold)
        _line(f"{kind}: the same with common values", everywhere)
        _line(f"{kind}: reading all 200 texts ahead, in a thread", ahead)
        _line(f"{kind}: first check after that", then)
        _line(f"{kind}: claims checked, texts seen before", warm)
        _line(f"{kind}: hints only, texts seen before", hints)
        _line(f"{kind}: one new result of 2,000 chars", timed(lambda k=kind: _one(k), runs))
    return 0


def _one(kind: str) -> None:
    call_hints("book", "c1", ARGUMENTS, Prepared(_ONE[kind], SearchCache()))


_ONE = {"json": corpus(1, 2000, False), "prose": corpus(1, 2000, True)}


def _line(name: str, found: tuple[float, float, float]) -> None:
    print(f"  {name:42}" + "".join(f"{ms:>9.2f}" for ms in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
