"""Factories of pieces. What is declared wrongly raises DeclarationError here, and only here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, Final, NoReturn
from uuid import UUID

from ..errors import DeclarationError, known_options, takes
from ..records.plan import Cause, plain_reason
from ..text.identifiers import as_text
from .blank import is_blank
from .pieces import (
    SOURCES,
    CachePolicy,
    DeclaredMessage,
    Injection,
    SkillPart,
    ToolSpec,
    Until,
    declared_message,
)
from .template import Template, is_template, listed, refuse_unknown
from .toolspecs import read_tools
from .triggers import Predicate, Trigger, as_trigger

When = Trigger | Predicate | None

ROLES: Final = ("user", "assistant", "system", "developer")
"""Roles of a declared message; which a provider carries shows when an agent is wrapped."""
POLICIES: Final = ("always", "while-active", "never")


@known_options("fact")
def fact(
    id: str,  # noqa: A002  the word of the record
    text: str,
    *,
    when: When = None,
    slot: str = "system",
    role: str | None = None,
    cache: CachePolicy = "always",
    description: str | None = None,
) -> Injection:
    """Something the model is to know: always, or when a trigger says so.

    With slot `messages` it enters the history once, in a role that has to be named.
    """
    label = f"fact {id!r}"
    system, messages = _placed(label, "text", text, slot, role, id)
    return make(label, id, "fact", as_trigger(when, f"{label} when"), system, messages,
                 cache=cache, description=description)  # fmt: skip


@known_options("steering")
def steering(
    id: str,  # noqa: A002
    text: str,
    *,
    when: When = None,
    cache: CachePolicy = "always",
    description: str | None = None,
) -> Injection:
    """How the model is to behave: behind the system prompt, always (or when a trigger says so)."""
    label = f"steering {id!r}"
    system, messages = _placed(label, "text", text, "system", None, id)
    return make(label, id, "steering", as_trigger(when, f"{label} when"), system, messages,
                 cache=cache, description=description)  # fmt: skip


@known_options("instruction")
def instruction(
    id: str,  # noqa: A002
    text: str | None = None,
    *,
    template: str | None = None,
    when: When = None,
    slot: str = "system",
    role: str | None = None,
    cache: CachePolicy = "never",
    description: str | None = None,
) -> Injection:
    """What the model is to do when a trigger says so (without one: always).

    Exactly one of `text` and `template`. A template says run-time facts in words of a closed
    vocabulary, `{{action}}` and so on; an unknown word is refused here. Where a fact is
    unavailable the whole instruction is skipped, on the record. A template with placeholders goes
    to slot system only and is never cached; one without any is an ordinary text.
    """
    label = f"instruction {id!r}"
    if text is not None and template is not None:
        raise DeclarationError(f"{label} text", text, "text or template, not both")
    if template == "" or (text is None and template is None):
        raise DeclarationError(
            f"{label} text", template, f"text=..., or template=... with {listed()}"
        )
    made = None
    if template is not None:
        made = _template(label, template, slot, cache)
    system, messages = _placed(
        label, "template" if text is None else "text", template if text is None else text,
        slot, role, id,
    )  # fmt: skip
    return make(label, id, "instruction", as_trigger(when, f"{label} when"), system, messages,
                 cache=cache, description=description, template=made)  # fmt: skip


@known_options("memory")
def memory(
    id: str | int | UUID,  # noqa: A002
    text: str,
    *,
    score: float | None = None,
    rank: int | None = None,
    threshold: float | None = None,
    when: When = None,
    slot: str = "system",
    role: str | None = None,
    cache: CachePolicy = "never",
    description: str | None = None,
) -> Injection:
    """A remembered text that the application hands in, with its retrieval score as it was."""
    return _retrieved("memory", as_text(id), text, score, rank, threshold, when, slot, role, cache,
                      description)  # fmt: skip


@known_options("rag")
def rag(
    id: str | int | UUID,  # noqa: A002
    text: str,
    *,
    score: float | None = None,
    rank: int | None = None,
    threshold: float | None = None,
    when: When = None,
    slot: str = "system",
    role: str | None = None,
    cache: CachePolicy = "never",
    description: str | None = None,
) -> Injection:
    """A retrieved text that the application hands in, with its retrieval score as it was."""
    return _retrieved("rag", as_text(id), text, score, rank, threshold, when, slot, role, cache,
                      description)  # fmt: skip


@known_options("injection")
def injection(
    id: str,  # noqa: A002
    *,
    source: str = "custom",
    when: When = None,
    system: str | None = None,
    messages: Iterable[tuple[str, str] | Mapping[str, str]] = (),
    tools: Iterable[Any] = (),
    cache: CachePolicy = "never",
    description: str | None = None,
) -> Injection:
    """The general form: any slots, any trigger, any cache policy. At least one slot has something.

    `messages` are (role, text) pairs or dicts with `role` and `content`. `tools` are definitions
    or objects to bring along, or names of tools that the agent has (see `skill`).
    """
    label = f"injection {id!r}"
    if source not in SOURCES or source == "skill":
        allowed = ", ".join(s for s in SOURCES if s != "skill")
        raise DeclarationError(f"{label} source", source, f"one of {allowed} (a skill: skill())")
    if system is not None:
        _text(f"{label} system", system)
    declared = tuple(_message(label, id, m) for m in _listed(f"{label} messages", messages))
    specs, claims = read_tools(label, tools)
    if system is None and not declared and not specs:
        raise DeclarationError(label, None, "a text for system, a message, or a tool")
    return make(label, id, source, as_trigger(when, f"{label} when"), system, declared,
                 tools=specs, claims=claims, cache=cache, description=description)  # fmt: skip


def until(predicate: Predicate) -> Until:
    """The cache policy of a piece that may be cached until the predicate says true."""
    if not takes(predicate, 1):
        raise DeclarationError("until", predicate, "a callable (context) -> bool")
    return Until(predicate)


def _retrieved(
    source: str, id_: str, text: str, score: float | None, rank: int | None,
    threshold: float | None, when: When, slot: str, role: str | None, cache: CachePolicy,
    description: str | None,
) -> Injection:  # fmt: skip
    label = f"{source} {id_!r}"
    score = number(f"{label} score", score)
    threshold = number(f"{label} threshold", threshold)
    if rank is not None and (isinstance(rank, bool) or not isinstance(rank, Integral) or rank < 0):
        raise DeclarationError(f"{label} rank", rank, "a whole number from 0 on, or None")
    system, messages = _placed(label, "text", text, slot, role, id_)
    return make(label, id_, source, as_trigger(when, f"{label} when"), system, messages,
                 cache=cache, description=description,
                 scores=(score, None if rank is None else int(rank), threshold))  # fmt: skip


def make(
    label: str, id_: str, source: str, trigger: Trigger, system: str | None,
    messages: tuple[DeclaredMessage, ...], *, cache: CachePolicy, description: str | None,
    tools: tuple[ToolSpec, ...] = (), claims: tuple[str, ...] = (),
    template: Template | None = None, skill: SkillPart | None = None,
    scores: tuple[float | None, int | None, float | None] = (None, None, None),
) -> Injection:  # fmt: skip
    """A piece of any source, once its parts are checked; `scores`: score, rank, threshold.

    DeclarationError for a blank id, a description that is no text, an unknown cache policy.
    """
    if is_blank(id_):
        raise DeclarationError(f"{source} id", id_, "a text that is not blank")
    if description is not None and not isinstance(description, str):
        raise DeclarationError(f"{label} description", description, "a text or None")
    if not isinstance(cache, Until) and cache not in POLICIES:
        allowed = ", ".join(repr(policy) for policy in POLICIES)
        raise DeclarationError(f"{label} cache", cache, f"{allowed}, or until(...)")
    reason = description or plain_reason(source, id_)
    cause = Cause(source, id_, reason, trigger.name, *scores)
    return Injection(id_, source, trigger, system, messages, tools, claims, cache, cause,
                     description or "", template, skill)  # fmt: skip


def _template(label: str, text: Any, slot: str, cache: CachePolicy) -> Template | None:
    field = f"{label} template"
    _text(field, text)
    refuse_unknown(text, field)
    if not is_template(text):
        return None
    if slot == "messages":
        raise DeclarationError(
            f"{label} slot", slot,
            "a template goes to slot 'system': a declared message is delivered once, by its "
            "content, and a text that changes with every call has no one content",
        )  # fmt: skip
    if cache != "never":
        raise DeclarationError(
            f"{label} cache", cache,
            "a template has cache 'never': a cached prefix holds bytes that stay the same",
        )  # fmt: skip
    return Template(text)


def _placed(
    label: str, name: str, text: Any, slot: str, role: str | None, id_: str
) -> tuple[str | None, tuple[DeclaredMessage, ...]]:
    _text(f"{label} {name}", text)
    if slot == "system":
        if role is not None:
            raise DeclarationError(f"{label} role", role, "a role stands beside slot 'messages'")
        return text, ()
    if slot != "messages":
        raise DeclarationError(f"{label} slot", slot, "'system' or 'messages'")
    return None, (declared_message(str(id_), _role(label, role), text),)


def _role(label: str, role: Any) -> str:
    if role not in ROLES:
        allowed = ", ".join(repr(name) for name in ROLES)
        raise DeclarationError(
            f"{label} role", role, f"{allowed}; there is no default, and a tool's result is never "
            "declared"
        )  # fmt: skip
    return str(role)


def _message(label: str, id_: str, message: Any) -> DeclaredMessage:
    if isinstance(message, Mapping):
        for key in message:
            if key not in ("role", "content"):
                raise DeclarationError(f"{label} messages", key, "the keys role and content")
        role, text = message.get("role"), message.get("content")
    elif isinstance(message, tuple | list) and len(message) == 2:
        role, text = message
    else:
        raise DeclarationError(f"{label} messages", message, "(role, text) pairs or dicts")
    return declared_message(str(id_), _role(label, role), _text(f"{label} message", text))


def _text(field: str, text: Any) -> str:
    if not isinstance(text, str) or not text:
        raise DeclarationError(field, text, "a text that is not empty")
    return text


def _listed(field: str, value: Any) -> tuple[Any, ...]:
    if isinstance(value, str | Mapping):
        _refuse_list(field, value)
    try:
        return tuple(value)
    except TypeError:
        _refuse_list(field, value)


def _refuse_list(field: str, value: Any) -> NoReturn:
    raise DeclarationError(field, value, "a list")


def number(field: str, value: Any) -> float | None:
    """The number, of a library's own type as Python's; DeclarationError for one that is not finite
    and for what is none."""
    if value is None:
        return None
    if isinstance(value, Decimal) and value.is_finite():
        return float(value)
    if isinstance(value, bool) or not isinstance(value, Real) or value - value != 0:
        raise DeclarationError(field, value, "a finite number, or None")
    exact: Any = value
    return exact if type(exact) in (int, float) else float(exact)
