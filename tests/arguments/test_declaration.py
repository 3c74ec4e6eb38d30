"""What is refused where it is declared, naming the tool and the argument."""

from __future__ import annotations

from typing import Any

import pytest

from otel_footprint.arguments import Arguments, Bindings
from otel_footprint.arguments.bind import BoundRules
from otel_footprint.arguments.spelling import is_spelled, respelled
from otel_footprint.errors import DeclarationError

SCHEMA: dict[str, Any] = {
    "type": "object",
    "$defs": {
        "W": {"type": "string", "enum": ["1h", "24h"]},
        "loop": {"$ref": "#/$defs/loop"},
    },
    "properties": {
        "window": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
        "share": {"type": "number"},
        "deep": {"type": "object"},
        "maybe": {"type": ["string", "null"]},
        "nullable": {"type": "string", "nullable": True},
        "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "named": {"$ref": "#/$defs/W"},
        "looped": {"$ref": "#/$defs/loop"},
        "untyped": {},
        "flag": {"type": "boolean"},
    },
}


def window(**rule: Any) -> dict[str, Any]:
    return {"arguments": {"window": rule}}


def ask(**more: Any) -> dict[str, Any]:
    return window(ask="Over which time?", **more)


REFUSED: list[tuple[str, Any, str]] = [
    ("empty declaration", {}, "at least one"),
    ("no mapping", [], "a mapping"),
    ("unknown key", {"rules": {}}, "the keys"),
    ("arguments no mapping", {"arguments": []}, "a mapping"),
    ("blank argument name", {"arguments": {" ": {"assume": 1}}}, "names"),
    ("both forms", window(ask="?", assume=1), "either"),
    ("neither form", window(choices=["1h"]), "either"),
    ("unknown key of a rule", window(ask="?", default=1), "the keys"),
    ("rule no mapping", {"arguments": {"window": "?"}}, "a mapping"),
    ("choices beside assume", window(assume="1h", choices=["1h"]), "beside"),
    ("blank question", window(ask="  "), "a question"),
    ("question no text", window(ask=7), "a question"),
    ("question too long", window(ask="x" * 4097), "4096"),
    ("no choices", ask(choices=[]), "1 to 100"),
    ("too many choices", ask(choices=[f"{i}h" for i in range(1, 102)]), "1 to 100"),
    ("choices no list", ask(choices="1h"), "1 to 100"),
    ("repeated choice", ask(choices=["1h", "1H"]), "not repeated"),
    ("choice that cannot be offered", ask(choices=[None]), "can be offered"),
    ("choice that cannot be offered", ask(choices=[[1]]), "can be offered"),
    ("choice that cannot be offered", ask(choices=[" "]), "can be offered"),
    ("choice with an unknown key", ask(choices=[{"value": "1h", "label": "x"}]), "the keys"),
    ("choice without a value", ask(choices=[{"said": ["hour"]}]), "a 'value'"),
    ("said no list", ask(choices=[{"value": "1h", "said": "hour"}]), "a list"),
    ("said too long", ask(choices=[{"value": "1h", "said": ["h"] * 17}]), "16"),
    ("phrase without a token", ask(choices=[{"value": "1h", "said": ["——"]}]), "words"),
    ("phrase no text", ask(choices=[{"value": "1h", "said": [7]}]), "words"),
    ("phrase too long", ask(choices=[{"value": "1h", "said": ["x" * 121]}]), "120"),
    (
        "one phrase on two choices",
        ask(choices=[{"value": "1h", "said": ["an hour"]}, {"value": "2h", "said": ["An Hour"]}]),
        "one choice",
    ),
    ("blank default", window(assume=" "), "a text"),
    ("default no value", window(assume=None), "a text"),
    ("default no value", window(assume=[1]), "a text"),
    ("period no mapping", {**ask(), "period": "window"}, "a mapping"),
    ("period with an unknown key", {**ask(), "period": {"argument": "window", "x": 1}}, "the keys"),
    ("blank period argument", {**ask(), "period": {"argument": ""}}, "the name"),
    ("period without a rule", {**ask(), "period": {"argument": "limit"}}, "has a rule"),
    (
        "unknown spelling",
        {**ask(), "period": {"argument": "window", "spelling": "days"}},
        "'lookback'",
    ),
    (
        "choice not spelled so",
        {**ask(choices=["1h", "a day"]), "period": {"argument": "window", "spelling": "lookback"}},
        "spelling",
    ),
    (
        "default not spelled so",
        {
            **window(assume="24h"),
            "period": {"argument": "window", "spelling": "signed-lookback"},
        },
        "spelling",
    ),
    (
        "too many asks",
        {"arguments": {f"a{i}": {"ask": "?"} for i in range(33)}},
        "32",
    ),
    ("grounds no list", {**ask(), "grounds": "list_hosts"}, "a list"),
    ("blank ground", {**ask(), "grounds": [""]}, "names"),
    ("hidden no list", {**ask(), "hidden": {"a": 1}}, "a list"),
]


