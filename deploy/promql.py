"""Queries over our metrics, in either spelling that Prometheus keeps them in.

`UNDERSCORES`: `footprint_slot_budget_exceeded_total`, as the collector's exporter and Prometheus'
OTLP receiver write by default. `DOTS`: `{"footprint.slot.budget.exceeded"}`, the SDK's own names,
as the receiver keeps them with `translation_strategy: NoTranslation`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from otel_footprint.telemetry import names

Part = Literal["bucket", "sum", "count"]
_UNITS: Final = {"s": "_seconds"}


@dataclass(frozen=True)
class Spelling:
    """How names and labels are written."""

    name: str
    dots: bool

    def label(self, label: str) -> str:
        """A label in a `by` or a matcher."""
        if not self.dots:
            return label.replace(".", "_")
        return f'"{label}"' if "." in label else label

    def value(self, label: str) -> str:
        """A label's value in an alert's text."""
        plain = label if self.dots else label.replace(".", "_")
        return f'{{{{ index $labels "{plain}" }}}}'

    def series(self, metric: str, *matchers: str, part: Part | None = None) -> str:
        """A selector. matchers: as `matcher` makes them. part: of a histogram."""
        entry = names.CATALOG[metric]
        suffix = f"_{part}" if part else ""
        if self.dots:
            return "{" + ", ".join([f'"{metric}{suffix}"', *matchers]) + "}"
        unit = _UNITS.get(entry.unit, "")
        total = "_total" if entry.type == "counter" else ""
        inside = "{" + ", ".join(matchers) + "}" if matchers else ""
        return metric.replace(".", "_") + unit + suffix + total + inside

    def matcher(self, label: str, value: str, operator: str = "=") -> str:
        """One matcher."""
        return f'{self.label(label)}{operator}"{value}"'

    def by(self, *labels: str) -> str:
        """A grouping."""
        return f"by ({', '.join(self.label(label) for label in labels)})"


UNDERSCORES: Final = Spelling("underscores", dots=False)
DOTS: Final = Spelling("dots", dots=True)


def grown(series: str, window: str) -> str:
    """By how much each counter (or bucket) grew in a window.

    `increase` alone misses what a series brings with it when it first appears: an agent that was
    refuted once would show nothing.
    """
    return (
        f"((last_over_time({series}[{window}]) unless {series} offset {window})"
        f" or increase({series}[{window}]))"
    )


def quantile(q: float, spelling: Spelling, series: str, window: str, *labels: str) -> str:
    """A quantile of a histogram (its `bucket` series) over a window, by labels."""
    grouped = f"sum {spelling.by('le', *labels)} ({grown(series, window)})"
    return f"histogram_quantile({q:g}, {grouped})"


def total(spelling: Spelling, series: str, window: str, *labels: str) -> str:
    """The growth in a window, by labels."""
    return f"sum {spelling.by(*labels)} ({grown(series, window)})"


def unfinished(
    spelling: Spelling, limit: str, memory: str, whole: str, *matchers: str, by: tuple[str, ...]
) -> str:
    """Turns that started longer than `limit` ago (and no longer than `memory` before that) and
    did not end; `whole` is the sum of both. Only what is above 0.

    Compares counters of each process, exactly, also when it died since. Where one begins anew under
    the same instance id, the larger of its lives counts: turns that died with the earlier one are
    seen until the new one has counted as many. It may then be too few, never too many.
    """
    each = spelling.by("job", "instance", names.AGENT)
    started_at = spelling.series(names.METRIC_TURNS_STARTED, *matchers)
    ended_at = spelling.series(names.METRIC_TURNS_ENDED, *matchers)
    started = f"sum {each} (max_over_time({started_at}[{memory}] offset {limit}))"
    ended = f"sum {each} (max_over_time({ended_at}[{whole}]))"
    return f"sum {spelling.by(*by)} (({started} - {ended}) > 0 or ({started} unless {ended}))"
