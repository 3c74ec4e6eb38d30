"""The issue's list of bad input, on LangGraph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import StructuredTool

from otel_footprint.adapters.langchain import convert
from tests.arguments import bad_input
from tests.arguments.everywhere import Said, Step, Way

from .kit import scripted


class LangGraph(Way):
    """An agent of LangChain's with a scripted model."""

    name, texts = "langgraph", False

    def loop(self, fp: Any, tools: Any, said: Said, steps: Sequence[Step]) -> list[Any]:
        model = scripted(*(_answer(step) for step in steps))
        made = [
            StructuredTool.from_function(fn, name=name, description=name, args_schema=schema)
            for name, (schema, fn) in tools.items()
        ]
        agent = create_agent(model, tools=made, middleware=[fp.langchain()])
        agent.invoke({"messages": list(said)})
        return [[convert.definition(tool) for tool in offered] for offered in model.offered]

    def takes(self, tool: str) -> bool:
        """LangChain makes a schema of its own for a tool without one, and knows no strict mode."""
        return tool not in ("bare", "strict", "endless", "either")


def _answer(step: Step) -> AIMessage:
    if isinstance(step, str):
        return AIMessage(step)
    return AIMessage(
        "", tool_calls=[{"name": a.name, "id": a.id, "args": a.arguments} for a in step]
    )


@pytest.mark.parametrize("what", bad_input.EVERYTHING, ids=lambda what: what.__name__)
def test_bad_input(what: Any) -> None:
    what(LangGraph())
