"""Stored keys: every mode uses them, and nothing that zot writes or starts has them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command import Zot
from extension_folder import write_extension
from secret_service import secret_service

from zot_provider.providers import PROVIDERS
from zot_provider.testing import Call, ScriptedServer, Turn

STORED = "sk-stored-0123456789-secret"


@pytest.fixture
def person(zot: Zot) -> Zot:
    """A zot without a key in its environment."""
    for name in {name for provider in PROVIDERS for name in provider.key_env}:
        zot.env.pop(name, None)
    zot.env["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    return zot


def store(zot: Zot, server: ScriptedServer) -> str:
    zot.env["OPENAI_BASE_URL"] = server.base_url("openai-chat")
    done = zot.run("auth", "login", "openai", stdin=f"{STORED}\n".encode())
    assert (done.code, done.err) == (0, "")
    return done.out


def everything_written(zot: Zot) -> dict[str, str]:
    files = [path for folder in (zot.home, zot.cwd) for path in folder.rglob("*") if path.is_file()]
    return {str(path): path.read_bytes().decode("utf-8", "replace") for path in files if path.name != "auth.json"}


SPY = """
open("extension.env", "w").write(repr(dict(os.environ)) + repr(sys.argv))


@ext.on("turn_start")
def turn(event):
    with open("extension.events", "a") as file:
        print(event, file=file)
"""


@pytest.mark.parametrize("mode", ["-p", "--json", "--stream", "rpc"])
def test_no_mode_writes_the_stored_key_anywhere(person: Zot, mode: str) -> None:
    spy = write_extension(person.cwd / "spy", SPY, imports="import os, sys")
    look = Call("bash", {"command": "env > child.env; tr '\\0' ' ' < /proc/$PPID/cmdline > child.parent; env"})
    with ScriptedServer([Turn("first", calls=[look]), "done"], key=STORED) as server:
        store(person, server)
        flags = ["--provider", "openai", "--model", "scripted", "--ext", str(spy), "--ext-trace", "trace", "--debug"]
        if mode == "rpc":
            lines = [{"type": "prompt", "id": "1", "message": "go"}, {"type": "get_state", "id": "2"}]
            text = "".join(json.dumps(line) + "\n" for line in lines)
            done = person.run("rpc", *flags, stdin=text.encode(), new=True)
        else:
            done = person.run(mode, *flags, "go", new=True)
        assert done.code == 0, done.err
        requests = [request for request in server.requests if request.method == "POST"]
    assert len(requests) == 2
    assert all(STORED in str(request.headers) and STORED not in str(request.body) for request in requests)
    written = everything_written(person)
    assert {"child.env", "extension.env", "trace", "zot.log"} <= {Path(path).name for path in written}
    for path, text in (written | {"output": done.out, "errors": done.err}).items():
        assert STORED not in text, path


def test_the_debug_log_hides_a_stored_key_that_a_tool_has_read(person: Zot) -> None:
    read = Call("bash", {"command": "cat $ZOT_HOME/auth.json"})
    with ScriptedServer([Turn("first", calls=[read]), "done"], key=STORED) as server:
        store(person, server)
        done = person.run("-p", "--provider", "openai", "--model", "scripted", "--no-session", "--debug", "go")
        assert done.code == 0
        assert STORED in json.dumps(server.requests[-1].body)
    log = (person.home / "logs" / "zot.log").read_text()
    assert "***" in log
    assert STORED not in log


@pytest.mark.needs("dbus-daemon", "gnome-keyring-daemon")
def test_a_key_in_the_keyring_answers_and_is_in_no_file(person: Zot) -> None:
    del person.env["PYTHON_KEYRING_BACKEND"]
    with secret_service() as variables, ScriptedServer(["yes"], key=STORED) as server:
        person.env.update(variables)
        assert "stored in the keyring (Secret Service)" in store(person, server)
        status = person.run("auth", "status")
        assert (status.code, status.out) == (0, "openai  API key in the keyring (Secret Service)\n")
        done = person.run("-p", "--model", "openai/scripted", "go")
        assert (done.code, done.out) == (0, "yes\n")
        assert STORED not in str(everything_written(person))
        assert person.run("auth", "move", "file").out == f"moved to {person.home}/auth.json: openai\n"
        assert person.run("auth", "logout", "openai").code == 0
    assert person.run("auth", "status").code == 1


def test_a_variable_comes_before_a_stored_key_and_a_flag_before_both(person: Zot) -> None:
    with ScriptedServer(["1", "2", "3"]) as server:
        store(person, server)
        person.run("-p", "--model", "openai/scripted", "go")
        person.run("-p", "--model", "openai/scripted", "go", env=person.env | {"OPENAI_API_KEY": "of-variable"})
        person.run("-p", "--model", "openai/scripted", "--api-key", "of-flag", "go")
        keys = [request.headers["authorization"] for request in server.requests if request.method == "POST"]
    assert keys == [f"Bearer {STORED}", "Bearer of-variable", "Bearer of-flag"]


def test_a_stored_key_that_the_provider_refuses_gets_advice_without_the_key(person: Zot) -> None:
    with ScriptedServer(key=STORED) as server:
        store(person, server)
        server.key = "another"
        done = person.run("-p", "--model", "openai/scripted", "go")
    assert done.code == 1
    assert "check the stored key, or run zot auth login openai" in done.line()
    assert STORED not in done.err


@pytest.mark.parametrize("model", [["--model", "openai/gpt-5.4"], ["--model", "gpt-5.4"], []])
def test_a_key_in_a_variable_loads_no_store(person: Zot, model: list[str]) -> None:
    person.home.mkdir()
    (person.home / "auth.json").write_text(json.dumps({"anthropic": {"api_key": STORED}}))
    with ScriptedServer(["yes"]) as server:
        person.env |= {"OPENAI_API_KEY": "of-variable", "OPENAI_BASE_URL": server.base_url("openai-chat")}
        command = [sys.executable, "-X", "importtime", "-m", "zot_agent", "-p", *model, "go"]
        done = subprocess.run(command, env=person.env, cwd=person.cwd, capture_output=True, text=True, check=True)
        assert done.stdout == "yes\n"
        assert server.requests[-1].headers["authorization"] == "Bearer of-variable"
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "zot_provider.auth.personal" in loaded
    assert not {"zot_provider.auth.accounts", "keyring", "filelock", "authlib"} & loaded
