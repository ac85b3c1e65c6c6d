"""Attempts to leave the sandbox, each of which the operating system refuses; with real bubblewrap.

What is tried leaves what is outside as it was, prints no secret, and fails where it cannot but fail.
"""

import asyncio
import os
import shlex
import shutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir
from pathlib import Path

import pytest
from sandbox_world import SECRET, SET_MODES, SandboxWorld
from waiting import PATIENCE, TIME_LIMITS, wait_until

from zot_core.checkpoints.objects import ObjectStore
from zot_core.checkpoints.states import FileState, put_back
from zot_core.machine.shell import LocalShell, ShellLimits
from zot_core.sandbox.limits import SandboxLimits
from zot_core.sandbox.seccomp import MACHINES
from zot_core.sandbox.shell import SandboxedShell

pytestmark = pytest.mark.needs("bwrap")

PATCH = "--- /dev/null\n+++ b/../other/new\n@@ -0,0 +1 @@\n+x"
FAILS = {
    "write outside": "echo x >$OTHER/file",
    "write through a link": "ln -s $OTHER l && echo x >l/file",
    "write through the root of a process": "echo x >/proc/self/root$OTHER/file",
    "write through the folder of a process": "echo x >/proc/self/cwd/../other/file",
    "write through a descriptor": "echo x >/dev/fd/9",
    "write to the system": "echo x >/usr/x || echo x >/etc/x",
    "move out": "mv src $OTHER/",
    "an archive whose entry is outside": "tar -cPf a.tar ../other/file && tar --overwrite -xPf a.tar",
    "replace a file outside": "mv src/a.py $OTHER/file",
    "a patch for a file outside": f"printf '%s\\n' '{PATCH}' | git apply --unsafe-paths",
    "copy over a file outside": "cp src/a.py $OTHER/file",
    "remove what is outside": "rm -rf $OTHER/file",
    "change the mode of a file outside": "chmod 777 $OTHER/file",
    "link out of the project": "ln $OTHER/file hard && echo x >hard",
    "read a key": "cat ~/.ssh/id",
    "read the keys of a cloud": "cat ~/.aws/credentials",
    "read the agent's keys": "cat $ZOTHOME/auth.json",
    "read the sessions of other projects": "cat $ZOTHOME/sessions/0/a.jsonl",
    "list the sessions of other projects": "ls $ZOTHOME/sessions",
    "what is remembered of a guard": "echo x >>$ZOTHOME/remembered/guard.jsonl",
    "forget what a guard of pi refuses": "rm $ZOTHOME/pi-cache/guards/guard.json",
    "find what is hidden": "grep -rs out-of-reach ~ .. /run /var/tmp",
    "a hook of git": "echo x >.git/hooks/pre-commit",
    "rename the repository and make it again": "mv .git g && mkdir -p .git/hooks",
    "remove the repository": "rm -rf .git",
    "the settings of git": "echo x >>.git/config",
    "the settings of a worktree": "echo x >.git/config.worktree",
    "the attributes of git": "echo x >.git/info/attributes",
    "the repository of a submodule": "echo x >.git/modules/sub/config",
    "the branch of a worktree": "mkdir -p .git/worktrees/a && echo x >.git/worktrees/a/HEAD",
    "a command of git in the settings of a worktree": "git config -f .git/config.worktree core.fsmonitor ./evil",
    "the agent's settings, which are not there yet": "mkdir -p .zot && echo x >.zot/config.json",
    "replace the folder of the agent's settings": "rmdir .zot && mkdir .zot && echo x >.zot/config.json",
    "another agent's settings, which are not there yet": "echo x >.claude/settings.json",
    "rename the project": "mv $PROJECT $PROJECT-2",
    "the files of the kernel": "echo 1 >/proc/sys/vm/drop_caches",
    "the kernel's trigger": ": >>/proc/sysrq-trigger",
    "the agent's own programs": "touch $PREFIX/x",
    "a job of cron": "echo x >/etc/cron.d/x || echo x >/var/spool/cron/x",
    "the passwords of the system": "test -s /etc/shadow",
    "a unit of the system": "echo x >/etc/systemd/system/x.service || echo x >/usr/lib/systemd/x",
    "what every shell reads": "echo x >>/etc/profile || echo x >>/etc/bash.bashrc || echo x >/etc/profile.d/x.sh",
    "a program with the rights of its owner": "cp /bin/sh s && chmod 4755 s",
    "a program with the rights of its group": "cp /bin/sh s && chmod g+s s",
    "a folder with the rights of its group": "mkdir -m 2755 d",
    "end the agent": "kill -9 $AGENT",
    "ask for what the agent runs": "ls /proc/$AGENT/fd",
    "a device of the machine": "cat /dev/vda /dev/sda /dev/mem >/dev/null",
    "another host": "exec 3<>/dev/tcp/192.0.2.1/80",
}  # fmt: skip


