"""`ServeLimits`: the limits on memory and waiting time of a process that serves many sessions."""

from zot_agent.rpc.limits import RpcLimits
from zot_provider.record import Record, field


def _client_limits() -> RpcLimits:
    return RpcLimits(pause_bytes=1 << 20, read_pause_bytes=2 << 20, max_bytes=16 << 20, stall_seconds=60.0)


class ServeLimits(Record):
    """Sizes in bytes, times in seconds.

    `sessions`: open sessions. `clients`: clients that follow one session. `streams`: streams of all sessions.
    `idle_seconds`: after this time a session without followers and work is closed; 0 for never. `body_bytes`: the
    longest body of a request, which must arrive within `body_seconds`. `answer_seconds`: the wait for the response to
    a command sent by POST. `kept_bytes`: the last events of a session, kept for clients that reconnect.
    `heartbeat_seconds`: between two comments on an idle stream of events. `sign_ins`: sign-ins with an account that are
    open. `close_seconds`: for the sessions to stop at the end. `flush_seconds`: for the clients to read their last data
    after that.

    `connections`: open connections. A connection on which no request with the token is being served counts as a
    stranger: `strangers` of all peers, `peer_strangers` of one peer (an IP address, an IPv6 network of 64 bits, or the
    Unix socket). One more closes the oldest. A stranger is closed after `stranger_seconds`, and any connection when it
    has too much to read for `unread_seconds`. `accept_retry_seconds`: between two attempts when accepting fails.

    `rpc` applies to each client of a session. The slowest client holds the session up; a stuck client loses its
    connection, and the session continues.
    """

    sessions: int = 64
    clients: int = 16
    streams: int = 256
    idle_seconds: float = 3600.0
    body_bytes: int = 16 << 20
    body_seconds: float = 60.0
    answer_seconds: float = 600.0
    kept_bytes: int = 1 << 20
    heartbeat_seconds: float = 15.0
    sign_ins: int = 8
    close_seconds: float = 10.0
    flush_seconds: float = 1.0
    connections: int = 512
    strangers: int = 64
    peer_strangers: int = 32
    stranger_seconds: float = 10.0
    unread_seconds: float = 60.0
    accept_retry_seconds: float = 1.0
    rpc: RpcLimits = field(default_factory=_client_limits)
