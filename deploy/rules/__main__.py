"""`python -m deploy.rules [--runbooks URL] [--to FOLDER]`: writes the rule files.

URL: where your runbooks are; each alert links to `URL/<page>.md`. Default: the pages as the stacks
in `deploy` serve them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from urllib.parse import urlsplit

from ..runbooks import BASE
from .files import FILES, FOLDER, text


def main(arguments: list[str]) -> None:
    """Writes the files."""
    parser = argparse.ArgumentParser("python -m deploy.rules", description=__doc__)
    parser.add_argument("--runbooks", type=_url, default=BASE, metavar="URL", help="%(default)s")
    parser.add_argument("--to", type=Path, default=FOLDER, help="folder to write to (%(default)s)")
    args = parser.parse_args(arguments)
    args.to.mkdir(parents=True, exist_ok=True)
    for path, spelling in FILES.items():
        (args.to / path.name).write_text(text(spelling, args.runbooks), encoding="utf-8")


def _url(said: str) -> str:
    if urlsplit(said).scheme not in ("http", "https") or not urlsplit(said).netloc:
        raise argparse.ArgumentTypeError(f"{said!r} is no http:// or https:// URL")
    return said


if __name__ == "__main__":
    main(sys.argv[1:])
