"""What a reader yielded, sorted into spans, log records and problems."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..records.trail import Log, Problem, Span

MAX_PROBLEMS = 1_000
"""Problems that are kept; further ones are counted."""


@dataclass(slots=True)
class Records:
    """Spans, log records and problems, as they were read."""

    spans: list[Span] = field(default_factory=list)
    logs: list[Log] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    more: int = 0
    """Problems beyond those that are kept."""

    def take(self, found: Iterable[Span | Log | Problem]) -> None:
        """Takes in all that a reader yields."""
        for each in found:
            self.add(each)

    def add(self, found: Span | Log | Problem) -> None:
        """Takes in what a reader yields."""
        if isinstance(found, Span):
            self.spans.append(found)
        elif isinstance(found, Log):
            self.logs.append(found)
        elif len(self.problems) < MAX_PROBLEMS:
            self.problems.append(found)
        else:
            self.more += 1

    def join(self, other: Records) -> None:
        """Takes in other records."""
        self.spans += other.spans
        self.logs += other.logs
        self.problems += [p for p in other.problems if p not in self.problems]
        self.more += other.more

    def told(self) -> list[Problem]:
        """The problems, with a last one that counts those that were not kept."""
        if not self.more:
            return self.problems
        last = self.problems[-1]
        return [*self.problems, Problem(last.file, last.line, f"and {self.more} further problems")]
