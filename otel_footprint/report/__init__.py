"""Reports: trails printed for a person to read."""
