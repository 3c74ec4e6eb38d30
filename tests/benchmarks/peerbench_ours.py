"""Our configuration for the peer benchmark: `ours(ctx)` and `ours_implicit(ctx)`.

Loaded by the benchmark's `configs.py` (its README says how); not collected by pytest.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import Any

_MODE = os.environ.get("FOOTPRINT_BENCH", "full")
"""full (default), unsampled (metrics only), or off (no provider at all)."""


def _configure(ctx: Any) -> Any:
    import otel_footprint as footprint

    if _MODE == "off":
        os.environ["FOOTPRINT_QUIET"] = "1"
        return None
    if _MODE == "unsampled":
        os.environ["OTEL_TRACES_SAMPLER"] = "always_off"
    return footprint.configure(endpoint=ctx.base_url, service_name="peerbench", metrics=True)


def _install(handle: Any) -> Any:
    import otel_footprint as footprint
    from otel_footprint.adapters.stainless import install
    from otel_footprint.adapters.stainless.sdk import SDKS

    fp = footprint.Footprint(name="bench", content="full", standard_content="none")
    for sdk in SDKS:
        if sdk.package in sys.modules:
            install(sdk, fp)
    return fp


def ours(ctx: Any) -> Any:
    """Content full, metrics on, a turn a session, tools recorded."""
    import configs

    configured = _configure(ctx)
    fp = _install(configured)

    class Handle(configs.Handle):
        @contextmanager
        def root(self, session: int) -> Any:
            with fp.turn() as turn:
                self.turn = turn
                yield

        @contextmanager
        def tool_span(self, step: int, name: str, args: Any) -> Any:
            from otel_footprint.run.tools import tool_call

            tool = tool_call(self.turn, name)
            if tool is None:
                yield configs._Noop()
                return
            tool.start(args)

            class Done:
                def done(self, result: Any) -> None:
                    self.result = result

            done = Done()
            yield done
            tool.finish(done.result)

        def flush(self) -> None:
            if configured is not None:
                configured.flush()

    return Handle()


def ours_implicit(ctx: Any) -> Any:
    """The same with no root span and no turn."""
    import configs

    configured = _configure(ctx)
    fp = _install(configured)

    class Handle(configs.Handle):
        def flush(self) -> None:
            fp.flush()
            if configured is not None:
                configured.flush()

    return Handle()
