"""`ServeLimits`: what bounds the memory and the patience of a process that serves many sessions."""

from zot_agent.rpc.limits import RpcLimits
from zot_provider.record import Record, field, record


def _of_a_client() -> RpcLimits:
    return RpcLimits(prompts=100, pause=1 << 20, deaf=2 << 20, most=16 << 20, stall=60.0)


@record
class ServeLimits(Record):
    """Sizes in bytes, times in seconds.

    `sessions`: open at a time; `clients` that follow one session, `streams` in all. One that nobody follows and that
    has nothing to do is closed after `idle`, 0 for never. `body`: of a request, which must have come whole within
    `body_seconds`. `answer`: for a command that is posted to be answered. `ring`: of a session's last events, kept for
    clients that come back. `beat`: between two signs of life on a stream of events. `close`: for everything to stop
    once it must.

    `rpc` counts for each client of a session, of which the one that is furthest behind holds the session up; one that
    is stuck loses its connection, and the session goes on.
    """

    sessions: int = 64
    clients: int = 16
    streams: int = 256
    idle: float = 3600.0
    body: int = 16 << 20
    body_seconds: float = 60.0
    answer: float = 600.0
    ring: int = 1 << 20
    beat: float = 15.0
    close: float = 10.0
    rpc: RpcLimits = field(default_factory=_of_a_client)
