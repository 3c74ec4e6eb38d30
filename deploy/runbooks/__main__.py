"""`python -m deploy.runbooks`: serves the pages as plain text; `/` lists them."""

from __future__ import annotations

import argparse
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from . import FOLDER, PORT


class Pages(BaseHTTPRequestHandler):
    """Answers with a page by its name, and with nothing else of this folder."""

    def do_GET(self) -> None:
        """A page, or their names."""
        pages = {path.name: path for path in sorted(FOLDER.glob("*.md"))}
        name = self.path.partition("?")[0].strip("/")
        if not name:
            self._say(200, "\n".join(pages) + "\n")
        elif name in pages:
            self._say(200, pages[name].read_text(encoding="utf-8"))
        else:
            self._say(404, f"no such page; there are: {', '.join(pages)}\n")

    def log_message(self, *_: Any) -> None:
        """Says nothing."""

    def _say(self, status: int, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", "text/plain; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main(arguments: list[str]) -> None:
    """Serves until it is stopped."""
    parser = argparse.ArgumentParser("python -m deploy.runbooks", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument("--port", type=int, default=PORT, help="%(default)s")
    args = parser.parse_args(arguments)
    ThreadingHTTPServer((args.host, args.port), Pages).serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
