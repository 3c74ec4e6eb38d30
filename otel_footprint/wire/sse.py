"""Streams as text: server-sent events and JSON lines. Knows nothing of providers."""

from __future__ import annotations

import json
from typing import Any


class Events(list[tuple[str, Any]]):
    """Events in order: (name or empty, JSON). What could not be read is counted."""

    skipped: int = 0
    """Events or lines that are no JSON, and lines that are nothing known."""


def parse_sse(stream: str | bytes) -> Events:
    """The events of a stream, also of one that breaks off; `[DONE]` is left out.

    Never raises: what is no event is skipped and counted.
    """
    names: list[str] = []
    datas: list[str] = []
    name, data, skipped = "", "", 0
    for line in _lines(stream):
        if line.startswith("data:"):
            value = line[5:]
            data = f"{data}\n{value}" if data else value or " "
        elif not line:
            if data:
                names.append(name)
                datas.append(data)
            name = data = ""
        elif line.startswith("event:"):
            name = line[6:].strip()
        elif not line.startswith((":", "id:", "retry:")):
            skipped += 1
    if data:
        names.append(name)
        datas.append(data)
    events = _events(names, datas)
    events.skipped += skipped
    return events


def error_in(events: list[tuple[str, Any]]) -> str:
    """Type of the error that ended a stream, as its provider names it; empty where none did."""
    for name, data in reversed(events[-2:]):
        if not isinstance(data, dict):
            continue
        held = data["response"] if isinstance(data.get("response"), dict) else data
        error = held.get("error")
        if not error and name != "error" and data.get("type") != "error":
            continue
        said = error if isinstance(error, dict) else held
        for kind in (said.get("type"), said.get("code")):
            if isinstance(kind, str) and kind.isidentifier() and kind != "error":
                return kind[:64]
        return "error"
    return ""


def parse_ndjson(stream: str | bytes) -> Events:
    """The objects of JSON lines, or of one JSON array that was streamed; with empty names.

    Never raises: what is no JSON is skipped and counted.
    """
    lines = [line for line in _lines(stream) if line and not line.isspace()]
    if lines and lines[0].lstrip().startswith("["):
        try:
            whole = json.loads("\n".join(lines))
        except (ValueError, RecursionError):
            whole = None
        if isinstance(whole, list):
            return Events(("", value) for value in whole)
        lines = [line.strip().lstrip("[,").rstrip(",]") for line in lines]
        lines = [line for line in lines if line]
    return _events([""] * len(lines), lines)


def _lines(stream: str | bytes) -> list[str]:
    text = stream if isinstance(stream, str) else bytes(stream).decode("utf-8", "replace")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removeprefix("\ufeff").split("\n")


def _events(names: list[str], datas: list[str]) -> Events:
    """Reads all texts as one array; one by one when that does not give one value each."""
    if datas and datas[-1].strip() == "[DONE]":
        names, datas = names[:-1], datas[:-1]
    try:
        values = json.loads(f"[{','.join(datas)}]")
    except (ValueError, RecursionError):
        values = None
    if isinstance(values, list) and len(values) == len(datas):
        return Events(zip(names, values, strict=True))
    events = Events()
    for name, data in zip(names, datas, strict=True):
        if data.strip() == "[DONE]":
            continue
        try:
            events.append((name, json.loads(data)))
        except (ValueError, RecursionError):
            events.skipped += 1
    return events
