"""What sends: the resource of the providers that `configure` makes.

Imported when it is used: it needs the SDK.
"""

from __future__ import annotations

from uuid import uuid4

from opentelemetry.sdk.resources import SERVICE_INSTANCE_ID, SERVICE_NAME, Resource


def resource(service_name: str | None) -> Resource:
    """The resource of this process, with the attributes that OTEL_* variables and detectors say."""
    made = Resource.create({SERVICE_NAME: service_name} if service_name else None)
    if not made.attributes.get(SERVICE_INSTANCE_ID):
        # an older SDK: without it, counters of all processes of a service are one series
        made = made.merge(Resource({SERVICE_INSTANCE_ID: str(uuid4())}))
    return HashedResource(made.attributes, made.schema_url)


class HashedResource(Resource):
    """A resource, which never changes, with its hash made once.

    The encoders group spans by it, and the SDK makes JSON of all its attributes for each hash:
    10 us a span.
    """

    _hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or super().__eq__(other)
