"""Zero code: `opentelemetry-instrument python app.py` finds us through an entry point.

Every client of the OpenAI and Anthropic SDKs in the process is recorded then, without `wrap`.
Content mode and the rest come from the environment.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from importlib.util import find_spec
from typing import Any

from opentelemetry.instrumentation.instrumentor import (  # type: ignore[attr-defined]
    BaseInstrumentor,
)

from .default import default
from .footprint import Footprint
from .stainless import install, uninstall
from .stainless.sdk import SDKS


class FootprintInstrumentor(BaseInstrumentor):  # type: ignore[misc]
    """Records all clients of the process; `instrument(footprint=...)` takes a Footprint."""

    def instrumentation_dependencies(self) -> Collection[str]:
        """None is required: what is not installed is not wrapped."""
        return ()

    def _instrument(self, **kwargs: Any) -> None:
        providers = {
            name: kwargs[name]
            for name in ("tracer_provider", "meter_provider", "logger_provider")
            if kwargs.get(name) is not None
        }
        given = kwargs.get("footprint")
        recorder = given or (Footprint(**providers) if providers else default())
        recorder.prepare()
        for sdk in SDKS:
            if sdk.package in sys.modules or find_spec(sdk.package) is not None:
                install(sdk, recorder)

    def _uninstrument(self, **_kwargs: Any) -> None:
        for sdk in SDKS:
            uninstall(sdk)
