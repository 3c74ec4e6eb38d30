"""The sentences under an answer keep the language law."""

from __future__ import annotations

import re

import pytest

from otel_footprint.records.sentence import SENTENCES
from otel_footprint.scripts import sentences
from tests.injection.law import broken

OURS = [s for s in SENTENCES.values() if s.name.startswith("scripts.")]


def test_all_are_registered_on_the_surface_they_stand_on():
    assert sentences
    assert len(OURS) == 5
    assert {(s.surface, s.lifetime) for s in OURS} == {("answer", "lasting")}


@pytest.mark.parametrize("sentence", OURS, ids=lambda s: s.name)
def test_a_lasting_sentence_speaks_of_the_past_and_promises_and_denies_nothing(sentence):
    for text in sentence.samples():
        assert broken(sentence, text) == {}, text
        assert "\n" not in text


@pytest.mark.parametrize("sentence", OURS, ids=lambda s: s.name)
def test_no_sentence_names_a_destination(sentence):
    for text in sentence.samples():
        assert not re.search(r"\b(screen|page|chat|user|reader|below)\b", text), text


def test_a_label_names_the_call_and_says_who_attached_it_out_of_what():
    (label,) = (s for s in OURS if s.name == "scripts.label")
    attached = [t for t in label.samples() if "left out" not in t]
    assert attached
    assert all("`t1`" in t and "attached it out of the record" in t for t in attached)
    assert len(set(label.samples())) == len(label.samples())
