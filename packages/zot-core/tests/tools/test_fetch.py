"""Pages from a server on this machine, which the tool reaches only where a test allows it."""

import asyncio
import gzip
import socket
from pathlib import Path

import pytest
from raw_server import Handler, RawServer, start_raw_server
from waiting import PATIENCE

from zot_core.aio import spawn
from zot_core.errors import ToolError
from zot_core.machine.hosts import host_patterns
from zot_core.machine.network import NetworkAccess
from zot_core.result import ToolResult
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.fetch import FetchLimits, fetch, fetch_page


def page(body: bytes, kind: str = "text/html", *headers: str, status: str = "200 OK") -> bytes:
    lines = [
        f"HTTP/1.1 {status}",
        f"content-length: {len(body)}",
        *([f"content-type: {kind}"] if kind else []),
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode() + body


def moved(target: str, status: str = "302 Found") -> bytes:
    return page(b"", "", f"location: {target}", status=status)


class Site:
    """A site of pages by path. `asked` has the heads of the requests. Its names lead to this machine."""

    def __init__(self, pages: dict[str, bytes]) -> None:
        self.pages, self.asked = pages, list[str]()
        self.looked_up: list[str] = []

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            self.asked.append(head)
            writer.write(self.pages[head.split()[1]])
            await writer.drain()

    async def look_up(self, name: str, port: int) -> list[str]:
        self.looked_up.append(name)
        return ["127.0.0.1"]

    @property
    def network(self) -> NetworkAccess:
        return NetworkAccess(private=True, lookup=self.look_up)

    async def fetch(self, context: ToolContext, path: str, **limits: int) -> ToolResult:
        async with start_raw_server(self.handle) as server:
            self.pages = {at: each.replace(b"PORT", b"%d" % server.port) for at, each in self.pages.items()}
            url = f"http://site.test:{server.port}{path}"
            return await fetch_page(url, context.replace(network=self.network), FetchLimits(**limits))


HTML = b"<html><head><title>A &amp; B</title></head><body><h1>Head</h1><p>See <a href=/x>this</a>.<script>x()</script>"


async def test_a_page_of_html_is_markdown_with_whole_links(context: ToolContext) -> None:
    site = Site({"/a": page(HTML)})
    result = await site.fetch(context, "/a")
    port = result.details["url"].rpartition(":")[2].split("/")[0]
    assert result.text == f"# A & B\n\n# Head\n\nSee [this](http://site.test:{port}/x).\n"
    assert f"host: site.test:{port}\r\n" in site.asked[0]
    assert site.looked_up == ["site.test"]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (page(b'{"a": 1}', "application/json; charset=utf-8"), '{"a": 1}'),
        (page(b"# t\n", "text/markdown"), "# t\n"),
        (page(b"<a/>", "application/rss+xml"), "<a/>"),
        (page("é".encode("latin-1"), "text/plain; charset=ISO-8859-1"), "é"),
        (page("é".encode("utf-16"), "text/plain"), "é"),
        (page(b"x", "text/plain; charset=punycode"), "x"),
        (page(b"\xff", "text/plain; charset=nonsense"), "\ufffd"),
        (page(gzip.compress(b"packed"), "text/plain", "content-encoding: gzip"), "packed"),
        (page(b"plain", ""), "plain"),
        (page(b"<!DOCTYPE html><p>x", ""), "x\n"),
        (page("<meta charset='iso-8859-1'><p>é".encode("latin-1")), "é\n"),
        (page(b"", "text/plain"), "... [the page is empty]\n"),
        (page(b"<script>x</script>"), "... [the page is empty]\n"),
    ],
)
async def test_text_of_other_kinds_is_passed_on(context: ToolContext, answer: bytes, text: str) -> None:
    assert (await Site({"/": answer}).fetch(context, "/")).text == text


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (page(b"\x89PNG", "image/png"), r"is not text \(image/png\)"),
        (page(b"a\0b", "text/plain"), "is not text"),
        (page(b"PK\3\4", "application/zip"), "download it with a command"),
        (page(b"no", status="404 Not Found"), "answered with the status 404"),
        (page(b"x" * 1001, "text/plain"), "more than 1,000 bytes"),
        (page(gzip.compress(b"x" * 5000), "text/plain", "content-encoding: gzip"), "more than 1,000 bytes"),
        (page(b"x", "text/plain", "content-encoding: br"), "compressed with 'br'"),
        (b"garbage\r\n\r\n", "HTTP"),
        (moved("/"), "redirects more than 5 times"),
        (moved("file:///etc/passwd"), "cannot be fetched: it must begin with https"),
        (moved("http://me@site.test/"), "names a user"),
    ],
)
async def test_what_cannot_be_read_is_one_line(context: ToolContext, answer: bytes, words: str) -> None:
    with pytest.raises(ToolError, match=words) as raised:
        await Site({"/": answer}).fetch(context, "/", bytes=1000)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("target", ["/b", "http://SITE.test:PORT/b"])
