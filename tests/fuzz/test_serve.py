"""Clients of `zot serve`, over real sockets: HTTP requests and WebSocket frames of any bytes."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
from hostile import cut, cuts, damaged, doctored, few, fewer, is_reason, json_bytes, json_values, outcome, texts
from hypothesis import given
from hypothesis import strategies as st
from served import TOKEN, Served
from waiting import PATIENCE

from zot_agent.host.options import HostOptions
from zot_agent.operations.registry import all_operations
from zot_agent.serve.address import Address, parse_address
from zot_agent.serve.limits import ServeLimits
from zot_agent.serve.server import ServeConfig, running
from zot_provider.errors import ConfigError


@asynccontextmanager
async def serving(cwd: Path) -> AsyncIterator[Served]:
    """A server whose model cannot be reached. No request has been the cause of an unexpected error."""
    options = HostOptions(
        provider="openai", model="m", api_key="k", base_url="http://127.0.0.1:9/v1", no_session=True, cwd=str(cwd)
    )
    failures: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: failures.append(record.getMessage())  # type: ignore[method-assign]
    loggers = [logging.getLogger(name) for name in ("uvicorn.error", "uvicorn.asgi", "zot_agent")]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        async with running(
            ServeConfig(Address(host="127.0.0.1"), TOKEN, options, limits=ServeLimits())
        ) as address, httpx.AsyncClient(
            base_url=str(address), headers={"authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE, trust_env=False
        ) as http:  # fmt: skip
            yield Served(address, http)
            assert (await http.get("/sessions")).status_code == 200
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
    assert failures == []


AUTHORIZED = f"host: localhost\r\nauthorization: Bearer {TOKEN}\r\n".encode()
REQUESTS = [
    b"GET /sessions HTTP/1.1\r\n" + AUTHORIZED + b"\r\n",
    b"POST /sessions HTTP/1.1\r\n" + AUTHORIZED + b'content-length: 12\r\n\r\n{"cwd": "/"}',
    b"POST /sessions HTTP/1.1\r\n" + AUTHORIZED + b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    b"GET /sessions/x/events?after=5 HTTP/1.1\r\n" + AUTHORIZED + b"last-event-id: 7\r\n\r\n",
    b"POST /sessions/x/commands HTTP/1.1\r\n" + AUTHORIZED + b'content-length: 15\r\n\r\n{"type":"ping"}',
    b"GET /sessions/x/ws HTTP/1.1\r\n" + AUTHORIZED + b"upgrade: websocket\r\nconnection: upgrade\r\n"
    b"sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    b"DELETE /sessions/x HTTP/1.0\r\n" + AUTHORIZED + b"\r\n",
]  # fmt: skip
TOKENS = [
    *(b"HTTP/1.1", b"\r\n\r\n", b"\r\n", b"content-length: ", b"content-length: \xb2\r\n", b"expect: 100-continue\r\n"),
    *(b"transfer-encoding: chunked\r\n", b"%00", b"%2e%2e/", b"//", b"?", b"upgrade: h2c\r\n", b"PRI * HTTP/2.0\r\n"),
    *(b"host: \r\n", b"origin: null\r\n", b"x: " + b"y" * 70_000, b"authorization: Bearer x\r\n"),
]


@fewer
@given(st.lists(st.tuples(damaged(REQUESTS, TOKENS), cuts()), min_size=1, max_size=4))
async def test_a_client_may_send_any_bytes_and_others_are_served(
    work: Path, sent: list[tuple[bytes, list[int]]]
) -> None:
    async with serving(work) as served:
        for data, places in sent:
            reader, writer = await asyncio.open_connection(served.address.host, served.address.port)
            try:
                for piece in cut(data, places):
                    writer.write(piece)
                    await asyncio.sleep(0)
                writer.write_eof()
                answer = await reader.read()
                assert answer == b"" or answer.startswith(b"HTTP/1.")
                assert not answer.startswith(b"HTTP/1.1 500")
            except OSError:
                pass
            finally:
                writer.close()


PING = {"type": "ping", "id": "last"}
SAMPLES = [
    {"type": method.name, "id": "1"} | {field.name: "x" for field in method.fields}
    for method in all_operations().values()
]
BODIES = doctored([{"cwd": "/", "model": "m", "reasoning": "high", "tools": ["read"], "extensions": []}])


@fewer
@given(st.lists(doctored(SAMPLES).map(json_bytes) | damaged([json_bytes(PING)]), max_size=5), st.booleans(), BODIES)
async def test_a_web_socket_may_carry_anything_and_commands_are_still_answered(
    work: Path, messages: list[bytes], binary: bool, asked: object
) -> None:
    async with serving(work) as served:
        opened = await served.http.post("/sessions", content=json_bytes(asked))
        assert opened.status_code < 500, opened.text
        id = await served.open(cwd=str(work))
        async with served.socket(id) as socket:
            for message in messages:
                await socket.connection.send(message, text=not binary) if _is_text(message) else None
            if not binary:
                await socket.send(**PING)
                found = [await socket.next()]
                while found[-1].get("id") != "last" or found[-1].get("command") != "ping":
                    found.append(await socket.next())
        posted = [await served.http.post(f"/sessions/{id}/commands", content=each) for each in messages]
        assert all(each.status_code < 500 for each in posted)
        assert all(is_reason(json.dumps(each.json())) for each in posted)


def _is_text(message: bytes) -> bool:
    try:
        message.decode()
    except UnicodeDecodeError:
        return False
    return True


FRAMES = [b"\x81\x85\x01\x02\x03\x04" + bytes(a ^ b for a, b in zip(b"hello", b"\1\2\3\4\1", strict=True)),
          b"\x89\x80\x01\x02\x03\x04", b"\x88\x82\x00\x00\x00\x00\x03\xe8", b"\x82\xff" + b"\xff" * 8,
          b"\x01\x81\x00\x00\x00\x00a", b"\x80\x81\x00\x00\x00\x00b", b"\xc1\x80\x00\x00\x00\x00"]  # fmt: skip


@fewer
@given(st.lists(damaged(FRAMES), max_size=6).map(b"".join), cuts())
async def test_any_bytes_after_the_upgrade_end_only_their_connection(
    work: Path, data: bytes, places: list[int]
) -> None:
    async with serving(work) as served:
        id = await served.open(cwd=str(work))
        reader, writer = await asyncio.open_connection(served.address.host, served.address.port)
        writer.write(REQUESTS[5].replace(b"/x/", f"/{id}/".encode()))
        await reader.readuntil(b"\r\n\r\n")
        try:
            for piece in cut(data, places):
                writer.write(piece)
                await asyncio.sleep(0)
            writer.write_eof()
            await reader.read()
        except OSError:
            pass
        finally:
            writer.close()


@few
@given(st.builds("{}{}{}".format, texts, st.sampled_from([":", "]:", ""]), texts) | json_values.map(str))
def test_an_address_to_listen_on_is_parsed_or_refused(text: str) -> None:
    address = outcome(lambda: parse_address(text), ConfigError)
    assert address is None or address.path or 0 <= address.port < 1 << 16
