"""The `fetch` tool: a page of the web as text."""

import asyncio
import codecs
import json
from urllib.parse import urljoin

from zot_core.errors import ToolError
from zot_core.machine.hosts import AddressRefused, WebAddress, read_web_address
from zot_core.machine.network import NetworkAccess
from zot_core.machine.process_groups import computed
from zot_core.result import ToolResult
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text import html_text
from zot_core.tools.text.capture import Capture
from zot_core.tools.text.truncate import TextLimits, head, truncation_note
from zot_provider.errors import ProviderError
from zot_provider.messages import TextBlock
from zot_provider.record import Record, field
from zot_provider.transport.http import HttpReply, HttpTransport
from zot_provider.transport.proxies import proxy_for
from zot_provider.transport.url import parse_url


class FetchLimits(Record):
    """`bytes` of a page above which it is refused, `seconds` for all requests and the conversion, `redirects` that are
    followed on one host; the part of the text that the model reads."""

    bytes: int = 5_000_000
    seconds: float = 20.0
    redirects: int = 5
    text: TextLimits = field(default_factory=TextLimits)


_HTML = ("text/html", "application/xhtml+xml")
_TEXT = ("json", "xml", "javascript", "ecmascript", "yaml", "toml", "markdown", "x-sh", "sql", "graphql", "x-ndjson")
"""Kinds of `application` that are text, also behind a `+`."""
_ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")
_PROBE = 8192
_REDIRECTS = (301, 302, 303, 307, 308)


@builtin(other_names="web_fetch webfetch fetch_url read_url", replaceable=True, parallel=True, reads=lambda _: True)
async def fetch(url: str, context: ToolContext) -> ToolResult:
    """Fetch a page."""
    return await fetch_page(url, context, FetchLimits())


async def fetch_page(url: str, context: ToolContext, limits: FetchLimits) -> ToolResult:
    """Fetch a page within `limits`. ToolError if it cannot be read as text."""
    try:
        address = read_web_address(url)
    except ValueError as error:
        raise ToolError(f"{_cut(url)!r} cannot be fetched: {error}") from error
    try:
        async with asyncio.timeout(limits.seconds):
            text, details = await _read_page(address, context.network, limits)
    except TimeoutError:
        raise ToolError(f"{address.shown} took more than {limits.seconds:g} s; try a smaller page") from None
    except AddressRefused as error:
        raise ToolError(f"{_cut(url)} cannot be fetched: {error}") from error
    except ProviderError as error:
        raise ToolError(str(error)) from error
    capture = Capture(limits.text, limits.bytes * 2, context.temporary)
    page = text.encode("utf-8", "replace")
    capture.feed(page)
    capture.close()
    start = head(page, limits.text)
    shown = start.data.decode("utf-8", "replace")
    if capture.path:
        shown = f"{shown.rstrip()}\n{truncation_note(start, limits.text)}... [all of it: {capture.path}]\n"
    return ToolResult(
        [TextBlock(shown or "... [the page is empty]\n")],
        details=details | {"full_output_path": capture.path, "truncated": bool(capture.path)},
    )


async def _read_page(
    address: WebAddress, access: NetworkAccess, limits: FetchLimits
) -> tuple[str, dict[str, str | int]]:
    """Return the text of a page and facts about it."""
    transport = HttpTransport(resolve=access.addresses)
    try:
        for _ in range(limits.redirects + 1):
            if proxy_for(parse_url(address.url)):
                access.judge(address.host, address.port)
            accept = {"accept": "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5"}
            size, limit = limits.bytes + 1, limits.seconds * 2  # the caller's limit comes first
            reply = await transport.send("GET", address.url, accept, limit=limit, size=size)
            if reply.status not in _REDIRECTS:
                break
            target = _target(address, reply)
            if (target.host, target.port) != (address.host, address.port) and not _is_upgrade(address, target):
                return f"{address.url} redirects to another host; to read it, fetch {target.url}\n", _facts(
                    address, reply
                )
            address = target
        else:
            raise ToolError(f"{address.shown} redirects more than {limits.redirects} times")
    finally:
        await transport.close()
    return await _text(address, reply, limits), _facts(address, reply)


def _facts(address: WebAddress, reply: HttpReply) -> dict[str, str | int]:
    return {"url": address.url, "status": reply.status, "bytes": len(reply.body)}


def _is_upgrade(old: WebAddress, new: WebAddress) -> bool:
    return old.host == new.host and (old.scheme, old.port, new.scheme, new.port) == ("http", 80, "https", 443)


def _target(address: WebAddress, reply: HttpReply) -> WebAddress:
    location = reply.headers.get("location", "")
    try:
        return read_web_address(urljoin(address.url, location))
    except ValueError as error:
        raise ToolError(f"{address.url} redirects to {_cut(location)!r}, which cannot be fetched: {error}") from error


async def _text(address: WebAddress, reply: HttpReply, limits: FetchLimits) -> str:
    if reply.status >= 300:
        raise ToolError(f"{address.url} answered with the status {reply.status}; check the address")
    encoding = reply.headers.get("content-encoding", "").strip().lower()
    if encoding not in _ENCODINGS:
        raise ToolError(f"{address.url} is compressed with {_cut(encoding)!r}, which was not asked for")
    if len(reply.body) > limits.bytes:
        raise ToolError(f"{address.url} has more than {limits.bytes:,} bytes; download it with a command")
    kind, charset = _content_type(reply)
    start = reply.body[:_PROBE]
    if not kind:
        kind = _HTML[0] if start.lstrip().lower().startswith((b"<!doctype html", b"<html")) else "text/plain"
    if kind in _HTML:
        return await _markdown(address.url, charset, reply.body)
    family, _, name = kind.partition("/")
    is_text = family == "text" or (family == "application" and name.removeprefix("x-").rpartition("+")[2] in _TEXT)
    wide = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if not is_text or (b"\0" in start and not wide and not charset.startswith(("utf-16", "utf-32"))):
        raise ToolError(f"{address.url} is not text ({_cut(kind)}); download it with a command")
    return html_text.decoded(reply.body, charset)


def _content_type(reply: HttpReply) -> tuple[str, str]:
    """Return the kind of the content, and its charset, in lower case; empty if the server does not say."""
    kind, *parameters = reply.headers.get("content-type", "").lower().split(";")
    pairs = (each.partition("=") for each in parameters)
    return kind.strip(), next((value.strip(" \"'") for name, _, value in pairs if name.strip() == "charset"), "")


async def _markdown(url: str, charset: str, page: bytes) -> str:
    """Convert a page in a process, which, unlike a thread, can be ended."""
    text, code = await computed((html_text.__file__,), json.dumps([url, charset]).encode() + b"\n" + page)
    if code:
        raise ToolError(f"{url} cannot be converted to text: the process failed with code {code}")
    return text.decode("utf-8", "replace")


def _cut(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:199]}…"
