"""Recorded provider traffic, driven through real clients and read back from the trail.

    python -m tests.replay DIR

For every normalised cassette under DIR: the wrapped client gives what the unwrapped one gives, the
request of every call is rebuilt from the exported trail byte for byte, and its pieces are those
that an independent walk of the JSON finds (`walk.py`).
"""
