"""`RpcProcess`: the lines and the end of a process."""

import asyncio
import os

from waiting import PATIENCE

from zot_agent.client import ClientLimits
from zot_agent.client.link import DEFAULT_LIMITS, RpcProcess
from zot_ext.limits import DEFAULT_LIMITS as EXTENSION_LIMITS
from zot_provider.testing import ScriptedServer


class Linked:
    """A link, its lines, and why it was lost."""

    def __init__(self, *argv: str, limits: ClientLimits = DEFAULT_LIMITS) -> None:
        self.lines: list[bytes] = []
        self.lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.link = RpcProcess(argv, ".", os.environ, limits, self.lines.append, lambda why: self.lost.set_result(why))


async def test_a_paused_process_is_not_read_until_it_is_resumed(server: ScriptedServer) -> None:
    async with asyncio.timeout(PATIENCE):
        linked = Linked("yes")
        for _ in range(2):
            linked.link.resume()
            seen = len(linked.lines)
            while len(linked.lines) == seen:
                await asyncio.sleep(0)
            linked.link.pause()
            seen = len(linked.lines)
            for _ in range(100):
                await asyncio.sleep(0)
            assert len(linked.lines) == seen
        await linked.link.close(patiently=False)
        assert await linked.lost in ("zot rpc was ended by SIGTERM", "zot rpc was ended by SIGPIPE")


async def test_the_end_is_reported_with_the_last_lines_also_when_a_grandchild_holds_the_pipes(
    server: ScriptedServer,
) -> None:
    async with asyncio.timeout(PATIENCE):
        script = "sleep 600 & printf said; printf complained >&2; exit 3"
        linked = Linked("sh", "-c", script, limits=ClientLimits(kill_seconds=600))
        assert await linked.lost == "zot rpc exited with code 3: complained"
        assert linked.lines == [b"said"]
        await linked.link.close(patiently=False)


def test_the_documented_limits() -> None:
    limits = ClientLimits()
    assert (limits.answer_seconds, limits.close_seconds, limits.kill_seconds) == (60, 10, 2)
    assert limits.patient_seconds == EXTENSION_LIMITS.dialog_seconds
    assert (limits.sent_bytes, limits.received_bytes) == (16 * 2**20, 256 * 2**20)
    assert limits.unsent_bytes == 64 * 2**20
    assert (limits.waiting_events, limits.stderr_bytes) == (10_000, 4096)
