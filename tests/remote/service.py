"""A sub-agent behind HTTP, in a process of its own: `python -m tests.remote.service FILE`.

Prints its port, answers one request, and writes its trail to FILE.
"""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

import otel_footprint as footprint
from tests.sdk import chat


def main(file: str) -> None:
    handle = footprint.configure(file=file, service_name="sub-agent")
    fp = footprint.Footprint("sub-agent", content="full")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with footprint.extract(self.headers), fp.turn("look it up"):
                body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "hi"}]}
                fp.record("openai", "/v1/chat/completions", body, chat("found it"))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"found it")

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.handle_request()
    handle.flush()
    handle.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
