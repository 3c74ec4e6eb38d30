"""The command `show`: exit codes, colour, pipes, standard input."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from otel_footprint.cli.main import main
from otel_footprint.report.style import wants_color

from ..trail.builder import Writer, as_lines
from ..trail.conftest import story


@pytest.fixture
def trail(tmp_path: Path) -> Path:
    writer = Writer()
    story(writer)
    path = tmp_path / "trail.jsonl"
    path.write_bytes(as_lines(writer.spans))
    return path


def run(*arguments: str, stdin: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "otel_footprint.cli.main", *arguments],
        input=stdin, capture_output=True, check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100", **env},
    )  # fmt: skip


def test_a_whole_file_is_shown_and_exits_0(trail: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(trail)]) == 0
    out, err = capsys.readouterr()
    assert "bot0" in out
    assert "\x1b" not in out
    assert err == ""


def test_a_damaged_file_is_shown_named_and_exits_1(
    trail: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = trail.read_bytes()
    trail.write_bytes(data + b'{"resourceSpans":[\n' + data[:80] + b"\n")
    count = data.count(b"\n")
    assert main(["show", str(trail)]) == 1
    out, err = capsys.readouterr()
    assert "bot0" in out
    assert f"line {count + 1}: not JSON" in out
    assert f"could not read lines {count + 1}, {count + 2}" in err


def test_a_store_whose_extra_is_not_installed_is_named_and_exits_2(
    trail: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("otel_footprint.trail.store.find_spec", lambda _name: None)
    assert main(["show", str(trail), "--store", "s3://bucket/trails"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "otel-footprint show: reading the content store s3://bucket/trails needs: "
        "pip install 'otel-footprint[store]'\n"
    )


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (["show"], 2), (["show", "--list"], 2), (["why"], 2), (["diff", "1", "2"], 2),
        (["rebuild"], 2), (["report", "-o", "-"], 2), (["verify"], 4),
    ],
)  # fmt: skip
def test_a_store_that_is_no_folder_is_named(
    trail: Path, command: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*command[:1], str(trail), *command[1:], "--store", str(trail)]
    assert main(given) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith(f"{trail}: Not a folder (content store)\n")
    assert main([*command[:1], str(trail), *command[1:], "--store", ""]) == code
    assert capsys.readouterr().err.endswith("no content store is named: its URI is empty\n")
    nowhere = trail.parent / "nowhere"  # declared and never written to: it is made when needed
    assert main([*command[:1], str(trail), *command[1:], "--store", str(nowhere)]) == 0
    out, err = capsys.readouterr()
    assert out
    assert f"{nowhere}: No such folder (content store): " in err
    there = trail.parent / "there"
    there.mkdir()
    given = [*command[:1], str(trail), *command[1:], "--store", there.as_uri()]
    assert main(given) == 0
    assert capsys.readouterr().out


def test_one_call_by_number_and_by_id(trail: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(trail), "--call", "2"]) == 0
    _, _, messages = capsys.readouterr().out.partition("messages: 3 pieces\n")
    places = [line[:5].strip() for line in messages.partition("\n\n")[0].splitlines()]
    assert [place for place in places if place] == ["1", "2", "3"]
    assert main(["show", str(trail), "--call", "9"]) == 2
    assert "no call 9 in this trail (there are: 1, 2" in capsys.readouterr().err


def test_wrong_use_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(tmp_path / "none")]) == 2
    assert "No such file" in capsys.readouterr().err
    assert main(["show"]) == 2
    assert "no trail is named" in capsys.readouterr().err
    for wrong in ([], ["show", "x", "--color", "mauve"], ["nothing"]):
        with pytest.raises(SystemExit) as raised:
            main(wrong)
        assert raised.value.code == 2


@pytest.mark.slow
def test_standard_input(trail: Path) -> None:
    done = run("show", "-", stdin=trail.read_bytes())
    assert done.returncode == 0
    assert b"bot0" in done.stdout


def test_colour_is_chosen_or_follows_the_terminal(
    trail: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for options, coloured in ((["--color", "always"], True), (["--color", "never"], False),
                              ([], False)):  # fmt: skip
        assert main(["show", str(trail), *options]) == 0
        assert ("\x1b[" in capsys.readouterr().out) is coloured


def test_no_color_and_dumb_terminals_are_heard() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    assert wants_color("auto", out, {})
    assert not wants_color("auto", out, {"NO_COLOR": "1"})
    assert not wants_color("auto", out, {"TERM": "dumb"})
    assert wants_color("always", io.StringIO(), {"NO_COLOR": "1"})
    assert not wants_color("auto", io.StringIO(), {})


@pytest.mark.slow
def test_an_encoding_without_box_drawing_gets_ascii(trail: Path) -> None:
    done = run("show", str(trail), PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert run("show", "--ascii", str(trail)).stdout == done.stdout


def test_a_pipe_that_is_closed_early_is_no_error(trail: Path) -> None:
    many = trail.read_bytes() * 1
    shell = f"{sys.executable} -m otel_footprint.cli.main show - | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {shell}"], input=many, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr
    assert b"Broken" not in done.stderr
    assert done.stdout.count(b"\n") == 1


@pytest.mark.parametrize("asked", [["--help"], ["show", "--help"], ["--version"]])
def test_help_and_version_need_no_trail(
    asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as raised:
        main(asked)
    assert raised.value.code == 0
    assert "otel-footprint" in capsys.readouterr().out
