"""Exit codes are read where a tool states them, and nowhere else."""

from __future__ import annotations

import subprocess

import pytest

from otel_footprint.scripts import exit_code_of


@pytest.mark.parametrize(
    ("result", "code"),
    [
        ({"exit_code": 0}, 0),
        ({"stdout": "", "returncode": -9}, -9),
        ({"return_code": 1, "stderr": "x"}, 1),
        ({"exitCode": 2}, 2),
        ('{"exit_code": 3, "output": "x"}', 3),
        (' {"exit_status": 4}', 4),
        (subprocess.CompletedProcess("x", 5), 5),
        ({"exit_code": "0"}, None),
        ({"exit_code": True}, None),
        ({"exit_code": None}, None),
        ("exit code: 1", None),
        ("{'exit_code': 1}", None),
        ("[1]", None),
        ('{"exit_code": 1', None),
        ('{"output": "x"}', None),
        ('{"a": ' * 9000 + '"exit_code"', None),
        ('{"exit_code": 1' + " " * 70_000 + "}", None),
        (None, None),
        (7, None),
        ([{"exit_code": 1}], None),
    ],
)
def test_an_exit_code_is_a_whole_number_at_the_top_of_a_result(result, code):
    assert exit_code_of(result) == code
