"""`python -m deploy.local up|down|status`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import configs, processes
from .health import NotReadyError, answers
from .ports import USUAL, Ports
from .programs import VARIABLE, MissingProgramError, Programs
from .stack import SERVICES, Stack

FOLDER = Path.home() / ".local" / "state" / "otel-footprint" / "local"
PAGES = {
    "jaeger": "traces",
    "prometheus": "metrics and alerts",
    "alertmanager": "what was notified",
    "runbooks": "what to do when an alert fires",
    "otlp_http": "send OTLP over HTTP here",
    "otlp_grpc": "send OTLP over gRPC here",
}


def main(arguments: list[str]) -> int:
    """0: done; 1: something did not work, with a line that says what."""
    args = _parser().parse_args(arguments)
    try:
        found: int = args.run(args)
    except (MissingProgramError, NotReadyError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return found


def up(args: argparse.Namespace) -> int:
    """Starts the stack and leaves it running."""
    old = Stack.load(args.folder)
    if old is not None and any(processes.alive(p) for p in old.running.values()):
        ended = [name for name, process in old.running.items() if not processes.alive(process)]
        but = f" (but {', '.join(ended)} ended)" if ended else ""
        raise ValueError(f"It is up already{but}; stop it with: {_command('down', args.folder)}")
    given = dict(args.port)
    ports = Ports.free() if args.free_ports else Ports.usual(given)
    ports.update(given)
    taken = ports.taken()
    if taken:
        said = ", ".join(f"{name} ({ports[name]})" for name in taken)
        raise ValueError(f"taken: {said}; give others by --port NAME=NUMBER or --free-ports")
    layers = args.layer or configs.DEFAULT_LAYERS
    stack = Stack(args.folder, ports, Programs(args.bin), layers=layers, page=args.jaeger_page)
    stack.up()
    _say(stack)
    to = f"OTEL_EXPORTER_OTLP_ENDPOINT={stack.url('otlp_http')} "
    where = "" if ports["otlp_http"] == USUAL["otlp_http"] else to
    print(f"a demo agent sends to it with: {where}python -m deploy.demo")
    print(f"stop it with: {_command('down', args.folder)}")
    return 0


def down(args: argparse.Namespace) -> int:
    """Stops it."""
    stack = Stack.load(args.folder)
    if stack is None:
        print(f"Nothing was started in {args.folder}.")
        return 0
    stack.down()
    print(f"Stopped. Logs and data are in {args.folder}.")
    return 0


def status(args: argparse.Namespace) -> int:
    """Says what runs; 1 unless all of it answers."""
    stack = Stack.load(args.folder)
    if stack is None:
        print(f"Nothing was started in {args.folder}.")
        return 1
    good = True
    for service in SERVICES:
        process = stack.running.get(service)
        word = "not started"
        if process is not None and processes.alive(process):
            word = "up" if answers(stack.health(service)) else "does not answer"
        elif process is not None:
            word = "has ended"
        good = good and word == "up"
        print(f"{service:13} {word:16} {stack.log(service)}")
    _say(stack)
    return 0 if good else 1


def _say(stack: Stack) -> None:
    for port, what in PAGES.items():
        print(f"{stack.url(port):26} {port:13} {what}")


def _command(command: str, folder: Path) -> str:
    where = "" if folder == FOLDER else f" --folder {folder}"
    return f"python -m deploy.local {command}{where}"


def _port(said: str) -> tuple[str, int]:
    name, _, number = said.partition("=")
    if not number.isascii() or not number.isdigit() or not 0 < int(number) < 65_536:
        raise argparse.ArgumentTypeError(f"{said!r} is not NAME=NUMBER with a port of 1 to 65535")
    return name, int(number)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m deploy.local", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="up|down|status")
    for run in (up, down, status):
        command = commands.add_parser(run.__name__, help=run.__doc__)
        command.set_defaults(run=run)
        command.add_argument("--folder", type=Path, default=FOLDER, help="logs, data and state")
        if run is not up:
            continue
        command.add_argument("--bin", type=Path, help=f"folder of the programs (or {VARIABLE})")
        command.add_argument(
            "--port",
            action="append",
            type=_port,
            default=[],
            metavar="NAME=NUMBER",
            help=", ".join(USUAL),
        )
        command.add_argument("--free-ports", action="store_true", help="take whatever is free")
        command.add_argument(
            "--layer", action="append", help="of the collector: a file of collector/, or a path"
        )
        command.add_argument("--jaeger-page", help="folder of a built Jaeger page")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
