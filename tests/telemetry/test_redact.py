"""Redaction: what the built-in rules find, what the hook may do, and that time stays linear."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_footprint.telemetry import guard
from otel_footprint.telemetry.redact import WITHHELD, Redactor, redact_known
from tests.quick import examples

KEY = "sk-proj-" + "Ab1" * 12
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

SECRETS = [
    (KEY, "api_key"),
    ("sk-ant-api03-" + "x1Y_-" * 10, "api_key"),
    ("sk-" + "a1b2c3d4" * 4, "api_key"),
    ("sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "api_key"),
    ("AKIA" + "IOSFODNN7EXAMPLE", "api_key"),
    ("ASIA" + "IOSFODNN7EXAMPLE", "api_key"),
    ("ghp_" + "a1B2" * 9, "api_key"),
    ("github_pat_" + "11ABCDEFG0" + "abcDEF_12345" * 4, "api_key"),
    ("glpat-" + "abcDEF12345678901234", "api_key"),
    ("AIza" + "SyA-1234567890abcdefghijklmnopqrstu", "api_key"),
    ("ya29." + "a0AfH6SMBx-abcdefghijklmnop", "api_key"),
    ("GOCSPX-" + "abcdefghijklmnopqrstuvwx", "api_key"),
    ("xoxb-" + "123456789012-123456789012-abcdefABCDEF", "api_key"),
    ("xapp-1-" + "A0123456789-1234567890123-abcdef", "api_key"),
    ("hf_" + "abcdefghijklmnopqrstuvwxyzABCDEFGH", "api_key"),
    ("gsk_" + "abcdefghijklmnopqrstuvwxyz0123456789", "api_key"),
    (JWT, "jwt"),
    ("john.doe+tag@mail.example.org", "email"),
    ("jürgen@müller.de", "email"),
    ("4111 1111 1111 1111", "card"),
    ("4111-1111-1111-1111", "card"),
    ("5500000000000004", "card"),
    ("3782 822463 10005", "card"),
    ("6011000990139424", "card"),
    ("DE89 3704 0044 0532 0130 00", "iban"),
    ("DE89370400440532013000", "iban"),
    ("GB82 WEST 1234 5698 7654 32", "iban"),
    ("FR14 2004 1010 0505 0001 3M02 606", "iban"),
    ("NL91ABNA0417164300", "iban"),
    ("no9386011117947", "iban"),
    ("MT84 MALT 0110 0001 2345 MTLC AST0 01S", "iban"),
    ("+49 151 12345678", "phone"),
    ("+1 (415) 555-2671", "phone"),
    ("+442079460958", "phone"),
    ("(415) 555-2671", "phone"),
    ("415-555-2671", "phone"),
    ("0171 1234567", "phone"),
    ("030 / 1234567", "phone"),
    ("020 7946 0958", "phone"),
    ("01 23 45 67 89", "phone"),
]

FRAMES = [
    "{}",
    "It is {}, please.",
    "a: {}.",
    "({})",
    '{{"x":"{}"}}',
    '"line\\n{}\\tend"',
    "\u00e4\u00f6 {} \U0001f600",
    "first line\n{}\nlast line",
    "x" * 1995 + " {} " + "y" * 2100,
]


@pytest.mark.parametrize(("secret", "kind"), SECRETS)
def test_a_secret_is_found_wherever_it_stands(secret: str, kind: str):
    for frame in FRAMES:
        text = frame.format(secret)
        seen = redact_known(text)
        assert secret not in seen, frame
        assert seen == frame.format(f"[redacted:{kind}]"), frame
        assert redact_known(seen) is seen


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Authorization: Bearer abc123def456", "Authorization: Bearer [redacted:bearer_token]"),
        ("bearer ABCDEFGHIJKLMNOPQR", "bearer [redacted:bearer_token]"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted:credentials]"),
        (
            "postgres://app:s3cret@db.example.org/x",
            "postgres://[redacted:credentials]@db.example.org/x",
        ),
        ("https://u:p@ss@h.org/", "https://[redacted:credentials]@h.org/"),
        (
            "https://x.org/a?id=7&api_key=abc&token=d%20e#f",
            "https://x.org/a?id=7&api_key=[redacted:secret]&token=[redacted:secret]#f",
        ),
        (
            "https://b.s3.amazonaws.com/k?X-Amz-Signature=ab12&X-Amz-Expires=60",
            "https://b.s3.amazonaws.com/k?X-Amz-Signature=[redacted:secret]&X-Amz-Expires=60",
        ),
        ("api_key = 'abcdefghijklmnop1234'", "api_key = '[redacted:api_key]'"),
        (
            '{"aws_secret_access_key":"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}',
            '{"aws_secret_access_key":"[redacted:api_key]"}',
        ),
        ("?email=john%40mail.org", "?email=[redacted:email]"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc=\n-----END RSA PRIVATE KEY-----!",
            "[redacted:private_key]!",
        ),
        ("DOMAIN\\nick@corp.com", "DOMAIN\\n[redacted:email]"),
        ("DOMAIN\\mick@corp.com", "DOMAIN\\[redacted:email]"),
        ("%22" + KEY + "%22", "%22[redacted:api_key]%22"),
        (f"{KEY} {KEY}", "[redacted:api_key] [redacted:api_key]"),
        (
            "card 1234 4111 1111 1111 1111 12/27",
            "card 1234 [redacted:card] 12/27",
        ),
        ("2026-03-02 0171 1234567", "2026-03-02 [redacted:phone]"),
        ("[redacted:email] a@b.org", "[redacted:email] [redacted:email]"),
    ],
)
def test_what_stands_around_a_secret_stays(text: str, seen: str):
    assert redact_known(text) == seen
    assert redact_known(seen) is seen


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "task-force-management-team-meeting",
        "4111 1111 1111 1112",
        "GB82 WEST 1234 5698 7654 33",
        "order 20260302-000123, 3.4028234663852886, 1772445600000",
        "2026-03-02T10:11:12.123456Z and 2026-03-02 10:11:12",
        "7f9c24e8-3b12-4fef-91e0-56a2d5a6b3c1",
        "call_abcDEF0123456789abcdef",
        "toolu_01A09q90qw90lq917835lq9",
        "The bearer understands the token of the key.",
        "@scope/package@1.2.3 and user@localhost and a@b",
        "f(x, y) = x + 12345678 & y",
        '{"api_key":{"type":"string"}}',
        "https://example.org/search?q=shoes&page=2",
        "eyJub3QiOiJhIHRva2VuIn0",
        "\ud800 lone \udfff",
    ],
)
def test_ordinary_text_comes_back_as_the_same_object(text: str):
    assert redact_known(text) is text


def test_modes():
    text = f"key {KEY}"
    for mode in ("none", "redacted"):
        assert Redactor(mode).text(text, "messages") == "key [redacted:api_key]"
    assert Redactor("full").text(text, "messages") is text
    assert not Redactor("full").is_on
    assert Redactor("full", lambda t, w: t).text(text, "messages") == "key [redacted:api_key]"


def test_the_hook_sees_what_the_rules_left_and_where_it_stands():
    seen: list[tuple[str, str]] = []

    def hook(text: str, where: str) -> str:
        seen.append((text, where))
        return text.replace("Anna", "[redacted:name]")

    redactor = Redactor("redacted", hook)
    assert redactor.text(f"Anna {KEY}", "name") == "[redacted:name] [redacted:api_key]"
    assert seen == [("Anna [redacted:api_key]", "name")]
    plain = "nothing here"
    assert redactor.text(plain, "name") is plain


@pytest.mark.parametrize("answer", [None, 3, b"x"])
def test_a_hook_that_fails_or_answers_no_text_withholds(answer):
    before = guard.set_raising(False)
    try:

        def hook(text: str, where: str) -> str:
            if answer is None:
                raise RuntimeError(text)
            return answer

        redactor = Redactor("none", hook)
        assert redactor.text("harmless", "status") == WITHHELD
        assert redactor.value({"a": ["b"]}, "tools") == {WITHHELD: [WITHHELD]}
    finally:
        guard.set_raising(before)
        guard.forget()


def test_cancellation_in_a_hook_passes():
    def hook(text: str, where: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Redactor("none", hook).text("text", "x")


def test_a_value_is_redacted_in_strings_and_keys_and_else_untouched():
    redactor = Redactor("redacted")
    clean = {"a": [1, 2.5, None, True, {"b": "c"}], "d": ("e", 7)}
    assert redactor.value(clean, "messages") is clean
    inner = {"note": "fine"}
    dirty = {"to": ["x", "a@b.org"], "a@b.org": 1, "c@d.org": 2, "keep": inner, 5: "e@f.org"}
    seen = redactor.value(dirty, "messages")
    assert seen == {
        "to": ["x", "[redacted:email]"],
        "[redacted:email]": 1,
        "[redacted:email]#2": 2,
        "keep": inner,
        5: "[redacted:email]",
    }
    assert seen["keep"] is inner
    assert dirty["to"][1] == "a@b.org"
    assert redactor.value(f"x {KEY}", "m") == "x [redacted:api_key]"
    assert redactor.value(None, "m") is None
    assert redactor.value(["a@b.org", "x"], "m") == ["[redacted:email]", "x"]


def test_a_secret_across_two_strings_is_none():
    value = ["0171", "1234567", "a@", "b.org"]
    assert Redactor("none").value(value, "m") is value


def test_cycles_shared_and_deep_values_end():
    redactor = Redactor("none")
    cycle: list = ["a@b.org"]
    cycle += [cycle, cycle]
    assert redactor.value(cycle, "m") == ["[redacted:email]", WITHHELD, WITHHELD]
    shared: dict = {"x": "a@b.org"}
    for _ in range(100):
        shared = {"l": shared, "r": shared}
    seen = redactor.value(shared, "m")
    assert seen["l"] is seen["r"]
    deep: list = ["a@b.org"]
    for _ in range(5000):
        deep = [deep]
    assert "a@b.org" not in str(redactor.value(deep, "m"))


@settings(max_examples=examples(60), deadline=None)
@given(
    st.recursive(
        st.text() | st.integers() | st.none() | st.booleans(),
        lambda c: st.lists(c, max_size=4) | st.dictionaries(st.text(), c, max_size=4),
        max_leaves=20,
    )
)
def test_a_value_is_redacted_like_its_strings(value):
    redactor = Redactor("none")
    seen = redactor.value(value, "m")
    assert redactor.value(seen, "m") is seen

    def strings(v):
        if isinstance(v, str):
            yield v
        elif isinstance(v, list):
            for item in v:
                yield from strings(item)
        elif isinstance(v, dict):
            for item in v.values():
                yield from strings(item)

    assert [redact_known(s) for s in strings(value)] == list(strings(seen))


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.sampled_from([s for s, _ in SECRETS] + [" ", "\n", ", ", "ok"]), max_size=8))
def test_secrets_between_separators_never_survive(parts):
    text = " | ".join(parts)
    seen = redact_known(text)
    for secret, _ in SECRETS:
        if secret in parts:
            assert secret not in seen


MILLION = 1_000_000
HOSTILE = [
    "4 ", "4", "444 ", "4444 ", "4111-", "0 ", "01 ", "a@", "@", "a@a.", "a", "sk-", "eyJ-",
    "eyJ.", "eyJaaaaaaaaa.", "://", "://a", "://a@", "&" + "a" * 40, "&=", "?key=",
    "-----BEGIN PRIVATE KEY-----", "Bearer ", "Bearer+", "Authorization: Basic ", "api_key=",
    "0(", "DE89 ", "DE89370400", "+49 151 ", "\\n1234567", "0171 1", "._-", "sk-aaaaaaaaaa ",
    "1.", "a%40", "DE12 AAAA 1234567 ", "é", "😀1", "\ud800", "(0", "+(1", "1\u00a0",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_comes_to_an_end(unit: str):
    """A pattern that is not linear would take minutes here."""
    size = MILLION // 20
    assert isinstance(redact_known(unit * (size // len(unit))), str)


def test_a_megabyte_of_one_line_around_a_key():
    text = "a" * MILLION + " " + KEY + " " + "1" * MILLION
    assert KEY not in redact_known(text)
    text = "1" + " " * MILLION + "a@b.org"
    assert "a@b.org" not in redact_known(text)


def test_json_in_json_stays_json():
    inner = json.dumps(
        {"mail": "a@b.org", "text": f"line\n{KEY}\tend\u00e9 \u0001+49 151 12345678"}
    )
    outer = json.dumps({"arguments": inner})
    seen = json.loads(json.loads(redact_known(outer))["arguments"])
    assert seen["mail"] == "[redacted:email]"
    assert seen["text"] == "line\n[redacted:api_key]\tend\u00e9 \u0001[redacted:phone]"