async def test_a_redirect_on_the_same_host_is_followed(context: ToolContext, target: str) -> None:
    site = Site({"/a": moved(target), "/b": page(b"there", "text/plain")})
    assert (await site.fetch(context, "/a")).text == "there"


@pytest.mark.parametrize("target", ["http://evil.test:PORT/b", "http://127.0.0.1:PORT/b", "http://site.test:1/b"])
async def test_a_redirect_to_another_host_is_a_new_call(context: ToolContext, target: str) -> None:
    site = Site({"/a": moved(target)})
    result = await site.fetch(context, "/a")
    assert "redirects to another host; to read it, fetch http://" in result.text
    assert len(site.asked) == 1


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:PORT/",
        "http://2130706433:PORT/",
        "http://0x7f.1:PORT/",
        "http://localhost:PORT/",
        "http://[::ffff:127.0.0.1]:PORT/",
        "http://１２７.0.0.1:PORT/",
        "http://site.test:PORT/",
        "http://169.254.169.254/",
    ],
)
async def test_this_machine_is_not_reached(context: ToolContext, url: str) -> None:
    site = Site({"/": page(b"secret")})
    async with start_raw_server(site.handle) as server:
        context.network = NetworkAccess(lookup=site.look_up)
        with pytest.raises(ToolError, match=r"(of|to) a private network"):
            await fetch.run({"url": url.replace("PORT", str(server.port))}, context)
        assert server.connections == 0


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://a@b.test/", "http://a\0b.test/", "javascript:1", ""])
async def test_what_is_no_url_of_the_web_is_refused(context: ToolContext, url: str) -> None:
    with pytest.raises(ToolError, match="cannot be fetched"):
        await fetch.run({"url": url}, context)


async def test_an_unknown_host_is_one_line(context: ToolContext) -> None:
    async def unknown(name: str, port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    context.network = NetworkAccess(lookup=unknown)
    with pytest.raises(ToolError, match=r"cannot find the host of https://unknown\.test/"):
        await fetch.run({"url": "https://unknown.test/"}, context)


async def test_only_the_hosts_of_the_sandbox_are_reached(context: ToolContext) -> None:
    context.network = NetworkAccess(hosts=host_patterns(["ok.test"]))
    with pytest.raises(ToolError, match="not among the hosts that the sandbox allows"):
        await fetch.run({"url": "https://evil.test/"}, context)


async def test_a_long_page_is_cut_and_whole_in_a_file(context: ToolContext) -> None:
    text = "line\n" * 3000
    result = await Site({"/": page(text.encode(), "text/plain")}).fetch(context, "/")
    assert "... [truncated at 2000 lines]\n... [all of it: " in result.text
    file = Path(result.details["full_output_path"])
    assert file.read_text() == text
    file.unlink()


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Begin an answer and never end it."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nx")
    await reader.read()


async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n")
    while True:
        writer.write(b"<!" * 50_000)
        await writer.drain()


def local(context: ToolContext, server: RawServer) -> tuple[str, ToolContext]:
    return f"http://127.0.0.1:{server.port}/", context.replace(network=NetworkAccess(private=True))


@pytest.mark.parametrize("handler", [silent, mute])
async def test_a_server_that_does_not_end_is_given_up(context: ToolContext, handler: Handler) -> None:
    async with start_raw_server(handler) as server:
        url, context = local(context, server)
        with pytest.raises(ToolError, match=r"took more than 0\.2 s"):
            await fetch_page(url, context, FetchLimits(seconds=0.2))


async def test_an_answer_without_end_is_cut(context: ToolContext) -> None:
    async with start_raw_server(endless) as server:
        url, context = local(context, server)
        with pytest.raises(ToolError, match="more than 1,000 bytes"):
            await fetch_page(url, context, FetchLimits(bytes=1000))


async def test_a_cancelled_call_closes_its_connection(context: ToolContext) -> None:
    began = asyncio.Event()

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        began.set()
        assert await reader.read() == b""

    async with start_raw_server(handler) as server:
        url, context = local(context, server)
        call = spawn(fetch.run({"url": url}, context), "call")
        await began.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        async with asyncio.timeout(PATIENCE):
            while server.ended == 0:
                await asyncio.sleep(0.01)


async def test_a_proxy_of_the_environment_is_asked_and_resolves_names_itself(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site({"http://somewhere.example/x": page(b"by proxy", "text/plain"), "/y": page(b"direct", "text/plain")})
    async with start_raw_server(site.handle) as server:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.port}")
        context.network = NetworkAccess(lookup=site.look_up)
        assert (await fetch.run({"url": "http://somewhere.example/x"}, context)).text == "by proxy"
        assert site.looked_up == []
        for url in ("http://10.0.0.1/", "http://printer.local/"):
            with pytest.raises(ToolError, match="private network"):
                await fetch.run({"url": url}, context)
        monkeypatch.setenv("no_proxy", "site.test")
        context.network = site.network
        assert (await fetch.run({"url": f"http://site.test:{server.port}/y"}, context)).text == "direct"
        assert site.looked_up == ["site.test"]
