"""A session's lines as frames of a WebSocket and as server-sent events: who gets what, and who is too slow."""

import asyncio
import os
import socket
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import pytest
import websockets
from extension_folder import write_extension
from rpc_client import text, types
from served import Served, Serving, StreamEvent
from waiting import PATIENCE

from zot_agent.rpc.limits import RpcLimits
from zot_provider.testing import Call, ScriptedServer, Turn


async def test_a_prompt_is_answered_over_a_web_socket(serving: Serving, server: ScriptedServer) -> None:
    server.add("Hello there.")
    async with serving() as served, served.socket(await served.open()) as peer:
        assert (await peer.call("prompt", id=1, message="hello"))["data"] == {"started": True}
        lines = await peer.until("done")
        assert text(lines) == "Hello there."
        assert types(lines)[0] == "user_message"
        assert (await peer.call("get_state", id=2))["data"]["message_count"] == 2


async def test_a_prompt_that_is_a_command_is_run_with_one_done(serving: Serving, tmp_path: Path) -> None:
    body = "ext.command('show')(lambda args: display(args))\next.command('fail')(lambda args: error('no'))"
    folder = write_extension(tmp_path / "toy", body)
    async with (
        serving(defaults={"extensions": [str(folder)]}) as served,
        served.socket(await served.open()) as peer,
    ):
        await peer.call("prompt", message="/show this")
        shown = {"type": "ext_display", "extension": "toy", "text": "this"}
        assert await peer.until("done") == [shown, {"type": "done"}]
        await peer.call("prompt", message="/fail")
        assert types(await peer.until("done")) == ["error", "done"]
        assert (await peer.call("get_state"))["data"]["busy"] is False
        assert types(peer.seen).count("done") == 2


async def test_programs_that_tools_start_know_of_every_change(serving: Serving, server: ScriptedServer) -> None:
    server.add(Turn(calls=[Call("bash", {"command": "echo [$ZOT_MODEL $ZOT_REASONING_LEVEL]"})]), "ok")
    async with serving() as served:
        id = await served.open()
        assert (await served.command(id, "set_model", model="scripted-2"))["success"]
        assert (await served.command(id, "set_reasoning", reasoning="low"))["success"]
        async with served.socket(id) as peer:
            await peer.call("prompt", message="look")
            (result,) = [line for line in await peer.until("done") if line["type"] == "tool_result"]
            assert "[scripted-2 low]" in result["content"][0]["text"]


async def test_all_clients_get_the_events_and_each_its_own_responses(serving: Serving, server: ScriptedServer) -> None:
    server.add("For all of you.")
    async with serving() as served:
        id = await served.open()
        async with served.socket(id) as one, served.socket(id) as two:
            assert (await two.call("ping", id="same"))["data"] == {"pong": True}
            assert (await one.call("prompt", id="same", message="hello"))["data"] == {"started": True}
            first, second = await one.until("done"), await two.until("done")
            assert first == second
            assert text(first) == "For all of you."
            await one.send("get_models", id="later")  # one that is answered by a task
            assert (await one.until("response"))[-1]["id"] == "later"
            assert (await two.call("get_state", id="own"))["id"] == "own"
            assert [line["id"] for line in two.seen if line["type"] == "response"] == ["same", "own"]


async def test_the_session_continues_without_its_clients(serving: Serving, server: ScriptedServer) -> None:
    server.add(Turn("word " * 40, chunk=5, delay=0.01))
    async with serving() as served:
        id = await served.open()
        async with served.socket(id) as peer:
            await peer.call("prompt", message="go on")
            await peer.until("text_delta")
        assert [each["clients"] for each in await served.sessions()] in ([0], [1])
        async with served.socket(id) as peer:
            await peer.until("done")
            messages = (await peer.call("get_messages"))["data"]["messages"]
            assert messages[-1]["content"] == [{"type": "text", "text": "word " * 40}]


async def test_events_have_numbers_and_are_told_again_from_where_a_client_left(
    serving: Serving, server: ScriptedServer
) -> None:
    server.add("one two three", "four")
    async with serving() as served:
        id = await served.open()
        seen: list[StreamEvent] = []
        assert (await served.command(id, "prompt", message="count"))["success"]
        async for event in served.events(id, after=0):
            seen.append(event)
            if event[2]["type"] == "done":
                break
        assert [number for _, number, _ in seen] == [str(number) for number in range(1, len(seen) + 1)]
        assert {kind for kind, _, _ in seen} == {"message"}
        again = [event async for event in _until_done(served.events(id, after=3))]
        assert again == seen[3:]
        following = served.events(id, after=len(seen))
        await served.command(id, "prompt", message="more")
        rest = [event async for event in _until_done(following)]
        assert rest[0][1] == str(len(seen) + 1)
        assert text([event[2] for event in rest]) == "four"


async def _until_done(events: AsyncGenerator[StreamEvent]) -> AsyncIterator[StreamEvent]:
    async for event in events:
        yield event
        if event[2].get("type") == "done":
            break
    await events.aclose()


