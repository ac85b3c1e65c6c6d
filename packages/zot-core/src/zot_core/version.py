"""The version that all five distributions share; hatchling writes it into the wheels."""

__version__ = "0.1.0"
"""Of the form `0.2.0`, or `0.2.0rc1` for a candidate."""
