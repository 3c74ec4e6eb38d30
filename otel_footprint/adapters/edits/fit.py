"""What a client cannot carry is refused where it is wrapped."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import DeclarationError
from ...injection import Declared, refuse_unfit
from ...run.letting import shape

_DIALECTS: Mapping[str, str] = {"openai": "openai.chat", "anthropic": "anthropic.messages"}


def refuse_for_client(declared: Declared, package: str, client: str) -> None:
    """Refuses pieces that a client of this SDK package cannot let in; DeclarationError names them.

    An async predicate on a sync client, a role that the provider does not carry, and a tool that
    is no definition (a framework's own object, of which we know no schema).
    """
    if not declared:
        return
    carries = shape(_DIALECTS[package]).carries
    refuse_unfit(declared, is_async="Async" in client, provider=package, carries=carries)
    for piece in declared.pieces:
        for tool in piece.tools:
            if tool.schema is None:
                raise DeclarationError(
                    f"{piece.source} {piece.id!r} tools", tool.name,
                    "a definition with a schema, for a provider's client",
                )  # fmt: skip
