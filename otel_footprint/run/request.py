"""A model call that is about to leave, as the caller made it: what features plan with.

Nothing here is made before something looks at it, and what was made of a message is kept for the
calls that send it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple, overload

from ..records.frames import is_said_by_person
from ..records.plan import NOTHING, Plan
from ..records.view import MessageView, ToolView
from ..slots.copies import copy
from ..slots.entry import identity_source, plain_hash
from ..text.jsontext import plain
from ..wire.types import Dialect, Facts, Layout, Part
from . import crediting

if TYPE_CHECKING:
    from .turn import Turn

_SAID: Final = frozenset({"text", "reasoning", "refusal", "tool_result"})


class Abilities(NamedTuple):
    """What the loop around a model call can do."""

    dispatch: bool = False
    """True when calls of our own tools would pass through us."""
    validated: bool = False
    """True when something outside us holds the arguments of tool calls against a schema before they
    run: what is planted would be refused there."""
    ours: frozenset[str] = frozenset()
    """Names of tools of ours that the framework was given beforehand."""
    limit: int | None = None
    """Model calls that the framework allows in a turn."""


class Request:
    """A model call that is about to leave.

    `plan` is what the features before this one want of it; `action` is its number in the turn.
    """

    __slots__ = (
        "_tools",
        "_views",
        "abilities",
        "action",
        "body",
        "dialect",
        "facts",
        "layout",
        "plan",
        "provider",
        "turn",
    )

    def __init__(
        self,
        turn: Turn,
        provider: str,
        dialect: Dialect,
        body: Mapping[str, Any],
        layout: Layout,
        facts: Facts,
        abilities: Abilities,
    ) -> None:
        self.turn = turn
        self.provider = provider
        self.dialect = dialect
        self.body = body
        self.layout = layout
        self.facts = facts
        self.abilities = abilities
        self.action = 0
        self.plan: Plan = NOTHING
        self._views: Views | None = None
        self._tools: tuple[ToolView, ...] | None = None

    @property
    def messages(self) -> Views:
        """The elements of slot messages as views; filled when they are first looked at."""
        if self._views is None:
            self._views = Views(self)
        return self._views

    @property
    def tools(self) -> tuple[ToolView, ...]:
        """The elements of slot tools as views."""
        if self._tools is None:
            self._tools = tuple(tool_view(self, element) for element in self.layout.tools)
        return self._tools

    @property
    def system(self) -> str:
        """What the pieces of slot system say, joined."""
        return "\n".join(
            part.text
            for element in self.layout.system
            for item in self.dialect.items("system", element)
            for part in self.dialect.parts(item.value)
        )


class Known:
    """Views of the messages of a conversation, kept from call to call."""

    __slots__ = ("elements", "views")

    def __init__(self) -> None:
        self.elements: list[Any] = []
        self.views: list[MessageView] = []

    def of(self, request: Request, copies: list[Any] | None = None) -> list[MessageView]:
        """The views of a request's messages; made for those only that are not known.

        `copies` of the messages are remembered in place of ones of our own.
        """
        elements = request.layout.messages
        known = common(self.elements, elements)
        now, action = monotonic(), request.action
        called: dict[str, str] = {}
        for view in self.views[:known]:
            called.update(zip(view.call_ids, view.tools, strict=False))
        views = self.views[:known]
        for element in elements[known:]:
            made = message_view(request.dialect, element, called, request.turn)
            views.append(made._replace(since=action, seen_at=now))
        if copies is None:
            copies = self.elements[:known] + [copy(e) for e in elements[known:]]
        self.elements = copies
        self.views = views
        return list(views)


class Views(Sequence[MessageView]):
    """The messages of a request as views, filled at the first look."""

    __slots__ = ("_filled", "_request")

    def __init__(self, request: Request) -> None:
        self._request = request
        self._filled: list[MessageView] | None = None

    @property
    def filled(self) -> list[MessageView]:
        """The views."""
        if self._filled is None:
            features = self._request.turn.features
            if features is None:
                self._filled = Known().of(self._request)
            else:
                last = features.last
                mine = last is not None and last.request is self._request
                self._filled = features.known.of(self._request, features.own[0] if mine else None)
        return self._filled

    def __len__(self) -> int:
        return len(self._request.layout.messages)

    @overload
    def __getitem__(self, at: int) -> MessageView: ...
    @overload
    def __getitem__(self, at: slice) -> list[MessageView]: ...
    def __getitem__(self, at: int | slice) -> MessageView | list[MessageView]:
        return self.filled[at]

    def __iter__(self) -> Iterator[MessageView]:
        return iter(self.filled)


def message_view(
    dialect: Dialect,
    element: Any,
    called: dict[str, str] | None = None,
    turn: Turn | None = None,
) -> MessageView:
    """The view of one element of slot messages. `called` maps call ids to names, and learns."""
    called = {} if called is None else called
    try:
        return _view(dialect, element, called, turn)
    except Exception:  # an object whose own methods raise: its marker stands for it
        return _view(dialect, plain(element), called, turn)


def _view(dialect: Dialect, element: Any, called: dict[str, str], turn: Turn | None) -> MessageView:
    items = dialect.items("messages", element)
    parts: list[Part] = [part for item in items for part in dialect.parts(item.value)]
    calls = [part for part in parts if part.kind == "tool_call"]
    called.update((part.id, part.name) for part in calls)
    answers = tuple(
        dict.fromkeys(part.id for part in parts if part.kind == "tool_result" and part.id)
    )
    role, source, id_ = items[0].role, str(items[0].source), ""
    if len(items) > 1 or source == "tool-result":
        person = any(item.source == "user" for item in items)
        source = "user" if person else "tool-result"
    else:
        person = is_said_by_person(element) if isinstance(element, dict) else role == "user"
    credited = crediting.of(element, turn)
    if credited is not None:
        source, id_, person = credited.cause.source, credited.cause.id, False
    names = [part.name for part in calls] + [called.get(answer, "") for answer in answers]
    sources = [identity_source(dialect.identity(item.value)) for item in items]
    identity = sources[0] if len(sources) == 1 else _joined(sources)
    return MessageView(
        role,
        "\n".join(part.text for part in parts if part.kind in _SAID and part.text),
        source,
        id_,
        tuple(part.id for part in calls),
        answers,
        tuple(names),
        person,
        plain_hash(f"{role}\n{identity}"),
        sum(len(part.text) for part in parts),
    )


def _joined(sources: list[str]) -> str:
    """What several pieces are hashed of, which is not what any other message is hashed of."""
    return "\0\1".join(["", *(f"{len(source)} {source}" for source in sources)])


def tool_view(request: Request, element: Any) -> ToolView:
    """The view of one tool definition."""
    name = request.dialect.items("tools", element)[0].id
    held = element if isinstance(element, dict) else {}
    function = held.get("function")
    described = (function if isinstance(function, dict) else held).get("description")
    kind = held.get("type")
    return ToolView(
        name,
        described if isinstance(described, str) else "",
        kind not in (None, "function", "custom"),
        name in request.abilities.ours,
    )


def common(olds: Sequence[Any], news: Sequence[Any]) -> int:
    """How many messages at the beginning are the same."""
    shorter = min(len(olds), len(news))
    try:
        if olds[:shorter] == news[:shorter]:
            return shorter
        return next(i for i in range(shorter) if olds[i] != news[i])
    except Exception:  # comparing odd objects runs their code: then nothing is known
        return 0
