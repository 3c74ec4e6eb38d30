"""The three wraps: `request` (a call begins and ends), `_process_response` (its answer), `copy`."""

from __future__ import annotations

import inspect
import threading
from typing import Any, Final

import wrapt

from ...run import state
from ...run.recorder import Recorder
from ...telemetry.guard import guard
from .exchange import PREPARES, Exchange
from .sdk import Sdk

MARK: Final = "_otel_footprint"
"""Attribute of a client that is wrapped: its Recorder."""

_installed: dict[str, list[tuple[Any, str, Any]]] = {}
_everywhere: dict[str, Recorder] = {}
_lock: Final = threading.Lock()


def mark(client: Any, recorder: Recorder) -> None:
    """Wraps a client: its calls, and those of its copies, are recorded by `recorder`."""
    client.__dict__[MARK] = recorder


def install(sdk: Sdk, everywhere: Recorder | None = None) -> None:
    """Wraps the SDK's classes once; with `everywhere` unmarked clients are recorded too."""
    with _lock:
        if everywhere is not None:
            _everywhere[sdk.package] = everywhere
        if sdk.package in _installed:
            return
        patches: list[tuple[Any, str, Any]] = []
        base = sdk.base
        for name, request, process in (
            ("SyncAPIClient", _request(sdk), _process),
            ("AsyncAPIClient", _request_async(sdk), _process_async),
        ):
            cls = getattr(base, name)
            _wrap(patches, cls, "request", request)
            _wrap(patches, cls, "_process_response", process)
            _wrap(patches, cls, PREPARES, _prepare)
        for cls in sdk.clients:
            for name in ("copy", "with_options"):
                if name in vars(cls):
                    _wrap(patches, cls, name, _copy)
        _installed[sdk.package] = patches


def uninstall(sdk: Sdk) -> None:
    """Takes our wraps out where they are on top; beneath another library's they do nothing."""
    with _lock:
        _everywhere.pop(sdk.package, None)
        patches = _installed.pop(sdk.package, [])
        for cls, name, ours in reversed(patches):
            if vars(cls).get(name) is ours:
                setattr(cls, name, ours.__wrapped__)


def _wrap(patches: list[tuple[Any, str, Any]], cls: Any, name: str, wrapper: Any) -> None:
    if name not in vars(cls):
        return
    ours = wrapt.FunctionWrapper(vars(cls)[name], wrapper)
    setattr(cls, name, ours)
    patches.append((cls, name, ours))


def _recorder(sdk: Sdk, client: Any) -> Recorder | None:
    found: Recorder | None = client.__dict__.get(MARK)
    if found is None:
        found = _everywhere.get(sdk.package)
    if found is None or sdk.package not in _installed or state.SUPPRESSED.get():
        return None
    return found


def _begin(
    sdk: Sdk, recorder: Recorder, client: Any, wrapped: Any, args: Any, kwargs: Any
) -> Exchange | None:
    with guard("request.begin"):
        return Exchange.begin(sdk, recorder, client, wrapped, args, kwargs)
    return None


def _request(sdk: Sdk) -> Any:
    def request(wrapped: Any, client: Any, args: Any, kwargs: Any) -> Any:
        recorder = _recorder(sdk, client)
        exchange = recorder and _begin(sdk, recorder, client, wrapped, args, kwargs)
        if not exchange:
            return wrapped(*args, **kwargs)
        try:
            result = wrapped(*args, **kwargs)
        except BaseException as error:
            exchange.failed(error)
            raise
        exchange.returned(result)
        return result

    return request


def _request_async(sdk: Sdk) -> Any:
    async def request(wrapped: Any, client: Any, args: Any, kwargs: Any) -> Any:
        recorder = _recorder(sdk, client)
        exchange = recorder and _begin(sdk, recorder, client, wrapped, args, kwargs)
        if not exchange:
            return await wrapped(*args, **kwargs)
        try:
            result = await wrapped(*args, **kwargs)
        except BaseException as error:
            exchange.failed(error)
            raise
        exchange.returned(result)
        return result

    return request


def _process(wrapped: Any, _client: Any, args: Any, kwargs: Any) -> Any:
    exchange = Exchange.current()
    if exchange is not None:
        exchange.answered(kwargs)
    return wrapped(*args, **kwargs)


async def _process_async(wrapped: Any, _client: Any, args: Any, kwargs: Any) -> Any:
    exchange = Exchange.current()
    if exchange is not None:
        exchange.answered(kwargs)
    return await wrapped(*args, **kwargs)


def _prepare(wrapped: Any, _client: Any, args: Any, kwargs: Any) -> Any:
    found = wrapped(*args, **kwargs)
    exchange = Exchange.current()
    if exchange is None:
        return found
    if inspect.isawaitable(found):
        return _prepare_async(found, exchange)
    exchange.prepared(found)
    return found


async def _prepare_async(found: Any, exchange: Exchange) -> Any:
    options = await found
    exchange.prepared(options)
    return options


def _copy(wrapped: Any, client: Any, args: Any, kwargs: Any) -> Any:
    made = wrapped(*args, **kwargs)
    recorder = client.__dict__.get(MARK)
    if recorder is not None:
        with guard("copy"):
            mark(made, recorder)
    return made