@pytest.mark.parametrize("command", FAILS.values(), ids=FAILS)
def test_an_attempt_fails(world: SandboxWorld, command: str) -> None:
    ended, text = world.run(command, env=names(world))
    assert ended.exit_code
    assert SECRET not in text
    assert world.changed() == []
    assert world.with_other_rights() == []


def names(world: SandboxWorld) -> dict[str, str]:
    """Return the variables of the attempts."""
    return {
        "OTHER": str(world.other),
        "PROJECT": str(world.project),
        "ZOTHOME": str(world.zot_home),
        "PREFIX": sys.prefix,
        "AGENT": str(os.getpid()),
    }


@pytest.mark.parametrize(
    "command",
    [
        "echo x >../x",
        "echo x >>~/.bashrc",
        "mkdir -p ~/.ssh && echo x >~/.ssh/authorized_keys",
        "echo x >~/.gitconfig && echo x >~/.zshenv",
        "mkdir -p ~/.config/systemd/user && echo x >~/.config/systemd/user/x.service",
        "mkdir -p $ZOTHOME/sessions && echo x >$ZOTHOME/config.json && echo x >$ZOTHOME/sessions/x",
        "rm -rf $ZOTHOME/remembered $ZOTHOME/pi-cache; mkdir -p $ZOTHOME/remembered; echo x >$ZOTHOME/remembered/x",
        "rm -rf ~",
    ],
)
def test_what_a_command_does_to_hidden_folders_stays_inside(world: SandboxWorld, command: str) -> None:
    world.run(command, env=names(world))
    assert world.changed() == []


def test_a_hidden_file_is_hidden_whatever_its_kind_and_mode(world: SandboxWorld) -> None:
    hidden = [world.project / name for name in ("locked", "pipe")]
    hidden[0].write_text(SECRET)
    hidden[0].chmod(0)
    os.mkfifo(hidden[1])
    sandbox = world.open(hidden=[str(each) for each in hidden])
    _, text = world.run("chmod 600 locked; cat locked; test -p pipe && echo pipe", sandbox=sandbox)
    sandbox.close()
    assert SECRET not in text
    assert "pipe\n" not in text


def test_a_process_that_leaves_its_session_ends_with_its_command(world: SandboxWorld) -> None:
    world.run("setsid sleep 98765.25 & sleep 98765.25 & echo started")
    wait_until_gone("98765.25")


def test_what_runs_ends_with_an_agent_that_is_killed(world: SandboxWorld) -> None:
    program = (
        "import asyncio\n"
        "from zot_core.machine.shell import LocalShell\n"
        "from zot_core.sandbox.sandbox import open_sandbox\n"
        "from zot_core.sandbox.shell import SandboxedShell\n"
        f"sandbox = open_sandbox({str(world.project)!r}, zot_home='/z')\n"
        "shell = SandboxedShell(sandbox, LocalShell())\n"
        "command = 'setsid sleep 98765.5 & touch started; sleep 98765.5'\n"
        f"asyncio.run(shell.run(command, cwd={str(world.project)!r}, env={{}}, timeout=None, output=print))"
    )
    agent = subprocess.Popen([sys.executable, "-c", program])
    wait_until((world.project / "started").exists)
    agent.kill()
    agent.wait()
    wait_until_gone("98765.5")


def wait_until_gone(word: str) -> None:
    """Wait until no process has the word in its command line."""
    wait_until(lambda: not any(word.encode() in command_line(path) for path in Path("/proc").glob("[0-9]*")))


def command_line(path: Path) -> bytes:
    try:
        return (path / "cmdline").read_bytes()
    except OSError:
        return b""


