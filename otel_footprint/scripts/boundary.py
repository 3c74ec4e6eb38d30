"""What a text leaves open for what is written after it, as a CommonMark renderer reads it.

`clean`: a block that begins after a blank line stands at top level. `closed`: it does so after a
closing line for an open fence. `unsettled`: no line makes it so (raw HTML that only its own end
mark ends), or display math is open. Everything inside a list item or a quote is ended by leaving
it, so only what stands at top level counts.

The text is searched for lines that may open such a thing; only where the answer depends on the
containers around them is the structure read, from the last point where nothing can be open.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ..records.scripts import Boundary
from .blocks import FENCE, OTHER, PARAGRAPH, RAW, TOP_TEXT, Blocks
from .patterns import EMPTY_LINES, HTML, HTML_END, LIKELY, TAG_LINE, TOP, fenced

MATH: Final = {"$": "$$", "\\": "\\]"}
"""What ends display math, by the first character of what opened it."""
_FAR: Final = 400
_FENCES: Final = ("\n```", "\n~~~", "\n   ```", "\n   ~~~")
_STRUCTURE: Final = frozenset(" `~<>#=-_*+[0123456789")


class Reading(NamedTuple):
    """A boundary and, when it is unsettled, why: `html` or `math`; else empty."""

    boundary: Boundary
    reason: str


def read_boundary(text: str) -> Boundary:
    """The boundary after `text`, read as if a line break followed. Linear in its length."""
    return read(text).boundary


def read(text: str) -> Reading:
    """The boundary after `text` with its reason."""
    scan = _Scan(_normal(text))
    scan.run()
    if scan.math:
        return Reading(Boundary("unsettled"), "math")
    blocks = scan.blocks
    if not scan.open:
        return Reading(Boundary("clean"), "")
    if blocks.leaf == FENCE:
        return Reading(Boundary("closed", blocks.char, blocks.length), "")
    return Reading(Boundary("unsettled"), "html")


def _normal(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\t" in text:
        text = text.expandtabs(4)
    return "\n" + (EMPTY_LINES.sub("\n\n", text) if "\n\n\n" in text else text)


class _Scan:
    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks = Blocks(text)
        self.look = 0
        """Everything before is decided, though the blocks may not have been read so far."""
        self.math = ""
        """The end mark of open display math."""
        self.seen = self.low = 0
        self.tag = -1
        """The first line from `low`, the last calm place, on that begins with `<`."""
        self.open = False
        """True when a top-level fence or HTML block had no end."""

    def run(self) -> None:
        text = self.text
        while not self.open:
            likely = LIKELY.search(text, self.look)
            start = -1 if likely is None else likely.start()
            if self.math:
                mark = text.find(self.math, self.look)
                if mark < 0:
                    return
                line = text.rfind("\n", 0, mark)
                if start < 0 or line <= start:
                    self._end_math(line)
                    continue
            if start < 0:
                return
            found = TOP.match(text, start)
            if found is None or (found.group(4) and self.math):
                self.look = start + 1
            elif found.group(4):
                self._math(start, len(found.group(1)), found.group(4))
            else:
                self._opener(start, len(found.group(1)), found.group(2), found.end())

    # --- fences and HTML ---------------------------------------------------------------------

    def _opener(self, start: int, indent: int, fence: str | None, after: int) -> None:
        text, blocks = self.text, self.blocks
        end = self._line_end(start)
        if fence and fence[0] == "`" and text.find("`", after, end) >= 0:
            self.look = after
            return
        if not self._is_known(start, indent):
            self._read_to(start)
        elif fence:
            blocks.restart(end)
            blocks.leaf, blocks.char, blocks.length = FENCE, fence[0], len(fence)
        else:
            self._raw(start + 1 + indent, end)
        self._leave()

    def _raw(self, first: int, end: int) -> None:
        blocks = self.blocks
        found = HTML.match(self.text, first, end)
        kind = (found.lastindex or 0) if found else 0
        pattern = HTML_END[kind] if kind < 6 else None
        blocks.restart(end)
        if pattern is not None and not pattern.search(self.text, first, end):
            blocks.leaf, blocks.kind = RAW, kind

    def _leave(self) -> None:
        """Goes behind what was opened at top level, if anything."""
        blocks = self.blocks
        if not blocks.inside and blocks.leaf > PARAGRAPH:
            if not blocks.leap():
                self.open = True
            elif self.text.startswith(_FENCES, blocks.at):
                blocks.at = fenced(self.text, blocks.at)
        self.look = max(self.look, blocks.at)

    # --- reading -----------------------------------------------------------------------------

    def _calm(self, start: int) -> int:
        """A line break before line `start`, near it, behind which nothing was open; or -1.

        After an empty line a line without indentation leaves all containers, and so does a
        bullet with text, wherever no HTML block can be open.
        """
        text, low = self.text, self.blocks.at
        high, calm = start + 1, -1
        for _ in range(4):
            blank = text.rfind("\n\n", low, high)
            if blank < 0 or not text.startswith((" ", "\n"), blank + 2):
                calm = blank + 1 if blank >= 0 else -1
                break
            high = blank + 1
        if start - max(calm, low) > _FAR and self._is_free(start):
            for bullet in ("\n- ", "\n* "):
                at = text.rfind(bullet, self.low, start)
                if at >= 0 and text[at + 3 : at + 4].isalnum():
                    calm = max(calm, at)
        return calm

    def _is_free(self, start: int) -> bool:
        """True when no HTML block can be open at line `start`: then a mark at its begin counts.

        Asked with rising `start`; what was searched before is not searched again.
        """
        text, floor = self.text, self.blocks.at
        blank = text.rfind("\n\n", max(floor, self.seen - 1), start + 1)
        self.low = max(self.low, floor, blank)
        self.seen = start
        if self.tag < self.low:
            found = TAG_LINE.search(text, self.low)
            self.tag = len(text) if found is None else found.start()
        return self.tag >= start

    def _is_known(self, start: int, indent: int) -> bool:
        """True when a mark at the begin of line `start` stands at top level, whatever is around.

        Nearer to the margin than two columns a line is in no list item. Further in, it is so when
        nothing but plain lines lies between it and a place where nothing is open.
        """
        if indent < 2:
            return self._is_free(start)
        blocks = self.blocks
        if start - blocks.at > _FAR or blocks.inside:
            self._approach(start)
        else:
            blocks.skip(start)
        return blocks.at == start and not blocks.inside

    def _approach(self, start: int) -> None:
        """Brings the blocks near line `start`, without reading a line."""
        blocks = self.blocks
        calm = self._calm(start)
        if calm > blocks.at:
            blocks.restart(calm)
            blocks.skip(start)

    def _read_to(self, start: int) -> int:
        """Reads the blocks up to the line at `start` with it; what `Blocks.line` said of it."""
        blocks = self.blocks
        if start - blocks.at > _FAR:
            self._approach(start)
        said = OTHER
        while blocks.at <= start:
            said = blocks.line()
            if blocks.leaf == FENCE and blocks.inside:
                blocks.hop()
            elif blocks.leaf == RAW and not blocks.inside and blocks.kind > 5:
                blocks.leap()
                said = OTHER
            elif not blocks.inside:
                blocks.skip(start)
        return said

    # --- display math ------------------------------------------------------------------------

    def _math(self, start: int, indent: int, mark: str) -> None:
        """A line that begins with `$$` or a `\\[`."""
        end = self._line_end(start)
        top = self._is_known(start, indent) or self._read_to(start) == TOP_TEXT
        close = MATH[mark[0]]
        if top and self.text.find(close, start + 1 + indent + len(mark), end) < 0:
            self.math = close
        self.look = max(end, self.blocks.at)

    def _end_math(self, start: int) -> None:
        """A line that holds the end mark: it counts unless the line is code or raw HTML."""
        text = self.text
        plain = text[start + 1 : start + 2] not in _STRUCTURE and self._is_free(start)
        if plain or self._read_to(start):
            self.math = ""
            self.look = max(self._line_end(start), self.blocks.at)
        else:
            self.look = max(self._line_end(start), self.blocks.at)
            self._leave()

    def _line_end(self, start: int) -> int:
        end = self.text.find("\n", start + 1)
        return len(self.text) if end < 0 else end
