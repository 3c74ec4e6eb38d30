"""Rules meet the schema of their tool: what they say of its arguments must be true.

`bind` is called where tools are declared or an agent is wrapped, and raises there. A tool that
first appears while an agent runs goes through `try_bind`: its calls are refused when its rules
cannot be read, and never run without them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from ..errors import DeclarationError
from ..records.arguments import RESERVED, is_planted
from . import schema as schemas
from .rules import AskRule, AssumeRule, Choice, Rule, ToolRules

_GATHERING: Final = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
_ANNOTATED: Final[dict[Any, str]] = {
    str: "string", "str": "string", int: "integer", "int": "integer",
    float: "number", "float": "number", bool: "boolean", "bool": "boolean",
}  # fmt: skip
_PLAIN: Final = "an argument of the tool that is a plain string, number, integer or boolean"


class BoundRules(NamedTuple):
    """The rules of a tool whose schema is known."""

    rules: ToolRules
    types: Mapping[str, str]
    """Type of each argument that has a rule."""
    schema: Any

    def rule(self, argument: str) -> Rule | None:
        """The rule of an argument."""
        return self.rules.arguments.get(argument)

    def choice(self, argument: str, value: Any) -> Choice | None:
        """The declared choice that has this value."""
        rule = self.rule(argument)
        if not isinstance(rule, AskRule):
            return None
        return next((c for c in rule.choices if schemas.same_plain(c.value, value)), None)

    def fits(self, argument: str, value: Any) -> bool:
        """True when a value fits the argument's property."""
        return schemas.fits(value, schemas.properties(self.schema).get(argument), self.schema)


def require_function(rules: ToolRules, fn: Callable[..., Any]) -> None:
    """Refuses rules on arguments that a function does not take, or with values that it cannot."""
    try:
        parameters = inspect.signature(fn).parameters
    except (TypeError, ValueError):
        return
    taken = [p.name for p in parameters.values() if p.kind not in _GATHERING]
    is_open = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    here = f"Arguments.tools[{rules.tool!r}]"
    for name, rule in rules.arguments.items():
        at = f"{here}.arguments[{name!r}]"
        if name not in taken:
            if not is_open:
                raise DeclarationError(at, name, "an argument of the function: " + ", ".join(taken))
            continue
        said = parameters[name].annotation
        kind = _ANNOTATED.get(said) if isinstance(said, type | str) else None
        if kind is not None:
            _refuse_unfit(at, rule, {"type": kind}, {})
    for name in sorted(rules.hidden):
        if name not in taken and not is_open:
            raise DeclarationError(f"{here}.hidden", name, "an argument of the function")


def bind(rules: ToolRules, schema: Any) -> BoundRules:
    """The rules with the types of their arguments; DeclarationError, naming tool and argument."""
    here = f"Arguments.tools[{rules.tool!r}]"
    known = schemas.properties(schema)
    if RESERVED in known and not is_planted(known[RESERVED]):
        raise DeclarationError(
            here, RESERVED, f"rules on a tool whose own arguments do not include {RESERVED}"
        )
    types: dict[str, str] = {}
    for name, rule in rules.arguments.items():
        at = f"{here}.arguments[{name!r}]"
        if name not in known:
            raise DeclarationError(at, name, "an argument of the tool: " + ", ".join(known))
        found = schemas.plain_type(known[name], schema)
        if found is None:
            raise DeclarationError(at, known[name], _PLAIN)
        types[name] = found
        _refuse_unfit(at, rule, known[name], schema)
    for name in sorted(rules.hidden):
        if name not in known:
            raise DeclarationError(f"{here}.hidden", name, "an argument of the tool")
    return BoundRules(rules, types, schema)


def _refuse_unfit(at: str, rule: Rule, property_: Any, schema: Any) -> None:
    if isinstance(rule, AssumeRule):
        if not schemas.fits(rule.value, property_, schema):
            raise DeclarationError(f"{at}.assume", rule.value, "a value that fits the argument")
        return
    for i, choice in enumerate(rule.choices):
        if not schemas.fits(choice.value, property_, schema):
            raise DeclarationError(
                f"{at}.choices[{i}]", choice.value, "a value that fits the argument"
            )


def try_bind(rules: ToolRules, schema: Any) -> BoundRules | str:
    """The bound rules, or in words why they cannot be read."""
    try:
        return bind(rules, schema)
    except DeclarationError as error:
        return str(error)
