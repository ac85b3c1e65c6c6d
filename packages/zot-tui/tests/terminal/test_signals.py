"""Signals of a process with a screen."""

import subprocess
import sys

import pytest
from waiting import PATIENCE

STORM = """
import asyncio, os, signal, subprocess, threading
from zot_tui.terminal.signals import TerminalSignals

def nothing(*_): pass

async def main():
    signals = TerminalSignals(lambda call, *arguments: call(*arguments), nothing, nothing, nothing, nothing)
    for _ in range(300):
        signals.start(asyncio.get_running_loop())
        await asyncio.sleep(0)
        signals.stop()

signal.signal(signal.SIGTERM, nothing)
over = threading.Event()
threading.Thread(target=over.wait).start()  # it takes signals that the main thread blocks
storm = ["sh", "-c", f"while kill -TERM {os.getpid()}; do :; done"]
sender = subprocess.Popen(storm, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
asyncio.run(main())
sender.kill()
sender.wait()
over.set()
print(signal.getsignal(signal.SIGTERM) is nothing)
"""


@pytest.mark.needs("linux")
def test_a_process_that_handles_signals_itself_has_none_by_default_around_its_screen() -> None:
    done = subprocess.run([sys.executable, "-c", STORM], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
