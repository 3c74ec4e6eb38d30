"""A report read back: tags, ids, headings and texts, as a browser would see them."""

from __future__ import annotations

import io
from html.parser import HTMLParser
from typing import Any

from otel_footprint.report.html import write
from otel_footprint.trail import Trail

VOID = {"meta", "rect", "line", "br", "link", "img", "input"}
HOSTILE = (
    "</pre></script><script>document.documentElement.setAttribute('data-owned','1')</script>"
    "<img src=x onerror=\"document.documentElement.setAttribute('data-owned','1')\">"
    "\"'><svg onload=document.documentElement.setAttribute('data-owned','1')>"
    "<link rel=stylesheet href=http://evil.invalid/x.css><iframe src=http://evil.invalid/></iframe>"
    "<meta http-equiv=refresh content='0;url=http://evil.invalid/'>{{ 7*7 }}{% raw %}"
    "javascript:alert(1) \x1b[31mred\x1b[0m \u202egnp.exe \u2066 \x00\x07 &lt;b&gt; شالوم"
)
"""Whatever could run, load, turn or hide something."""


class Page(HTMLParser):
    """What stands on a page."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.html = html
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        if "script" not in self.open and "style" not in self.open:
            self.text += data

    def ids(self) -> list[str]:
        return [a["id"] or "" for _, a in self.tags if "id" in a]

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [a for t, a in self.tags if t == tag]


def page(trail: Trail) -> Page:
    """The report of a trail."""
    out = io.StringIO()
    write(trail, out)
    out.getvalue().encode("utf-8")
    return Page(out.getvalue())
