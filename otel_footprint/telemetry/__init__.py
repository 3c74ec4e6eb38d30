"""Everything that touches OpenTelemetry on the writing side (floor 2).

Importing this package, or `telemetry.names`, imports no OpenTelemetry: readers use the names too.
"""
