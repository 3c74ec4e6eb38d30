"""Slots of a call: entries, how they change, token estimates, the model's window (floor 2)."""
