"""Footprint: what a user holds. One object wraps agents, clients and tools, and opens turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..config import Budget, Once, Redact, Settings, Sink, StandardContent, content_mode
from ..config.settings import MAX_CONTENT_BYTES
from ..errors import DeclarationError, known_options
from ..run import feedback, state
from ..run.recorder import Recorder
from ..run.turn import Turn, TurnFields
from ..telemetry.guard import guard
from .callables import name_of, undecorated, wrap_callable, wrap_tool
from .checks import (
    check_action_budget,
    check_described,
    check_names,
    check_provider,
    check_resumed,
    identifier,
    named,
    pieces,
)
from .stainless import install, is_client_class, mark, sdk_of

if TYPE_CHECKING:
    from uuid import UUID

    from ..arguments import Arguments, Bindings
    from ..injection import Declared, Injection
    from ..injection.strategies import Strategy
    from ..run.features import Maker
    from ..scripts import Scripts
    from .langchain.middleware import FootprintMiddleware

T = TypeVar("T")


class Footprint(Recorder):
    """Records what every model call of an agent was made of.

    name: the agent's name on the record. budget: caps of the slots. content: `none`, `redacted`
    or `full`; by default what the environment says when the first turn or call begins, else `none`.
    In a turn of another Footprint that turn's mode holds, unless a stricter one, or `redact`, is
    declared here: its calls are a turn of their own then, in the same trace. context: what is let
    in on purpose (`fact`, `steering`, `instruction`, `skill`, ...). arguments: where each argument
    of a tool call came from (`Arguments`). window: how the history is kept short
    (`sliding_window`, `token_budget`, `summarise_oldest`); or a number: tokens of the model's
    context window, for models the catalogue does not know. cache_marks: mark the end of each
    stable prefix where the provider wants that. list_skills: also offer the tool `list_skills`.
    dispatch: see `turn`. scripts: programs that travel with the answer (`Scripts`).
    redact: a hook `(text, where) -> text`. key, key_id: deployment key of the hashes.
    once: `trace` (a trace stands alone) or `conversation`. sink: `span`, `log` or `both`.
    standard_content: `none`, `output` or `full`. max_content_bytes: UTF-8 bytes of text a trace.
    turn_timeout: seconds after which calls outside a turn begin a new one. store: a folder or
    fsspec URI for large texts and the bytes of media (extra `store`). The providers default to
    the global ones.

    Wrong values raise DeclarationError. Everything else never raises into the agent.
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        budget: Budget | None = None,
        content: str | None = None,
        context: Sequence[Injection] = (),
        arguments: Arguments | None = None,
        window: int | Strategy | None = None,
        cache_marks: bool = False,
        list_skills: bool = False,
        dispatch: bool = False,
        scripts: Scripts | None = None,
        redact: Redact | None = None,
        key: bytes | None = None,
        key_id: str | None = None,
        once: Once = "trace",
        sink: Sink = "span",
        standard_content: StandardContent | None = None,
        max_content_bytes: int = MAX_CONTENT_BYTES,
        turn_timeout: float = 600.0,
        store: str | PathLike[str] | None = None,
        **providers: Any,
    ) -> None:
        if name is not None and not isinstance(name, str):
            raise DeclarationError("name", name, "a string or None")
        for field, value in providers.items():
            check_provider(field, value, signature(Footprint).parameters)
        tokens, strategy = _window(window)
        for field, value in (
            ("cache_marks", cache_marks), ("list_skills", list_skills), ("dispatch", dispatch),
        ):  # fmt: skip
            if type(value) is not bool:
                raise DeclarationError(field, value, "True or False")
        declared: Declared | None = None
        if context != () or strategy is not None or cache_marks or list_skills:
            from ..injection import declare

            declared = declare(
                pieces("context", context),
                window=strategy,
                cache_marks=cache_marks,
                list_skills=list_skills,
            )
        settings = Settings(
            content=content_mode(content),
            budget=Budget() if budget is None else budget,
            window=tokens,
            redact=redact,
            key=key,
            key_id=key_id,
            once=once,
            sink=sink,
            standard_content=standard_content,
            max_content_bytes=max_content_bytes,
            turn_timeout=turn_timeout,
            store=store,
        )
        super().__init__(name, settings, **providers)
        self.content_declared = content is not None
        self._injecting: Maker | None = None
        self.tools: dict[str, Callable[..., Any]] = {}
        """Functions declared with `tool`, by name; `Turn.tool` runs them."""
        self._declared = declared
        self.dispatch = dispatch
        self.arguments = arguments
        self._bindings: Bindings | None = None
        if declared:
            self._let_in()
        if arguments is not None:
            self._check_sources(arguments)
        if scripts is not None:
            self._attach(scripts)

    @property
    def declared(self) -> Declared:
        """What was declared as `context` and how the history is kept short."""
        from ..injection import NOTHING_DECLARED

        return NOTHING_DECLARED if self._declared is None else self._declared

    def _let_in(self) -> None:
        """From now on turns have the feature that lets context in."""
        from ..run.injecting import Injecting, Kept

        if self._injecting is None:
            self._injecting = partial(Injecting, self.declared, Kept())
            self.core.makers.insert(0, self._injecting)

    def _check_sources(self, arguments: Arguments) -> None:
        """From now on turns have the feature that looks where arguments came from."""
        from ..arguments import Arguments as Declaration
        from ..run.sourcing import Sourcing
        from ..run.talks import Declared

        if not isinstance(arguments, Declaration):
            raise DeclarationError("arguments", arguments, "Arguments(...) or None")
        sources, runs_here = Declared(arguments), self.tools.__contains__
        self.core.makers.append(partial(Sourcing, sources, runs_here))
        self.core.asked_for, self.core.bare = sources.asked_for, sources.bare
        self._bindings = sources.bindings
        known = self.hold(arguments.definitions, "Arguments.definitions")
        for tool in arguments.rules if arguments.definitions else ():
            if tool not in known:
                allowed = "one of the definitions: " + ", ".join(known)
                raise DeclarationError(f"Arguments.tools[{tool!r}]", tool, allowed)

    def hold(self, definitions: Sequence[Any], where: str) -> list[str]:
        """Holds rules against the definitions of tools; raises where they do not fit.

        Gives the names of the tools. What a provider runs by itself is passed over.
        """
        from ..wire.toolspec import tool_spec

        known = []
        for at, definition in enumerate(definitions):
            spec = tool_spec(definition)
            if spec is not None and self._bindings is not None:
                self._bindings.bind(spec.name, spec.schema)
                known.append(spec.name)
            elif not isinstance(definition, Mapping):
                raise DeclarationError(f"{where}[{at}]", definition, "a tool's definition")
        return known

    def _attach(self, scripts: Scripts) -> None:
        """From now on turns have the feature that puts programs under answers, asked last."""
        from ..run.programs import Programs
        from ..scripts import Memory, Scripts

        if not isinstance(scripts, Scripts):
            raise DeclarationError("scripts", type(scripts), "Scripts or None")
        self.core.makers.append(partial(Programs, scripts=scripts, memory=Memory()))

    def wrap(self, target: T, **options: Any) -> T:
        """Wraps a provider's client, or a function, and returns it: same type, same behaviour.

        A client of the OpenAI or Anthropic SDK is recorded from now on, and so are its copies
        (`with_options`, `copy`). A function is recorded as a tool call inside a turn, and outside
        one as a turn of its own (an agent loop); `kind="tool"` or `"agent"` fixes which. A
        client that another Footprint has wrapped is this one's from now on, and of its function a
        new wrapper is returned; `footprint.wrap`, that of the default, leaves both as they are.
        Anything else raises DeclarationError.
        """
        sdk = sdk_of(target)
        if sdk is not None:
            for option, value in options.items():
                raise DeclarationError(
                    f"wrap.{option}",
                    value,
                    "no option, for a client: its settings are Footprint(...)'s",
                )
            self._require_asker()
            if self._declared:
                from .edits.fit import refuse_for_client

                refuse_for_client(self._declared, sdk.package, type(target).__name__)
            install(sdk)
            with guard("wrap"):
                self.prepare()
            mark(target, self)
            return target
        if is_client_class(target):
            made = f"a client of that class: {getattr(target, '__name__', '')}(...)"
            raise DeclarationError("target", target, made)
        if isinstance(target, type) and options.get("kind") is None:
            allowed = (
                f"an object of that class: {target.__name__}(...); or the class with "
                "kind='tool' or 'agent', where making one is what is meant"
            )
            raise DeclarationError("target", target, allowed)
        if callable(target):
            self._require_asker()
            return cast("T", wrap_callable(self, target, **options))
        raise DeclarationError(
            "target",
            type(target),
            "a client of the OpenAI or Anthropic SDK, or a callable; an agent of LangChain's takes "
            "create_agent(..., middleware=[..., fp.langchain()])",
        )

    def _require_asker(self, can_interrupt: bool = False) -> None:
        """Refuses rules that ask where nobody can be asked."""
        if self.arguments is not None:
            self.arguments.require_asker(can_interrupt)

    @known_options("langchain")
    def langchain(
        self,
        agent: str | None = None,
        action_budget: int | None = None,
        tools: Sequence[Any] = (),
    ) -> FootprintMiddleware:
        """The middleware for `create_agent(..., middleware=[..., fp.langchain()])`, last in it.

        agent: a name other than the Footprint's. action_budget: model calls that the agent is
        allowed in a run, where the turn around it says none. tools: those of the agent, against
        which the rules of `arguments` are held here. Raises MissingExtraError without
        LangChain 1.x, DeclarationError for rules that do not fit.
        """
        from .langchain import middleware_for

        self._require_asker(can_interrupt=True)
        return middleware_for(self, agent, action_budget, tools)

    @known_options("tool")
    def tool(self, fn: Any = None, /, *, name: str | None = None) -> Any:
        """Decorator: each call of the function is recorded as a tool call of the current turn.

        It belongs outside of decorators that look at the arguments: with `Arguments` the model's
        call may hold the reserved one, which is taken out here. Rules on arguments that the
        function does not take are refused.
        """
        if name is not None and (not isinstance(name, str) or not name):
            raise DeclarationError("tool.name", name, "a non-empty string or None")
        if fn is None:
            return lambda real: self.tool(real, name=name)
        return self._tool(fn, name or name_of(fn))

    def _tool(self, fn: Callable[..., T], name: str) -> Callable[..., T]:
        if not callable(fn):
            raise DeclarationError("tool", fn, "a callable; its name is given as name=...")
        fn = undecorated(fn)
        rules = None if self.arguments is None else self.arguments.rules.get(name)
        if rules is not None:
            from ..arguments import require_function

            require_function(rules, fn)
        self.tools[name] = fn
        return wrap_tool(fn, name, footprint=self)

    @known_options("turn")
    def turn(
        self,
        text: str | None = None,
        *,
        id: str | int | UUID | None = None,  # noqa: A002
        conversation: str | int | UUID | None = None,
        user: str | int | UUID | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        prompt: tuple[str, str] | None = None,
        action_budget: int | None = None,
        content: str | None = None,
        agent: str | None = None,
        context: Sequence[Injection] | None = (),
        dispatch: bool | None = None,
        resume: Mapping[str, Any] | None = None,
    ) -> ToolTurn:
        """A turn, to be entered with `with` or `async with`.

        text: the person's words. id: the turn's id, else a new one. conversation: only what the
        application has. user: who asks. These three: a text, a whole number or a UUID, recorded as
        text; empty is none. prompt: (name, version). action_budget:
        model calls allowed. content: a mode of its own. agent: a name other than the Footprint's,
        for a sub-agent. A turn inside a turn is its child. context: pieces for this turn only
        (`memory`, `rag`, ...). dispatch: True when the loop runs *every* tool call of its answers
        with `turn.tool`, so that tools of the library (`read_skill`, `skip_step`) may be offered;
        by default the Footprint's. resume: what `Turn.pause` of a paused turn returned; this one
        has its id and goes on with it.

        Raises DeclarationError for what is declared wrongly: every argument but these. What an
        application has at run time is data and never raises: `text` (also None, a list of content
        parts, whose texts are recorded, or any other value, by what `str` says of it), each of
        `tags`, keys and values of `metadata`, and what is inside of `resume`.
        """
        check_names("turn", agent=agent)
        id = identifier("turn.id", id)  # noqa: A001
        conversation = identifier("turn.conversation", conversation)
        user = identifier("turn.user", user)
        check_action_budget("turn", action_budget)
        check_described(tags, metadata, prompt)
        check_resumed(resume)
        mode = self.mode(content)
        context = () if context is None else pieces("turn.context", context)
        if context:
            from ..injection import extended

            extended(self.declared, context)  # refuses here what does not go together
        if dispatch is not None and type(dispatch) is not bool:
            raise DeclarationError("turn.dispatch", dispatch, "True, False or None")
        if context or resume is not None:
            self._let_in()
        with guard("turn"):
            self.prepare()
        if resume is not None:
            id = id or named(resume.get("turn"))  # noqa: A001
            conversation = conversation or named(resume.get("conversation"))
        fields = TurnFields(
            text, id, conversation, user, tags, metadata, prompt, action_budget,
            context, self.dispatch if dispatch is None else dispatch, resume,
        )  # fmt: skip
        return ToolTurn(self, agent or self.name, fields, mode)

    @known_options("feedback")
    def feedback(
        self,
        turn_id: str | int | UUID,
        name: str,
        value: float | str | bool,
        comment: str | None = None,
    ) -> None:
        """A person's or a judge's verdict on a turn, also later and from another process.

        turn_id: `Turn.id`, or what was given to `turn(id=...)`. name: what is judged. Both are
        declared: what names no turn, and a name that is no text or empty, raises DeclarationError.
        value: a number, a bool or a label; a value that is
        none of them is data, of which nothing is recorded, as the log says.
        """
        turn = identifier("feedback.turn_id", turn_id)
        if turn is None:
            raise DeclarationError("feedback.turn_id", turn_id, "the id of a turn (turn.id)")
        if not isinstance(name, str) or not name:
            raise DeclarationError("feedback.name", name, "a text that is not empty")
        with guard("feedback"):
            feedback.record(self, turn, name, value, comment)

    def flush(self) -> None:
        """Ends the implicit turns; what is recorded so far is then complete."""
        with guard("flush"):
            self.implicit.close()
            if self.core.store is not None:
                self.core.store.flush()


