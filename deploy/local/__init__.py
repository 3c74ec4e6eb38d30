"""The stack without containers, as local processes: collector, Jaeger, Prometheus, Alertmanager.

    python -m deploy.local up|down|status

and for tests:

    with Stack(folder, Ports.free()) as stack:
        ...  # stack.url("jaeger"), stack.url("otlp_http"), stack.alerts()
"""

from __future__ import annotations

from .ports import Ports
from .programs import MissingProgramError, Programs
from .stack import Stack

__all__ = ["MissingProgramError", "Ports", "Programs", "Stack"]
