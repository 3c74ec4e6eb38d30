"""What a CommonMark renderer makes of an answer with our text under it (markdown-it-py)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt

from otel_footprint.records.script_text import block
from otel_footprint.records.scripts import Attached, Boundary

PARSER = MarkdownIt("commonmark", {"maxNesting": 300})
"""The parser's own default drops the rest of a document below ten nested lists."""


def top_level(text: str) -> list[tuple[str, str]]:
    """The blocks at top level: (type, content), of a container the content is empty."""
    out = []
    for token in PARSER.parse(text):
        if token.type == "inline" and token.level == 1:
            out[-1] = (out[-1][0], token.content)
        elif token.level == 0 and token.nesting >= 0:
            out.append((token.type, token.content))
    return out


def as_rendered(program: str) -> str:
    """A program as a code block holds it: line feeds, and one at the end."""
    program = re.sub(r"\r\n?", "\n", program)
    return program if not program or program.endswith("\n") else program + "\n"


def expected(record: Attached) -> list[tuple[str, str]]:
    """The blocks that our text has to come out as."""
    from otel_footprint.records import script_text as form

    out = []
    for number, script in enumerate(record.shown, 1):
        line = form.label_line(script, number, len(record.shown), record.kept)
        out.append(("paragraph_open", line))
        if not script.withheld:
            out.append(("fence", as_rendered(script.text or "")))
            if script.shown_bytes is not None:
                out.append(("paragraph_open", form.cut_line(script, number)))
    out.extend(("paragraph_open", form.unshown_line(u)) for u in record.unshown)
    if record.older:
        out.append(("paragraph_open", form.older_line(record.older)))
    if record.without_row and record.which == "all":
        out.append(("paragraph_open", form.rowless_line(record.without_row)))
    return out


def stands(text: str, wanted: Sequence[tuple[str, str]]) -> bool:
    """Whether the document ends with exactly these blocks at top level."""
    return top_level(text)[-len(wanted) :] == list(wanted)


def safe_beginning(answer: str, record: Attached) -> str | None:
    """A closing line (or the empty string) after which the block would stand; None: none found."""
    shown = tuple(s.model_copy(update={"withheld": False}) for s in record.shown)
    open_ = record._replace(shown=shown, boundary=Boundary("clean"))
    body, wanted = block(open_), expected(open_)
    longest = max((len(run) for run in re.findall(r"`+|~+", answer)), default=0)
    start = "" if not answer or answer.endswith("\n") else "\n"
    for closer in ["", *(c * n for n in range(3, max(longest, 3) + 1) for c in "`~")]:
        line = f"{closer}\n" if closer else ""
        if stands(f"{answer}{start}{line}\n{body}", wanted):
            return closer
    return None
