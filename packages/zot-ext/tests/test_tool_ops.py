"""`Extension.tool_ops`, driven by `FakeHost`."""

import asyncio
import errno
import threading
from collections.abc import Callable, Iterable, Mapping

import pytest
from waiting import PATIENCE

from zot_ext import Extension, FileStat, NotGranted, ServedOps, ToolOps
from zot_ext.protocol.codec import encode
from zot_ext.protocol.from_extension import Notify
from zot_ext.protocol.from_host import CancelRequest
from zot_ext.protocol.groups.tool_ops import (
    OpInput,
    OpOutput,
    OpRequest,
    OpResponse,
    RegisterToolOps,
    UnregisterToolOps,
)
from zot_ext.testing import FakeHost

GROUPS = ("tool_ops", "cancel", "commands")


class Memory(ToolOps):
    """Files in memory, whose methods are plain, and a shell that says what it gets."""

    def __init__(self) -> None:
        self.files = {"/a": b"0123456789"}

    def stat(self, path: str) -> FileStat:
        return FileStat("file", len(self._content(path)), 0o600)

    def read(self, path: str, offset: int, length: int) -> bytes:
        return self._content(path)[offset : offset + length]

    def write(self, path: str, data: bytes) -> None:
        self.files[path] = data

    def list(self, path: str, follow: bool) -> Iterable[tuple[str, str]]:
        return [(each[1:], "file" if follow else "link") for each in reversed(sorted(self.files))]

    def real(self, path: str) -> str:
        return path.replace("/./", "/")

    def run(self, command: str, cwd: str, env: Mapping[str, str], output: Callable[[bytes], None]) -> int:
        output(f"{command} in {cwd} with {dict(env)}".encode())
        return 3

    def _content(self, path: str) -> bytes:
        if path not in self.files:
            raise FileNotFoundError(errno.ENOENT, "nothing is there", path)
        return self.files[path]


def offered(handlers: ToolOps) -> tuple[Extension, ServedOps]:
    ext = Extension("remote")
    ops = ext.tool_ops(handlers)
    ops.claim("me@far", cwd="/srv", home="/home/me")
    return ext, ops


def test_the_host_reads_writes_and_lists_files_and_runs_commands_there() -> None:
    ext, _ = offered(Memory())
    with FakeHost(ext, capabilities=GROUPS) as host:
        assert host.machine == RegisterToolOps("me@far", "/srv", "/home/me", ("files", "exec"))
        assert host.read_file("/a", 2, 3) == b"234"
        assert host.op("stat", "/a") == OpResponse("host-2", "file", 10, 0o600)
        assert host.write_file("/b", b"one, ", b"", b"two") == OpResponse("host-3")
        assert host.write_file("/empty").code == ""
        assert host.read_file("/b") == b"one, two"
        listed = host.op("list", "/", follow=False)
        assert (listed.names, listed.kinds) == (("a", "b", "empty"), ("link",) * 3)
        assert host.op("real", "/./b").path == "/b"
        ended, output = host.run_command("make", "/srv", {"CI": "1"})
        assert (ended.exit_code, output) == (3, b"make in /srv with {'CI': '1'}")


def test_a_long_output_comes_in_several_frames() -> None:
    class Chatty(ToolOps):
        def run(self, command: str, cwd: str, env: Mapping[str, str], output: Callable[[bytes], None]) -> int:
            output(b"x" * 600_000)
            return 0

    ext, _ = offered(Chatty())
    with FakeHost(ext, capabilities=GROUPS) as host:
        assert host.machine is not None
        assert host.machine.ops == ("exec",)
        assert len(host.run_command("yes")[1]) == 600_000
        assert len(host.sent(OpOutput)) == 3
        assert host.op("stat", "/").code == "ENOSYS"


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (PermissionError(errno.EACCES, "no"), "EACCES", "no"),
        (OSError("odd"), "EIO", "odd"),
        (ConnectionResetError("it went away"), "ECONNRESET", "it went away"),
        (TimeoutError("too slow"), "ETIMEDOUT", "too slow"),
        (ValueError("a mistake"), "EIO", "ValueError: a mistake"),
    ],
)
def test_what_a_handler_raises_is_the_answer(error: Exception, code: str, words: str) -> None:
    class Broken(Memory):
        def stat(self, path: str) -> FileStat:
            raise error

    ext, _ = offered(Broken())
    with FakeHost(ext, capabilities=GROUPS) as host:
        response = host.op("stat", "/a")
        assert (response.code, response.error) == (code, words)
        assert host.op("read", "/none", length=1).code == "ENOENT"
        assert host.op("dance", "/a").code == "ENOSYS"


