"""A zot that tests fork is, for the system, what a new one is."""

import signal
import subprocess
import sys

import pytest
from command import Zot
from forked import start
from waiting import PATIENCE
from zot_forks import FORKED

from zot_provider.testing import Call, Fault, ScriptedServer, Turn

# What a process has of its parent. `$PPID` is zot.
LOOK = """
env -u RANDOM | grep -v '^ZOT_SESSION' | sort
cd /proc/$PPID
readlink cwd
ls fd | wc -l
grep -E '^(Umask|Uid|Gid|Groups|SigBlk|SigIgn|SigCgt|Cap|NoNewPrivs|Seccomp)' status
cat limits
cut -d ' ' -f 5,6,7,8 stat
"""


def found(zot: Zot, server: ScriptedServer, *, new: bool) -> list[str]:
    """What a command of zot finds out about zot."""
    server.add(Turn(calls=[Call("bash", {"command": LOOK})]), "done")
    done = zot.ask(server, "-p", "go", "--sandbox", "off", new=new)
    assert done.result == (0, "done\n", "")
    return str(server.requests[-1].body["messages"][-1]["content"]).splitlines()[:-1]  # it ends in how long it took


@pytest.mark.needs("linux")
def test_a_forked_zot_has_what_a_new_one_has(zot: Zot, server: ScriptedServer) -> None:
    forked, new = (found(zot, server, new=new) for new in (False, True))
    assert len(new) > 50
    assert forked == new


def test_the_end_of_a_forked_zot_is_told_as_that_of_a_new_one(zot: Zot, server: ScriptedServer) -> None:
    server.add(*[Turn("word", fault=Fault(stall=PATIENCE))] * 4)
    for number in (signal.SIGKILL, signal.SIGTERM):
        ends = []
        for new in (False, True):
            process = zot.start(*zot.at(server), "-p", "x", new=new)
            server.wait_for(len(server.requests) + 1)
            assert process.poll() is None
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0)
            process.send_signal(number)
            ends.append(zot.finish(process).result)
            process.send_signal(number)  # it is not there any more
        assert ends[0] == ends[1]
        assert ends[0][0] == (-9 if number == signal.SIGKILL else 143)


@pytest.mark.parametrize(("end", "code"), [("", 0), ("sys.exit(3)", 3), ("raise ValueError('broken')", 1)])
def test_a_forked_program_is_what_a_new_one_is(zot: Zot, end: str, code: int) -> None:
    source = (
        "import atexit, os, sys\natexit.register(print, 'last')\n"
        f"print(__name__, sys.argv, os.getcwd(), sys.path[0], list(globals())[-3:], flush=True)\n{end}"
    )
    ends = []
    for new in (False, True):
        command = [*FORKED, source, "a", "b c"]
        process = start(
            command, new=new, cwd=zot.cwd, env=zot.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )  # fmt: skip
        assert isinstance(process, subprocess.Popen) == (new or sys.platform != "linux")
        with process:
            out, errors = process.communicate(timeout=PATIENCE)
        ends.append((process.returncode, out, errors.splitlines()[-1:]))
    assert ends[0] == ends[1]
    assert ends[0][0] == code


def test_a_start_that_asks_for_more_than_a_fork_can_give_is_a_new_one(zot: Zot) -> None:
    for more in ({"env": zot.env | {"PYTHONUTF8": "1"}}, {"env": zot.env | {"LANG": "C"}}, {"umask": 0o077}):
        process = zot.start("--version", **more)
        assert zot.finish(process).code == 0
        assert isinstance(process, subprocess.Popen)
