import subprocess
from pathlib import Path

import pytest
from waiting import until

from zot_core.machine.process_groups import end_command, kill_child


def has_ended(process: "subprocess.Popen[bytes]") -> bool:
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2].startswith("Z")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux shows that a child has ended")
async def test_the_exit_code_of_a_child_that_has_ended_is_left_to_who_waits_for_it() -> None:
    with subprocess.Popen(["sh", "-c", "exit 3"]) as process:
        await until(lambda: has_ended(process))
        kill_child(process)
        assert process.returncode is None
        assert process.wait() == 3
    kill_child(process)  # nothing is there any more


async def test_a_child_is_ended() -> None:
    with subprocess.Popen(["sleep", "1000"]) as process:
        kill_child(process)
        assert process.wait() == -9


def test_a_command_that_ignores_the_signal_to_end_is_killed() -> None:
    command = ["sh", "-c", "trap '' TERM; echo; sleep 1000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        end_command(process, seconds=0.05)
        assert process.returncode == -9
        end_command(process)  # nothing is there any more