@pytest.mark.parametrize(("what", "rules", "says"), REFUSED)
def test_a_wrong_rule_is_refused_and_named(what: str, rules: Any, says: str) -> None:
    with pytest.raises(DeclarationError, match="get_metrics") as raised:
        Arguments(tools={"get_metrics": rules})
    assert says in str(raised.value)


def test_a_refusal_names_the_argument() -> None:
    with pytest.raises(DeclarationError) as raised:
        Arguments(tools={"get_metrics": ask(choices=["1h", {"value": "2h", "said": [7]}])})
    assert (
        raised.value.field == "Arguments.tools['get_metrics'].arguments['window'].choices[1].said"
    )


@pytest.mark.parametrize(
    ("field", "declared"),
    [
        ("sources", {"sources": "yes"}),
        ("sources", {"sources": 1}),
        ("plant", {"plant": "some"}),
        ("message_from", {"message_from": "robot"}),
        ("ask", {"ask": "me"}),
        ("tools", {"tools": []}),
        ("tools", {"tools": {7: {}}}),
    ],
)
def test_as062_as063_a_wrong_switch_is_refused(field: str, declared: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError, match=field) as raised:
        Arguments(**declared)
    if field == "message_from":
        assert "person" in str(raised.value)
    if field == "sources":
        assert "True or False" in str(raised.value)


UNFIT: list[tuple[str, Any, str]] = [
    ("no such property", {"arguments": {"nope": {"ask": "?"}}}, "nope"),
    *[
        ("not a plain type", {"arguments": {name: {"ask": "?"}}}, name)
        for name in ("deep", "maybe", "nullable", "either", "looped", "untyped")
    ],
    ("choice of a wrong type", {"arguments": {"limit": {"ask": "?", "choices": ["x"]}}}, "limit"),
    ("choice out of bounds", {"arguments": {"limit": {"ask": "?", "choices": [101]}}}, "limit"),
    ("choice outside the enum", {"arguments": {"named": {"ask": "?", "choices": ["7d"]}}}, "named"),
    ("a bool is no integer", {"arguments": {"limit": {"assume": True}}}, "limit"),
    ("a half is no integer", {"arguments": {"limit": {"assume": 1.5}}}, "limit"),
    ("default of a wrong type", {"arguments": {"flag": {"assume": "true"}}}, "flag"),
    ("hidden and unknown", {**window(ask="?"), "hidden": ["nope"]}, "hidden"),
]


@pytest.mark.parametrize(("what", "rules", "names"), UNFIT)
def test_a_rule_that_does_not_fit_the_tool_is_refused(what: str, rules: Any, names: str) -> None:
    bindings = Bindings(Arguments(tools={"get_metrics": rules}))
    with pytest.raises(DeclarationError, match=rf"get_metrics.*{names}"):
        bindings.bind("get_metrics", SCHEMA)
    bindings.learn("get_metrics", SCHEMA)
    assert names in str(bindings.of("get_metrics"))


