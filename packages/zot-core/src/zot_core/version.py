"""The version shared by all five distributions; hatchling writes it into the wheels."""

__version__ = "0.1.0"
