"""Fakes for the tests of whoever builds on `zot_core`."""

from zot_core.testing.world import FakeShell, MemoryFiles, Ran, Scripted

__all__ = ["FakeShell", "MemoryFiles", "Ran", "Scripted"]
