"""The ports of the stack: the usual ones, free ones, or given ones."""

from __future__ import annotations

import random
import socket
from collections.abc import Mapping
from typing import Final

from ..runbooks import PORT

USUAL: Final = {
    "otlp_grpc": 4317,
    "otlp_http": 4318,
    "collector_health": 13133,
    "collector_own": 8888,
    "collector_metrics": 8889,
    "jaeger": 16686,
    "jaeger_query_grpc": 16685,
    "jaeger_otlp": 4327,
    "jaeger_otlp_http": 4328,
    "jaeger_health": 13134,
    "prometheus": 9090,
    "alertmanager": 9093,
    "webhook": 9099,
    "runbooks": PORT,
}
"""Port by name. `otlp_*` are the collector's: where applications send to."""
_FREE: Final = range(20_000, 32_000)
"""Below the ports that systems give to outgoing connections."""


class Ports(dict[str, int]):
    """Port by name, see `USUAL`."""

    @classmethod
    def usual(cls, given: Mapping[str, int] | None = None) -> Ports:
        """The usual ports, but for those given. Raises ValueError for a name there is not."""
        unknown = sorted(set(given or {}) - set(USUAL))
        if unknown:
            raise ValueError(f"no port is called {', '.join(unknown)}: {', '.join(USUAL)}")
        return cls({**USUAL, **(given or {})})

    @classmethod
    def free(cls) -> Ports:
        """Ports on which nothing listens on loopback now."""
        found: list[int] = []
        for port in random.sample(_FREE, len(_FREE)):
            if is_free(port):
                found.append(port)
            if len(found) == len(USUAL):
                break
        return cls(zip(USUAL, found, strict=True))

    def taken(self) -> list[str]:
        """Names of the ports on which something listens."""
        return [name for name, port in self.items() if not is_free(port)]


def is_free(port: int) -> bool:
    """Whether a listener could be opened on this port of loopback."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
