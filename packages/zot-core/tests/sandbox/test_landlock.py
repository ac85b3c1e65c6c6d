"""The lesser sandbox, with the Landlock of this kernel."""

import base64
import ctypes
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from sandbox_world import SECRET, SET_MODES, SandboxWorld

from zot_core.machine.shell import Launch
from zot_core.sandbox import give_up
from zot_core.sandbox.seccomp import filter_program

pytestmark = pytest.mark.needs("landlock")


@pytest.fixture
def lesser(
    world: SandboxWorld, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SandboxWorld]:
    """Return a world whose system has no bubblewrap."""
    programs = tmp_path_factory.mktemp("bin")
    for name in ("bash", "cat", "grep", "ls", "mv", "sh", "touch"):
        (programs / name).symlink_to(os.path.realpath(os.path.join(os.environ["PATH"].split(":")[-1], name)))
    monkeypatch.setenv("PATH", str(programs))
    first, world.sandbox = world.sandbox, world.open()
    yield world
    first.close()


def test_it_takes_the_place_of_a_missing_bubblewrap_and_has_a_name_of_its_own(lesser: SandboxWorld) -> None:
    assert lesser.sandbox.problem() == ""
    assert lesser.sandbox.state == "lesser"
    assert "and $TMPDIR (private, until zot ends); homes are hidden" in lesser.sandbox.walls().words
    assert lesser.sandbox.make_home() == ""
    assert lesser.sandbox.note().startswith("a lesser sandbox, which does not protect .git, is in use: ")


@pytest.mark.parametrize("more", [{"strict": True}, {"hosts": ["example.com"]}])
def test_it_does_not_do_for_a_strict_sandbox_nor_for_one_with_a_network(
    lesser: SandboxWorld, more: dict[str, object]
) -> None:
    assert "needs bubblewrap" in lesser.open(**more).problem()


def test_the_project_and_temporary_files_are_writable(lesser: SandboxWorld) -> None:
    ended, text = lesser.run("touch src/b.py $TMPDIR/x && cat src/a.py $OTHER/file", env={"OTHER": str(lesser.other)})
    assert (ended.exit_code, text) == (0, "text\ntext\n")
    assert (lesser.scratch / "x").exists()


