"""What every dialect answers in: plain tuples, cheap enough for the path of a call."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Protocol

Source = Literal["base", "user", "assistant", "tool-result", "registry", "custom"]
"""Baseline sources: where a piece comes from that nothing let in."""
PartKind = Literal[
    "text", "reasoning", "refusal", "tool_call", "tool_result", "media", "definition", "opaque"
]


class Hole(str):
    """A place in a layout where pieces go; its text is the token, for example `#m`."""

    __slots__ = ()


class Layout(NamedTuple):
    """A request taken apart: raw elements of the slots, and everything else in order.

    The elements are the request's own objects, not copies, in the order in which they stand.
    Taking apart costs one cheap pass at most, whatever the length of the history.
    """

    system: list[Any]
    messages: list[Any]
    tools: list[Any]
    rest: dict[str, Any]
    """The request with `Hole`s where the slots stood (a Hole in a list: the elements go there)."""


class Item(NamedTuple):
    """One piece as the request holds it."""

    value: Any
    """The JSON value: a message, a fragment of the system prompt, a result block, a tool."""
    role: str
    """Role on the wire, as it is; empty for tools and for a system prompt outside messages."""
    source: Source
    id: str
    """Tool call id of a result, name of a tool; else empty."""
    frame: str
    """Of the first of several pieces in one element: the element's JSON with `#n`; else empty."""


class Part(NamedTuple):
    """A part of a piece: what it says and what kind of text that is."""

    kind: PartKind
    text: str
    """Text; of a tool call its arguments, of a definition its compact JSON; of media empty."""
    name: str = ""
    """Tool name of a call; media type of media."""
    id: str = ""
    """Tool call id of a call or a result."""


class Usage(NamedTuple):
    """Tokens as the provider reported them; None: not reported. `input` includes cached ones."""

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None


class Response(NamedTuple):
    """A response, whole or as assembled from a stream."""

    items: tuple[Item, ...]
    """The output: one piece a choice, a message or an item, without null and empty noise keys."""
    extra: tuple[dict[str, Any], ...]
    """Of each piece the keys left out of it (null or empty), as they came."""
    usage: Usage
    finish_reasons: tuple[str, ...]
    id: str
    model: str
    complete: bool
    """False for a stream that ended before its last event, or a response the provider cut off."""


class Facts(NamedTuple):
    """What a request asks for besides its slots, as the provider's API means it; None: not said.

    A value of the wrong type counts as not said (a bool is not a number, NaN is none either).
    """

    model: str | None = None
    stream: bool | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    max_tokens: int | None = None
    seed: int | None = None
    choices: int | None = None
    stop: tuple[str, ...] | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    reasoning: str | None = None
    """Level of reasoning in the provider's own word, for example `medium`."""
    previous_response: str | None = None
    output_type: str | None = None
    """`text`, `json`, `image` or `speech`; None unless the request says."""
    completeness: str | None = None
    """`request_only` when the provider adds, drops or holds context that no request shows."""


class Dialect(Protocol):
    """How one API writes requests and responses. Stateless; no method raises on odd input:

    what is not understood stays in `Layout.rest`, becomes an item with source `custom` or a part
    of kind `opaque`.
    """

    name: str
    """For example `openai.chat`."""
    facts_in_layout: bool
    """True when `facts` looks at no piece: requests of equal layouts then have equal facts."""

    def layout(self, body: dict[str, Any]) -> Layout:
        """Takes a request apart."""
        ...

    def items(self, slot: str, element: Any) -> tuple[Item, ...]:
        """The pieces of one element of a slot; at least one."""
        ...

    def parts(self, value: Any) -> tuple[Part, ...]:
        """The parts of a piece's value, in order."""
        ...

    def identity(self, value: Any) -> Any:
        """What makes the piece itself, as JSON: without marks, nulls, noise and server's ids.

        A text given as a string and as one text part are equal, and so are an output and the
        message that a caller makes of it.
        """
        ...

    def facts(self, body: dict[str, Any]) -> Facts:
        """What the request asks for, and whether it shows all of the context."""
        ...

    def response(self, body: dict[str, Any]) -> Response:
        """Reads a whole response."""
        ...

    def assemble(self, events: list[tuple[str, Any]]) -> Response:
        """Reads a stream: (event name or empty, JSON) in order; also one that was left early."""
        ...
