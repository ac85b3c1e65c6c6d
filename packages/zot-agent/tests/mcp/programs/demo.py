"""A server with the package `mcp`: over standard input and output, or at the port that it is given."""

import asyncio
import sys

from mcp.server.mcpserver import Context, Image, MCPServer
from pydantic import BaseModel

server = MCPServer("demo", version="1")


class Sum(BaseModel):
    total: int


@server.tool()
def add(a: int, b: int) -> Sum:
    """Add two numbers."""
    return Sum(total=a + b)


@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("as wanted")


@server.tool()
def picture() -> Image:
    """Show a picture."""
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = (1).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(bytes(4))), (b"IEND", b"")]
    dot = b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)
    return Image(data=dot, format="png")


@server.tool()
async def wait(context: Context) -> str:
    """Wait until the call is cancelled."""
    try:
        await asyncio.Event().wait()
    finally:
        print("cancelled", file=sys.stderr, flush=True)
    return ""


@server.tool()
async def grow(context: Context) -> str:
    """Add a tool."""

    def grown() -> str:
        """Be new."""
        return "new"

    server.add_tool(grown)
    await context.notify_tools_changed()
    return "grown"


@server.prompt()
def review(file: str, style: str = "short") -> str:
    """Review a file."""
    return f"Review {file}, {style}"


@server.resource("demo://hello")
def hello() -> str:
    """A greeting."""
    return "hello there"


if __name__ == "__main__":
    if sys.argv[1:]:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run()
