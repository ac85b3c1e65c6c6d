"""`zot mcp login` in a terminal's place: a process that prints the page, and the page that returns to it."""

import asyncio
import json
import os
import sys

from mcp_guarded import Guarded
from mcp_world import McpWorld
from waiting import PATIENCE

from zot_provider.transport.http import HttpTransport


async def test_a_person_signs_in_at_the_command_line(mcp: McpWorld, guarded: Guarded) -> None:
    home = mcp.root / "zot"
    far = {"url": f"{guarded.url}/mcp", "startup_timeout": int(PATIENCE * 1000)}
    (home / "mcp.json").write_text(json.dumps({"mcpServers": {"far": far}}))
    variables = {
        "ZOT_HOME": str(home),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }
    code, shown = await mcp.doctor()
    assert (code, shown.split("  ")[0]) == (1, "no")
    assert "the server wants a sign-in: /mcp login far, or zot mcp login far" in shown
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "zot_agent", "mcp", "login", "far"],
        env=os.environ | variables, stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    transport = HttpTransport()
    try:
        while not (line := (await asyncio.wait_for(process.stdout.readline(), PATIENCE)).decode()).startswith("http"):
            assert line, (await process.communicate())[1].decode()
        back = (await transport.send("GET", line.strip(), {})).headers["location"]
        await transport.send("GET", back, {})
    finally:
        await transport.close()
    out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 0, err.decode()
    assert out.decode().endswith("signed in to far; it connects again\n")
    code, shown = await mcp.doctor()
    assert (code, shown) == (
        0,
        "--  far               you have signed in; only a conversation uses that, where /mcp shows it\n",
    )
