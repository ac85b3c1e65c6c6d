"""Every flag, as the model and the person see it."""

import subprocess
import sys
from pathlib import Path

import pytest
from command import Zot
from waiting import PATIENCE

from zot_provider.testing import Call, Fault, ScriptedServer, Turn


def test_the_help_fits_a_terminal_and_names_every_flag(zot: Zot) -> None:
    done = zot.run("-h", env=zot.env | {"COLUMNS": "200"})
    assert (done.code, done.err) == (0, "")
    assert max(map(len, done.out.splitlines())) <= 80
    for flag in (
        *("-p, --print", "--stream", "--json", "--provider NAME", "--model ID", "--api-key KEY", "--base-url URL"),
        *("--system-prompt TEXT", "--append-system-prompt TEXT", "--reasoning LEVEL", "--max-steps N", "--cwd DIR"),
        *("--tools A,B", "--no-tools", "-c, --continue", "--session ID", "--no-session", "-v, --version", "-h, --help"),
        *("  demo ", "  local ", "exit codes:"),
    ):
        assert f"\n  {flag.strip()}" in done.out or flag in done.out, flag


@pytest.mark.parametrize("word", ["help", "version"])
def test_the_words_of_other_programs_ask_no_model_when_they_stand_alone(
    zot: Zot, server: ScriptedServer, word: str
) -> None:
    assert zot.run(word).out == zot.run(f"--{word}").out
    server.add("ok")
    assert zot.ask(server, "-p", word, "me").code == 0
    assert server.requests[0].body["messages"][-1]["content"] == f"{word} me"


def test_a_command_of_the_screen_is_no_prompt_where_there_is_no_screen(zot: Zot, server: ScriptedServer) -> None:
    done = zot.ask(server, "/permissions ask")
    assert (done.code, done.out, server.requests) == (2, "", [])
    assert "/permissions is a command of the chat screen, which needs a terminal; -p sends it" in done.err
    server.add("ok", "ok")
    assert (zot.ask(server, "-p", "/permissions ask").code, zot.ask(server, "/etc/hosts is odd").code) == (0, 0)


def test_rpc_has_a_help_of_its_own(zot: Zot) -> None:
    for flag in ("-h", "--help"):
        done = zot.run("rpc", "--model", "x", flag)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("usage: zot rpc [options of zot]\n")
        assert "exit codes: 0 " in done.out


@pytest.mark.parametrize("arguments", [["-v"], ["--version"], ["-p", "-v"]])
def test_the_version(zot: Zot, arguments: list[str]) -> None:
    done = zot.run(*arguments)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("zot 0.")


def test_prompts_tools_and_limits_reach_the_request(zot: Zot, server: ScriptedServer, tmp_path: Path) -> None:
    server.add("ok")
    work = tmp_path / "elsewhere"
    work.mkdir()
    done = zot.ask(
        *(server, "-p", "x", "--no-session", "--system-prompt", "You are a cat.", "--cwd", "../elsewhere"),
        *("--append-system-prompt", "Purr.", "--append-system-prompt=-Hiss.", "--tools", "read, bash"),
    )
    assert (done.code, done.err, zot.sessions) == (0, "", [])
    (request,) = server.requests
    system = next(message["content"] for message in request.body["messages"] if message["role"] == "system")
    assert system.startswith("You are a cat.")
    assert system.index("Purr.") < system.index("-Hiss.")
    assert [tool["function"]["name"] for tool in request.body["tools"]] == ["bash", "read"]


def test_tools_work_in_the_directory_that_cwd_names(zot: Zot, server: ScriptedServer, tmp_path: Path) -> None:
    work = tmp_path / "elsewhere"
    work.mkdir()
    server.add(Turn(calls=[Call("bash", {"command": "pwd"})]), "ok")
    assert zot.ask(server, "-p", "x", "--cwd", str(work)).code == 0
    assert str(work) in server.requests[1].body["messages"][-1]["content"]
    assert zot.rows()[0]["meta"]["cwd"] == str(work)


def test_a_model_may_name_its_provider_and_a_key_may_be_given(zot: Zot) -> None:
    with ScriptedServer(["ok"], key="another-key") as server:
        base = server.base_url("anthropic-messages")
        done = zot.run("-p", "x", "--no-tools", "--model", "anthropic/m", "--api-key=another-key", "--base-url", base)
        assert (done.code, done.out) == (0, "ok\n")
        assert server.requests[0].wire == "anthropic-messages"
        assert server.requests[0].body["model"] == "m"
        assert not server.requests[0].body.get("tools")
    assert all("another-key" not in path.read_text() for path in zot.sessions)


def test_a_server_that_is_only_named_by_its_address_is_asked_for_its_model(zot: Zot) -> None:
    zot.env = zot.keyless_env
    with ScriptedServer(["ok"], models=["tiny", "other"]) as server:
        done = zot.run("-p", "x", "--base-url", server.base_url("openai-chat"))
        assert (done.code, done.out, done.err) == (0, "ok\n", "")
        assert server.requests[-1].body["model"] == "tiny"
    metas = [row["meta"]["model"] for row in zot.rows() if row["type"] == "meta"]
    assert metas == ["", "tiny"]  # the prompt is kept before the server is asked, and the latest row counts


