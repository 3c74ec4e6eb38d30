"""What the demo says to run next can be typed as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = "import sys\nfrom otel_footprint.cli.main import main\nsys.exit(main(sys.argv[1:]))\n"


@pytest.mark.parametrize("found", [False, True], ids=["not on the path", "on the path"])
def test_the_next_command_names_the_program_as_it_is_found(tmp_path: Path, found: bool) -> None:
    program = tmp_path / "bin" / "otel-footprint"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{SCRIPT}", encoding="utf-8")
    program.chmod(0o755)
    root = str(Path(__file__).resolve().parents[2])
    env = {**os.environ, "PYTHONPATH": root, "PATH": str(program.parent) if found else ""}
    said = subprocess.run(
        ["bin/otel-footprint", "demo", "trail.jsonl"],
        cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    name = "otel-footprint" if found else "bin/otel-footprint"
    assert f'\nNext: {name} why trail.jsonl "15 %"\n' in said.stdout
