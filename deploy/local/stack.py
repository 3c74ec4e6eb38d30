"""The stack: starts and stops its services, and says where they are."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from . import configs, processes
from .health import NotReadyError, answers, until
from .ports import USUAL, Ports
from .processes import Running
from .programs import Programs

SERVICES: Final = ("webhook", "runbooks", "alertmanager", "jaeger", "collector", "prometheus")
"""In the order of their start; they are stopped in the opposite one."""
PATIENCE: Final = 60.0
"""Seconds in which a service must answer."""
_HEALTH: Final = {
    "webhook": ("webhook", "/"),
    "runbooks": ("runbooks", "/"),
    "alertmanager": ("alertmanager", "/-/ready"),
    "jaeger": ("jaeger_health", "/status"),
    "collector": ("collector_health", "/"),
    "prometheus": ("prometheus", "/-/ready"),
}
STATE: Final = "state.json"


class Stack:
    """The services of the stack, on loopback. A context manager: up, and down again.

    folder: for configuration, logs, queues, data and the state file; made when it is not there.
    layers: of the collector, see `configs.DEFAULT_LAYERS`. env: further variables for the
    collector. rules: alert rules; None: those of this repository, with links to the runbooks that
    the stack serves. services: which to start.
    interval: how often Prometheus scrapes and evaluates. page: a built Jaeger page to serve.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        ports: Ports | None = None,
        programs: Programs | None = None,
        *,
        layers: Sequence[str | Path] = configs.DEFAULT_LAYERS,
        env: dict[str, str] | None = None,
        rules: Sequence[Path] | None = None,
        services: Sequence[str] = SERVICES,
        interval: str = "5s",
        page: str | None = None,
    ) -> None:
        self.folder = Path(folder).resolve()
        self.ports = ports or Ports.free()
        self.programs = programs or Programs()
        self.layers = layers
        self.env = env or {}
        self.rules = rules if rules is None else list(rules)
        self.services = tuple(s for s in SERVICES if s in services)
        self.interval = interval
        self.page = page
        self.running: dict[str, Running] = {}

    # --- up and down -------------------------------------------------------------------------

    def __enter__(self) -> Stack:
        self.up()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.down()

    def up(self) -> None:
        """Starts all services and waits until they answer.

        Raises MissingProgramError, or NotReadyError with the end of the log of the one that did
        not come up; then all are stopped again.
        """
        commands = {service: self._command(service) for service in self.services}
        try:
            for service, command in commands.items():
                self._start(service, command)
            for service in commands:
                self.wait(service)
        except BaseException:
            self.down()
            raise

    def down(self) -> None:
        """Stops all services, the last started first."""
        for service in reversed(SERVICES):
            if service in self.running:
                self.stop(service)
        (self.folder / STATE).unlink(missing_ok=True)

    def start(self, service: str) -> None:
        """Starts one service and waits until it answers."""
        self._start(service, self._command(service))
        self.wait(service)

    def stop(self, service: str, kill: bool = False) -> None:
        """Stops one service; with `kill` it gets no chance to tidy up."""
        processes.stop(self.running.pop(service), kill)
        self._save()

    def wait(self, service: str, seconds: float = PATIENCE) -> None:
        """Waits until a service answers."""
        url = self.health(service)
        process = self.running[service]

        def dead() -> str | None:
            return None if processes.alive(process) else "the process has ended"

        try:
            until(lambda: answers(url), seconds, service, dead)
        except NotReadyError as error:
            raise NotReadyError(f"{error}\n{self.log_end(service)}") from None

    # --- what it says ------------------------------------------------------------------------

    def url(self, port: str) -> str:
        """The URL of a port, by its name (`ports.USUAL`), without a slash at the end."""
        return f"http://127.0.0.1:{self.ports[port]}"

    def health(self, service: str) -> str:
        """The URL that says whether a service is up."""
        port, path = _HEALTH[service]
        return f"{self.url(port)}{path}"

    def log(self, service: str) -> Path:
        """The log file of a service."""
        return self.folder / f"{service}.log"

    def log_end(self, service: str, lines: int = 20) -> str:
        """The last lines of a service's log."""
        try:
            text = self.log(service).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        return "\n".join(text.splitlines()[-lines:])

    def alerts(self) -> list[dict[str, Any]]:
        """The notifications that reached the webhook, in order."""
        try:
            text = (self.folder / "alerts.jsonl").read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in text.splitlines() if line.strip()]

    # --- one service -------------------------------------------------------------------------

    def _start(self, service: str, command: list[str]) -> None:
        env = {}
        if service == "collector":
            env = {**configs.collector_env(self.ports, self.folder / "queue"), **self.env}
        if service == "jaeger":  # no spans about itself, which it would send to port 4317
            env = {"OTEL_TRACES_SAMPLER": "always_off"}
        if service in ("webhook", "runbooks"):
            env = {"PYTHONPATH": str(configs.ROOT)}
        self.running[service] = processes.start(command, self.log(service), env, self.folder)
        self._save()

    def _command(self, service: str) -> list[str]:
        self.folder.mkdir(parents=True, exist_ok=True)
        ports, folder = self.ports, self.folder
        if service == "webhook":
            file = str(folder / "alerts.jsonl")
            return [sys.executable, "-m", "deploy.local.webhook", str(ports["webhook"]), file]
        if service == "runbooks":
            return [sys.executable, "-m", "deploy.runbooks", "--port", str(ports["runbooks"])]
        program = str(self.programs.find(service))
        if service == "jaeger":
            path = configs.write(folder / "jaeger.json", configs.jaeger(ports, self.page))
            return [program, "--config", str(path)]
        if service == "collector":
            layers = configs.layer_paths(self.layers)
            return [program, *(f"--config={path}" for path in layers)]
        if service == "alertmanager":
            path = configs.write(folder / "alertmanager.json", configs.alertmanager(ports))
            return [
                program,
                f"--config.file={path}",
                f"--storage.path={folder / 'alertmanager'}",
                f"--web.listen-address=127.0.0.1:{ports['alertmanager']}",
                "--cluster.listen-address=",
            ]
        ours = [configs.rules(folder / "rules.yaml", ports)] if self.rules is None else self.rules
        written = configs.prometheus(ports, self.interval, ours)
        path = configs.write(folder / "prometheus.json", written)
        return [
            program,
            f"--config.file={path}",
            f"--storage.tsdb.path={folder / 'prometheus'}",
            f"--web.listen-address=127.0.0.1:{ports['prometheus']}",
            "--web.enable-otlp-receiver",
            "--enable-feature=exemplar-storage",
        ]

    # --- the state file ----------------------------------------------------------------------

    def _save(self) -> None:
        state = {
            "services": {name: list(process) for name, process in self.running.items()},
            "ports": self.ports,
        }
        path = self.folder / STATE
        path.with_suffix(".new").write_text(json.dumps(state, indent=2), encoding="utf-8")
        path.with_suffix(".new").replace(path)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Stack | None:
        """The stack that was started with this folder; None when there is none.

        Raises ValueError for a state file that does not read.
        """
        path = Path(folder) / STATE
        try:
            state = json.loads(path.read_text(encoding="utf-8"))
            running = {name: Running(*found) for name, found in state["services"].items()}
            ports = Ports({**USUAL, **state["ports"]})
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, LookupError, AttributeError):
            raise ValueError(
                f"{path} does not say what was started: end what still runs, and remove the file"
            ) from None
        made = cls(folder, ports, services=tuple(running))
        made.running = running
        return made
