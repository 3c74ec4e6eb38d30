"""The demo's agent again and again, over OTLP: `python -m deploy.demo [--every S] [--turns N]`.

Where to is said by the standard variables (OTEL_EXPORTER_OTLP_ENDPOINT; default: localhost).
Spans and metrics. Its messages pass their declared cap in the sixth call: an alert to look at.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time

import otel_footprint as footprint
from otel_footprint.cli.demo import agent, client


def main(arguments: list[str]) -> None:
    """Runs turns until it is stopped, or `--turns` of them."""
    parser = argparse.ArgumentParser("python -m deploy.demo", description=__doc__)
    parser.add_argument(
        "--every", type=float, default=10, help="seconds between turns (%(default)s)"
    )
    parser.add_argument("--turns", type=int, help="how many; default: until it is stopped")
    args = parser.parse_args(arguments)
    handle = footprint.configure(service_name="support-agent")
    budget = footprint.Budget(messages=1000, tools=1500)
    # The window is declared: the catalogue of models loads beside the first calls, and this agent
    # makes them at once.
    fp = footprint.Footprint("support", content="full", budget=budget, window=128_000)
    rounds = itertools.count() if args.turns is None else range(args.turns)
    try:
        for number in rounds:
            if number:
                time.sleep(args.every)
            agent(fp, fp.wrap(client()))
            print(f"turn {number + 1} is over", flush=True)
    except KeyboardInterrupt:
        pass
    finally:
        handle.shutdown()


if __name__ == "__main__":
    main(sys.argv[1:])
