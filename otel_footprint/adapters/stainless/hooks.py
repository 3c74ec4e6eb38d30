"""The three wraps: `request` (a call begins and ends), `_process_response` (its answer), `copy`."""

from __future__ import annotations

import inspect
import threading
from typing import Any, Final

import wrapt

from ...run import state
from ...run.recorder import Recorder
from ...telemetry.guard import guard
from .exchange import PREPARES, Exchange, options_of
from .sdk import Sdk

MARK: Final = "_otel_footprint"
"""Attribute of a client that is wrapped: its Recorder."""

_Patches = dict[tuple[Any, str], Any]
_installed: dict[str, _Patches] = {}
"""By package: our wrapper of each class's method."""
_everywhere: dict[str, Recorder] = {}
_lock: Final = threading.Lock()


def mark(client: Any, recorder: Recorder) -> None:
    """Wraps a client: its calls, and those of its copies, are recorded by `recorder`."""
    client.__dict__[MARK] = recorder


def recorder_of(client: Any, sdk: Sdk) -> Any:
    """What a client is recorded by, by itself or with all of its SDK; None: by nothing."""
    return client.__dict__.get(MARK) or _everywhere.get(sdk.package)


def install(sdk: Sdk, everywhere: Recorder | None = None) -> None:
    """Wraps the SDK's classes, each once; with `everywhere` unmarked clients are recorded too.

    Once installed, it only repairs: another library that takes its own wrap out may take ours too.
    """
    with _lock:
        if everywhere is not None:
            _everywhere[sdk.package] = everywhere
        patches = _installed.setdefault(sdk.package, {})
        sync, asynchronous = sdk.classes
        for classes, request, process in (
            (sync, _request(sdk), _process),
            (asynchronous, _request_async(sdk), _process_async),
        ):
            for cls in classes:
                _wrap(patches, cls, "request", request)
                _wrap(patches, cls, "_process_response", process)
                _wrap(patches, cls, PREPARES, _prepare)
                _wrap(patches, cls, "copy", _copy)
                _wrap(patches, cls, "with_options", _copy)


def uninstall(sdk: Sdk) -> None:
    """Takes our wraps out, also from beneath another library's."""
    with _lock:
        _everywhere.pop(sdk.package, None)
        for (cls, name), ours in reversed(_installed.pop(sdk.package, {}).items()):
            above, found = None, vars(cls).get(name)
            while found is not None and found is not ours:
                above, found = found, getattr(found, "__wrapped__", None)
            if found is None:
                continue
            if above is None:
                setattr(cls, name, ours.__wrapped__)
            else:
                with guard("uninstall"):
                    above.__wrapped__ = ours.__wrapped__


def _wrap(patches: _Patches, cls: Any, name: str, wrapper: Any) -> None:
    found = vars(cls).get(name)
    if found is None or _holds(found, patches.get((cls, name))):
        return
    ours = wrapt.FunctionWrapper(found, wrapper)
    setattr(cls, name, ours)
    patches[cls, name] = ours


def _holds(found: Any, ours: Any) -> bool:
    """Whether our wrapper is in the chain of wrappers that was found on a class."""
    if ours is None:
        return False
    while found is not None and found is not ours:
        found = getattr(found, "__wrapped__", None)
    return found is not None


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
            if not exchange.prepares():
                options = options_of(args, kwargs)
                edited = exchange.planned(options)
                exchange.prepared(edited)
                args, kwargs = _with(args, kwargs, options, edited)
            result = wrapped(*args, **kwargs)
        except BaseException as error:
            exchange.failed(error)
            raise
        return exchange.returned(result)

    return request


def _request_async(sdk: Sdk) -> Any:
    async def request(wrapped: Any, client: Any, args: Any, kwargs: Any) -> Any:
        recorder = _recorder(sdk, client)
        exchange = recorder and _begin(sdk, recorder, client, wrapped, args, kwargs)
        if not exchange:
            return await wrapped(*args, **kwargs)
        try:
            if not exchange.prepares():
                options = options_of(args, kwargs)
                edited = await exchange.planned_async(options)
                exchange.prepared(edited)
                args, kwargs = _with(args, kwargs, options, edited)
            result = await wrapped(*args, **kwargs)
        except BaseException as error:
            exchange.failed(error)
            raise
        return exchange.returned(result)

    return request


def _with(args: Any, kwargs: Any, options: Any, edited: Any) -> tuple[Any, Any]:
    """The arguments of `request` with other options; the very same for the same options."""
    if edited is options:
        return args, kwargs
    if "options" in kwargs:
        return args, {**kwargs, "options": edited}
    return (args[0], edited, *args[2:]), kwargs


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
    options = exchange.planned(found)
    exchange.prepared(options)
    return options


async def _prepare_async(found: Any, exchange: Exchange) -> Any:
    options = await exchange.planned_async(await found)
    exchange.prepared(options)
    return options


def _copy(wrapped: Any, client: Any, args: Any, kwargs: Any) -> Any:
    made = wrapped(*args, **kwargs)
    recorder = client.__dict__.get(MARK)
    if recorder is not None:
        with guard("copy"):
            mark(made, recorder)
    return made