async def test_a_client_that_reconnects_too_late_gets_the_event_missed(
    serving: Serving, server: ScriptedServer
) -> None:
    server.add(Turn("word " * 200, chunk=5))
    async with serving(kept_bytes=4000) as served:
        id = await served.open()
        async with served.socket(id) as peer:
            await peer.call("prompt", message="go")
            await peer.until("done")
        events = [event async for event in _until_done(served.events(id, after=1))]
        kind, number, data = events[0]
        assert (kind, number, data["after"]) == ("missed", "", 1)
        numbers = [int(number) for _, number, _ in events[1:]]
        assert numbers == list(range(numbers[0], data["last"] + 1))
        assert numbers[0] > 2


async def test_a_stream_of_events_has_heartbeats_and_an_end_event(serving: Serving) -> None:
    async with serving(heartbeat_seconds=0.05) as served:
        id = await served.open()
        async with served.http.stream("GET", f"/sessions/{id}/events") as response:
            lines = response.aiter_lines()
            async for line in lines:
                if line == ": still here":
                    break
            assert (await served.http.delete(f"/sessions/{id}")).status_code == 204
            rest = [line async for line in lines if line and not line.startswith(":")]
        assert rest == ["event: end", 'data: {"reason":"the session is closed"}']


async def test_closing_a_session_closes_its_sockets_and_kills_what_it_runs(
    serving: Serving, server: ScriptedServer, alone: Path
) -> None:
    os.mkfifo(alone / "hold")
    server.add(Turn(calls=[Call("bash", {"command": "echo $$ > pid; cat hold"})]))
    async with serving() as served:
        id = await served.open()
        async with served.socket(id) as peer:
            await peer.call("prompt", message="work")
            await peer.until("tool_call")
            async with asyncio.timeout(PATIENCE):
                while not ((alone / "pid").exists() and (alone / "pid").read_text().strip()):
                    await asyncio.sleep(0.02)
            pid = int((alone / "pid").read_text())
            assert (await served.http.delete(f"/sessions/{id}")).status_code == 204
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)
            assert await peer.code() == 1001
        assert await served.sessions() == []


@pytest.mark.parametrize("path", ["/sessions/none/ws", "/sessions/none/events/ws", "/ws", "/"])
async def test_a_socket_where_there_is_no_session_is_refused(serving: Serving, path: str) -> None:
    async with serving() as served:
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with served.socket_at(path):
                pass
        assert refused.value.response.status_code in (403, 404)


async def test_a_page_sends_the_token_as_a_subprotocol_which_is_not_sent_back(serving: Serving) -> None:
    word = "zot.bearer.YSB0b2tlbiBvZiBhdCBsZWFzdCBzaXh0ZWVuIGNoYXJhY3RlcnM"
    async with serving() as served:
        id = await served.open()
        async with served.socket(id, additional_headers={}, subprotocols=["zot.rpc", word]) as peer:
            assert peer.connection.subprotocol == "zot.rpc"
            assert (await peer.call("ping"))["success"]
        for protocols in (["zot.rpc"], ["zot.rpc", "zot.bearer.d3Jvbmc"], ["zot.rpc", "zot.bearer.!"]):
            with pytest.raises(websockets.InvalidStatus) as refused:
                async with served.socket(id, additional_headers={}, subprotocols=protocols):
                    pass
            assert refused.value.response.status_code == 401


async def test_a_page_of_another_origin_gets_no_socket(serving: Serving) -> None:
    async with serving() as served:
        id = await served.open()
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with served.socket(id, origin="http://evil.example"):
                pass
        assert refused.value.response.status_code == 403
        async with served.socket(id, origin=str(served.address)) as peer:
            assert (await peer.call("ping"))["success"]


async def test_too_many_clients_are_refused_and_those_that_left_make_room(serving: Serving) -> None:
    async with serving(clients=2, streams=3) as served:
        one, two = await served.open(), await served.open()
        async with served.socket(one), served.socket(one):
            with pytest.raises(websockets.InvalidStatus) as refused:
                async with served.socket(one):
                    pass
            assert refused.value.response.status_code == 429
            async with served.socket(two):
                assert (await served.http.get(f"/sessions/{two}/events")).status_code == 429
        async with asyncio.timeout(PATIENCE):
            while any(each["clients"] for each in await served.sessions()):
                await asyncio.sleep(0.01)
        async with served.socket(one) as peer:
            assert (await peer.call("ping"))["success"]


async def test_a_frame_that_is_no_text_ends_the_connection(serving: Serving) -> None:
    async with serving() as served, served.socket(await served.open()) as peer:
        await peer.connection.send(b"\x00")
        assert await peer.code() == 1003


