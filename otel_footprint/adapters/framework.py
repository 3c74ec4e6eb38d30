"""What the adapters of frameworks share: one model call, and one tool call, of a framework's loop.

A framework's adapter turns its own request into a `Request` and an `Edited` body, makes the plan's
edits on its own objects, and hands on what these return. Nothing here raises into the agent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from ..records.plan import Plan
from ..records.view import ToolStatus
from ..run import state
from ..run.call import Call
from ..run.features import Action, ToolRun
from ..run.request import Request
from ..run.tools import ToolCall, tool_call
from ..run.turn import Turn
from ..slots.copies import copy
from ..telemetry.attach import attach, detach
from ..telemetry.guard import guard
from ..wire.types import Response
from .edits import Edited

if TYPE_CHECKING:
    from .footprint import Footprint

R = TypeVar("R")


class ModelCall:
    """One model call: `plan`, `begin`, the framework's own call, then `answered` or `failed`."""

    def __init__(
        self, footprint: Footprint, asked: Request, found: Edited, typed: bool = False
    ) -> None:
        self.typed = typed
        """True when the answer is a structure, whose bytes are not to be touched."""
        self.footprint = footprint
        self.asked = asked
        self.found = found
        self.features = asked.turn.features
        self.action: Action | None = None
        self.call: Call | None = None

    def plan(self) -> None:
        """Asks what is declared."""
        if self.features is not None:
            with guard("framework.plan"), unrecorded():
                self.action = self.features.plan(self.asked)

    async def plan_async(self) -> None:
        """The same where the call can await."""
        if self.features is not None:
            with guard("framework.plan"), unrecorded():
                self.action = await self.features.plan_async(self.asked)

    def begin(self, request: R, edit: Callable[[R, Plan], tuple[R, Edited]]) -> R:
        """The framework's request with the plan's edits, or the very same. The record begins."""
        with guard("framework.edit"):
            if self.action is not None and self.action.plan:
                request, self.found = edit(request, self.action.plan)
                self.action.sent = self.found.body
        with guard("framework.begin"):
            asked = self.asked
            if self.footprint.enabled:
                self.call = self.footprint.begin(
                    asked.provider, asked.dialect, self.found.body, model=asked.facts.model,
                    action=self.action or Action(asked), origins=self.found.origins,
                )  # fmt: skip
        return request

    def failed(self, error: BaseException) -> None:
        """It raised: the same call made again is another attempt of the same action."""
        with guard("framework.failed"):
            if self.features is not None and self.action is not None:
                self.features.failed(self.action)
            if self.call is not None:
                self.call.fail(error)

    def answered(self, response: Response | None, editable: bool = False) -> str:
        """The answer is there; the text to be put behind its last one, empty for none.

        `editable`: a text can be put under it.
        """
        end = None
        with guard("framework.answered"):
            if self.features is not None and self.action is not None:
                end = self.features.answered(self.action, response, editable=editable)
            if self.call is not None:
                self.call.finish(response and _of_its_own(response))
        return "" if end is None else end.text


def _of_its_own(response: Response) -> Response:
    """The answer without the containers of the framework's objects, which may be edited later."""
    return response._replace(items=tuple(i._replace(value=copy(i.value)) for i in response.items))


class ToolRunning:
    """One tool call: `before`, then the framework's own run `inside`, then `after`."""

    def __init__(self, turn: Turn, name: str, call_id: str, arguments: Any) -> None:
        self.turn = turn
        self.features = turn.features
        self.record: ToolCall | None = tool_call(turn, name, call_id)
        self.run = ToolRun(name, call_id, arguments, self.record)
        if self.record is not None:
            self.record.start(arguments, current=False)

    def before(self) -> None:
        """Asks what is declared; `run` then says what to do."""
        if self.features is not None:
            run = self.run
            self.run = self.features.before_tool(run.name, run.call_id, run.arguments, run.record)

    async def before_async(self) -> None:
        """The same where the call can await."""
        if self.features is not None:
            run = self.run
            self.run = await self.features.before_tool_async(
                run.name, run.call_id, run.arguments, run.record
            )

    @contextmanager
    def inside(self, pauses: type[BaseException]) -> Iterator[None]:
        """What the tool does stands beneath it; what it raises is recorded, or is a pause."""
        mine, token = state.TURN.set(self.turn), None
        if self.record is not None:
            token = attach(self.record.context)
        try:
            yield
        except pauses:
            self._tell("paused", None)
            if self.record is not None:
                self.record.pause()
            raise
        except BaseException as error:
            self._tell("error", error)
            if self.record is not None:
                self.record.fail(error)
            raise
        finally:
            state.reset(state.TURN, mine)
            if token is not None:
                detach(token)

    def after(self, failed: bool, result: Any, refused: bool = False) -> Any:
        """It came back; the result to hand on, the very same unless something goes behind it.

        `refused`: its arguments did not fit, so the tool itself did not run.
        """
        with guard("framework.after"):
            status: ToolStatus = "refused" if refused else "error" if failed else self.run.status
            handed = self._tell(status, result)
            if self.record is not None:
                self.record.finish(result)
            return handed
        return result

    def _tell(self, status: ToolStatus, result: Any) -> Any:
        if self.features is None:
            return result
        return self.features.after_tool(self.run, status, result)


@contextmanager
def unrecorded() -> Iterator[None]:
    """Clients that are used inside are not recorded: the framework's call already is."""
    token = state.SUPPRESSED.set(True)
    try:
        yield
    finally:
        state.reset(state.SUPPRESSED, token)
