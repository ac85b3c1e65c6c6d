"""The event loop of a process: Ctrl+C while it is made."""

import subprocess
import sys

SCRIPT = """
import asyncio, signal
from zot_agent.event_loop import run_in_loop

class Loop(asyncio.SelectorEventLoop):
    def _make_self_pipe(self):  # in the middle of what makes it
        signal.raise_signal(signal.SIGINT)
        super()._make_self_pipe()

class Policy(asyncio.DefaultEventLoopPolicy):
    _loop_factory = Loop

async def work():
    print("begun")

asyncio.set_event_loop_policy(Policy())
try:
    run_in_loop(work())
except KeyboardInterrupt:
    print("interrupted")
"""


def test_ctrl_c_while_the_loop_is_made_ends_the_work_without_a_traceback() -> None:
    words = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", SCRIPT]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_work_in_a_thread_gets_a_loop_too() -> None:
    script = """
import threading
from zot_agent.event_loop import run_in_loop
async def work():
    print("done")
thread = threading.Thread(target=lambda: run_in_loop(work()))
thread.start()
thread.join()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("done\n", "")
