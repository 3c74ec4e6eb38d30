"""The writing side's state: turns, ledgers, calls, tools (floor 3)."""
