"""Calls for messages to other extensions."""

from typing import TYPE_CHECKING

from zot_agent.extensions.calls.call import ExtensionCall
from zot_agent.operations.fields import OperationFailed
from zot_ext.protocol.events import BUS, channel_problem, fits
from zot_ext.protocol.from_host import Event
from zot_ext.protocol.raw import dump

if TYPE_CHECKING:
    from zot_ext.protocol.answers import Receivers


def emit(call: ExtensionCall) -> "Receivers":
    """Send a message to the extensions that want its channel, in load order, but for the sender. An extension that does
    not read loses it, which its log says."""
    channel, data = call.text("channel"), call.params.get("data")
    if problem := channel_problem(channel):
        raise OperationFailed("invalid", f"channel {problem}")
    size, largest = len(dump(data).encode()), call.services.limits.bus_bytes
    if size > largest:
        raise OperationFailed("too_large", f"the data has {size} bytes as JSON; at most {largest}")
    fields, to = {"channel": channel, "data": data, "from": call.extension}, call.text("to")
    receivers = set()
    for connection, event in call.services.observers():
        wanted = event.startswith(BUS) and fits(event[len(BUS) :], channel) and to in ("", connection.name)
        if wanted and connection is not call.connection and "bus" in connection.granted:
            connection.send(Event(event, extra=fields), droppable=True)
            receivers.add(connection.name)
    return {"receivers": len(receivers)}
