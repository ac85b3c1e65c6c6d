"""Pages of servers that `fetch` reads, and what the inside of a sandbox sends to the proxy, over real sockets."""

import asyncio
from contextlib import suppress
from pathlib import Path

from hostile import damaged, few, fewer, raw
from hypothesis import given
from hypothesis import strategies as st
from raw_server import start_raw_server

from zot_core.errors import ToolError
from zot_core.machine.files import LocalFiles
from zot_core.machine.hosts import host_patterns
from zot_core.machine.network import NetworkAccess
from zot_core.machine.shell import LocalShell
from zot_core.sandbox.proxy import FilteringProxy, ProxyLimits
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.fetch import FetchLimits, fetch_page
from zot_core.tools.text.html_text import to_markdown

PAGES = [
    b"<html><head><title>a</title></head><body><h1>b</h1><ul><li>c<li><a href='/d'>e</a></ul><pre>f\n g</pre></body>",
    b"<table><tr><th>a<td>b<tr><td>c</table><blockquote><ol><li>d</ol></blockquote><img alt=e><script>f</script>",
]
TAGS = [b"<", b">", b"<!--", b"-->", b"<![CDATA[", b"&", b"&#x", b"</", b"='", b"<li>", b"<td>", b"<svg>", b"<pre>"]
ANSWERS = [
    b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: %d\r\n\r\n%s" % (len(page), page)
    for page in PAGES
] + [b"HTTP/1.1 302 Found\r\nlocation: /a\r\ncontent-length: 0\r\n\r\n"]
HEADS = [b"\r\n", b"\n", b"\0", b"content-encoding: gzip\r\n", b"transfer-encoding: chunked\r\n", b"charset=utf-7"]
REQUESTS = [
    b"GET http://ok.test/a?b HTTP/1.1\r\nHost: ok.test\r\nAccept: */*\r\n\r\n",
    b"POST http://ok.test/ HTTP/1.1\r\nHost: ok.test\r\nContent-Length: 4\r\n\r\nbody",
    b"POST http://ok.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
    b"CONNECT ok.test:443 HTTP/1.1\r\nHost: ok.test:443\r\n\r\n\x16\x03\x01",
]
WORDS = [b"Host: evil.test\r\n", b"http://evil.test", b"evil.test", b"@", b"\r", b"\n", b"\0", b":", b" ", b"#", b"\\"]


@few
@given(damaged(PAGES, TAGS) | raw)
def test_every_page_becomes_text(page: bytes) -> None:
    text = to_markdown(page.decode("utf-8", "replace"), "https://ok.test/")
    assert len(text) < 1000 + 50 * len(page)


@fewer
@given(damaged(ANSWERS, HEADS) | raw)
async def test_any_answer_of_a_server_is_a_page_or_an_error_for_the_model(work: Path, answer: bytes) -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)

    async with start_raw_server(handle) as server:
        context = ToolContext(str(work), LocalFiles(), LocalShell(), network=NetworkAccess(private=True))
        try:
            said = (await fetch_page(f"http://127.0.0.1:{server.port}/", context, FetchLimits())).text
        except ToolError as error:
            said = str(error)
    assert said.strip()


@few
@given(st.lists(damaged(REQUESTS, WORDS), min_size=1, max_size=2).map(b"".join) | raw)
async def test_whatever_the_inside_sends_no_other_host_is_looked_up(sent: bytes) -> None:
    asked: list[str] = []

    async def look_up(name: str, port: int) -> list[str]:
        asked.append(name)
        raise OSError("nothing is reached")

    limits = ProxyLimits(head_seconds=5, linger_seconds=0.1, idle_seconds=5)
    proxy = FilteringProxy(NetworkAccess(hosts=host_patterns(["ok.test"]), lookup=look_up), limits)
    async with start_raw_server(proxy.serve, limit=limits.head_bytes) as listening:
        reader, writer = await asyncio.open_connection("127.0.0.1", listening.port)
        with suppress(ConnectionError):
            writer.write(sent)
            writer.write_eof()
            await reader.read()
        writer.close()
    assert set(asked) <= {"ok.test"}
