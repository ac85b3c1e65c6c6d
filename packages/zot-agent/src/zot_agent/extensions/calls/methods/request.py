"""Calls about a request of the host that the extension has not answered."""

from zot_agent.extensions.calls.call import ExtensionCall
from zot_agent.operations.fields import OperationFailed


def extend(call: ExtensionCall) -> None:
    """Give the request of the call more time, once."""
    seconds, largest = int(call.params["seconds"]), call.services.limits.extension_seconds
    if not call.parent:
        raise OperationFailed("invalid", "parent_id must name the request")
    if seconds > largest:
        raise OperationFailed("invalid", f"seconds must be a whole number from 1 to {largest:g}, not {seconds}")
    if not call.connection.pending.extend(call.parent, seconds):
        raise OperationFailed("denied", "the request was extended before")
