"""How many sessions are open, and for how long."""

import asyncio

from served import Serving
from waiting import PATIENCE

from zot_provider.testing import Fault, ScriptedServer, Turn


async def test_at_most_so_many_sessions_are_open(serving: Serving) -> None:
    async with serving(sessions=2) as served:
        first = await served.open()
        await served.open()
        refused = await served.http.post("/sessions")
        assert (refused.status_code, "2 sessions" in refused.json()["error"]) == (429, True)
        await served.http.delete(f"/sessions/{first}")
        await served.open()


async def test_sessions_that_nobody_uses_are_closed_after_a_while(serving: Serving, server: ScriptedServer) -> None:
    server.add(Turn(fault=Fault(stall=600)))
    async with serving(idle_seconds=4) as served:
        working = await served.open()
        await served.command(working, "prompt", message="think")
        followed = await served.open()
        async with served.socket(followed) as peer:
            forgotten = await served.open()
            async with asyncio.timeout(PATIENCE):
                while len(await served.sessions()) > 2:
                    await asyncio.sleep(0.2)
            assert {each["id"] for each in await served.sessions()} == {followed, working}
            assert (await served.http.get(f"/sessions/{forgotten}")).status_code == 404
            assert (await peer.call("ping"))["success"]
