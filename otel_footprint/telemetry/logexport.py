"""The SDK's batch processor of log records, which does not hold up the end of a process for long.

Imported when it is used: it needs the SDK.
"""

from __future__ import annotations

from opentelemetry.sdk._logs.export import BatchLogRecordProcessor

from .export import patience


class BriefBatchLogRecordProcessor(BatchLogRecordProcessor):
    """As the SDK's, but its shutdown waits for `patience` seconds instead of 30."""

    def shutdown(self) -> None:
        """Exports what waits; what cannot be exported by then is lost."""
        self._batch_processor.shutdown(timeout_millis=int(patience("LOGS") * 1000))
