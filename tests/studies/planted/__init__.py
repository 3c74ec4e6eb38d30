"""Planted causes: scenarios with a known cause, run through the real recorder, and judged."""
