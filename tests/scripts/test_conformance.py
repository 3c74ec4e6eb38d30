"""The runner of vector files, and the boundary rows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance import boundary
from tests.conformance.__main__ import main
from tests.conformance.registry import RUNNERS, run_file

ROOT = Path(__file__).resolve().parents[2]


def written(folder, name, rows):
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["boundary_oracle_spec.jsonl", "boundary_oracle_aider_open.jsonl"])
def test_every_row_of_the_shared_boundary_files_passes(shared, name):
    path = shared / "data" / "commonmark" / name
    if not path.is_file():
        pytest.skip(f"{name} is not in ../shared/data/commonmark")
    result = run_file(path, shared / "data")
    assert result.failed == 0, result.lines
    assert result.passed == len(path.read_text("utf-8").splitlines())


def test_the_verdicts_are_counted(tmp_path, capsys):
    prefixes = ["a", "b", "```", "<!--", "$$"]
    path = written(tmp_path, "boundary_oracle_x.jsonl", [{"prefix": p} for p in prefixes])
    assert main([str(path)]) == 0
    printed = capsys.readouterr().out.split("\n")
    assert "  clean: 2" in printed
    assert "  closed: 1" in printed
    assert "  unsettled (html): 1" in printed
    assert "  unsettled (math): 1" in printed
    assert printed[-3:-1] == [
        "boundary_oracle_x.jsonl: 5 passed, 0 failed",
        "total: 5 passed, 0 failed",
    ]


def test_a_row_may_name_a_file_below_the_root_of_texts(tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "chat.md").write_bytes(b"one\r\n```\r\nthree")
    rows = [{"file": "chat.md", "lines": n} for n in (0, 1, 2, 3)]
    path = written(tmp_path, "boundary_oracle_x.jsonl", rows)
    result = boundary.run(path, tmp_path / "texts")
    assert (result.passed, result.failed) == (4, 0)
    assert "closed: 2" in result.lines


@pytest.mark.parametrize(
    "row",
    [{}, {"prefix": 3}, None, [], {"file": "missing.md", "lines": 1}, {"text": "a"}, {"file": "x"}],
)
def test_an_unknown_row_counts_as_failed(tmp_path, row):
    path = written(tmp_path, "boundary_oracle_x.jsonl", [{"prefix": "a"}, row])
    result = run_file(path, tmp_path)
    assert (result.passed, result.failed) == (1, 1)


def test_a_line_that_is_no_json_counts_as_failed(tmp_path):
    path = tmp_path / "boundary_oracle_x.jsonl"
    path.write_text("{oops\n")
    assert run_file(path).failed == 1


def test_a_file_without_rows_counts_as_failed(tmp_path):
    assert run_file(written(tmp_path, "boundary_oracle_x.jsonl", [])).failed == 1


def test_an_unknown_or_missing_file_counts_as_failed(tmp_path, capsys):
    assert run_file(written(tmp_path, "something.jsonl", [{"prefix": "a"}])).failed == 1
    assert run_file(tmp_path / "boundary_oracle_none.jsonl").failed == 1
    assert main([str(tmp_path / "something.jsonl")]) == 1
    assert capsys.readouterr().out.endswith("total: 0 passed, 1 failed\n")


def test_a_runner_that_breaks_has_passed_nothing(tmp_path, monkeypatch):
    path = written(tmp_path, "boundary_oracle_x.jsonl", [{"prefix": "a"}])
    monkeypatch.setattr(boundary, "check", lambda prefix: 1 / 0)
    assert (run_file(path).passed, run_file(path).failed) == (0, 1)
    monkeypatch.setitem(RUNNERS, "boundary_oracle_*.jsonl", "tests.conformance.missing")
    assert run_file(path).failed == 1


def test_an_unsettled_verdict_with_a_safe_beginning_fails(monkeypatch):
    from otel_footprint.records.scripts import Boundary
    from otel_footprint.scripts import attachment as module
    from otel_footprint.scripts.boundary import Reading

    said = Reading(Boundary("unsettled"), "html")
    monkeypatch.setattr(module, "read", lambda text: said)
    assert boundary.check("text") == ("unsettled (html)", "safe after ''")
    assert boundary.check("~~~~ x\nopen") == ("unsettled (html)", "safe after '~~~~'")
    assert boundary.check("<!-- open") == ("unsettled (html)", "")
    monkeypatch.setattr(module, "read", lambda text: Reading(Boundary("clean"), ""))
    assert boundary.check("```")[1]


def test_it_runs_as_a_command(tmp_path):
    path = written(tmp_path, "boundary_oracle_x.jsonl", [{"prefix": "```"}])
    done = subprocess.run(
        [sys.executable, "-m", "tests.conformance", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("total: 1 passed, 0 failed\n")
