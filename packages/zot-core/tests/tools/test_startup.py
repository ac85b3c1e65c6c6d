import subprocess
import sys

SEARCH = [f"zot_core.tools.{name}" for name in ("walk", "gitignore", "globs", "search", "linesearch", "ripgrep")]
HEAVY = [*SEARCH, "pydantic", "difflib", "tempfile", "shutil", "pathlib", "typing_extensions", "annotated_types"]


def test_the_built_in_tools_and_their_schemas_import_nothing_heavy() -> None:
    code = f"""
import sys
from zot_core.tools import BUILTIN_TOOLS
from zot_core.machine.files import LocalFiles
from zot_core.machine.shell import LocalShell

assert all(tool.schema and tool.description for tool in BUILTIN_TOOLS)
print(*[name for name in {HEAVY!r} if name in sys.modules])
"""
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    baseline = f"import sys, asyncio, json, dataclasses; print(*[n for n in {HEAVY!r} if n in sys.modules])"
    there = subprocess.run([sys.executable, "-c", baseline], check=True, capture_output=True, text=True)
    assert set(found.stdout.split()) <= set(there.stdout.split())


def test_a_call_of_a_built_in_tool_does_not_import_pydantic() -> None:
    code = """
import asyncio, sys
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools import BUILTIN_TOOLS
from zot_core.tools.definition.context import ToolContext

(write,) = [tool for tool in BUILTIN_TOOLS if tool.name == "write"]
asyncio.run(write.run({"path": "x", "content": ""}, ToolContext("/", MemoryFiles(), FakeShell())))
assert "pydantic" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_loop_lives_on_while_the_first_call_of_a_tool_imports_pydantic() -> None:
    code = """
import asyncio, sys
from zot_core.testing.world import FakeShell, MemoryFiles
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import tool

@tool
async def greet(name: str) -> str:
    return f"hello {name}"

async def work():
    turns, done = 0, False

    async def watch():
        nonlocal turns
        while not done:
            await asyncio.sleep(0.001)
            turns += "pydantic" in sys.modules and "pydantic.main" not in sys.modules

    watching = asyncio.ensure_future(watch())
    assert "pydantic" not in sys.modules
    await greet.run({"name": "x"}, ToolContext("/", MemoryFiles(), FakeShell()))
    assert "pydantic.main" in sys.modules
    done = True
    await watching
    print(turns)

asyncio.run(work())
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert int(done.stdout) > 0, "the loop stood still while pydantic was imported"
