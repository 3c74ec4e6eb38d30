"""Single collectors beside a stack: with other layers, as agents and gateways."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from deploy.local import Ports, Programs, processes
from deploy.local.configs import collector_env, layer_paths
from deploy.local.health import answers, until
from deploy.local.processes import Running


class Collector:
    """One collector process. A context manager; `kill` and `start` in between."""

    def __init__(
        self,
        programs: Programs,
        folder: Path,
        layers: Sequence[str | Path],
        env: dict[str, str] | None = None,
        ports: Ports | None = None,
    ) -> None:
        self.program = str(programs.find("collector"))
        self.folder = folder
        self.layers = layer_paths(layers)
        self.ports = ports or Ports.free()
        self.env = {
            **collector_env(self.ports, folder / "queue"),
            "COLLECTOR_LOG_LEVEL": "warn",
            **(env or {}),
        }
        self.process: Running | None = None
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def command(self) -> list[str]:
        return [self.program, *(f"--config={path}" for path in self.layers)]

    @property
    def log(self) -> Path:
        return self.folder / "collector.log"

    def url(self, port: str = "otlp_http") -> str:
        return f"http://127.0.0.1:{self.ports[port]}"

    def start(self) -> None:
        process = processes.start(self.command, self.log, self.env, self.folder)
        self.process = process

        def dead() -> str | None:
            if processes.alive(process):
                return None
            return "the process has ended\n" + self.log.read_text(errors="replace")[-3000:]

        until(lambda: answers(self.url("collector_health")), 60, "collector", dead)

    def stop(self, kill: bool = False) -> None:
        if self.process is not None:
            process, self.process = self.process, None
            processes.stop(process, kill)

    def validate(self) -> subprocess.CompletedProcess[str]:
        """What `validate` says of the merged configuration."""
        import os

        command = [self.program, "validate", *self.command[1:]]
        env = {**os.environ, **self.env}
        return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)

    def __enter__(self) -> Collector:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.stop()
