"""Text and JSON helpers shared by the writing and the reading side (floor 0, no dependencies)."""
