import subprocess
import sys

import pytest
from waiting import PATIENCE

VERSION = """
import sys
before = set(sys.modules)
from zot_agent.entry import main
sys.argv = ["zot", "--version"]
code = main()
loaded = {name for name in set(sys.modules) - before if name.startswith(("zot", "argparse", "asyncio"))}
print(code, *sorted(loaded))
"""


def test_the_version_is_printed_without_loading_the_command_line() -> None:
    done = subprocess.run([sys.executable, "-c", VERSION], capture_output=True, text=True, timeout=PATIENCE, check=True)
    version, loaded = done.stdout.splitlines()
    assert version.startswith("zot ")
    assert loaded == "0 zot_agent zot_agent.entry zot_agent.version"


@pytest.mark.parametrize(("closed", "code"), [(">&-", 0), ("<&- >&- 2>&-", 0), (">/dev/full", 1)])
def test_closed_streams_are_no_failure_and_a_full_disk_is(closed: str, code: int) -> None:
    command = f"{sys.executable} -m zot_agent --help {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == code
    expected = "" if code == 0 else "zot: cannot write to standard output: No space left on device\n"
    assert done.stderr == expected
