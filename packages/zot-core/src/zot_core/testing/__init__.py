"""Fakes for testing programs that use `zot_core`."""

from zot_core.testing.agents import PIXEL, EventClient, make_agent, record, run_to_end, types
from zot_core.testing.tasks import HANGS, TaskClient
from zot_core.testing.world import FakeShell, MemoryFiles, RanCommand, Scripted

__all__ = [
    "HANGS",
    "PIXEL",
    "EventClient",
    "FakeShell",
    "MemoryFiles",
    "RanCommand",
    "Scripted",
    "TaskClient",
    "make_agent",
    "record",
    "run_to_end",
    "types",
]
