"""The command `otel-footprint`. Each subcommand is imported when it is run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ..errors import FootprintError, MissingExtraError, TrailError
from ..report.plain import clean
from ..report.style import COLORS
from .output import close_quietly
from .source import lost_of, reading
from .turns import add_options

PROGRAM = "otel-footprint"
USAGE = 2
"""Exit code of a command that was called wrongly, whose trail is not there, or whose extra is not
installed."""
UNREADABLE = 4
"""The same of `verify`."""
CALL = "its number, TURN.NUMBER where several turns have it, or its id"
"""How a call is named."""


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; `where` names the module whose `run` does it."""
    top = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Evidence of what every model call of an agent was made of.",
    )
    top.add_argument("--version", action="version", version=_version())
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)

    demo = commands.add_parser(
        "demo",
        help="run a scripted agent offline and look at its trail",
        description="Runs a scripted support agent over a real client, offline, and shows its "
        "trail.",
    )
    demo.add_argument(
        "file", nargs="?", default="trail.jsonl", help="trail file to write (%(default)s)"
    )
    _color(demo)
    demo.set_defaults(where="demo")

    show = commands.add_parser(
        "show",
        parents=[reading(several=True)],
        help="print the tree of a trail",
        description="Prints the tree of a trail: of one turn or trace, or of everything in files. "
        "Exit code 1: something could not be read; 2: called wrongly, or there is no such trail.",
    )
    add_options(show)
    show.add_argument("--call", metavar="K", help=f"one call whole: {CALL}")
    _printed(show)
    show.set_defaults(where="show")

    _diff(commands)
    _report(commands)
    _why(commands)
    _verify(commands)
    _rebuild(commands)

    doctor = commands.add_parser(
        "doctor",
        help="say what is set up and whether the endpoint answers",
        description="Sends a test span to the configured endpoint and says what is set up. Exit "
        "code 1: something failed.",
    )
    doctor.set_defaults(where="doctor")
    return top


Commands = Any
"""What `add_subparsers` gives; argparse has no public name for it."""


def _diff(commands: Commands) -> None:
    diff = commands.add_parser(
        "diff",
        parents=[reading(several=True)],
        usage=f"{PROGRAM} diff [OPTIONS] TRACE K1 [K2]\n"
        f"       {PROGRAM} diff [OPTIONS] TRACE1 TRACE2 [K1 [K2]]",
        help="what differs between two calls, or two traces",
        description="Compares the requests of two calls: pieces that came, left, changed or moved, "
        f"by whom and why, tools and parameters too. K1, K2: {CALL}; one call alone "
        "is compared with the call before it. Two traces, or two files, are compared call by call, "
        "with what the model answered. Exit code 1: something could not be read; 2: called "
        "wrongly, or there is no such trail.",
    )
    diff.add_argument("--json", action="store_true", help="as JSON, for machines")
    _printed(diff)
    diff.set_defaults(where="diff")


def _report(commands: Commands) -> None:
    report = commands.add_parser(
        "report",
        parents=[reading(several=True)],
        help="write a trail as one HTML file",
        description="Writes one self-contained HTML file: the timeline, the slots of every call "
        "with all pieces, what changed and who let it in, the walk from the answer to its causes, "
        "tool calls, pressure, what is missing. "
        "It asks for nothing over the network and runs nothing of the trail. Exit code 1: "
        "something could not be read; 2: called wrongly, or there is no such trail.",
    )
    report.add_argument(
        "-o", "--output", metavar="FILE", default="report.html",
        help="file to write; - is standard output (default: %(default)s)",
    )  # fmt: skip
    report.set_defaults(where="report")


