"""The default limits are the documented ones."""

from zot_agent.rpc.limits import RpcLimits
from zot_agent.serve.limits import ServeLimits


def test_the_limits_are_the_documented_ones() -> None:
    client = RpcLimits(pause_bytes=1 << 20, read_pause_bytes=2 << 20, max_bytes=16 << 20, stall_seconds=60.0)
    assert ServeLimits() == ServeLimits(
        sessions=64, clients=16, streams=256, idle_seconds=3600.0, body_bytes=16 << 20, body_seconds=60.0,
        answer_seconds=600.0, kept_bytes=1 << 20, heartbeat_seconds=15.0, close_seconds=10.0, flush_seconds=1.0,
        connections=512, strangers=64, peer_strangers=32, stranger_seconds=10.0, unread_seconds=60.0,
        accept_retry_seconds=1.0, rpc=client,
    )  # fmt: skip
