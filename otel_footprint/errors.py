"""The errors that a person sees: all of them say what was declared, where, and what is allowed.

    FootprintError
    ├── DeclarationError      a declaration is wrong (also a ValueError)
    ├── MissingExtraError     an optional package is needed for what was asked (also an ImportError)
    └── TrailError            a trail cannot be used for what was asked
        └── SourceError       the place that a trail is read from cannot be read

Nothing here is ever raised into a wrapped agent: `DeclarationError` is raised where the declaration
is written, the others by setup and by reading commands.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class FootprintError(Exception):
    """Base of every error this library raises on purpose."""


class DeclarationError(FootprintError, ValueError):
    """A declaration is wrong: names the field, the value and what is allowed."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        self.field = field
        self.value = value
        self.allowed = allowed
        super().__init__(f"{field}={_shown(value)} is not allowed; expected: {allowed}")


class MissingExtraError(FootprintError, ImportError):
    """An optional package is missing: names the extra that brings it."""

    def __init__(self, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{what} needs: pip install 'otel-footprint[{extra}]'")


class TrailError(FootprintError):
    """A trail, or a part of it, cannot be used for what was asked."""


class SourceError(TrailError):
    """A file, folder or backend that a trail is read from cannot be read: says which and why."""


def known_options(where: str, shown: bool = True) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: options that the function does not have are refused with those that it has.

    where: what a person called. shown: False where a value may be a secret.
    """

    def decorate(fn: Callable[P, R]) -> Callable[P, R]:
        code: Any = fn.__code__
        named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        known = dict.fromkeys(name for name in named if name not in ("self", "fn"))

        @wraps(fn)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            if not kwargs.keys() <= known.keys():
                option, value = next((o, v) for o, v in kwargs.items() if o not in known)
                given = value if shown else f"<{type(value).__qualname__}>"
                allowed = "one of the options " + ", ".join(known)
                raise DeclarationError(f"{where}.{option}", given, allowed)
            return fn(*args, **kwargs)

        return checked

    return decorate


def known_fields(made: type[T]) -> type[T]:
    """The same for what a dataclass is made with."""
    setattr(made, "__init__", known_options(made.__name__)(made.__init__))  # noqa: B010
    return made


def takes(fn: object, count: int) -> bool:
    """Whether a declared function can be called with so many values; True where none can tell."""
    import inspect

    if not callable(fn):
        return False
    try:
        signature = inspect.signature(fn)
    except Exception:  # it has none, or an attribute that is no signature, as a proxy answers
        return True
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True


def gives_coroutine(fn: object) -> bool:
    """Whether calling it is known to give a coroutine: an async function, an object whose
    `__call__` is one. False for a mock, which has the attributes of any function."""
    return any(_is_async(one) for one in (fn, getattr(type(fn), "__call__", None)))  # noqa: B004


def _is_async(fn: object) -> bool:
    import inspect

    try:
        flags: object = getattr(getattr(fn, "__code__", None), "co_flags", 0)
        return type(flags) is int and inspect.iscoroutinefunction(fn)
    except Exception:  # an attribute of it raises
        return False


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__qualname__}>"
    return text if len(text) <= 80 else text[:77] + "..."
