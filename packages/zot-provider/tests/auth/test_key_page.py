"""The form for a key: who may send it, and what it answers."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlencode, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_provider.auth.flows.key_page import KeyPage
from zot_provider.auth.flows.loopback import LoopbackAnswer, LoopbackRequest, LoopbackServer, LoopbackServerLimits
from zot_provider.auth.flows.pages import key_form
from zot_provider.providers.spec import Provider
from zot_provider.transport.http import HttpReply, HttpTransport

PROVIDERS = [Provider("one", 'One <script>"', "openai-chat", None), Provider("two", "Two", "openai-chat", None)]
FORM = "application/x-www-form-urlencoded"


async def send(method: str, url: str, headers: dict[str, str], body: str = "") -> HttpReply:
    transport = HttpTransport()
    try:
        return await transport.send(method, url, headers, body.encode())
    finally:
        await transport.close()


@asynccontextmanager
async def opened() -> AsyncIterator[tuple[KeyPage, str, dict[str, str], str]]:
    """A page whose form a browser has: the page, its origin, the headers of a submission, the secret of the form."""
    page = KeyPage(PROVIDERS, "two")
    try:
        url = await page.open()
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        first = await send("GET", url, {})
        assert (first.status, first.headers["location"]) == (303, "/")
        assert "HttpOnly; SameSite=Strict" in first.headers["set-cookie"]
        cookie = first.headers["set-cookie"].partition(";")[0]
        form = await send("GET", f"{origin}/", {"cookie": cookie})
        (guard,) = re.findall(r'name="guard" value="([^"]+)"', form.body.decode())
        assert "<script>" not in form.body.decode()
        yield page, origin, {"cookie": cookie, "origin": origin, "content-type": FORM}, guard
    finally:
        await page.close()


async def test_a_key_reaches_zot_and_the_answer_the_browser() -> None:
    async with opened() as (page, origin, headers, guard):
        body = urlencode({"guard": guard, "provider": "one", "key": "sk-x y&"})
        sent = asyncio.ensure_future(send("POST", f"{origin}/key", headers, body))
        submission = await page.next()
        assert (submission.provider, submission.key) == ("one", "sk-x y&")
        submission.done.set_result("no <b>such</b> key")
        reply = await sent
        assert reply.status == 422
        assert b"no &lt;b&gt;such&lt;/b&gt; key" in reply.body
        assert b"sk-x" not in reply.body
        sent = asyncio.ensure_future(send("POST", f"{origin}/key", headers, body))
        (await page.next()).done.set_result("")
        assert (await sent).status == 200


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"cookie": ""}, 403),
        ({"cookie": "zot_key_page=guess"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"content-type": "text/plain"}, 403),
        ({"guard": "guess"}, 403),
        ({"provider": "three"}, 422),
        ({"host": "evil.example"}, 421),
    ],
)
async def test_a_submission_from_elsewhere_is_refused(change: dict[str, str], status: int) -> None:
    async with opened() as (page, origin, headers, guard):
        fields = {"guard": guard, "provider": "one", "key": "sk-secret"}
        fields |= {name: value for name, value in change.items() if name in fields}
        headers |= {name: value for name, value in change.items() if name not in fields}
        reply = await send("POST", f"{origin}/key", headers, urlencode(fields))
        assert reply.status == status
        assert b"sk-secret" not in reply.body
        assert page._submissions.empty()


async def test_the_address_works_once_and_nothing_is_there_without_its_cookie() -> None:
    page = KeyPage(PROVIDERS)
    try:
        url = await page.open()
        origin = url.rpartition("/")[0]
        assert (await send("GET", f"{origin}/", {})).status == 403
        assert (await send("GET", url, {})).status == 303
        assert (await send("GET", url, {})).status == 403
    finally:
        await page.close()


async def test_a_page_that_is_closed_while_a_key_is_checked_answers_the_browser() -> None:
    async with opened() as (page, origin, headers, guard):
        body = urlencode({"guard": guard, "provider": "one", "key": "sk-x"})
        sent = asyncio.ensure_future(send("POST", f"{origin}/key", headers, body))
        await page.next()
        await page.close()
        assert b"zot has stopped the sign-in" in (await sent).body


async def test_the_pages_allow_no_script_no_frame_and_no_cache() -> None:
    async with opened() as (_, origin, headers, _guard):
        reply = await send("GET", f"{origin}/", headers)
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src" not in policy
        assert "frame-ancestors 'none'" in policy
        assert reply.headers["cache-control"] == "no-store"


RAW = [
    b"",
    b"GET\r\n\r\n",
    b"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n",
    b"POST / HTTP/1.1\r\ncontent-length: 99999999\r\n\r\n",
    b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
    b"GET / HTTP/1.1\r\nx y: z\r\n\r\n",
    b"x" * 100_000,
    b"\x00\xff\r\n\r\n",
]


async def echo(request: LoopbackRequest) -> LoopbackAnswer:
    return LoopbackAnswer(200, request.path)


async def ask(port: int, raw: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(raw)
        writer.write_eof()
        return await reader.read()
    except OSError:
        return b""
    finally:
        writer.close()


@given(st.sampled_from(RAW) | st.binary(max_size=200))
async def test_any_bytes_leave_the_server_working(raw: bytes) -> None:
    server = LoopbackServer(echo)
    await server.open()
    try:
        assert await ask(server.port, raw) == b""
        good = f"GET /x HTTP/1.1\r\nhost: 127.0.0.1:{server.port}\r\n\r\n".encode()
        assert (await ask(server.port, good)).endswith(b"/x")
    finally:
        await server.close()


async def test_a_browser_that_says_nothing_is_left() -> None:
    server = LoopbackServer(echo, LoopbackServerLimits(request=0.05))
    await server.open()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        assert await reader.read() == b""
        writer.close()
    finally:
        await server.close()


@given(st.text(max_size=50))
def test_what_comes_from_outside_is_text_on_the_page(text: str) -> None:
    page = key_form([(text, text)], text, text, text)
    assert page.count("<") == key_form([("x", "x")], "x", "x", "x").count("<") - _missing(text)


def _missing(error: str) -> int:
    return 0 if error else 2  # the paragraph of an error is left out
