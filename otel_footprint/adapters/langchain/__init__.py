"""LangChain 1.x agents (`create_agent`, LangGraph beneath): a native `AgentMiddleware`.

    agent = create_agent(model, tools, middleware=[..., fp.langchain()])

Last in the list, nearest the model: a retry of other middleware is then another attempt of the
same action, and what is recorded is what the model is called with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import DeclarationError, MissingExtraError
from ..checks import check_action_budget, check_names

if TYPE_CHECKING:
    from ..footprint import Footprint
    from .middleware import FootprintMiddleware


def middleware_for(
    footprint: Footprint,
    agent: str | None = None,
    action_budget: int | None = None,
    tools: Sequence[Any] = (),
) -> FootprintMiddleware:
    """The middleware of a Footprint. Raises MissingExtraError without LangChain 1.x."""
    check_names("langchain", agent=agent)
    check_action_budget("langchain", action_budget)
    if not isinstance(tools, list | tuple):
        raise DeclarationError("langchain.tools", tools, "a list of the agent's tools")
    try:
        import langchain.agents.middleware  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("the LangChain adapter", "langchain") from error
    if tools:
        from .convert import definitions

        footprint.hold(definitions(tools, "langchain.tools"), "langchain.tools")
    from .asking import AskingMiddleware, AskingNudgingMiddleware
    from .middleware import FootprintMiddleware, NudgingMiddleware

    nudges = bool(footprint.declared.plans)
    made: type[FootprintMiddleware]
    if footprint.arguments is not None and footprint.arguments.asks:
        made = AskingNudgingMiddleware if nudges else AskingMiddleware
    else:
        made = NudgingMiddleware if nudges else FootprintMiddleware
    return made(footprint, agent, action_budget)


__all__ = ["middleware_for"]
