"""Texts that are hard on a reader of block structure: joined from the marks that it turns on."""

from __future__ import annotations

from hypothesis import strategies as st

MARKS = [
    "a", "b c", "é", "- ", "* ", "+ ", "1. ", "2. ", "10) ", "> ", ">", "```", "````", "~~~",
    "~~~~", "```py", "``` a`b", "~~~ `x", "`", "``", "<!--", "-->", "<pre>", "</pre>", "<script",
    "</script>", "<?", "?>", "<!X", "<![CDATA[", "]]>", "<div>", "</div>", "<x>", "</x>",
    "<a b='c'>", "===", "---", "--", "-", "=", "***", "* * *", "- - -", "# h", "#", "[foo]: /url",
    "[foo]:", "[foo", "/url", "'title'", "'tit", "le'", '"t"', "(t)", "]: /u", " ", "  ", "   ",
    "    ", "     ", "\t", "\\", "\n", "\n", "\n", "\n\n", "\n  ", "\n   ", "\n    ", "\n> ",
    "\n>", "\n- ", "\n  - ", "\n1. ", "\n```\n", "\n  ```\n", "\n   ~~~\n", "\n    ```\n",
    "\n> ```\n", "\n- ```\n", "\n<x>\n", "\n===\n", "\n---\n", "\n-\n", "\n2. x\n", "\r\n", "\r",
    "\x0c", "\u00a0", "\u2028", "\n$$\n", "$$", "\n\\[\n", "\\]", "Recorded program 1 of 1: ",
    "\n\nRecorded without its text: ",
]  # fmt: skip

marked = st.lists(st.sampled_from(MARKS), max_size=16).map("".join)
printable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
texts = st.one_of(marked, printable, st.tuples(marked, printable, marked).map("".join))
