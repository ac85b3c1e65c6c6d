import subprocess
import sys

SEARCH = [f"zot_core.tools.{name}" for name in ("walk", "gitignore", "globs", "search", "linesearch", "ripgrep")]
HEAVY = [*SEARCH, "pydantic", "difflib", "tempfile", "shutil", "pathlib", "typing_extensions", "annotated_types"]


def test_the_built_in_tools_and_their_schemas_import_nothing_heavy() -> None:
    code = f"""
import sys
from zot_core.tools import BUILTIN_TOOLS
from zot_core.tools.files import LocalFiles
from zot_core.tools.shell import LocalShell

assert all(tool.schema and tool.description for tool in BUILTIN_TOOLS)
print(*[name for name in {HEAVY!r} if name in sys.modules])
"""
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    baseline = f"import sys, asyncio, json, dataclasses; print(*[n for n in {HEAVY!r} if n in sys.modules])"
    there = subprocess.run([sys.executable, "-c", baseline], check=True, capture_output=True, text=True)
    assert set(found.stdout.split()) <= set(there.stdout.split())


def test_the_first_call_of_a_tool_never_holds_the_loop_for_long() -> None:
    code = """
import asyncio, sys, time
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools.context import ToolContext
from zot_core.tools.write import write

async def work():
    longest, last, done = 0.0, time.monotonic(), False

    async def watch():
        nonlocal longest, last
        while not done:
            await asyncio.sleep(0)
            now = time.monotonic()
            longest, last = max(longest, now - last), now

    watching = asyncio.ensure_future(watch())
    assert "pydantic" not in sys.modules
    await write.run({"path": "x", "content": ""}, ToolContext("/", MemoryFiles(), FakeShell()))
    assert "pydantic" in sys.modules
    done = True
    await watching
    print(longest)

asyncio.run(work())
"""
    longest = min(
        float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        for _ in range(2)
    )
    assert longest < 0.1