def _why(commands: Commands) -> None:
    why = commands.add_parser(
        "why",
        parents=[reading()],
        help="walk an answer back to the context that caused it",
        description="Walks from the last answer of a trail, or from one value or sentence of it, "
        "to the pieces of context that carry it, to what let each in, to the tool call behind a "
        "result and where its arguments came from. Without a VALUE: the answer's figures, dates, "
        "names and quotes one by one. Exit code 1: something could not be read; 2: called wrongly, "
        "or there is no such trail; 4: no answer could be read (no text was recorded, or it was "
        "withheld, or the call gave none), or with --absent it cannot be told.",
    )
    why.add_argument("value", nargs="?", metavar="VALUE", help="value or sentence of the answer")
    why.add_argument("--call", metavar="K", help=f"the call that wrote the answer: {CALL}")
    why.add_argument(
        "--absent", metavar="TEXT", help="was TEXT to be had, and not in front of the call, and why"
    )
    why.add_argument("--json", action="store_true", help="as JSON, for machines")
    _printed(why)
    why.set_defaults(where="why")


def _verify(commands: Commands) -> None:
    verify = commands.add_parser(
        "verify",
        parents=[reading()],
        help="say whether a trail is whole",
        description="Compares numbers, digests and hashes: of one turn when it is named, else of "
        "every turn in files (of a backend the newest), and the worst decides. Exit code 0: "
        "complete; 1: inconsistent (with a --key that fits: altered); 2: incomplete; 3: open; 4: "
        "unreadable, or called wrongly. Texts that a pipeline withheld or shortened are named and "
        "change no verdict.",
    )
    _printed(verify)
    verify.set_defaults(where="verify")


def _rebuild(commands: Commands) -> None:
    rebuild = commands.add_parser(
        "rebuild",
        parents=[reading()],
        help="print the exact request of a call",
        description="Puts the request of a call together from the records of its pieces and says "
        "on standard error how far it is proven: byte for byte, as JSON, as recorded, or not; or "
        "what is missing and why. Exit code 1: it cannot be rebuilt, is not proven, or something "
        "could not be read; 2: called wrongly, or there is no such trail.",
    )
    rebuild.add_argument("--call", metavar="K", help=f"the call: {CALL} (without it: the last one)")
    rebuild.add_argument(
        "--provider", choices=("json",),
        help="exactly the provider's own JSON and nothing else (without it: indented)",
    )  # fmt: skip
    rebuild.set_defaults(where="rebuild")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code."""
    try:
        args = _parsed(argv)
    except SystemExit as stop:
        given = sys.argv[1:] if argv is None else argv
        if stop.code and given[:1] == ["verify"]:  # there 2 means incomplete
            raise SystemExit(UNREADABLE) from None
        raise
    args.unread = []
    try:
        command = import_module(f".{args.where}", __package__)
        if args.where == "doctor":
            found = int(command.doctor(sys.stdout))
            sys.stdout.flush()
            return found
        return int(command.run(args))
    except TrailError as error:
        sys.stderr.write(f"{PROGRAM} {args.where}: {clean(str(error))}\n")
        lost_of(args.unread)  # it may be the reason
        return USAGE
    except MissingExtraError as error:
        sys.stderr.write(f"{PROGRAM} {args.where}: {clean(str(error))}\n")
        return USAGE
    except FootprintError as error:
        sys.stderr.write(f"{PROGRAM}: {clean(str(error))}\n")
        return 1
    except BrokenPipeError:  # whoever reads has seen enough
        close_quietly()
        return 1
    except KeyboardInterrupt:
        return 130


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments; words may stand on both sides of options (`why FILE --call 2 VALUE`)."""
    top = parser()
    args, left = top.parse_known_args(argv)
    for word in left:
        trace = getattr(args, "trace", None)
        if word.startswith("-") or trace is None:
            top.error(f"unrecognized arguments: {' '.join(left)}")
        if isinstance(trace, list):
            trace.append(word)
        elif getattr(args, "value", "") is None:
            args.value = word
        else:
            top.error(f"unrecognized arguments: {' '.join(left)}")
    return args


def _printed(command: argparse.ArgumentParser) -> None:
    """How `output.put` prints what the command says."""
    command.add_argument("--ascii", action="store_true", help="no character outside ASCII")
    _color(command)


def _color(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--color", choices=COLORS, default="auto", help="colour the output (default: %(default)s)"
    )


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{PROGRAM} {version('otel-footprint')}"
    except PackageNotFoundError:
        return f"{PROGRAM} 0"


if __name__ == "__main__":
    sys.exit(main())
