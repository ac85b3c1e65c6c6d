"""`EventRow`: an event of extensions as data, and the members that many events have."""

from __future__ import annotations

from zot_ext.protocol.fields import CallField, param
from zot_ext.record import Record


class EventRow(Record):
    """An event: its group, what happens, and its members."""

    name: str
    group: str
    doc: str
    members: tuple[CallField, ...] = ()


TOOL = (param("tool_id", "text", "the id of the call"), param("tool_name", "text", "its tool"))
MODEL = (param("provider", "text", "the provider"), param("model", "text", "the model"))
STEP = param("step", "whole", "the number of the model call in the run, from 1")
