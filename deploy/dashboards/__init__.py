"""Grafana dashboards; `python -m deploy.dashboards` writes the JSON files.

Needs `grafana-foundation-sdk` (extra `dev`). Grafana is not run by our tests: the JSON is made by
its own typed library, and every query is run against a real Prometheus.
"""
