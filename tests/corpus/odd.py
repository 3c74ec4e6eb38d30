"""Odd values: what no JSON, no attribute and no exporter expects. Made anew for each use."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import io
import sys
import threading
import types
import uuid
from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock

import pydantic


class Colour(enum.Enum):
    RED = "red"


class Number(enum.IntEnum):
    ONE = 1


class Text(str):
    """A string that is not exactly one."""


class Pair(tuple[Any, ...]):
    """A tuple that is not exactly one."""


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Node:
    name: str
    next: Any = None


class Modelled(pydantic.BaseModel):
    name: str = "model"


def _raises(*_args: Any, **_kwargs: Any) -> Any:
    raise RuntimeError("hostile")


_HOSTILE = (
    "__str__", "__repr__", "__eq__", "__ne__", "__hash__", "__bool__", "__iter__", "__len__",
    "__getitem__", "__contains__", "__int__", "__float__", "__index__", "__format__", "__reduce__",
    "__deepcopy__", "__copy__", "__lt__", "__call__",
)  # fmt: skip
Hostile = type("Hostile", (), {**dict.fromkeys(_HOSTILE, _raises), "__class__": property(_raises)})


class Endless:
    """Answers every attribute with another one of its kind."""

    def __getattr__(self, name: str) -> Any:
        return Endless()


class HostileDict(dict[str, Any]):
    """A dictionary whose methods raise."""

    __iter__ = keys = items = values = __getitem__ = __len__ = get = _raises  # type: ignore[assignment]


def _cyclic_list() -> Any:
    made: list[Any] = []
    made.append(made)
    return made


def _braid() -> Any:
    """Lists that hold one another many times over: walking every path would take for ever."""
    made: list[list[Any]] = [[] for _ in range(6)]
    for one in made:
        one += made
    return made[0]


def _cyclic_dict() -> Any:
    made: dict[str, Any] = {"name": "cycle"}
    made["self"] = [made, made]
    return made


def _cyclic_node() -> Any:
    made = Node("one")
    made.next = Node("two", made)
    return made


def _deep() -> Any:
    made: Any = "deep"
    for _ in range(10_000):
        made = [made]
    return made


def _shared() -> Any:
    """Some levels, each holding the next one twice."""
    made: Any = ["shared"]
    for _ in range(8):
        made = [made, made]
    return made


def generator() -> Any:
    """A generator that must not be consumed."""
    yield from range(3)


async def coroutine() -> int:
    """A coroutine that must not be awaited."""
    return 1


VALUES: dict[str, Callable[[], Any]] = {
    "bytes": lambda: b"\x00\xffraw",
    "bytearray": lambda: bytearray(b"raw"),
    "memoryview": lambda: memoryview(b"raw"),
    "decimal": lambda: decimal.Decimal("1.50"),
    "uuid": lambda: uuid.UUID(int=3),
    "datetime": lambda: datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.timezone.utc),
    "date": lambda: datetime.date(2026, 1, 2),
    "timedelta": lambda: datetime.timedelta(seconds=3),
    "enum": lambda: Colour.RED,
    "int enum": lambda: Number.ONE,
    "set": lambda: {1},
    "frozenset": lambda: frozenset({1}),
    "deque": lambda: collections.deque([1]),
    "generator": generator,
    "iterator": lambda: iter([1, 2]),
    "range": lambda: range(3),
    "lambda": lambda: lambda: 1,
    "class": lambda: Node,
    "module": lambda: sys,
    "lock": threading.RLock,
    "file": lambda: io.BytesIO(b"raw"),
    "pydantic": Modelled,
    "dataclass": lambda: Node("one"),
    "cyclic dataclass": _cyclic_node,
    "namedtuple": lambda: Point(1, 2),
    "tuple subclass": lambda: Pair((1, 2)),
    "exception": lambda: ValueError("odd"),
    "hostile": Hostile,
    "hostile dict": lambda: HostileDict(a=1),
    "mock": MagicMock,
    "endless": Endless,
    "namespace": lambda: types.SimpleNamespace(a=1),
    "keys": lambda: {1: "a", None: "b", False: "c", 1.5: "d"},
    "odd keys": lambda: {(1, 2): "a", b"x": "b"},
    "mixed keys": lambda: {"a": 1, 2: "b"},
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "-0.0": lambda: -0.0,
    "2**70": lambda: 2**70,
    "-2**70": lambda: -(2**70),
    "true": lambda: True,
    "one": lambda: 1,
    "none": lambda: None,
    "empty": lambda: "",
    "text": lambda: Text("subclass"),
    "ordered": lambda: collections.OrderedDict(b=1, a=2),
    "default": lambda: collections.defaultdict(list, a=[1]),
    "deep": _deep,
    "cycle": _cyclic_list,
    "cyclic dict": _cyclic_dict,
    "braid": _braid,
    "shared": _shared,
    "surrogate": lambda: "a\ud800b",
    "long surrogate": lambda: "x" * 3000 + "\udfff",
    "nul": lambda: "a\x00b",
    "half emoji": lambda: "\ud83d",
    "emoji": lambda: "👩‍👩‍👧‍👦" * 40,
    "right to left": lambda: "\u202eשלום\u202c e\u0301",
    "one line": lambda: "x" * 1_000_000,
    "object": object,
    "not implemented": lambda: NotImplemented,
    "ellipsis": lambda: ...,
    "complex": lambda: 1j,
    "slice": lambda: slice(1, 2),
    "str key": lambda: {Text("k"): 1},
}
