"""Which SDK a client belongs to, and what we need to know of it."""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from ...wire import provider_of


class Sdk(NamedTuple):
    """A generated SDK: its package and its default provider."""

    package: str
    provider: str

    @property
    def base(self) -> ModuleType:
        """The module that holds the base clients."""
        return import_module(f"{self.package}._base_client")

    @property
    def classes(self) -> tuple[list[type], list[type]]:
        """The base clients and all that derive from them, sync and async.

        Another library may have put its `request` on a subclass, which then hides the base's.
        """
        roots = [getattr(self.base, n) for n in ("SyncAPIClient", "AsyncAPIClient")]
        return [roots[0], *_subclasses(roots[0])], [roots[1], *_subclasses(roots[1])]


SDKS: Final = (Sdk("openai", "openai"), Sdk("anthropic", "anthropic"))

_OTHERS: Final = frozenset(
    {
        "anthropic",
        "azure.ai.inference",
        "azure.ai.openai",
        "aws.bedrock",
        "cohere",
        "deepseek",
        "gcp.gemini",
        "gcp.vertex_ai",
        "groq",
        "mistral_ai",
        "moonshot_ai",
        "ollama",
        "openai",
        "openrouter",
        "perplexity",
        "x_ai",
    }
)
"""Providers whose hosts are known; any other host (a proxy, say) leaves the SDK's own name."""


def _subclasses(cls: type) -> list[type]:
    out: list[type] = []
    sub: type
    for sub in cls.__subclasses__():
        out += [sub, *_subclasses(sub)]
    return out


def sdk_of(client: object) -> Sdk | None:
    """The SDK of a client; None for anything else. Imports nothing."""
    return next((sdk for sdk in SDKS if isinstance(client, _roots(sdk))), None)


def is_client_class(target: object) -> bool:
    """True for the class of a client, where a client of it was meant."""
    return isinstance(target, type) and any(issubclass(target, _roots(sdk)) for sdk in SDKS)


def _roots(sdk: Sdk) -> Any:
    """The classes that an SDK's clients come from; none where it is not imported."""
    base = sys.modules.get(f"{sdk.package}._base_client")
    return (getattr(base, "SyncAPIClient", ()), getattr(base, "AsyncAPIClient", ()))


def provider(sdk: Sdk, client: Any) -> str:
    """The standard provider name: by the client's host, else by its class, else the SDK's own."""
    kind = type(client).__name__
    if "Azure" in kind:
        return "azure.ai.openai"
    if "Bedrock" in kind:
        return "aws.bedrock"
    if "Vertex" in kind:
        return "gcp.vertex_ai"
    found = _named(_host(client))
    return found if found in _OTHERS else sdk.provider


def _host(client: Any) -> str:
    url = getattr(client, "base_url", "")
    host = getattr(url, "host", None)  # of an httpx URL, whose text is made anew each time
    return host if type(host) is str else urlsplit(str(url)).hostname or ""


@lru_cache(maxsize=256)
def _named(host: str) -> str:
    return provider_of(host)


def traces_itself(client: Any) -> bool:
    """True when the SDK opens inference spans of its own (anthropic since 2.x)."""
    return getattr(client, "_tracer", None) is not None
