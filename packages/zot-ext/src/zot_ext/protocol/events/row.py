"""`EventRow`: an event of extensions as data, and the members that many events have."""

from __future__ import annotations

from zot_ext.protocol.calls.method import CallParam
from zot_ext.record import Record


class EventRow(Record):
    """An event: its group, what happens, and its members."""

    name: str
    group: str
    doc: str
    members: tuple[CallParam, ...] = ()


TOOL = (CallParam("tool_id", "text", "the id of the call"), CallParam("tool_name", "text", "its tool"))
MODEL = (CallParam("provider", "text", "the provider"), CallParam("model", "text", "the model"))
STEP = CallParam("step", "whole", "the number of the model call in the run, from 1")
