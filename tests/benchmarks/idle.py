"""Cost of a call while telemetry does not record and metrics are off (target: under 20 us).

    python -m tests.benchmarks.idle

Compares a wrapped client's innermost `request` with an unwrapped one's, no provider set.
"""

from __future__ import annotations

import os
import statistics
import time
from typing import Any

os.environ["FOOTPRINT_QUIET"] = "1"

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

import otel_footprint as footprint
from otel_footprint.adapters.stainless import hooks
from otel_footprint.adapters.stainless.sdk import sdk_of
from tests.losses.kit import TOOLS, prose
from tests.sdk import Server, chat, client

ROUNDS = 21
CALLS = 200


def nothing(*args: Any, **more: Any) -> None:
    """The request."""


def rounds(wrapper: Any, made: Any) -> list[float]:
    """CPU microseconds of one pass through the wrap around a function that does nothing."""
    messages = [{"role": "user", "content": prose(f"m {i}", 400)} for i in range(100)]
    options = type("Options", (), {})()
    options.url, options.method = "/chat/completions", "post"
    options.json_data = {"model": "gpt-4o-mini", "messages": messages, "tools": TOOLS}
    options.extra_json = None
    out = []
    for _ in range(ROUNDS):
        begin = time.thread_time_ns()
        for _ in range(CALLS):
            wrapper(nothing, made, (dict, options), {})
        out.append((time.thread_time_ns() - begin) / 1e3 / CALLS)
    return out


def show(what: str, found: list[float]) -> None:
    print(f"{what:44}{statistics.median(found):8.2f} us")


def main() -> None:
    plain = client("openai", "OpenAI", Server(chat()))
    sdk = sdk_of(plain)
    assert sdk is not None
    footprint.wrap(client("openai", "OpenAI", Server(chat())))
    wrapper = hooks._request(sdk)
    show("a client that nobody wrapped", rounds(wrapper, plain))
    wrapped = footprint.Footprint("bench").wrap(client("openai", "OpenAI", Server(chat())))
    show("wrapped, no provider, metrics off", rounds(wrapper, wrapped))
    provider = TracerProvider(sampler=ALWAYS_OFF)
    fp = footprint.Footprint("bench", tracer_provider=provider)
    sampled_out = fp.wrap(client("openai", "OpenAI", Server(chat())))
    with fp.turn():
        show("wrapped, turn sampled out, metrics off", rounds(wrapper, sampled_out))


if __name__ == "__main__":
    main()
