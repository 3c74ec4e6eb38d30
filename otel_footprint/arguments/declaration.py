"""`Arguments(...)`: what a person declares about the arguments of an agent's tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..errors import DeclarationError, gives_coroutine, known_fields, takes
from ..records.arguments import Ask
from .bind import BoundRules, bind, try_bind
from .rules import AskRule, ToolRules, read_rules
from .schema import same_schema

AskHandler: TypeAlias = Callable[
    [Ask], Mapping[str, Any] | Awaitable[Mapping[str, Any] | None] | None
]
"""Asks a person: gets the ask, gives the answers by field id (`{"f1": "24h"}`)."""


@known_fields
@dataclass(frozen=True)
class Arguments:
    """Declared sources of tool arguments, and the rules of their authors.

    With `sources` the model may say in the reserved argument `_findings` where each value of a
    tool call comes from, and each claim is checked; `plant` says on which tools (all, or only
    those with rules). `tools` holds the rules by tool, see `arguments.rules`. `ask` is asked when
    a rule asks and the framework has no interrupt of its own. `message_from` says whether the
    user messages are a person's, or were composed by another program that handed them on.

    What is wrong is refused here or, where it needs the tool's schema, as soon as that is known,
    with a DeclarationError that names the tool and the argument: by `Footprint(...)` for the
    `definitions` (those of all tools that have rules, as OpenAI, Anthropic or Bedrock take them),
    by `Footprint.tool` for a function's own arguments, by `Footprint.langchain(tools=...)`. Rules
    that are found not to fit only while an agent runs are recorded, and calls of the tool refused.
    """

    sources: bool = True
    plant: Literal["all", "ruled"] = "all"
    tools: Mapping[str, Any] = field(default_factory=dict)
    ask: AskHandler | None = None
    message_from: Literal["person", "composed"] = "person"
    definitions: Sequence[Any] = ()
    rules: Mapping[str, ToolRules] = field(init=False, repr=False)
    """The rules that were read, by tool."""

    def __post_init__(self) -> None:
        if not isinstance(self.sources, bool):
            raise DeclarationError("Arguments.sources", self.sources, "True or False")
        if self.plant not in ("all", "ruled"):
            raise DeclarationError("Arguments.plant", self.plant, "'all' or 'ruled'")
        if self.message_from not in ("person", "composed"):
            raise DeclarationError(
                "Arguments.message_from", self.message_from, "'person' or 'composed'"
            )
        if self.ask is not None and not takes(self.ask, 1):
            raise DeclarationError("Arguments.ask", self.ask, "a callable (Ask) -> answers")
        if not isinstance(self.definitions, list | tuple):
            raise DeclarationError(
                "Arguments.definitions", self.definitions, "a list of tool definitions"
            )
        if not isinstance(self.tools, Mapping):
            raise DeclarationError("Arguments.tools", self.tools, "a mapping of tool to rules")
        rules: dict[str, ToolRules] = {}
        for tool, declared in self.tools.items():
            if not isinstance(tool, str) or not tool:
                raise DeclarationError("Arguments.tools", tool, "names of tools")
            rules[tool] = read_rules(tool, declared)
        object.__setattr__(self, "rules", rules)

    def plants(self, tool: str) -> bool:
        """True when the reserved argument is to be served on this tool."""
        return self.sources and (self.plant == "all" or tool in self.rules)

    @property
    def asks(self) -> bool:
        """True when any rule asks a person."""
        found = (rule for rules in self.rules.values() for rule in rules.arguments.values())
        return any(isinstance(rule, AskRule) for rule in found)

    @property
    def hides(self) -> bool:
        """True when any tool hides an argument: then no quote is shown or recorded anywhere."""
        return any(rules.hidden for rules in self.rules.values())

    @property
    def asks_async(self) -> bool:
        """True when the handler is a coroutine function."""
        return gives_coroutine(self.ask)

    def require_asker(self, can_interrupt: bool) -> None:
        """Refuses rules that ask where nobody can be asked: no interrupt and no handler."""
        if can_interrupt or self.ask is not None:
            return
        for tool, rules in self.rules.items():
            for argument, rule in rules.arguments.items():
                if isinstance(rule, AskRule):
                    raise DeclarationError(
                        f"Arguments.tools[{tool!r}].arguments[{argument!r}]",
                        rule.question,
                        "a rule that asks needs Arguments(ask=...) or a framework that can pause",
                    )


class Bindings:
    """The rules of one wrapped agent as they meet its tools."""

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        self._bound: dict[str, tuple[Any, BoundRules | str]] = {}

    def bind(self, tool: str, schema: Any) -> None:
        """A tool known beforehand; raises DeclarationError when its rules do not fit."""
        rules = self.arguments.rules.get(tool)
        if rules is not None:
            self._bound[tool] = (schema, bind(rules, schema))

    def learn(self, tool: str, schema: Any) -> str | None:
        """A tool seen while running; never raises. A text when its rules newly do not fit it."""
        rules = self.arguments.rules.get(tool)
        if rules is None:
            return None
        known = self._bound.get(tool)
        if known is not None and same_schema(known[0], schema):
            return None
        found = try_bind(rules, schema)
        self._bound[tool] = (schema, found)
        return found if isinstance(found, str) else None

    def schemas(self) -> dict[str, Any]:
        """The schemas that were seen of tools with rules."""
        return {tool: schema for tool, (schema, _) in self._bound.items()}

    def of(self, tool: str) -> BoundRules | str | None:
        """The rules of a tool; a text when they cannot be read; None when it has none."""
        if tool not in self.arguments.rules:
            return None
        found = self._bound.get(tool)
        return found[1] if found else "its schema was not seen"
