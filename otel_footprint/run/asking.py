"""A declared handler asks a person: also one that is a coroutine, and never with an exception."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

from ..arguments import Arguments, Ask
from ..telemetry.guard import failed


def has_asker(arguments: Arguments, awaits: bool) -> bool:
    """Whether a declared handler can ask here; `awaits`: a coroutine can be awaited."""
    if arguments.ask is None:
        return False
    return awaits or not arguments.asks_async or not _in_loop()


def ask(arguments: Arguments, asked: Ask) -> tuple[Any, bool]:
    """The replies of a person, and whether one may be asked again."""
    if arguments.ask is None:
        return None, False
    try:
        found = arguments.ask(asked)
        if inspect.isawaitable(found):
            if _in_loop():
                if inspect.iscoroutine(found):
                    found.close()
                return None, False
            found = asyncio.run(_awaited(found))
    except Exception as error:  # the application's own: nobody answered
        failed("ask", type(error))
        return None, False
    return found, True


async def ask_async(arguments: Arguments, asked: Ask) -> tuple[Any, bool]:
    """The same where the answer can be awaited."""
    if arguments.ask is None:
        return None, False
    try:
        found = arguments.ask(asked)
        return (await found if inspect.isawaitable(found) else found), True
    except Exception as error:  # the application's own: nobody answered
        failed("ask", type(error))
        return None, False


def _in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _awaited(found: Any) -> Any:
    return await found
