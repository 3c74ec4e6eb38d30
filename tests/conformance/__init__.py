"""Runs vector files against the library: `python -m tests.conformance PATH... [--texts ROOT]`."""