def _window(window: int | Strategy | None) -> tuple[int | None, Strategy | None]:
    """The model's window in tokens, or the strategy that keeps the history short."""
    if window is None or type(window) is int:
        return window, None
    from ..injection.strategies import Strategy

    return (None, window) if type(window) is Strategy else (cast("int", window), None)


class ToolTurn(Turn):
    """A turn that also runs tool calls of a hand-written loop."""

    def __init__(self, footprint: Footprint, agent: str | None, fields: Any, mode: Any) -> None:
        super().__init__(footprint.core, agent, fields, mode, state.TURN.get())
        self._footprint = footprint

    def tool(self, call: Any, fn: Callable[..., T] | None = None) -> T:
        """Runs a tool call that the model asked for, and records it.

        call: the provider's tool call, as object or dict (OpenAI chat or Responses, Anthropic).
        fn: the function, called with the call's arguments; None: the one that was declared with
        `Footprint.tool` under the call's name. Returns what it returns (an awaitable for an async
        function) and raises what it raises. A name without a function raises DeclarationError.
        A tool of the library (`read_skill`, `list_skills`, `skip_step`) is run here: what is
        returned is a placeholder, whose place the result takes in the next request.
        """
        from .toolcalls import arguments, parse

        if fn is not None and not callable(fn):
            raise DeclarationError("turn.tool.fn", fn, "a callable or None")
        asked = parse(call)
        run = undecorated(fn) if fn is not None else self._footprint.tools.get(asked.name)
        if run is None and self._is_ours(asked.name):
            run = _placeholder
        if run is None:
            known = ", ".join(sorted(self._footprint.tools)) or "none is"
            raise DeclarationError("turn.tool", asked.name, f"a declared tool ({known})")
        wrapped = wrap_tool(run, asked.name, asked.id, self, self._footprint)
        try:
            given = arguments(asked)
        except Exception:
            if self.features is not None:
                self.features.unreached(asked.id)
            raise
        result: T = wrapped(**given)
        return result

    def nudge(self) -> str | None:
        """What to tell the model after an answer that leaves steps of a procedure undone.

        For a loop that can call the model again: put the answer and this text, in role user,
        behind the messages and go on. At most once a turn; None when there is nothing to say.
        """
        found = self._injecting()
        said = None if found is None else found.nudge()
        return None if said is None else said.text

    def park(self, id: str) -> None:  # noqa: A002
        """Takes a declared piece out of this conversation until `unpark`."""
        self._parked(id, True)

    def unpark(self, id: str) -> None:  # noqa: A002
        """Lets a parked piece in again."""
        self._parked(id, False)

    def _parked(self, id_: str, parked: bool) -> None:
        found = self._injecting()
        if found is None:
            raise DeclarationError("turn.park", id_, "the id of a declared piece; none is declared")
        found.park(id_, parked)

    def _injecting(self) -> Any:
        from ..run.injecting import Injecting

        return None if self.features is None else self.features.get(Injecting)

    def _is_ours(self, name: str) -> bool:
        from ..injection import LIBRARY_TOOLS

        found = self._injecting()
        return found is not None and name in LIBRARY_TOOLS and bool(found.declared.skills)


def _placeholder(**_: Any) -> Any:
    from ..injection import PLACEHOLDER_RESULT

    return PLACEHOLDER_RESULT