@pytest.mark.parametrize("level", ["low", "max", "maximum"])
def test_the_reasoning_level_reaches_the_request(zot: Zot, server: ScriptedServer, level: str) -> None:
    server.add("ok")
    done = zot.ask(server, "-p", "x", "--no-session", "--reasoning", level)
    assert (done.code, done.err) == (0, "")
    effort = server.requests[0].body["reasoning_effort"]
    assert effort == "low" if level == "low" else effort in ("high", "xhigh", "max")


def test_a_fallback_model_answers_where_the_model_cannot(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn(fault=Fault(status=403)), "from the other one")
    environment = zot.env | {"ANTHROPIC_BASE_URL": server.base_url("anthropic-messages")}
    done = zot.ask(server, "-p", "x", "--fallback-model", "anthropic/claude-opus-4-5", env=environment)
    assert (done.code, done.out) == (0, "from the other one\n")
    assert "; anthropic/claude-opus-4-5 answers from now on" in done.err
    assert [request.path for request in server.requests] == ["/v1/chat/completions", "/v1/messages"]


def test_max_steps_ends_the_run_with_its_own_code(zot: Zot, server: ScriptedServer) -> None:
    server.add(Turn("looking", calls=[Call("bash", {"command": "true"})]))
    done = zot.ask(server, "-p", "x", "--max-steps", "1")
    assert (done.code, done.out) == (4, "looking\n")
    assert done.line() == "max steps (1) exceeded"
    assert [role for role, _ in zot.said()] == ["user", "assistant", "tool"]
    server.add(Turn(calls=[Call("bash", {"command": "true"})]))
    done = zot.ask(server, "--json", "-c", "x", "--max-steps", "1")
    assert done.code == 4
    assert done.events[-2:] == [
        {"type": "error", "message": "max steps (1) exceeded"},
        {"type": "done", "reason": "max_steps"},
    ]


def test_starting_imports_what_the_mode_needs_and_no_more(zot: Zot, server: ScriptedServer) -> None:
    server.add("one", "two", "three")
    watch = (
        "import sys; from zot_agent.entry import main; code = main(); "
        "print(*sorted(sys.modules), file=sys.stderr); sys.exit(code)"
    )
    heavy = {
        *("pydantic", "pydantic_core", "keyring", "authlib", "urwid", "pygments", "PIL", "filelock"),
        *("dis", "hashlib", "zlib"),  # `dis` is imported by `inspect`, which is deferred
        *("_posixsubprocess", "_ssl", "shutil", "tempfile"),
        *(
            "rich",
            "click",
            "httpx",
            "httpcore",
            "anyio",
            "h11",
            "certifi",
            "yaml",
            "psutil",
            "platformdirs",
            "pathspec",
        ),
        *("zot_agent.config.log", "zot_agent.modes.activity", "zot_agent.cli.models", "zot_agent.cli.doctor"),
        *("zot_ext", "zot_tui", "zot_agent.local", "uuid", "difflib", "hypothesis", "importlib.metadata"),
        *("urllib.parse", "ipaddress", "http", "zot_core.agent.calls", "zot_agent.cli.command_words"),
        "zot_core.tools.definition.argument_repair",
    }
    zot.home.mkdir()
    (zot.home / "config.json").write_text('{"provider": "corp"}')
    (zot.home / "models.json").write_text('{"providers": {"corp": {"baseUrl": "http://h/v1"}}}')
    (zot.cwd / "AGENTS.md").write_text("be brief")
    for mode in ("-p", "--stream", "--json"):
        arguments = [sys.executable, "-c", watch, *zot.at(server), mode, "x"]
        done = subprocess.run(arguments, env=zot.env, cwd=zot.cwd, capture_output=True, timeout=PATIENCE, check=True)
        loaded = set(done.stderr.decode().split())
        assert "zot_agent.modes.oneshot" in loaded
        assert loaded & heavy == set()
        assert not any(name.startswith("zot_agent.cli.d") for name in loaded)


def test_an_rpc_child_says_hello_without_what_few_commands_need(zot: Zot, server: ScriptedServer) -> None:
    watch = "import sys; from zot_agent.entry import main; main(); print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", watch, "rpc", *zot.at(server)]
    hello = b'{"type":"hello"}\n'
    done = subprocess.run(
        command, input=hello, env=zot.env, cwd=zot.cwd, capture_output=True, timeout=PATIENCE, check=True
    )
    assert b'"protocol_version":1' in done.stdout
    assert {"zot_agent.rpc.service", "tempfile", "shutil", "pydantic", "httpx"} & set(done.stderr.decode().split()) == {
        "zot_agent.rpc.service"
    }


def test_the_version_imports_nothing(zot: Zot) -> None:
    script = (
        "import sys; before = set(sys.modules); sys.argv[1:] = ['--version']; from zot_agent.entry import main; main();"
        " print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=zot.env, capture_output=True, timeout=PATIENCE, check=True
    )
    assert done.stdout.decode().split("\n")[1].split() == ["zot_agent", "zot_agent.entry", "zot_agent.version"]
