"""The resource of the providers that `configure` makes."""

from __future__ import annotations

from opentelemetry.sdk.resources import Resource

from otel_footprint.telemetry.resource import resource


def test_it_stands_for_a_plain_resource_of_the_same_attributes() -> None:
    made = resource("shop")
    plain = Resource(made.attributes, made.schema_url)
    assert made == plain
    assert plain == made
    assert {plain: 1}[made] == 1
    assert made != Resource({"service.name": "shop"})
    assert made.attributes["service.name"] == "shop"
    assert made.attributes["service.instance.id"]


def test_what_is_merged_with_it_is_another() -> None:
    made = resource("shop")
    hash(made)
    merged = made.merge(Resource({"a": "b"}))
    assert merged != made
    assert hash(merged) == hash(Resource(merged.attributes, merged.schema_url))
