"""Hooks into clients, frameworks and callables (floor 4). Each imports its framework lazily."""
