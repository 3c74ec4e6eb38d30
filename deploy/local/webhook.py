"""A receiver of Alertmanager's notifications: `python -m deploy.local.webhook PORT FILE`.

Each notification becomes a line of FILE; GET / answers `ok`.
"""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


def server(port: int, file: Path) -> ThreadingHTTPServer:
    """A server on loopback that appends what it gets to `file`."""

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            with file.open("ab") as out:
                out.write(body.replace(b"\n", b" ") + b"\n")
            self._say(b"ok")

        def do_GET(self) -> None:
            self._say(b"ok")

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

        def _say(self, text: bytes) -> None:
            self.send_response(200)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    return ThreadingHTTPServer(("127.0.0.1", port), Hook)


if __name__ == "__main__":
    server(int(sys.argv[1]), Path(sys.argv[2])).serve_forever()
