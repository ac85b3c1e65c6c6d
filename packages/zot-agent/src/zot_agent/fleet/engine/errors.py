"""`engine_errors`: what Temporal's client raises, as errors of zot."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from temporalio.service import RPCError, RPCStatusCode

from zot_provider.errors import UnknownName, ZotError

_NOT_NOW = (RPCStatusCode.UNAVAILABLE, RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED)


@asynccontextmanager
async def engine_errors(id: str) -> AsyncIterator[None]:
    """Convert the errors of the engine about the run `id` into `ZotError`."""
    try:
        yield
    except RPCError as error:
        if error.status == RPCStatusCode.NOT_FOUND:
            raise UnknownName(f"no run {id} in the fleet, or it has ended; zot runs list --fleet shows them") from None
        if error.status in _NOT_NOW:
            raise ZotError("Temporal does not answer; the runs that it has are safe there") from None
        raise ZotError(f"Temporal refuses: {error.message.splitlines()[0]}") from error
