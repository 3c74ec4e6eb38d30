"""The other instrumentations, and what has to hold when one of them works beside us."""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

import otel_footprint as footprint
from otel_footprint.adapters.stainless import install, uninstall
from otel_footprint.adapters.stainless.sdk import SDKS
from otel_footprint.telemetry import names
from tests.sdk import Recording


class Peer(NamedTuple):
    """An instrumentation of one SDK."""

    name: str
    package: str
    module: str
    instrumentor: str

    def make(self) -> Any:
        """Its instrumentor; skips the test where its package is absent."""
        module = pytest.importorskip(
            self.module, reason=f"the instrumentation {self.name} is not installed"
        )
        return getattr(module, self.instrumentor)()


PEERS = (
    Peer("genai", "openai", "opentelemetry.instrumentation.genai.openai", "OpenAIInstrumentor"),
    Peer("openllmetry", "openai", "opentelemetry.instrumentation.openai", "OpenAIInstrumentor"),
    Peer("openinference", "openai", "openinference.instrumentation.openai", "OpenAIInstrumentor"),
    Peer(
        "genai",
        "anthropic",
        "opentelemetry.instrumentation.genai.anthropic",
        "AnthropicInstrumentor",
    ),
    Peer(
        "openllmetry",
        "anthropic",
        "opentelemetry.instrumentation.anthropic",
        "AnthropicInstrumentor",
    ),
    Peer(
        "openinference",
        "anthropic",
        "openinference.instrumentation.anthropic",
        "AnthropicInstrumentor",
    ),
)


class Together:
    """A Footprint and a peer that record with the same providers."""

    def __init__(self, peer: Peer | None, order: str, package: str) -> None:
        self.recording = Recording()
        self.footprint = footprint.Footprint("agent", content="full", **self.recording.providers)
        self.peer = peer
        self._order = order
        self._sdk = next(s for s in SDKS if s.package == package)
        self._instrumentor: Any = None

    def start(self) -> None:
        """Installs both, in the asked order."""
        if self._order == "us first":
            install(self._sdk)
        if self.peer is not None:
            made = self.peer.make()
            try:
                made.instrument(**self.recording.providers, skip_dep_check=True)
            except AttributeError as missing:
                pytest.skip(f"{self.peer.name} does not know this {self.peer.package}: {missing}")
            self._instrumentor = made
        install(self._sdk)

    def stop_peer(self) -> None:
        """Uninstruments the peer."""
        made, self._instrumentor = self._instrumentor, None
        if made is not None:
            made.uninstrument()

    def stop_us(self) -> None:
        """Takes our wraps out."""
        uninstall(self._sdk)

    @property
    def spans(self) -> list[Any]:
        return self.recording.spans

    @property
    def inference(self) -> list[Any]:
        """Every span that counts as a model call in a backend."""
        return [s for s in self.spans if counts_as_call(s)]

    @property
    def ours(self) -> list[Any]:
        return [s for s in self.spans if scope(s) == names.SCOPE]


_METHODS = ("create", "parse", "stream", "retrieve", "request")


@contextmanager
def _restored(package: str) -> Iterator[None]:
    """Puts back what a peer has wrapped: not every one does so for all it wrapped."""
    classes = {
        c
        for name, module in list(sys.modules.items())
        if name.startswith((f"{package}.resources", f"{package}._client"))
        for c in vars(module).values()
        if isinstance(c, type) and c.__module__.startswith(package)
    }
    kept = [(c, m, vars(c)[m]) for c in classes for m in _METHODS if m in vars(c)]
    absent = [(c, m) for c in classes for m in _METHODS if m not in vars(c)]
    try:
        yield
    finally:
        for cls, method, original in kept:
            if vars(cls)[method] is not original:
                setattr(cls, method, original)
        for cls, method in absent:
            if method in vars(cls):
                delattr(cls, method)


@contextmanager
def together(peer: Peer | None, order: str, package: str) -> Iterator[Together]:
    """Both at work; everything is taken out again."""
    importlib.import_module(f"{package}.resources")
    if package == "openai":
        importlib.import_module("openai.resources.responses")
        importlib.import_module("openai.resources.chat.completions")
    else:
        importlib.import_module("anthropic.resources.beta.messages")
    kept = sys.modules.get("opentelemetry.instrumentation.openai.v1.responses_wrappers")
    if kept is not None:  # it joins responses of equal id, for ever
        kept.responses.clear()
    made = Together(peer, order, package)
    made.stop_us()
    with _restored(package):
        try:
            made.start()
            yield made
        finally:
            made.stop_peer()
            made.stop_us()
            made.recording.tracer_provider.shutdown()
            made.recording.meter_provider.shutdown()


def scope(span: Any) -> str:
    return span.instrumentation_scope.name


def counts_as_call(span: Any) -> bool:
    attributes = span.attributes
    operation = attributes.get(names.OPERATION)
    if operation is not None:
        return operation in names.INFERENCE_OPERATIONS
    if attributes.get("openinference.span.kind") == "LLM":
        return True
    return "llm.request.type" in attributes or any(k.startswith("gen_ai.usage") for k in attributes)


def check(made: Together, calls: int = 1, foreign: bool = True, composed: bool = True) -> None:
    """One inference span a call, and each thing where it belongs."""
    made.footprint.flush()
    found = made.inference
    assert [scope(s) == names.SCOPE for s in found] == [not foreign] * calls, [
        (s.name, scope(s)) for s in made.spans
    ]
    identities = {s.attributes[names.CALL_ID] for s in found}
    assert len(identities) == calls
    for span in found:
        if foreign:
            of_ours = [k for k in span.attributes if k.startswith("footprint.")]
            assert set(of_ours) <= set(names.FOREIGN_SPAN)
            assert len(of_ours) <= 20
            assert names.MESSAGES_USED in of_ours
            assert names.WINDOW_TOKENS in of_ours
    if foreign:
        assert not [
            (s.name, k) for s in made.ours for k in s.attributes if k.startswith("gen_ai.usage")
        ]
        records = [s for s in made.ours if s.name == names.SPAN_CALL_RECORD]
        assert {s.attributes[names.CALL_ID] for s in records} == identities
        assert len(records) == calls
        assert all(names.DIGEST in s.attributes for s in records)
    spans = [s for s in made.ours if s.name.startswith("compose")]
    assert {s.attributes[names.CALL_ID] for s in spans} <= identities
    assert any(s.name == "compose messages" for s in spans) == composed


def warnings_of(records: Sequence[logging.LogRecord]) -> list[str]:
    """All that was logged, but for peers that put the SDK's `Omit` down as a value."""
    texts = [f"{r.name}: {r.getMessage()}" for r in records if r.levelno >= logging.WARNING]
    return [t for t in texts if "Omit'>` for attribute" not in t]


def same(found: Any, expected: Any) -> bool:
    """Equal as data: a peer's stream wrapper may hand out copies."""
    if isinstance(found, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    return bool(found.model_dump() == expected.model_dump())