def test_no_process_inside_has_the_variables_of_the_agent(world: SandboxWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("A_KEY", "SSH_AUTH_SOCK", "GIT_DIR", "BASH_ENV", "BASH_FUNC_ls%%", "PYTHONPATH", "LD_PRELOAD"):
        monkeypatch.setenv(name, SECRET)
    _, text = world.run("env; cat /proc/*/environ /proc/*/cmdline")
    assert SECRET not in text
    assert "PATH=" in text


def test_processes_and_terminals_are_not_shown_by_another_mount(mounted: SandboxWorld) -> None:
    names = {"OTHER": str(mounted.other), "AGENT": str(os.getpid())}
    assert mounted.run("cat $OTHER/proc/$AGENT/cmdline", env=names)[0].exit_code
    ended, text = mounted.run("ls -A $OTHER/proc $OTHER/devpts", env=names)
    assert (ended.exit_code, text.split()) == (0, [f"{mounted.other}/devpts:", f"{mounted.other}/proc:"])


def test_folders_for_temporary_files_and_the_home_are_private(world: SandboxWorld) -> None:
    made = [str(world.home / "x"), *(f"{folder}/{SECRET}" for folder in ("/tmp", "/run", "/var/tmp"))]
    _, text = world.run(f"echo $TMPDIR; touch {' '.join(made)}; ls -A ~ /run /var/tmp")
    assert text.startswith("/tmp\n")
    assert text.count(": Read-only file system\n") == 2
    assert all(f"{folder}:\n{names}\n" in text for folder, names in (("/run", ""), (world.home, "x")))
    assert not any(map(os.path.exists, made))
    assert (world.scratch / SECRET).exists()


def test_no_file_of_the_kernel_is_writable(world: SandboxWorld) -> None:
    _, text = world.run("find /proc /sys -type f -writable -not -path '/proc/[0-9]*' 2>/dev/null | head")
    assert text == ""


def test_no_descriptor_of_the_agent_is_inside(world: SandboxWorld) -> None:
    descriptor = os.open(world.home, os.O_RDONLY)
    os.set_inheritable(descriptor, True)
    try:
        ended, text = world.python("import os; print(sorted(os.listdir('/proc/self/fd')))")
    finally:
        os.close(descriptor)
    assert (ended.exit_code, text) == (0, "['0', '1', '2', '3']\n")  # 3 is that of `listdir`


def test_nothing_inside_has_a_right_or_gets_one(world: SandboxWorld) -> None:
    _, text = world.run("grep -E 'CapEff|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status")
    assert [line.split()[1] for line in text.splitlines()] == ["0" * 16, "0" * 16, "1", "2"]


CALL = (
    "import ctypes,os; libc=ctypes.CDLL(None,use_errno=True); call=lambda *a: (libc.syscall(*a), ctypes.get_errno())\n"
)


def test_system_calls_that_could_lead_out_are_refused(world: SandboxWorld) -> None:
    numbers = MACHINES[os.uname().machine]
    refused = [*numbers.refused, 425, 426, 427, 428, 429, 430, 431, 432, 433, 438, 442]
    ended, text = world.python(CALL + f"print({{call(number, 0, 0, 0, 0, 0) for number in {refused}}})")
    assert (ended.exit_code, text) == (0, "{(-1, 1)}\n")


def test_no_call_makes_a_program_that_has_the_rights_of_its_owner(world: SandboxWorld) -> None:
    ended, text = world.python(SET_MODES)
    errors = dict(line.split(": ") for line in text.splitlines())
    assert ended.exit_code == 0
    assert errors.pop("openat2") == "38"
    assert set(errors.values()) == {"1"}
    assert len(errors) >= 6
    assert world.with_other_rights() == []


def test_a_program_with_the_rights_of_its_owner_loses_them_when_it_is_written(world: SandboxWorld) -> None:
    world.write("project/program", "old")
    (world.project / "program").chmod(0o6755)
    assert world.run("echo new >program")[1] == ""
    assert (world.project / "program").read_text() == "new\n"
    assert world.with_other_rights() == []


def test_what_a_machine_shares_among_its_processes_is_apart(world: SandboxWorld) -> None:
    paths = [f"/proc/self/ns/{name}" for name in ("ipc", "mnt", "net", "pid", "user", "uts")]
    found = world.run(f"readlink {' '.join(paths)}")[1].split()
    assert len(found) == len(paths)
    assert not {*found} & {*map(os.readlink, paths)}


def test_no_namespace_can_be_made(world: SandboxWorld) -> None:
    numbers = MACHINES[os.uname().machine]
    flags = 0x10000000 | 0x00020000  # CLONE_NEWUSER, CLONE_NEWNS
    program = f"print(call({numbers.unshare}, {flags}), call({numbers.clone}, {flags | 17}, 0), call(435, 0, 0))"
    assert world.python(CALL + program)[1] == "(-1, 1) (-1, 1) (-1, 38)\n"


@pytest.mark.needs("x86_64")  # other machines have one table of calls
def test_calls_of_other_tables_are_refused(world: SandboxWorld) -> None:
    assert world.python(CALL + "print(call(0x40000000 | 39))")[1] == "(-1, 38)\n"
    code = bytes.fromhex("b814000000cd80c3")  # mov eax, 20; int 0x80; ret: getpid of a 32-bit system
    program = (
        "import ctypes, mmap\n"
        "page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n"
        f"page.write({code})\n"
        "print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())"
    )
    ended, text = world.python(program)
    assert (ended.exit_code, text.partition("\n")[0]) == (128 + 31, "")  # SIGSYS


def test_nothing_is_typed_into_a_terminal(world: SandboxWorld) -> None:
    program = (
        "import fcntl, pty\n"
        "for request in (0x5412, 0x541C):\n"
        "    try: fcntl.ioctl(pty.openpty()[1], request, b'x')\n"
        "    except OSError as error: print(error.errno)"
    )
    assert world.python(program)[1] == "1\n1\n"


TO_A_DAEMON = """
import socket
for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    try:
        socket.socketpair(socket.AF_UNIX, kind)[0].sendto(b"out", "daemon")
    except OSError:
        pass
"""


def test_a_pair_of_sockets_sends_nothing_to_a_daemon_by_its_path(world: SandboxWorld) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as daemon, chdir(world.project):  # a path has 107 bytes
        daemon.bind("daemon")
        daemon.setblocking(False)
        assert world.python(TO_A_DAEMON)[0].exit_code == 0
        with pytest.raises(BlockingIOError):
            daemon.recv(9)


@pytest.mark.parametrize("family", ["AF_UNIX", "AF_VSOCK", "AF_PACKET", "AF_ALG"])
def test_other_sockets_than_those_of_the_network_are_refused(world: SandboxWorld, family: str) -> None:
    program = f"import socket; socket.socket(socket.{family})"
    assert "Operation not permitted" in world.python(program)[1]


def test_a_pair_of_sockets_can_be_made(world: SandboxWorld) -> None:
    assert world.python("import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))")[1] == "b'x'\n"


def test_a_daemon_is_not_reached_by_its_path_nor_by_the_network(
    world: SandboxWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world.other)  # the path of a socket may not be long
    with socket.socket(socket.AF_UNIX) as by_path, socket.socket() as by_port:
        by_path.bind("daemon")
        for each in (by_path, by_port):
            each.listen()
        port = by_port.getsockname()[1]
        assert world.run("test -S daemon", cwd=str(world.other))[0].exit_code == 0
        assert world.python("import socket; socket.socket(socket.AF_UNIX).connect('daemon')")[0].exit_code == 1
        assert world.python(f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)")[0].exit_code == 1
        (world.other / "daemon").unlink()


def test_no_name_is_resolved_and_no_datagram_leaves(world: SandboxWorld) -> None:
    program = "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))"
    ended, text = world.python(program)
    assert ended.exit_code == 1
    assert "Network is unreachable" in text


def test_a_program_in_memory_is_confined_too(world: SandboxWorld) -> None:
    program = (
        "import os, shutil\n"
        "file = os.memfd_create('x')\n"
        "os.write(file, open(shutil.which('touch'), 'rb').read())\n"
        f"os.execv(f'/proc/self/fd/{{file}}', ['touch', {str(world.other / 'x')!r}])"
    )
    ended, text = world.python(program)
    assert ended.exit_code == 1
    assert "Read-only file system" in text


def test_the_memory_of_a_process_is_limited(world: SandboxWorld) -> None:
    sandbox = world.open(SandboxLimits(memory_share=0.01))
    ended, text = world.python(f"bytearray({SandboxLimits().memory_bytes})", sandbox=sandbox)
    assert ended.exit_code == 1
    assert "MemoryError" in text


@pytest.mark.parametrize("folder", ["/tmp", "."])
def test_the_size_of_a_file_is_limited(world: SandboxWorld, folder: str) -> None:
    sandbox = world.open(SandboxLimits(file_bytes=1_000_000))
    ended, _ = world.run(f"dd if=/dev/zero of={folder}/x bs=1100000 count=1 2>/dev/null", sandbox=sandbox)
    assert ended.exit_code


def test_processes_are_counted_and_all_of_them_end_at_the_time_limit(world: SandboxWorld) -> None:
    sandbox = world.open(SandboxLimits(processes=77))
    command = "ulimit -u; for i in 1 2 3 4 5 6 7 8; do (trap '' TERM; setsid sleep 98765.75) & done; wait"
    for limit in TIME_LIMITS:
        ended, text = world.run(command, sandbox=sandbox, timeout=limit)
        assert ended.timed_out
        if text:
            break
    assert text.startswith("77\n")
    wait_until_gone("98765.75")


async def test_an_undo_writes_nowhere_else_while_a_command_exchanges_a_folder_for_a_link(world: SandboxWorld) -> None:
    objects = ObjectStore(str(world.folder / "store"))
    path = world.project / "src" / "id"
    path.write_text("by zot")
    (world.other / "id").write_text(SECRET)
    before = FileState(0o100600, objects.put(b"before"))
    program = (
        "import ctypes, os\n"
        f"os.symlink({str(world.other)!r}, 'link')\n"
        "libc = ctypes.CDLL(None)\n"
        "print('ready', flush=True)\n"
        "while libc.renameat2(-100, b'src', -100, b'link', 2) == 0: pass"  # RENAME_EXCHANGE
    )
    ready = asyncio.Event()
    shell = SandboxedShell(world.sandbox, LocalShell(ShellLimits(kill_after=0.5)))
    running = asyncio.create_task(
        shell.run(
            shlex.join([sys.executable, "-c", program]),
            cwd=str(world.project), env={}, timeout=None, output=lambda _: ready.set(),
        )
    )  # fmt: skip
    await ready.wait()
    restored = refused = 0
    while restored < 200 or refused < 200:
        try:
            put_back(str(path), before, objects)
            restored += 1
        except OSError:
            refused += 1
        await asyncio.sleep(0)
    assert not running.done()
    running.cancel()
    await asyncio.wait([running])
    assert (world.other / "id").read_text() == SECRET
    assert (world.other / "id").stat().st_mode & 0o777 != 0o600


async def test_what_the_host_saves_by_renaming_stays_protected(world: SandboxWorld) -> None:
    settings = world.project / ".zot" / "config.json"
    world.write("project/.zot/config.json", "{}")

    def save(_: bytes) -> None:
        world.write("new", '{"a": 1}')
        (world.folder / "new").rename(settings)
        (world.project / "saved").touch()

    shell = SandboxedShell(world.sandbox, LocalShell())
    command = "echo ready; until [ -e saved ]; do sleep 0.01; done; echo x >.zot/config.json"
    ended = await shell.run(command, cwd=str(world.project), env={}, timeout=PATIENCE, output=save)
    assert ended.exit_code == 1
    assert settings.read_text() == '{"a": 1}'


def test_the_pointer_of_a_worktree_cannot_be_replaced(world: SandboxWorld) -> None:
    shutil.rmtree(world.project / ".git")
    (world.project / ".git").write_text("gitdir: /elsewhere\n")
    ended, _ = world.run("rm -f .git; mv .git g; echo x >.git", sandbox=world.open())
    assert ended.exit_code
    assert (world.project / ".git").read_text() == "gitdir: /elsewhere\n"
    assert not (world.project / "g").exists()


async def test_a_command_lives_when_another_thread_ends(world: SandboxWorld) -> None:
    parts: list[bytes] = []
    with ThreadPoolExecutor(1) as pool:
        await asyncio.get_running_loop().run_in_executor(pool, os.getpid)
        shell = SandboxedShell(world.sandbox, LocalShell())
        command = "touch begun; until [ -e ended ]; do sleep 0.01; done; echo lives"
        running = asyncio.create_task(
            shell.run(command, cwd=str(world.project), env={}, timeout=PATIENCE, output=parts.append)
        )
        while not (world.project / "begun").exists():
            await asyncio.sleep(0.01)
    (world.project / "ended").touch()
    assert (await running).exit_code == 0
    assert parts == [b"lives\n"]


def test_a_command_that_is_too_long_for_an_argument_runs_and_its_file_is_closed(world: SandboxWorld) -> None:
    ended, text = world.run(f"ls /proc/$$/fd; : {'x' * 200_000}")
    short, usual = world.run("ls /proc/$$/fd; :")
    assert (ended.exit_code, text) == (short.exit_code, usual)
