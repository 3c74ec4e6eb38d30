"""What the sanitiser hands on, every SDK takes, and no exporter loses."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import math
import threading
import uuid
from unittest.mock import MagicMock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import SpanLimits, TracerProvider

from otel_footprint.telemetry.limits import Limits, limits_of
from otel_footprint.telemetry.sanitize import clean_attributes, clean_text


class Hostile:
    """Every method that somebody might call raises."""

    def _raise(self, *_):
        raise RuntimeError("hostile")

    __str__ = __repr__ = __eq__ = __bool__ = __iter__ = __len__ = __getattr__ = _raise
    __hash__ = __int__ = __float__ = __index__ = __getitem__ = _raise

    @property
    def __class__(self):
        raise RuntimeError("hostile")


class HostileText(str):
    def _raise(self, *_):
        raise RuntimeError("hostile")

    __str__ = __repr__ = __eq__ = __hash__ = __len__ = __iter__ = encode = isascii = _raise


class HostileList(list):
    def _raise(self, *_):
        raise RuntimeError("hostile")

    __iter__ = __len__ = __getitem__ = copy = __repr__ = _raise


class HostileMeta(type):
    def __getattribute__(cls, name):
        raise RuntimeError("hostile")

    def __hash__(cls):
        raise RuntimeError("hostile")


class OfHostileMeta(metaclass=HostileMeta):
    pass


class Color(enum.IntEnum):
    RED = 1


class Name(str, enum.Enum):
    A = "a"


Pair = collections.namedtuple("Pair", "a b")


def endless():
    raise AssertionError("consumed")
    yield


CYCLE: list = []
CYCLE.append(CYCLE)

ODD = [
    b"x", bytearray(b"x"), memoryview(b"x"), decimal.Decimal("1.5"), uuid.UUID(int=1),
    datetime.datetime(2026, 1, 1), datetime.timedelta(1), Color.RED, Name.A, {1, 2},
    frozenset(), collections.deque([1]), endless(), lambda: 1, Hostile, Hostile(), threading,
    threading.RLock(), {"a": {"b": 1}}, CYCLE, Pair(1, 2), ValueError("x"), MagicMock(), object(),
    float("nan"), float("inf"), -0.0, 2**70, -(2**70), 2**100_000, True, "\ud800", "a\x00b",
    "\ud83d", HostileText("text"), HostileText("\ud800"), HostileList([1, 2]),
    HostileList(["\ud800"]), OfHostileMeta(), [OfHostileMeta(), 1], [1, "a"], [1, 2.5],
    [True, 1], [None, 1], [[1], [2]],
    ["ok", "\ud800"], ["ok", "a\0"], [2**70, 1], [2**70, 1.5], [Hostile()], (1, 2), [], (),
    ["x" * 1_000_000], None, 1.5, 7, "plain", [Hostile(), "\ud800", 2**100_000], [{"a": 1}],
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(ODD)))
def test_every_sdk_and_the_encoder_take_it(number, caplog):
    value = ODD[number]
    clean = clean_attributes({"key": value, "k\ud800": value})
    span = TracerProvider(shutdown_on_exit=False).get_tracer("t").start_span("s", attributes=clean)
    span.add_event("e", clean)
    span.end()
    assert not caplog.records
    encoded = encode_spans([span])
    encoded.SerializeToString()
    assert not caplog.records
    (one,) = encoded.resource_spans[0].scope_spans[0].spans
    present = value is not None
    assert [a.key for a in one.attributes] == (["key", "k\ufffd"] if present else [])
    for got in clean.values():
        assert type(got) in (str, int, float, bool, list)
        if type(got) is list:
            assert len({type(item) for item in got}) <= 1


def test_exact_values():
    big = 2**70
    clean = clean_attributes(
        {
            "text": "a\ud800\0b", "int": 5, "bool": True, "float": 1.5, "big": big, "min": -(2**63),
            "mixed": [1, "a", None, True, 2.5], "numbers": [1, 2.5], "bigs": [big, 1],
            "tuple": (1, 2), "pair": Pair("a", "b"), "sub": HostileText("x"), "enum": Color.RED,
            "none": None, "opaque": threading.Lock, "huge": 2**1000,
        }
    )  # fmt: skip
    assert clean == {
        "text": "a\ufffd\ufffdb", "int": 5, "bool": True, "float": 1.5, "big": str(big),
        "min": -(2**63), "mixed": ["1", "a", "null", "true", "2.5"], "numbers": [1.0, 2.5],
        "bigs": [str(big), "1"], "tuple": [1, 2], "pair": ["a", "b"], "sub": "x", "enum": 1,
        "opaque": '{"$opaque":"builtin_function_or_method"}' if callable(threading.Lock)
        and type(threading.Lock).__name__ == "builtin_function_or_method"
        else '{"$opaque":"type"}', "huge": '{"$opaque":"int of 1001 bits"}',
    }  # fmt: skip
    assert clean["bool"] is True
    assert type(clean["sub"]) is str
    assert math.isnan(clean_attributes({"n": math.nan})["n"])


def test_clean_values_are_handed_on_as_they_are():
    texts, numbers = ["a", "ü", ""], [1, 2]
    clean = clean_attributes({"t": texts, "n": numbers, "s": "über"})
    assert clean["t"] is texts
    assert clean["n"] is numbers
    for text in ("", "plain", "über 😀", "line\n\ttab"):
        assert clean_text(text) is text
    assert clean_text("\ud83d\ude00") == "\ufffd\ufffd"
    assert clean_text(3) == '{"$opaque":"int"}'


@settings(deadline=None)
@given(st.text(st.characters()))
def test_text_is_always_utf8_without_nul(text):
    clean = clean_text(text)
    clean.encode()
    assert "\0" not in clean
    assert len(clean) == len(text)


# --- limits --------------------------------------------------------------------------------


def test_limits_of_an_sdk_provider():
    limits = SpanLimits(
        max_span_attributes=40, max_events=8, max_event_attributes=9, max_links=3,
        max_attribute_length=64, max_span_attribute_length=32,
    )  # fmt: skip
    provider = TracerProvider(span_limits=limits, shutdown_on_exit=False)
    assert limits_of(provider) == Limits(40, 8, 9, 3, 32, 64, True)
    span = provider.get_tracer("t").start_span("s", attributes={"a": "x" * 99})
    span.add_event("e", {"a": "x" * 99, "l": ["y" * 99]})
    assert len(span.attributes["a"]) == 32
    assert len(span.events[0].attributes["a"]) == 64
    assert len(span.events[0].attributes["l"][0]) == 64
    unlimited = SpanLimits(*[SpanLimits.UNSET] * 8)
    provider = TracerProvider(span_limits=unlimited, shutdown_on_exit=False)
    assert limits_of(provider)[:2] == (None, None)
    assert limits_of(provider).value_length is None


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"OTEL_SPAN_EVENT_COUNT_LIMIT": "8", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "64"},
        {"OTEL_ATTRIBUTE_COUNT_LIMIT": "30", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT": "10"},
        {"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "20", "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT": "5"},
        {"OTEL_SPAN_LINK_COUNT_LIMIT": "2"},
    ],
)
def test_the_environment_is_read_as_the_sdk_reads_it(monkeypatch, env):
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    sdk = limits_of(TracerProvider(shutdown_on_exit=False))
    assert sdk.known
    assert limits_of(object())._replace(known=True) == sdk


def test_a_provider_that_says_nonsense_is_not_believed():
    class Odd:
        _span_limits = MagicMock()

    assert limits_of(Odd()) == Limits()
    assert limits_of(None) == Limits()
    assert limits_of(None, {"OTEL_SPAN_EVENT_COUNT_LIMIT": "many"}) == Limits()
