__version__ = "0.1.0"
"""The version that all five distributions share; hatchling writes it into the wheels."""
