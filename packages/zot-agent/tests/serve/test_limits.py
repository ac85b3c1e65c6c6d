"""The limits that are documented are those that count."""

from zot_agent.rpc.limits import RpcLimits
from zot_agent.serve.limits import ServeLimits


def test_the_limits_are_those_of_the_documents() -> None:
    client = RpcLimits(prompts=100, pause=1 << 20, deaf=2 << 20, most=16 << 20, stall=60.0)
    assert ServeLimits() == ServeLimits(
        sessions=64, clients=16, streams=256, idle=3600.0, body=16 << 20, body_seconds=60.0, answer=600.0,
        ring=1 << 20, beat=15.0, close=10.0, rpc=client,
    )  # fmt: skip