@pytest.mark.parametrize(
    "command",
    [
        "touch $OTHER/x",
        "mv src $OTHER/",
        "cat ~/.ssh/id",
        "cat $ZOTHOME/auth.json",
        "ls /proc/$AGENT/fd",
        "cat /proc/$AGENT/environ",
        "ls /tmp",
        "cat </dev/tcp/127.0.0.1/$PORT",
        "touch /usr/x",
        "ls /dev",
    ],
)
def test_an_attempt_fails(lesser: SandboxWorld, command: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        names = {"OTHER": str(lesser.other), "ZOTHOME": str(lesser.zot_home), "AGENT": str(os.getpid())}
        ended, text = lesser.run(command, env=names | {"PORT": str(server.getsockname()[1])})
    assert ended.exit_code
    assert "[the sandbox seems to have stopped this command" in text
    assert SECRET not in text
    assert lesser.changed() == []


def test_what_programs_need_of_devices_and_of_the_kernel_is_there(lesser: SandboxWorld) -> None:
    read = ("/dev/random", "/dev/urandom", "/proc/cpuinfo", "/proc/sys/kernel/ostype", "/proc/version")
    for path in (*read, "/dev/zero"):
        assert lesser.python(f"assert open({path!r}, 'rb', buffering=0).read(1)")[0].exit_code == 0, path
    ended, text = lesser.run("echo x >/dev/null && echo x >/dev/full")
    assert ended.exit_code
    assert "No space left" in text


def test_no_file_outside_is_cut_by_its_path(lesser: SandboxWorld) -> None:
    assert lesser.python(f"import os; os.truncate({str(lesser.other / 'file')!r}, 0)")[0].exit_code
    assert lesser.changed() == []


def test_processes_outside_get_no_signal_where_the_kernel_can_see_to_that(lesser: SandboxWorld) -> None:
    version = ctypes.CDLL(None).syscall(give_up.CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    ended, _ = lesser.run("kill -0 $AGENT", env={"AGENT": str(os.getpid())})
    assert bool(ended.exit_code) == (version >= 6)  # Linux 6.12


def test_processes_and_terminals_are_not_shown_by_another_mount(mounted: SandboxWorld, lesser: SandboxWorld) -> None:
    names = {"OTHER": str(mounted.other), "AGENT": str(os.getpid())}
    for command in ("cat $OTHER/proc/$AGENT/cmdline", "ls $OTHER/proc", "ls $OTHER/devpts", "ls $OTHER/proc/self/fd"):
        ended, text = lesser.run(command, env=names)
        assert ended.exit_code, text
    assert lesser.run("cat $OTHER/file", env=names)[1] == "text\n"


def test_no_call_makes_a_program_that_has_the_rights_of_its_owner(lesser: SandboxWorld) -> None:
    ended, text = lesser.python(SET_MODES)
    errors = dict(line.split(": ") for line in text.splitlines() if ": " in line)
    assert ended.exit_code == 0
    assert errors.pop("openat2") == "38"
    assert set(errors.values()) == {"1"}
    assert len(errors) >= 6
    assert lesser.with_other_rights() == []


def test_a_program_with_the_rights_of_its_owner_loses_them_when_it_is_written(lesser: SandboxWorld) -> None:
    (lesser.project / "old").touch()
    (lesser.project / "old").chmod(0o6755)
    assert lesser.run("echo new >old")[0].exit_code == 0
    assert (lesser.project / "old").read_text() == "new\n"
    assert lesser.with_other_rights() == []


def test_root_can_give_no_program_capabilities(lesser: SandboxWorld) -> None:
    program = (
        "import os\n"
        "value = bytes.fromhex('0100000200002000000000000000000000000000')\n"
        "os.setxattr('src/a.py', 'security.capability', value)"
    )
    ended, text = lesser.python(program)
    assert ended.exit_code
    assert "Operation not permitted" in text


def test_no_program_gets_rights_by_being_started(lesser: SandboxWorld) -> None:
    asked = "import ctypes; print(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0))"  # PR_GET_NO_NEW_PRIVS
    assert lesser.python(asked)[1] == "1\n"


def test_a_socket_of_before_connects_nowhere(lesser: SandboxWorld) -> None:
    if ctypes.CDLL(None).syscall(give_up.CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1)) < 4:
        pytest.skip("Linux 6.7 is the first to refuse it")
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as held:
        program = f"import socket; socket.socket(fileno={held.fileno()}).connect({server.getsockname()!r})"
        launch = lesser.sandbox.confine(Launch([sys.executable, "-c", program], str(lesser.project), {}))
        ended = subprocess.run(
            launch.argv, cwd=launch.cwd, env=launch.env, pass_fds=[held.fileno()], capture_output=True, text=True
        )
    assert "Permission denied" in ended.stderr


HEIR = """
import ctypes, os, sys
libc, header, sets = ctypes.CDLL(None), (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
libc.capget(header, sets)
sets[2], sets[5] = sets[1], sets[4]
libc.capset(header, sets)
for capability in range(64):
    libc.prctl(47, 2, capability, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""A program that leaves all its rights to the next one: the inheritable and the ambient set."""

BOUND = HEIR.replace("sets[2], sets[5] = sets[1], sets[4]", "libc.prctl(24, 8, 0, 0, 0)")
"""A program whose next one lacks CAP_SETPCAP, with which a process gives up what it could get later."""


def given_up(read: list[str], code: bytes) -> list[str]:
    """Return the words before a program that start it with less."""
    order = json.dumps({"read": read, "write": [], "filter": base64.b64encode(code).decode()})
    return [sys.executable, "-ISE", give_up.__file__, order]


def test_a_program_does_not_start_where_the_kernel_refuses_what_confines_it() -> None:
    ended = subprocess.run([*given_up(["/"], b""), "/bin/echo", "ran"], capture_output=True, text=True)
    assert ended.returncode
    assert ended.stdout == ""
    assert "Invalid argument" in ended.stderr


def test_more_paths_can_be_kept_than_files_be_open() -> None:
    limited = ["/bin/sh", "-c", 'ulimit -n 40; exec "$@"', "sh"]
    words = given_up(["/etc"] * 60 + ["/"], filter_program(network=False))
    ended = subprocess.run([*limited, *words, "/bin/echo", "ran"], capture_output=True, text=True)
    assert (ended.stdout, ended.returncode) == ("ran\n", 0)


@pytest.mark.parametrize("before", [HEIR, BOUND])
def test_no_right_is_inherited(before: str) -> None:
    shown = [os.path.realpath("/bin/grep"), "Cap", "/proc/self/status"]
    started = [sys.executable, "-ISE", "-c", before, *given_up(["/"], filter_program(network=False)), *shown]
    ended = subprocess.run(started, capture_output=True, check=True, text=True)
    found = {name: int(value, 16) for name, value in (line.split(":") for line in ended.stdout.splitlines())}
    assert (found["CapInh"], found["CapAmb"], found["CapPrm"] & ~0xF) == (0, 0, 0)


ROOT = """
import ctypes, os, socket, stat
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    ctypes.set_errno(0)
    getattr(libc, name)(*arguments)
    print(name, ctypes.get_errno())
for kind in (stat.S_IFBLK, stat.S_IFCHR):
    try:
        os.mknod("device", kind | 0o600, os.makedev(1, 9))
        print("mknod", 0)
    except OSError as error:
        print("mknod", error.errno)
call("setns", 99, 0)
call("chroot", b"src")
call("sethostname", b"x", -1)  # who may is told that the length is wrong
call("swapoff", b"/none")
call("setdomainname", b"x", -1)
"""


def test_nobody_has_rights_but_to_files_not_even_root(lesser: SandboxWorld) -> None:
    (lesser.project / "theirs").touch()
    if os.geteuid() == 0:  # nobody else can give files away
        os.chown(lesser.project / "theirs", 65534, 65534)
    ended, text = lesser.python(ROOT)
    found = [line.split() for line in text.splitlines() if line]
    assert ended.exit_code == 0
    assert {error for _, error in found} == {"1"}, found
    assert (lesser.run("echo new >theirs")[0].exit_code, (lesser.project / "theirs").read_text()) == (0, "new\n")
    assert lesser.changed() == []


def test_a_command_that_is_too_long_for_an_argument_runs(lesser: SandboxWorld) -> None:
    ended, text = lesser.run(f"x={'x' * 200_000}; echo ${{#x}}; touch src/b.py; exit 3")
    assert (ended.exit_code, text.splitlines()[0]) == (3, "200000")
