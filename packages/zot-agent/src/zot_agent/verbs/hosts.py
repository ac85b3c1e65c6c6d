"""The host of a caller, which has its settings and its extensions."""

from zot_agent.host.host import Host
from zot_agent.operations.caller import OperationCaller
from zot_agent.operations.fields import OperationFailed


def host_of(caller: OperationCaller) -> Host:
    """Return the host. Raises `OperationFailed` for a caller that has none."""
    if not isinstance(caller.host, Host):
        raise OperationFailed("unavailable", "the caller has no host, with settings and extensions")
    return caller.host
