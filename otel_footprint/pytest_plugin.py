"""A pytest plugin: the fixture `trail` holds what the test's calls left, without any exporter.

    def test_the_policy_was_read(trail):
        answer_customer("How much do I get back?")
        assert trail.call(2).saw("restocking fee")
        assert not trail.pressure

When a test that uses it fails, the trail is printed with the failure. Loading this module imports
neither OpenTelemetry nor anything else that takes long; that is left to the fixture.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from .run.capture import Captured
    from .trail import Trail

LINES = 150
"""Lines of the trail that are printed with a failure."""


class LiveTrail:
    """A `Trail` of what was recorded so far: each question is asked of the newest one."""

    def __init__(self, captured: Captured) -> None:
        self._captured = captured
        self._read: tuple[int, Trail] | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self.now(), name)
        return _hidden(found) if callable(found) else found

    def __repr__(self) -> str:
        trail = self.now()
        if not trail.calls:
            return "<trail without a model call: no wrapped client was called, or none is wrapped>"
        return repr(trail)

    def now(self) -> Trail:
        """The trail as it is now."""
        import io

        from .trail import load

        count = len(self._captured)
        if self._read is None or self._read[0] != count:
            self._read = (count, load(io.BytesIO(self._captured.otlp()) if count else []))
        return self._read[1]

    def shown(self) -> str:
        """Its tree, as `otel-footprint show` prints it."""
        from .report import tree

        if not self.now().calls:
            return repr(self)
        lines = list(tree.render(self.now(), 100))
        if len(lines) > LINES:
            lines[LINES:] = [f"... {len(lines) - LINES} more lines"]
        return "\n".join(lines)


def _hidden(method: Any) -> Any:
    """The method, whose TrailError a failure shows at the test's own line."""

    @wraps(method)
    def ask(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        from .errors import TrailError

        try:
            return method(*args, **kwargs)
        except TrailError as error:
            raise error.with_traceback(None) from None

    return ask


@pytest.fixture
def trail() -> Iterator[Trail]:
    """What the test's model calls left, as an `otel_footprint.Trail`.

    Wrap the client or the agent as the application does (`footprint.wrap(...)`); the trail is
    then in `trail.calls`, `trail.turns`, `trail.pressure`, `trail.why(...)`, and so on. Texts are
    recorded unless the application or the environment declares a content mode. A provider that
    the application has set is used and left as it is.
    """
    from .run.capture import capture

    with capture() as captured:
        yield cast("Trail", LiveTrail(captured))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Prints the trail with the failure of a test that uses it."""
    outcome: Any = yield
    report = outcome.get_result()
    found = getattr(item, "funcargs", {}).get("trail")
    if report.when == "call" and report.failed and isinstance(found, LiveTrail):
        try:
            report.sections.append(("footprint trail", found.shown()))
        except Exception as error:  # the test's own failure is what counts
            report.sections.append(("footprint trail", f"could not be shown: {error!r}"))
