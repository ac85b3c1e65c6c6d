"""The body of an answer of status 200: unpacked, and refused in words if it is no event stream."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing

from zot_provider.errors import ProtocolError, ProviderError
from zot_provider.transport.connection import BrokenConnection
from zot_provider.transport.status import server_message, stated_failure
from zot_provider.transport.url import location

_OTHER_KINDS = {"text/html": "a web page", "application/xhtml+xml": "a web page", "application/json": "JSON"}
"""The explanation of a body of these types, unless it is an event stream that a server has labelled wrongly."""

_WHOLE = rb'"(?:choices|candidates|output|content)"\s*:'
_ERROR = rb'"error"\s*:\s*[{"\[]'
"""Regular expressions that match, and must not match, an answer that came whole."""

_HEAD = 4096
"""Most bytes of white space before it is known what a body is."""

_PIECE = 1 << 20
"""Most bytes that one step of unpacking gives: 1 MiB of a packed body can become a gigabyte."""


def unpacked(chunks: AsyncGenerator[bytes, None], headers: Mapping[str, str]) -> AsyncGenerator[bytes, None]:
    """Return the pieces of a body without their `content-encoding` (RFC 9110, 8.4.1): `chunks` itself without one.

    Raises `ProtocolError` for an unknown encoding, also for several of them: 282 bytes can become gigabytes. The
    pieces raise `BrokenConnection` if the body is damaged.
    """
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding in ("", "identity"):
        return chunks
    if encoding in ("gzip", "x-gzip", "deflate"):
        return _unzipped(chunks)
    raise ProtocolError(f"the server packs its answer as {encoding[:40]!r}, which was not asked for")


async def _unzipped(chunks: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    import zlib  # noqa: PLC0415  most servers do not pack a stream

    unzip = zlib.decompressobj(zlib.MAX_WBITS | 32)  # 32: either of gzip and zlib
    async with aclosing(chunks):
        async for packed in chunks:
            rest = packed
            while rest:
                if unzip.eof:  # each event may be packed by itself (RFC 1952, 2.2)
                    unzip = zlib.decompressobj(zlib.MAX_WBITS | 32)
                try:
                    piece = unzip.decompress(rest, _PIECE)
                except zlib.error as error:
                    raise BrokenConnection("the compressed answer is damaged") from error
                if piece:
                    yield piece
                rest = unzip.unused_data if unzip.eof else unzip.unconsumed_tail


async def check_stream(chunks: AsyncIterator[bytes], headers: Mapping[str, str], url: str, most: int) -> bytes:
    """Return the first bytes of a body, as far as they had to be read to know that it is an event stream, or the answer
    of a server that does not stream: none if the server says that it is a stream.

    Raises `ModelError` for another body that states a failure of the model, else `ProtocolError`, which quotes up to
    `most` bytes of the body.
    """
    what = _OTHER_KINDS.get(headers.get("content-type", "").split(";")[0].strip().lower(), "")
    if not what:
        return b""
    head = b""
    async for piece in chunks:
        head += piece
        begins = head.lstrip(b" \t\r\n\xef\xbb\xbf")[:1]
        if begins and begins not in b"{[<":  # no field of an event stream begins with one of these
            return head
        if begins and begins != b"<" and re.search(_WHOLE, head) and not re.search(_ERROR, head):
            return head
        if len(head) >= (most if begins else _HEAD):
            break
    raise _no_stream(what, head[:most], headers, url)


def _no_stream(what: str, head: bytes, headers: Mapping[str, str], url: str) -> ProviderError:
    failure = stated_failure(head, headers)
    if failure is not None:
        return failure
    where, message = location(url), server_message(head)
    error = ProtocolError(
        f"{where} answered with {what}{f' ({message})' if message else ''}, not with a model's "
        "event stream; check the base URL: it must be the address of the API itself"
    )
    error.untrusted_parts = (where, message)
    return error
