import subprocess
import sys

from waiting import PATIENCE

INTERRUPTED = """
import itertools, signal, sys
from zot_agent.standard_output import watch_standard_output

class Interrupted(BaseException):
    pass

def interrupt(*_):
    global armed
    armed = False
    raise Interrupted

def write():
    global armed
    for number in numbers:
        if number > 40_000:
            return
        if not armed:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, 0.0001 + number % 7 / 100_000)
        sys.stdout.write(f"{number}\\n")
        sys.stdout.flush()

watch_standard_output()
signal.signal(signal.SIGALRM, interrupt)
armed, numbers = False, itertools.count()
while True:
    try:
        write()
        signal.setitimer(signal.ITIMER_REAL, 0)
        sum(range(1000))  # one that has come is heard
        break
    except Interrupted:
        pass
"""


def test_what_is_interrupted_while_it_is_written_is_not_written_twice() -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, timeout=PATIENCE)
    assert done.stderr == b""
    lines = done.stdout.splitlines()
    assert len(lines) == len(set(lines))


def test_a_full_disk_is_told_from_a_failure_of_anything_else() -> None:
    program = """
from zot_agent.standard_output import OutputFailed, watch_standard_output
import os, sys
watch_standard_output()
try:
    print("x", flush=True)
except OutputFailed as error:
    print(error.strerror, end="", file=sys.stderr, flush=True)
    os._exit(7)
"""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([sys.executable, "-c", program], stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (7, b"No space left on device")
