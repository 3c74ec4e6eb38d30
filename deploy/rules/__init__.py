"""Alert rules for Prometheus; `python -m deploy.rules` writes the files."""