async def test_an_invalid_command_is_answered_and_the_connection_stays_open(serving: Serving) -> None:
    async with serving() as served, served.socket(await served.open()) as peer:
        for text in ("nonsense", "[]", "{}", '{"type":"dance"}', "", '{"type":"prompt"}\n{"type":"ping"}'):
            await peer.connection.send(text)
            assert (await peer.next())["success"] is False
        assert (await peer.call("ping"))["success"]


async def test_half_of_a_surrogate_pair_costs_its_letter_and_no_client_its_connection(
    serving: Serving, server: ScriptedServer
) -> None:
    server.add("Hello.")
    async with serving() as served:
        id = await served.open()
        async with served.socket(id) as peer, served.socket(id) as other:
            await peer.call("prompt", message="hi \ud83d")
            heard = await other.until("done")
            assert [each["content"][0]["text"] for each in heard if each["type"] == "user_message"] == ["hi \ufffd"]
            for name, fields in (
                ("control.run", {"name": "\ud800"}),
                ("model.set", {"model": "scripted", "provider": "\ud800"}),
                ("\ud800", {}),
            ):
                told = await served.command(id, name, **fields)
                assert (told["success"], (await peer.call(name, **fields))["error"]) == (False, told["error"])
            (message, _) = (await served.command(id, "get_messages"))["data"]["messages"]
            assert message["content"][0]["text"] == "hi \ufffd"
            (session,) = await served.sessions()
            assert session["title"] == "hi \ufffd"
            assert (await served.http.post("/sessions", content='{"provider": "\\ud800"}')).status_code == 403


async def test_a_frame_that_is_too_long_ends_the_connection(serving: Serving) -> None:
    async with serving(rpc=RpcLimits(line_bytes=1000)) as served, served.socket(await served.open()) as peer:
        await peer.connection.send("x" * 1001)
        assert await peer.code() == 1009


def _client_that_reads_nothing(served: Served, id: str) -> socket.socket:
    """A client that opens a WebSocket and then reads nothing."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((served.address.host, served.address.port))
    head = [
        f"GET /sessions/{id}/ws HTTP/1.1", f"Host: {served.address.host}", "Connection: Upgrade", "Upgrade: websocket",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
        f"Authorization: {served.http.headers['authorization']}", "", "",
    ]  # fmt: skip
    connection.sendall("\r\n".join(head).encode())
    return connection


async def test_a_client_that_reads_nothing_is_disconnected_and_the_others_miss_nothing(
    serving: Serving, server: ScriptedServer
) -> None:
    much = "x" * 600_000
    server.add(*[Turn(much, chunk=60_000, delay=0.005) for _ in range(15)])
    limits = RpcLimits(pause_bytes=8_000_000, read_pause_bytes=8_000_000, max_bytes=2_000_000, stall_seconds=60)
    async with serving(rpc=limits) as served:
        id = await served.open()
        with _client_that_reads_nothing(served, id):
            async with served.socket(id, compression=None) as peer:
                async with asyncio.timeout(PATIENCE):
                    while (await served.sessions())[0]["clients"] < 2:
                        await asyncio.sleep(0.01)
                for _ in range(15):
                    await peer.call("prompt", message="much")
                    assert text(await peer.until("done")) == much
                assert (await served.sessions())[0]["clients"] == 1


async def test_a_slow_client_delays_the_next_model_call_until_it_is_disconnected(
    serving: Serving, server: ScriptedServer
) -> None:
    # More than the buffers of the system hold, which is 4 MiB for sending.
    server.add(Turn("y" * 8_000_000, chunk=100_000), "second")
    limits = RpcLimits(pause_bytes=100_000, read_pause_bytes=40_000_000, max_bytes=40_000_000, stall_seconds=1.0)
    async with serving(rpc=limits) as served:
        id = await served.open()
        with _client_that_reads_nothing(served, id):
            async with asyncio.timeout(PATIENCE):
                while (await served.sessions())[0]["clients"] < 1:
                    await asyncio.sleep(0.01)
            await served.command(id, "prompt", message="much")
            await served.command(id, "prompt", message="and more")
            async with asyncio.timeout(PATIENCE):
                while len(server.requests) < 1 or (await served.sessions())[0]["busy"]:
                    held = len(server.requests) == 1 and (await served.sessions())[0]["message_count"] == 2
                    asked = len(server.requests)
                    clients = (await served.sessions())[0]["clients"]
                    assert not (asked == 2 and clients)
                    await asyncio.sleep(0.05 if held else 0.01)
        assert len(server.requests) == 2


async def test_many_sessions_stream_at_once_and_no_delta_is_lost(serving: Serving, server: ScriptedServer) -> None:
    words = [f"word{number} " for number in range(100)]
    server.add(*[Turn("".join(words), chunk=7, delay=0.005) for _ in range(20)])

    async def one(served: Served) -> str:
        async with served.socket(await served.open()) as peer:
            await peer.call("prompt", message="go")
            return text(await peer.until("done"))

    async with serving() as served:
        assert await asyncio.gather(*(one(served) for _ in range(20))) == ["".join(words)] * 20