def test_an_authors_own_reserved_argument_is_refused_on_a_tool_with_rules_only() -> None:
    own = {"properties": {"window": {"type": "string"}, "_findings": {"type": "string"}}}
    bindings = Bindings(Arguments(tools={"get_metrics": window(ask="?")}))
    with pytest.raises(DeclarationError, match="_findings"):
        bindings.bind("get_metrics", own)
    bindings.bind("another", own)


def test_rules_that_fit_are_bound_with_their_types() -> None:
    rules = {
        "arguments": {
            "named": {"ask": "?", "choices": ["1h", {"value": "24h", "said": ["last day"]}]},
            "limit": {"assume": 50.0},
            "share": {"assume": 1},
        },
        "period": {"argument": "named", "spelling": "lookback"},
        "grounds": ["list_hosts"],
        "hidden": ["window"],
    }
    bindings = Bindings(Arguments(tools={"get_metrics": rules}))
    bindings.bind("get_metrics", SCHEMA)
    bound = bindings.of("get_metrics")
    assert isinstance(bound, BoundRules)
    assert bound.types == {"named": "string", "limit": "integer", "share": "number"}
    choice = bound.choice("named", "24h")
    assert choice is not None
    assert choice.said == ("last day",)
    assert bound.choice("named", "7d") is None
    assert bindings.arguments.hides


def test_a_tool_that_changes_while_running_is_bound_again() -> None:
    bindings = Bindings(Arguments(tools={"get_metrics": window(ask="?")}))
    assert bindings.of("get_metrics") == "its schema was not seen"
    bindings.learn("get_metrics", {"properties": {}})
    assert isinstance(bindings.of("get_metrics"), str)
    bindings.learn("get_metrics", SCHEMA)
    assert isinstance(bindings.of("get_metrics"), BoundRules)
    bindings.learn("other", SCHEMA)
    assert bindings.of("other") is None


def test_a_rule_that_asks_needs_somebody_to_ask() -> None:
    asking = Arguments(tools={"get_metrics": ask()})
    with pytest.raises(DeclarationError, match=r"get_metrics.*window"):
        asking.require_asker(can_interrupt=False)
    asking.require_asker(can_interrupt=True)
    Arguments(tools={"get_metrics": ask()}, ask=lambda a: {}).require_asker(can_interrupt=False)
    Arguments(tools={"get_metrics": window(assume="1h")}).require_asker(can_interrupt=False)


async def test_an_async_handler_is_recognised() -> None:
    async def handler(asked: object) -> dict[str, Any]:
        return {}

    class Handler:
        async def __call__(self, asked: object) -> dict[str, Any]:
            return {}

    assert Arguments(ask=handler).asks_async
    assert Arguments(ask=Handler()).asks_async
    assert not Arguments(ask=lambda asked: {}).asks_async
    assert not Arguments().asks_async


@pytest.mark.parametrize(
    ("value", "spelling", "fits"),
    [
        ("24h", "lookback", True), ("0h", "lookback", False), ("-24h", "lookback", False),
        ("24h ", "lookback", False), (24, "lookback", False), ("٢h", "lookback", False),
        ("-24h", "signed-lookback", True), ("24h", "signed-lookback", False),
        ("2024-05-20T00:00Z..2024-05-21T00:00:00.5+02:00", "iso-range", True),
        ("2024-05-20T00:00..2024-05-21T00:00", "iso-range", False), ("24h", "unknown", False),
    ],
)  # fmt: skip
def test_periods_are_spelled_in_three_ways(value: object, spelling: str, fits: bool) -> None:
    assert is_spelled(value, spelling) is fits


def test_only_lookbacks_convert() -> None:
    assert respelled("24h", "lookback", "signed-lookback") == "-24h"
    assert respelled("-24h", "signed-lookback", "lookback") == "24h"
    assert respelled("24h", "lookback", "lookback") is None
    assert respelled("24h", "lookback", "iso-range") is None
    assert respelled("24h", None, "signed-lookback") is None
    assert respelled("1 day", "lookback", "signed-lookback") is None
