import subprocess
import sys

HEAVY = ["pydantic", "difflib", "tempfile", "shutil", "pathlib", "typing_extensions", "annotated_types"]


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
