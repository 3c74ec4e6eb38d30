"""The rule files: current, well-formed, each alert fires when it should, and else not."""

from __future__ import annotations

import json
import subprocess

import pytest

from deploy.local import Programs
from deploy.local.programs import MissingProgramError
from deploy.rules.alerts import ALERTS
from deploy.rules.files import FILES
from deploy.runbooks import link

from .conftest import REQUIRED
from .rule_cases import CASES, case_file


@pytest.fixture(scope="module")
def promtool() -> str:
    try:
        return str(Programs().find("promtool"))
    except MissingProgramError as error:
        if REQUIRED:
            raise
        pytest.skip(str(error))


def ran(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return said


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_rules_are_well_formed(promtool, path):
    assert f"{len(ALERTS)} rules found" in ran(promtool, "check", "rules", str(path))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
@pytest.mark.parametrize("alert", ALERTS, ids=lambda a: a.name)
def test_it_fires_when_it_should_and_else_not(promtool, tmp_path, alert, path):
    url, case = link(alert.page), CASES[alert.name]
    made = case_file(str(path), case, alert.name, alert.severity, url, FILES[path])
    file = tmp_path / "case.json"
    file.write_text(json.dumps(made))
    ran(promtool, "test", "rules", str(file))
