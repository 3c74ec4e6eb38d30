"""What a wrong declaration gets, whatever way the model's tool calls reach us."""

from __future__ import annotations

import json
import math
from typing import Any

from otel_footprint.arguments import RESERVED

from .everywhere import Ran, Strict, Way
from .loops import Asked, declared, source

LOOKUP: dict[str, Any] = {
    "type": "object",
    "properties": {
        "host": {"type": "string"},
        "window": {"type": "string"},
        "limit": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}
NONE: dict[str, Any] = {"type": "object", "properties": {}}
SAID = [
    ("user", "Is it slow?"),
    ("assistant", "I will look at db-77."),
    ("user", "Not the last 24h but 1 row, 2 of them. Go on."),
]
FOUND = '{"hosts":["db-9"]}'
RESULTS = {"hosts": FOUND, "silent": ""}
FIRST = [Asked("h1", "hosts", {}), Asked("s1", "silent", {})]

ODD: list[tuple[Any, int]] = [
    (None, 1), ("text", 1), (7, 1), (True, 1), ([], 1), ({}, 0), ({"from": None}, 1),
    ({"from": {}}, 1), ({"from": [1, None, "x", [], {}]}, 5),
    ({"from": [source(1, "user", quote="x")]}, 1),
    ({"from": [source("host", "USER", quote="x")]}, 1),
    ({"from": [source("host", "user")]}, 1),
    ({"from": [source("host", "user", quote=7)]}, 1),
    ({"from": [source("host", "result", id=7)]}, 1),
    ({"from": [source("toString", "assumed")]}, 1),
    ({"from": [source("__class__", "assumed")]}, 1),
    ({"from": [source("host.name", "assumed")]}, 1),
    ({"from": [source("tags", "assumed")]}, 1),
    ({"from": [source("tags[0]", "assumed")]}, 1),
    ({"from": [source("missing", "assumed")]}, 1),
    ({"from": [source(RESERVED, "assumed")]}, 1),
    ({"from": [source("host", "assumed")] * 9}, 8),
    ({"basis": "guess", "expect": 3, "previous": "x"}, 0),
]  # fmt: skip


def run(way: Way, *steps: Any, tools: Any = None, rules: Any = None) -> Ran:
    """A run with the usual tools and history."""
    known = {"hosts": NONE, "silent": NONE, "lookup": LOOKUP} if tools is None else tools
    return way.run(known, SAID, [*steps, "Done."], RESULTS, rules)


def looked_up(ran: Ran) -> list[Any]:
    """The arguments of all calls of one tool; a framework may run them in any order."""
    return sorted((arguments for name, arguments in ran.got if name == "lookup"), key=repr)


def odd_declarations(way: Way) -> None:
    """They are taken out, and every drop is counted."""
    own = {"host": "db-9", "tags": ["a"]}
    calls = [Asked(f"t{i}", "lookup", {**own, RESERVED: odd}) for i, (odd, _) in enumerate(ODD)]
    ran = run(way, calls)
    assert ran.got == [("lookup", own)] * len(ODD)
    dropped = {call_id: n for call_id, _, n in ran.calls}
    assert dropped == {f"t{i}": n for i, (_, n) in enumerate(ODD)}


CLAIMS: list[tuple[dict[str, Any], dict[str, Any], tuple[Any, Any, bool]]] = [
    # own arguments, claim, (verdict, failed, reading)
    ({"limit": True}, source("limit", "user", quote="1 row"), ("said", None, True)),
    ({"limit": 1}, source("limit", "user", quote="1 row"), ("said", None, False)),
    ({"window": "２４ｈ"}, source("window", "user", quote="the last 24h"),
     ("model", "uncheckable", False)),
    ({"window": "24h"}, source("window", "user", quote="２４ｈ"), ("model", "uncheckable", False)),
    ({"window": "24h"}, source("window", "user", quote="Not the last 24h"), ("said", None, False)),
    ({"host": "db-77"}, source("host", "user", quote="look at db-77"),
     ("model", "quote-not-found", False)),
    ({"host": "db-77"}, source("host", "user", quote=""), ("model", "uncheckable", False)),
    ({"host": "db-9"}, source("host", "result", id="h1"), ("result", None, False)),
    ({"host": "db-9"}, source("host", "result", id="nothing"), ("model", "unknown-result", False)),
    ({"host": "db-9"}, source("host", "result", id=""), ("model", "unknown-result", False)),
    ({"host": "db-9"}, source("host", "result", id="s1"), ("model", "uncheckable", False)),
    ({"host": "db"}, source("host", "result", id="h1"), ("model", "not-in-result", False)),
    ({"host": "db-77"}, source("host", "turn"), ("model", "only-in-model-answer", False)),
    ({"host": "db-77"}, source("host", "app"), ("model", "not-in-app-text", False)),
    ({"host": "db-77"}, source("host", "assumed"), ("model", None, False)),
]  # fmt: skip


def claims_that_do_not_hold(way: Way) -> None:
    """Each is judged for what it is, the tools run with their own arguments."""
    calls = [Asked(f"t{i}", "lookup", declared(own, one)) for i, (own, one, _) in enumerate(CLAIMS)]
    ran = run(way, FIRST, calls)
    assert looked_up(ran) == sorted((own for own, _, _ in CLAIMS), key=repr)
    rows = {call_id: rows for call_id, rows, _ in ran.calls}
    for i, (own, claim, expected) in enumerate(CLAIMS):
        (name,) = own
        row = rows[f"t{i}"][name]
        assert (row.verdict, row.failed, row.reading) == expected, claim


def not_a_number(way: Way) -> None:
    """NaN and infinities may not be claimed, and run as they are."""
    claim = [source("limit", "assumed")]
    own: dict[str, Any] = {"limit": math.nan, RESERVED: {"from": claim}}
    call = Asked("t1", "lookup", json.dumps(own) if way.texts else own)
    ran = run(way, [call])
    ((name, got),) = ran.got
    assert (name, list(got)) == ("lookup", ["limit"])
    assert math.isnan(got["limit"])
    assert ran.calls == [("t1", {}, 1)]


def equal_ids(way: Way) -> None:
    """Parallel calls with one id keep their own arguments and claims."""
    hosts = ("db-9", "checkout")
    calls = [
        Asked("same", "lookup", declared({"host": host}, source("host", "result", id="h1")))
        for host in hosts
    ]
    ran = run(way, FIRST, calls)
    assert looked_up(ran) == sorted(({"host": host} for host in hosts), key=repr)
    found = [rows["host"].failed for call_id, rows, _ in ran.calls if call_id == "same"]
    assert sorted(found, key=str) == [None, "not-in-result"]


CYCLE: dict[str, Any] = {
    "type": "object",
    "properties": {"next": {"$ref": "#/$defs/node"}, "a": {"type": "integer"}},
    "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
}
CLOSED: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
OWN: dict[str, Any] = {"type": "object", "properties": {RESERVED: {"type": "object"}}}


def odd_schemas(way: Way) -> None:
    """Cycles, nothing at all, strict mode: served the same in every request, and run."""
    tools: dict[str, Any] = {
        "cyclic": CYCLE, "endless": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        "closed": CLOSED, "strict": Strict(CLOSED), "bare": None, "either": {"anyOf": [CLOSED]},
    }  # fmt: skip
    tools = {n: s for n, s in tools.items() if way.takes(n)}
    calls = [Asked(f"t-{name}", name, {"a": 1}) for name in tools]
    ran = run(way, calls, [Asked("again", "closed", {"a": 1})], tools=tools)
    assert sorted(ran.got, key=repr) == [(name, {"a": 1}) for name in sorted([*tools, "closed"])]
    assert len(ran.served) == 3
    assert ran.served[0] == ran.served[1] == ran.served[2]
    planted = {n for n in tools if RESERVED in json.dumps(way.served(ran.served[0], n))}
    assert planted == {"cyclic", "closed", "strict"} & set(tools)
    if "strict" in tools:
        schema = way.schema(way.served(ran.served[0], "strict"))
        assert schema["required"] == ["a", RESERVED]
        assert "null" in schema["properties"][RESERVED]["type"]


def an_authors_own(way: Way) -> None:
    """An author's argument of that name is his; with rules on that tool its calls are refused."""
    call = Asked("t1", "own", {RESERVED: {"from": []}})
    ran = run(way, [call], tools={"own": OWN})
    assert ran.got == [("own", {RESERVED: {"from": []}})]
    assert way.schema(way.served(ran.served[0], "own")) == OWN
    ruled = run(way, [call], tools={"own": OWN}, rules={"own": {"hidden": [RESERVED]}})
    assert ruled.got == []


EVERYTHING = (
    odd_declarations, claims_that_do_not_hold, not_a_number, equal_ids, odd_schemas, an_authors_own,
)  # fmt: skip
