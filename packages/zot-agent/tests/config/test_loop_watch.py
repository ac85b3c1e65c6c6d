import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

PROGRAM = """
import asyncio, logging, sys, time
from pathlib import Path
from zot_agent.config.log import start_log
from zot_agent.config.loop_watch import watch_loop

report = Path(sys.argv[1])
logging.getLogger("zot_agent").addHandler(logging.NullHandler())
if sys.flags.dev_mode:
    sys.stderr = report.open("w", buffering=1)
else:
    start_log(str(report))

def hold_the_loop():
    while "hold_the_loop" not in report.read_text():
        time.sleep(0.01)
    time.sleep(0.5)  # it is reported once

async def main():
    watch_loop()
    watch_loop()
    hold_the_loop()

asyncio.run(main())
"""


@pytest.mark.parametrize("flags", [(), ("-X", "dev")], ids=["log", "development mode"])
def test_what_holds_the_loop_is_reported_once_with_its_stack(tmp_path: Path, flags: tuple[str, ...]) -> None:
    report = tmp_path / "report"
    subprocess.run([sys.executable, *flags, "-c", PROGRAM, str(report)], check=True, timeout=PATIENCE)
    text = report.read_text()
    assert "the event loop was held for over 100 ms by\n" in text
    assert text.count("in hold_the_loop") == 1
    assert "in main" in text
