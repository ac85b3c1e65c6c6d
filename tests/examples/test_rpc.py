"""The programs of `examples/rpc`, each a process that starts a `zot rpc` of its own, against a scripted model."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import PATIENCE, read_fifo

from zot_provider.testing import Call, Fault, ScriptedServer, Turn

RPC = Path(__file__).parents[2] / "examples" / "rpc"
PROGRAMS = {
    "python/client.py": [sys.executable, "-W", "error"],
    "node/client.mjs": ["node"],
    "shell/client.sh": ["bash"],
}
"""What each is run with."""

NEEDS = {"node/client.mjs": ("node",), "shell/client.sh": ("jq",)}
RUN = [pytest.param(name, marks=pytest.mark.needs(*NEEDS.get(name, ()))) for name in PROGRAMS]
"""The programs, each with what it needs that the workspace does not bring."""

FLAGS = ("--provider", "openai", "--model", "scripted")


class Example:
    """Runs one of the programs, with a home of its own and a key in the environment."""

    def __init__(self, name: str, folder: Path, server: ScriptedServer) -> None:
        self.command = [*PROGRAMS[name], str(RPC / name)]
        self.folder = folder
        self.env = {
            **os.environ,
            "HOME": str(folder),
            "ZOT_HOME": str(folder / "zot-home"),
            "OPENAI_API_KEY": "key",
            "OPENAI_BASE_URL": server.base_url("openai-chat"),
        }

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        """Start it as a terminal does: as the leader of a group that gets its Ctrl+C."""
        return subprocess.Popen(
            [*self.command, *arguments], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Run it to its end: exit code, standard output, standard error."""
        return self.finish(self.start(*arguments))

    @staticmethod
    def finish(process: "subprocess.Popen[bytes]") -> tuple[int, str, str]:
        try:
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        return process.returncode, out.decode(), err.decode()


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(key="key") as running:
        yield running


@pytest.fixture(params=RUN)
def example(tmp_path: Path, server: ScriptedServer, request: pytest.FixtureRequest) -> Example:
    return Example(request.param, tmp_path, server)


def test_every_example_is_run_here_and_stands_in_the_list() -> None:
    listed = re.findall(r"\]\((\w+/client\.\w+)\)", (RPC / "README.md").read_text("utf-8"))
    assert sorted(listed) == sorted(PROGRAMS) == sorted(str(path.relative_to(RPC)) for path in RPC.glob("*/*.*"))


def test_every_example_says_how_to_run_it() -> None:
    for name in PROGRAMS:
        assert f"examples/rpc/{name} " in (RPC / name).read_text("utf-8")


def test_an_answer_is_printed_and_the_exit_code_is_0(example: Example, server: ScriptedServer) -> None:
    (example.folder / "a.txt").write_text("alpha\n")
    server.add(Turn("I will look. ", calls=[Call("read", {"path": "a.txt"})]), 'It says "alpha" —\tsee § 1.')
    code, out, _ = example.run('what is in "a.txt"? — §', *FLAGS)
    assert (code, out) == (0, 'I will look. It says "alpha" —\tsee § 1.\n')
    assert server.requests[0].body["messages"][-1]["content"] == 'what is in "a.txt"? — §'
    assert "alpha" in str(server.requests[1].body)


def test_a_line_separator_in_an_answer_is_no_end_of_a_line(example: Example, server: ScriptedServer) -> None:
    server.add("one\u2028two\u2029three\x85four")
    assert example.run("hi", *FLAGS)[:2] == (0, "one\u2028two\u2029threefour\n")


def test_a_model_cannot_talk_to_the_terminal(example: Example, server: ScriptedServer) -> None:
    server.add("clear \x1b[2J\x9b2J\x07bell")
    assert example.run("hi", *FLAGS)[:2] == (0, "clear [2J2Jbell\n")


def test_a_failure_is_told_and_the_exit_code_is_1(example: Example, server: ScriptedServer) -> None:
    server.add(Turn(fault=Fault(status=400, body={"error": {"message": "no such model"}})))
    code, _, err = example.run("hi", *FLAGS)
    assert code == 1
    assert "no such model" in err


def test_a_prompt_that_is_refused_is_told_and_the_exit_code_is_1(example: Example) -> None:
    example.env["ZOTCORE_RPC_TOKEN"] = "secret"
    code, out, err = example.run("hi", *FLAGS)
    assert (code, out.strip()) == (1, "")
    assert "refused: " in err


def test_a_zot_that_does_not_start_is_told_and_the_exit_code_is_1(example: Example) -> None:
    code, out, err = example.run("hi", "--no-such-flag")
    assert (code, out.strip()) == (1, "")
    assert "zot rpc has ended" in err


def test_ctrl_c_stops_the_answer_and_the_exit_code_is_130(example: Example, server: ScriptedServer) -> None:
    server.add(Turn("word " * 20_000, chunk=5, delay=0.02))
    process = example.start("hi", *FLAGS)
    assert process.stdout is not None
    assert process.stdout.read(5) == b"word "
    os.killpg(process.pid, signal.SIGINT)
    code, out, err = example.finish(process)
    assert code == 130, err
    assert out.endswith("\n")
    server.wait_idle(PATIENCE)
    assert server.requests[0].closed_early


def test_ctrl_c_stops_a_tool_and_what_it_started(example: Example, server: ScriptedServer) -> None:
    os.mkfifo(example.folder / "pid")
    server.add(Turn("Now. ", calls=[Call("bash", {"command": "echo $$ > pid; sleep 600"})]))
    process = example.start("hi", *FLAGS)
    assert process.stdout is not None
    assert process.stdout.read(5) == b"Now. "
    pid = read_fifo(example.folder / "pid")
    os.killpg(process.pid, signal.SIGINT)
    code, _, err = example.finish(process)
    assert code == 130, err
    with pytest.raises(ProcessLookupError):
        os.killpg(int(pid), 0)


def test_without_zot_on_the_path_the_exit_code_is_1_and_nobody_reads_a_traceback(example: Example) -> None:
    example.command[0] = str(shutil.which(example.command[0]))
    tools = example.folder / "tools"
    tools.mkdir()
    for name in ("jq", "cat", "kill"):
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    example.env["PATH"] = str(tools)
    code, out, err = example.run("hi", *FLAGS)
    assert (code, out.strip()) == (1, "")
    assert "zot" in err
    assert "Traceback" not in err
    assert "    at " not in err  # nor the stack of Node
    assert err.strip().count("\n") < 3, err
