"""Plain values that several floors share; nothing here does anything (floor 1)."""