def test_an_async_command_is_cancelled_by_its_task_and_a_plain_one_by_its_next_output() -> None:
    ended = threading.Event()

    class Slow(Memory):
        async def run(self, command: str, cwd: str, env: Mapping[str, str], output: Callable[[bytes], None]) -> int:
            output(b"begun")
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                ended.set()
            return 0

    ext, _ = offered(Slow())
    with FakeHost(ext, capabilities=GROUPS) as host:
        id = host.begin_op("exec", command="sleep", cwd="/")
        host.wait_for(OpOutput)
        host.cancel_op(id)
        assert host.op_answer(id).code == "ECANCELED"
        assert ended.wait(PATIENCE)

    begun, go = threading.Event(), threading.Event()

    class Plain(Memory):
        def run(self, command: str, cwd: str, env: Mapping[str, str], output: Callable[[bytes], None]) -> int:
            begun.set()
            go.wait(PATIENCE)
            output(b"too late")
            return 0

    ext, _ = offered(Plain())
    with FakeHost(ext, capabilities=GROUPS) as host:
        id = host.begin_op("exec", command="sleep", cwd="/")
        assert begun.wait(PATIENCE)
        host.cancel_op(id)
        host.op("stat", "/a")  # the cancel was read before
        go.set()
        assert host.op_answer(id).code == "ECANCELED"
        assert host.output_of(id) == b""


def test_an_async_command_that_is_cancelled_before_it_begins_does_not_run_on() -> None:
    class Slow(Memory):
        async def run(self, command: str, cwd: str, env: Mapping[str, str], output: Callable[[bytes], None]) -> int:
            await asyncio.get_running_loop().create_future()
            return 0

    ext, _ = offered(Slow())
    with FakeHost(ext, capabilities=GROUPS) as host:
        host.send_line(encode(OpRequest("now", "exec", command="sleep", cwd="/")) + encode(CancelRequest("now")))
        assert host.op_answer("now").code == "ECANCELED"


def test_a_write_that_is_given_up_or_never_completed_changes_nothing() -> None:
    memory = Memory()
    ext, _ = offered(memory)
    with FakeHost(ext, capabilities=GROUPS) as host:
        id = host.begin_op("write", "/b", data="YQ==", more=True)
        host.cancel_op(id)
        assert host.op_answer(id).code == "ECANCELED"
        host.send(OpInput(id, "YQ=="))  # too late, and harmless
        host.begin_op("write", "/c", data="YQ==", more=True)
    assert memory.files.keys() == {"/a"}


def test_a_machine_can_be_claimed_and_given_back_at_any_time() -> None:
    ext = Extension("remote")
    ops = ext.tool_ops(Memory())

    @ext.command("far")
    def far(args: str) -> None:
        if args:
            ops.claim(args, cwd="/srv")
        else:
            ops.release()
        ext.notify("changed")

    with FakeHost(ext, capabilities=GROUPS) as host:
        assert host.machine is None
        host.command("far", "you@far")
        assert host.machine is not None
        assert host.machine.name == "you@far"
        host.command("far")
        host.command("far")
        host.wait_for(Notify, count=3)
        assert host.machine is None
        assert len(host.sent(UnregisterToolOps)) == 1


def test_a_host_without_the_group_is_not_asked() -> None:
    ext = Extension("remote")
    ops = ext.tool_ops(Memory())
    problems: list[Exception] = []

    @ext.command("far")
    def far(args: str) -> None:
        try:
            ops.claim("you@far", cwd="/srv")
        except NotGranted as error:
            problems.append(error)

    with FakeHost(ext, capabilities=("commands",)) as host:
        host.command("far")
        assert host.machine is None
    assert [str(each) for each in problems] == ["the host does not grant 'tool_ops'"]
