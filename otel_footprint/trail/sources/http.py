"""Requests to a backend's query API, by the standard library."""

from __future__ import annotations

import base64
import gzip
import json
import os
import zlib
from collections.abc import Mapping
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlencode, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from ...errors import SourceError

HEADERS: Final = "OTEL_FOOTPRINT_FROM_HEADERS"
"""Environment variable with headers for a backend: `name=value`, with commas, URL-encoded."""
TIMEOUT: Final = 30.0
"""Seconds without a byte after which a request is given up."""


class NotThereError(Exception):
    """The backend answered that this is not there (404)."""


class Http:
    """GET requests below one base URL. A user and password in it become basic credentials."""

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            host = parts.hostname or ""
            port = parts.port
        except ValueError as error:
            raise SourceError(f"{url}: is no URL ({error})") from None
        if parts.scheme not in ("http", "https") or not host:
            raise SourceError(f"{url}: is no http or https URL")
        shown = f"[{host}]" if ":" in host else host
        place = shown if port is None else f"{shown}:{port}"
        self.base = urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", ""))
        """Without credentials, so that it can be shown."""
        self._headers = _declared(os.environ)
        if parts.username:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            self._headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()

    def get(self, path: str, query: Mapping[str, str | int] | None = None) -> bytes:
        """The body of the answer. Raises NotThereError for 404, SourceError for other failures."""
        url = f"{self.base}{quote(path)}"
        if query:
            url += "?" + urlencode(query)
        request = Request(url, headers={"Accept": "application/json", "Accept-Encoding": "gzip"})  # noqa: S310
        for name, value in self._headers.items():
            request.add_unredirected_header(name, value)
        try:
            with urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310 (http, https)
                body: bytes = answer.read()
                packed = answer.headers.get("Content-Encoding") == "gzip"
                return gzip.decompress(body) if packed else body
        except HTTPError as error:
            raise self._refused(error) from None
        except TimeoutError:
            raise self._failed(f"gave no answer within {TIMEOUT:g} s") from None
        except URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise self._failed(f"gave no answer within {TIMEOUT:g} s") from None
            raise self._failed(f"cannot be reached ({error.reason})") from None
        except (OSError, ValueError, EOFError, zlib.error) as error:
            what = str(error) or type(error).__name__
            raise self._failed(f"gave no usable answer ({what})") from None
        except Exception as error:  # http.client has errors of its own, of no common base but this
            raise self._failed(f"gave no usable answer ({type(error).__name__})") from None

    def json(self, path: str, query: Mapping[str, str | int] | None = None) -> Any:
        """The decoded answer; None when it is no JSON (a page where there is no such API)."""
        try:
            return json.loads(self.get(path, query))
        except (ValueError, RecursionError):
            return None

    def _refused(self, error: HTTPError) -> Exception:
        if error.code == 404:
            return NotThereError()
        try:
            said = error.read(600).decode("utf-8", "replace").strip()
        except (OSError, ValueError):
            said = ""
        more = f": {' '.join(said.split())[:200]}" if said and "<html" not in said.lower() else ""
        hint = f" (credentials: set {HEADERS})" if error.code in (401, 403) else ""
        return self._failed(f"answered {error.code} {error.reason}{more}{hint}")

    def _failed(self, what: str) -> SourceError:
        return SourceError(f"{self.base} {what}")


def _declared(env: Mapping[str, str]) -> dict[str, str]:
    out: dict[str, str] = {}
    for pair in env.get(HEADERS, "").split(","):
        name, equals, value = pair.partition("=")
        if name.strip() and equals:
            out[name.strip()] = unquote(value.strip())
    return out
