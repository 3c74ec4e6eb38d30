"""Scripts: what may be declared."""

from __future__ import annotations

import copy
import pickle

import pytest

from otel_footprint.errors import DeclarationError
from otel_footprint.scripts import Ledger, Scripts


def test_the_defaults_are_last_and_4000_bytes():
    scripts = Scripts(tools={"run_code": "code"})
    assert (scripts.which, scripts.max_bytes) == ("last", 4000)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"which": "first"}, "Scripts.which"),
        ({"which": None}, "Scripts.which"),
        ({"max_bytes": 0}, "Scripts.max_bytes"),
        ({"max_bytes": -1}, "Scripts.max_bytes"),
        ({"max_bytes": 2.5}, "Scripts.max_bytes"),
        ({"max_bytes": True}, "Scripts.max_bytes"),
        ({"max_bytes": "4000"}, "Scripts.max_bytes"),
        ({"tools": ["bash"]}, "Scripts.tools"),
        ({"tools": None}, "Scripts.tools"),
        ({"tools": {"bash": 1}}, "Scripts.tools['bash']"),
        ({"tools": {"bash": ""}}, "Scripts.tools['bash']"),
        ({"tools": {"bash": ("command",)}}, "Scripts.tools['bash']"),
        ({"tools": {"bash": ("command", None)}}, "Scripts.tools['bash']"),
        ({"tools": {" ": "command"}}, "Scripts.tools"),
        ({"tools": {1: "command"}}, "Scripts.tools"),
    ],
)
def test_a_wrong_value_is_refused_by_name_with_what_is_allowed(wrong, field):
    with pytest.raises(DeclarationError) as refusal:
        Scripts(**wrong)
    assert refusal.value.field == field
    assert refusal.value.allowed
    assert field in str(refusal.value)


def test_a_declaration_does_not_follow_the_mapping_it_was_made_from():
    tools = {"bash": "command"}
    scripts = Scripts(tools=tools)
    tools["other"] = "x"
    assert Ledger(scripts).submitted("c", "other", {"x": "ls"}) is None


def test_a_declaration_can_be_copied_and_compared():
    scripts = Scripts(tools={"bash": ("command", "bash")}, which="all")
    assert copy.deepcopy(scripts) == scripts == pickle.loads(pickle.dumps(scripts))
