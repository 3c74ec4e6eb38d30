"""The rules an author declares for the arguments of a tool, read and refused where they are wrong.

    {
        "arguments": {
            "window": {
                "ask": "Over which time?",
                "choices": ["1h", {"value": "24h", "said": ["last day", "past day"]}],
            },
            "limit": {"assume": 50},
        },
        "period": {"argument": "window", "spelling": "lookback"},
        "grounds": ["list_hosts"],
        "hidden": ["token"],
    }

`ask`: a value that cannot be traced pauses the call and asks a person. `assume`: a value that is
left out is filled in and flagged. `said`: phrases by which a person means that choice. `period`:
the argument that is a period of time. `grounds`: the tools whose results may be sources; another
is noted, not refused. `hidden`: arguments whose values appear nowhere.
What a rule says of a property of the tool is checked in `bind`, when the schema is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from ..errors import DeclarationError
from ..text.tokens import is_blank, tokens
from ..text.values import kind_of, same_value
from .spelling import SPELLINGS, is_spelled

MAX_QUESTION: Final = 4096
MAX_CHOICES: Final = 100
MAX_SAID: Final = 16
MAX_PHRASE: Final = 120
MAX_ASKS: Final = 32
"""Arguments of one tool that may ask; also the questions of one round."""
_MAX_OFFERED: Final = 1000


class Choice(NamedTuple):
    """One value a person may choose, and the phrases that mean it."""

    value: Any
    said: tuple[str, ...] = ()


class AskRule(NamedTuple):
    """A value that cannot be traced is asked for."""

    question: str
    choices: tuple[Choice, ...] = ()


class AssumeRule(NamedTuple):
    """A value that is left out is this one."""

    value: Any


Rule: TypeAlias = AskRule | AssumeRule


class PeriodRule(NamedTuple):
    """Which argument is the period of time, and how it is spelled."""

    argument: str
    spelling: str | None = None


class ToolRules(NamedTuple):
    """All rules of one tool."""

    tool: str
    arguments: Mapping[str, Rule]
    period: PeriodRule | None = None
    grounds: frozenset[str] | None = None
    hidden: frozenset[str] = frozenset()


def read_rules(tool: str, declared: Any) -> ToolRules:
    """The rules of one tool; DeclarationError, naming tool and argument, for what is wrong."""
    here = f"Arguments.tools[{tool!r}]"
    _keys(here, declared, ("arguments", "period", "grounds", "hidden"))
    if not declared:
        raise DeclarationError(here, declared, "rules for at least one argument")
    arguments = _arguments(here, declared.get("arguments", {}))
    asking = [name for name, rule in arguments.items() if isinstance(rule, AskRule)]
    if len(asking) > MAX_ASKS:
        raise DeclarationError(f"{here}.arguments", asking, f"at most {MAX_ASKS} that ask")
    rules = ToolRules(
        tool,
        arguments,
        _period(here, declared["period"], arguments) if "period" in declared else None,
        frozenset(_names(f"{here}.grounds", declared["grounds"]))
        if "grounds" in declared
        else None,
        frozenset(_names(f"{here}.hidden", declared.get("hidden", ()))),
    )
    _refuse_misspelled(here, rules)
    return rules


def _arguments(here: str, declared: Any) -> dict[str, Rule]:
    if not isinstance(declared, Mapping):
        raise DeclarationError(f"{here}.arguments", declared, "a mapping of argument to rule")
    out: dict[str, Rule] = {}
    for name, rule in declared.items():
        if not isinstance(name, str) or is_blank(name):
            raise DeclarationError(f"{here}.arguments", name, "names of arguments")
        out[name] = _rule(f"{here}.arguments[{name!r}]", rule)
    return out


def _rule(here: str, declared: Any) -> Rule:
    _keys(here, declared, ("ask", "choices", "assume"))
    if ("ask" in declared) == ("assume" in declared):
        raise DeclarationError(here, declared, "either 'ask' or 'assume'")
    if "assume" in declared:
        if "choices" in declared:
            raise DeclarationError(here, declared, "'choices' beside 'ask' only")
        value = declared["assume"]
        if kind_of(value) is None or (isinstance(value, str) and is_blank(value)):
            raise DeclarationError(f"{here}.assume", value, "a text, a number or a boolean")
        return AssumeRule(value)
    question = declared["ask"]
    if not isinstance(question, str) or is_blank(question) or len(question) > MAX_QUESTION:
        raise DeclarationError(f"{here}.ask", question, f"a question of 1 to {MAX_QUESTION} chars")
    if "choices" not in declared:
        return AskRule(question)
    return AskRule(question, _choices(f"{here}.choices", declared["choices"]))


def _choices(here: str, declared: Any) -> tuple[Choice, ...]:
    if not isinstance(declared, list | tuple) or not 1 <= len(declared) <= MAX_CHOICES:
        raise DeclarationError(here, declared, f"a list of 1 to {MAX_CHOICES} choices")
    out: list[Choice] = []
    meant: dict[tuple[str, ...], int] = {}
    for at, item in enumerate(declared):
        choice = _choice(f"{here}[{at}]", item)
        if any(choice.value == c.value or same_value(choice.value, c.value) for c in out):
            raise DeclarationError(f"{here}[{at}]", choice.value, "a value that is not repeated")
        for phrase in choice.said:
            if meant.setdefault(tuple(tokens(phrase)), at) != at:
                raise DeclarationError(f"{here}[{at}].said", phrase, "a phrase of one choice only")
        out.append(choice)
    return tuple(out)


def _choice(here: str, declared: Any) -> Choice:
    if not isinstance(declared, Mapping):
        return Choice(_offered(here, declared))
    _keys(here, declared, ("value", "said"))
    if "value" not in declared:
        raise DeclarationError(here, declared, "a 'value'")
    said = declared.get("said", ())
    if not isinstance(said, list | tuple) or len(said) > MAX_SAID:
        raise DeclarationError(f"{here}.said", said, f"a list of at most {MAX_SAID} phrases")
    for phrase in said:
        if not isinstance(phrase, str) or len(phrase) > MAX_PHRASE or not tokens(phrase):
            raise DeclarationError(
                f"{here}.said", phrase, f"phrases of words, at most {MAX_PHRASE} chars"
            )
    return Choice(_offered(f"{here}.value", declared["value"]), tuple(said))


def _offered(here: str, value: Any) -> Any:
    is_text = isinstance(value, str)
    if kind_of(value) is None or (is_text and (is_blank(value) or len(value) > _MAX_OFFERED)):
        raise DeclarationError(here, value, "a text, a number or a boolean that can be offered")
    return value


def _period(here: str, declared: Any, arguments: Mapping[str, Rule]) -> PeriodRule:
    here = f"{here}.period"
    _keys(here, declared, ("argument", "spelling"))
    argument = declared.get("argument")
    if not isinstance(argument, str) or is_blank(argument):
        raise DeclarationError(f"{here}.argument", argument, "the name of an argument")
    if argument not in arguments:
        raise DeclarationError(f"{here}.argument", argument, "an argument that has a rule")
    spelling = declared.get("spelling")
    if "spelling" in declared and spelling not in SPELLINGS:
        raise DeclarationError(f"{here}.spelling", spelling, " or ".join(map(repr, SPELLINGS)))
    return PeriodRule(argument, spelling)


def _refuse_misspelled(here: str, rules: ToolRules) -> None:
    period = rules.period
    if period is None or period.spelling is None:
        return
    rule = rules.arguments[period.argument]
    values = [rule.value] if isinstance(rule, AssumeRule) else [c.value for c in rule.choices]
    for value in values:
        if not is_spelled(value, period.spelling):
            raise DeclarationError(
                f"{here}.arguments[{period.argument!r}]",
                value,
                f"a period in the spelling {period.spelling!r}",
            )


def _names(here: str, declared: Any) -> tuple[str, ...]:
    if not isinstance(declared, list | tuple | set | frozenset):
        raise DeclarationError(here, declared, "a list of names")
    for name in declared:
        if not isinstance(name, str) or is_blank(name):
            raise DeclarationError(here, name, "names")
    return tuple(declared)


def _keys(here: str, declared: Any, allowed: tuple[str, ...]) -> None:
    if not isinstance(declared, Mapping):
        raise DeclarationError(here, declared, "a mapping")
    for key in declared:
        if key not in allowed:
            raise DeclarationError(here, key, "the keys " + ", ".join(allowed))
