"""The ledger: what is kept of each submitted program, and how calls come out."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from otel_footprint.scripts import Ledger, Scripts, select

TOOLS = {"run_code": "code", "bash": ("command", "bash"), "query": "sql"}


@pytest.fixture
def ledger():
    return Ledger(Scripts(tools=TOOLS, which="all"))


def test_a_submitted_program_is_kept_with_its_size_and_digest(ledger):
    key = ledger.submitted("c1", "bash", {"command": "echo é"})
    (row,) = ledger.rows
    assert row.key == key
    assert row[1:] == (
        "c1", "bash", "bash", "echo é", 7, hashlib.sha256("echo é".encode()).hexdigest()[:32],
        "submitted", None, None,
    )  # fmt: skip


def test_a_tool_that_is_not_declared_has_no_row(ledger):
    assert ledger.submitted("c1", "lookup", {"code": "x"}) is None
    assert ledger.started(None) is False
    assert ledger.rows == ()


def test_the_language_is_declared_or_what_the_call_says_and_never_guessed(ledger):
    ledger.submitted("a", "bash", {"command": "ls", "language": "fish"})
    ledger.submitted("b", "run_code", {"code": "1", "language": "julia"})
    ledger.submitted("c", "run_code", {"code": "1", "language": 3})
    ledger.submitted("d", "run_code", {"code": "1", "language": "the one for a@example.com"})
    assert [row.language for row in ledger.rows] == ["bash", "julia", None, None]


@pytest.mark.parametrize(
    "arguments", [None, "ls", {}, {"code": None}, {"code": ["ls"]}, {"x": "ls"}]
)
def test_a_call_without_a_program_has_a_row_without_text(ledger, arguments):
    ledger.started(ledger.submitted("c1", "run_code", arguments))
    (row,) = ledger.rows
    assert (row.text, row.byte_count, row.digest, row.why) == (None, None, None, "unreadable")


def test_the_first_outcome_stands(ledger):
    key = ledger.submitted("c1", "run_code", {"code": "1"})
    assert ledger.started(key)
    assert not ledger.started(key)
    assert ledger.ended(key, "timed_out")
    assert not ledger.ended(key, "completed", 0)
    assert ledger.rows[0].label == "timed_out"
    assert ledger.rows[0].exit_code is None


def test_an_exit_code_belongs_to_a_completed_call(ledger):
    done, failed = (ledger.submitted(c, "run_code", {"code": "1"}) for c in "ab")
    ledger.ended(done, "completed", 3)
    ledger.ended(failed, "failed", 3)
    assert [(row.label, row.exit_code) for row in ledger.rows] == [
        ("completed", 3),
        ("failed", None),
    ]


def test_a_label_that_is_no_outcome_is_a_mistake_of_the_caller(ledger):
    key = ledger.submitted("c1", "run_code", {"code": "1"})
    for label in ("submitted", "started", "done"):
        with pytest.raises(ValueError, match=label):
            ledger.ended(key, label)
    with pytest.raises(ValueError, match="done"):
        ledger.ran("c", "t", None, "x", "done")


def test_code_that_a_provider_ran_needs_no_declaration():
    ledger = Ledger(Scripts())
    ledger.ran("ci_1", "code_interpreter", "python", "1+1", "completed")
    ledger.ran("ci_2", "code_execution", None, None, "failed", 1)
    assert [(r.tool, r.label, r.exit_code, r.why) for r in ledger.rows] == [
        ("code_interpreter", "completed", None, None),
        ("code_execution", "failed", None, "unreadable"),
    ]


def test_a_program_over_64_kib_keeps_digest_and_size_and_no_text(ledger):
    long, longest = "x" * 65_537, "x" * 65_536
    ledger.submitted("a", "run_code", {"code": long})
    ledger.submitted("b", "run_code", {"code": longest})
    ledger.submitted("c", "run_code", {"code": "é" * 32_769})
    a, b, c = ledger.rows
    assert (a.text, a.byte_count, a.why) == (None, 65_537, "over_size")
    assert a.digest == hashlib.sha256(long.encode()).hexdigest()[:32]
    assert (b.text, b.why) == (longest, None)
    assert (c.text, c.byte_count, c.why) == (None, 65_538, "over_size")


@pytest.mark.parametrize("program", ["a\0b", "a\ud800b"])
def test_what_no_renderer_gives_back_has_no_text(ledger, program):
    ledger.submitted("a", "run_code", {"code": program})
    assert ledger.rows[0].why == "unprintable"
    assert ledger.rows[0].text is None
    assert ledger.rows[0].byte_count == len(program.encode("utf-8", "surrogatepass"))


def test_the_newest_256_are_kept_and_the_others_counted(ledger):
    keys = [ledger.submitted(f"c{n}", "run_code", {"code": str(n)}) for n in range(300)]
    assert len(ledger) == 256
    assert ledger.without_row == 0
    for key in keys:
        ledger.started(key)
        ledger.started(key)
        ledger.ended(key, "completed", 0)
    assert ledger.without_row == 44
    assert ledger.rows[-1].call == "c299"
    for n in range(10):
        ledger.ended(ledger.submitted(f"d{n}", "run_code", {"code": "1"}), "completed")
    assert ledger.without_row == 54


def test_calls_that_never_started_are_forgotten_in_the_end(ledger):
    keys = [ledger.submitted(f"c{n}", "run_code", {"code": "1"}) for n in range(256 + 1100)]
    assert ledger.started(keys[0]) is False
    assert ledger.without_row == 0
    ledger.started(keys[1000])
    assert ledger.without_row == 1


def test_repeated_call_ids_are_told_apart_by_their_keys(ledger):
    first, second = (ledger.submitted("c", "run_code", {"code": t}) for t in ("1", "2"))
    assert ledger.key_of("c") == first
    ledger.ended(first, "completed")
    assert ledger.key_of("c") == second
    ledger.ended(second, "failed")
    assert ledger.key_of("c") == second
    assert ledger.key_of("x") is None
    assert [row.label for row in ledger.rows] == ["completed", "failed"]


def test_redaction_comes_first_and_covers_size_and_digest():
    ledger = Ledger(Scripts(tools=TOOLS), redact=lambda text, where: text.replace("s3cret", "[r]"))
    ledger.submitted("c", "bash", {"command": "login s3cret"})
    (row,) = ledger.rows
    assert (row.text, row.byte_count) == ("login [r]", 9)
    assert row.digest == hashlib.sha256(b"login [r]").hexdigest()[:32]


def test_the_redaction_is_told_the_place():
    places = []
    ledger = Ledger(Scripts(tools=TOOLS), redact=lambda text, where: places.append(where) or text)
    ledger.submitted("c", "bash", {"command": "ls"})
    assert places == ["scripts.bash"]


@pytest.mark.parametrize("result", [ValueError, None])
def test_a_redaction_that_fails_withholds_the_program_and_is_counted(result):
    def redact(text, where):
        if result is ValueError:
            raise ValueError
        return result

    ledger = Ledger(Scripts(tools=TOOLS), redact=redact)
    ledger.started(ledger.submitted("c", "bash", {"command": "login s3cret"}))
    (row,) = ledger.rows
    assert (row.text, row.byte_count, row.digest, row.why) == (None, None, None, "withheld")
    assert select(ledger).omitted == 1


def test_a_deployment_can_key_the_digest():
    ledger = Ledger(Scripts(tools=TOOLS), digest=lambda data: f"{len(data):032x}")
    ledger.submitted("c", "bash", {"command": "ls"})
    assert ledger.rows[0].digest == "0" * 31 + "2"


def test_names_are_bounded(ledger):
    ledger.ran("c" * 9999, "t" * 9999, "l" * 9999, "x")
    row = ledger.rows[0]
    assert max(len(row.call), len(row.tool), len(row.language)) == 256
    assert ledger.key_of("c" * 9999) == row.key


def test_calls_of_several_threads_are_all_kept(ledger):
    def call(n):
        ledger.ended(ledger.submitted(f"c{n}", "run_code", {"code": str(n)}), "completed", n)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(call, range(200)))
    assert {(row.call, row.exit_code) for row in ledger.rows} == {(f"c{n}", n) for n in range(200)}
    assert len({row.key for row in ledger.rows}) == 200
