import asyncio
import json
import os
import signal
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from zot_agent.host.host import Host
from zot_agent.modes import MODES, PIPED_MODE, SCREEN_MODE
from zot_core.conversation.driver import Conversation
from zot_core.hooks import Refusal
from zot_core.permissions.rule import parse_rule
from zot_core.runtime.runtime import Runtime
from zot_provider.client.http import Client, HttpClient
from zot_provider.client.retry import RetryPolicy
from zot_provider.model import Model
from zot_provider.registry import ModelRegistry
from zot_provider.testing import Call, Fault, ScriptedClient, ScriptedServer, Turn
from zot_provider.transport.http import HttpLimits, HttpTransport


def run(mode: str, client: Client, prepare: Callable[[Host], None] | None = None, /, **options: Any) -> int:
    """The exit code of a mode with this model."""

    async def main() -> int:
        host = Host(Conversation(Runtime(Model("m", "v"), client=client, **options)))
        if prepare is not None:
            prepare(host)
        try:
            code: int = await import_module(MODES[mode].module).run(host, "hello")
            return code
        finally:
            await host.close()

    return asyncio.run(main())


def test_every_mode_has_a_module() -> None:
    for name, mode in MODES.items():
        assert name == mode.name
        assert hasattr(import_module(mode.module), "run")
    assert PIPED_MODE in MODES
    assert SCREEN_MODE in MODES


@pytest.mark.parametrize(
    ("mode", "shown"), [("print", "two\n"), ("stream", "one\ntwo\n"), ("json", '{"type":"done"}\n')]
)
def test_what_a_mode_shows(capfd: pytest.CaptureFixture[str], mode: str, shown: str) -> None:
    client = ScriptedClient([Turn("one", calls=[Call("bash", {"command": "true"})]), Turn("two\n")])
    assert run(mode, client) == 0
    out, err = capfd.readouterr()
    assert out.endswith(shown) if mode == "json" else out == shown
    assert err == ""


def test_an_answer_without_text_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("print", ScriptedClient([Turn(reasoning="hm")])) == 0
    assert run("stream", ScriptedClient([Turn(reasoning="hm")])) == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("mode", ["print", "stream"])
def test_an_answer_that_breaks_off_is_asked_for_again_and_told(capfd: pytest.CaptureFixture[str], mode: str) -> None:
    broken = Turn("now I will " * 9, chunk=4, fault=Fault(cut=True, after=9))
    with ScriptedServer([Turn("", calls=[Call("bash", {"command": "true"})]), broken, "all done"]) as server:
        provider, retries = ModelRegistry().provider("local"), RetryPolicy(delay=0.001)
        client = HttpClient(provider, base_url=server.base_url("openai-chat"), retries=retries)
        assert run(mode, client) == 0
    out, err = capfd.readouterr()
    assert out.splitlines()[-1] == "all done"
    assert ("now I" in out) == (mode == "stream")
    assert "broke off" in err
    assert "trying again" in err


@pytest.mark.parametrize("mode", ["print", "stream"])
def test_an_empty_answer_after_a_tool_is_said_and_is_no_success(capfd: pytest.CaptureFixture[str], mode: str) -> None:
    with ScriptedServer([Turn("", calls=[Call("bash", {"command": "true"})]), Turn(), Turn()]) as server:
        provider, retries = ModelRegistry().provider("local"), RetryPolicy(delay=0.001)
        client = HttpClient(provider, base_url=server.base_url("openai-chat"), retries=retries)
        assert run(mode, client) == 1
    assert capfd.readouterr().err.count("the model gave an empty answer") == 2


@pytest.mark.parametrize("mode", ["print", "stream", "json"])
def test_a_refusal_has_a_code_of_its_own(capfd: pytest.CaptureFixture[str], mode: str) -> None:
    def refuse(host: Host) -> None:
        host.runtime.hooks.before_model_call.add(lambda step: Refusal("not on a Sunday"))

    assert run(mode, ScriptedClient(["x"]), refuse) == 5
    out, err = capfd.readouterr()
    assert err == "zot: refused: not on a Sunday\n"
    if mode == "json":
        events = [json.loads(line) for line in out.splitlines()]
        assert events[-1] == {"type": "done", "reason": "refused"}
        assert events[-2] == {"type": "turn_end", "stop": "error", "error": "not on a Sunday"}
    else:
        assert out == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [({"max_steps": 1}, "max steps (1) exceeded"), ({"max_tokens": 5}, "max tokens (5) exceeded: 15 used")],
)
def test_a_limit_has_a_code_of_its_own(capfd: pytest.CaptureFixture[str], options: dict[str, int], words: str) -> None:
    client = ScriptedClient([Turn("one", calls=[Call("bash", {"command": "true"})])], repeat=True)
    assert run("print", client, **options) == 4
    assert capfd.readouterr() == ("one\n", f"zot: {words}\n")


def test_a_deadline_is_a_limit_too(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("print", ScriptedClient([Turn("word " * 100, delay=0.05)]), deadline=0.1) == 4
    assert capfd.readouterr().err == "zot: the deadline has passed\n"


def test_a_message_that_the_model_never_read_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    def steer_and_interrupt(host: Host) -> None:
        def act() -> None:
            host.conversation.steer("use metres")
            host.conversation.interrupt()

        asyncio.get_running_loop().call_later(0.1, act)

    assert run("print", ScriptedClient([Turn("word", delay=60.0)]), steer_and_interrupt) == 130
    assert capfd.readouterr() == ("", "zot: not delivered, because the prompt has ended: use metres\n")


def test_a_hidden_answer_is_explained_and_not_printed(capfd: pytest.CaptureFixture[str]) -> None:
    def hide(host: Host) -> None:
        def refuse(text: str) -> str:
            raise ValueError("no")

        host.runtime.hooks.assistant_message.add(refuse)

    assert run("print", ScriptedClient(["the secret"]), hide) == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert "failed: no" in err


@pytest.mark.parametrize("after", [0, 2])
def test_a_stalled_server_is_given_up_within_its_limit(capfd: pytest.CaptureFixture[str], after: int) -> None:
    fault = Fault(pause=5.0, after=after) if after else Fault(stall=5.0)
    with ScriptedServer([Turn("Once upon", chunk=4, fault=fault)]) as server:
        transport = HttpTransport(HttpLimits(read=0.1))
        provider, retries = ModelRegistry().provider("local"), RetryPolicy(retries=0)
        client = HttpClient(provider, base_url=server.base_url("openai-chat"), transport=transport, retries=retries)
        assert run("json", client) == 1
        url = server.base_url("openai-chat") + "/chat/completions"
    out, err = capfd.readouterr()
    assert err == f"zot: local: {url} stopped answering; try again, or check the server\n"
    assert [json.loads(line)["type"] for line in out.splitlines()][-3:] == ["turn_end", "error", "done"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_stops_the_run_and_the_next_one_is_ignored(
    capfd: pytest.CaptureFixture[str], number: int, code: int
) -> None:
    kept = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    client = ScriptedClient([Turn("word " * 100, delay=0.02)])

    def kill_later(host: Host) -> None:
        asyncio.get_running_loop().call_later(0.1, os.kill, os.getpid(), number)

    try:
        assert run("stream", client, kill_later) == code
        assert signal.getsignal(number) == signal.SIG_IGN
    finally:
        for each, handler in kept.items():
            signal.signal(each, handler)
    assert client.cancelled == 1
    assert capfd.readouterr().err == ""


def test_signals_are_as_before_after_a_run(capfd: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert run("print", ScriptedClient(["x"])) == 0
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize("mode", ["print", "json"])
@pytest.mark.parametrize(
    ("call", "reason", "rule"),
    [
        (
            Call("bash", {"command": "expr hi"}),
            "bash expr hi (no rule allows 'expr hi')",
            "rule bash(expr hi) in permissions.allow allows",
        ),
        (
            Call("bash", {"command": "expr hi && expr ho"}),
            "bash expr hi && expr ho (no rule allows 'expr hi')",
            "rules bash(expr hi) and bash(expr ho) in permissions.allow allow",
        ),
        (
            Call("fetch", {"url": "https://Ok.test/a?b"}),
            "fetch https://Ok.test/a?b (no rule allows this call of fetch)",
            "rule fetch(ok.test) in permissions.allow allows",
        ),
    ],
)
def test_a_call_that_would_be_asked_about_is_refused_and_the_rule_that_allows_it_is_named(
    mode: str, call: Call, reason: str, rule: str, capsys: pytest.CaptureFixture[str]
) -> None:
    client = ScriptedClient([Turn(calls=[call]), "Well."])

    def prepare(host: Host) -> None:
        host.conversation.permissions.mode = "ask"

    assert run(mode, client, prepare) == 5
    assert "nobody can be asked" in str(client.requests[1].messages[-1])
    assert capsys.readouterr().err == (f"zot: not allowed, because nobody can be asked: {reason}; the {rule} it\n")


@pytest.mark.parametrize("mode", ["print", "json"])
def test_what_only_reads_runs_where_nobody_can_be_asked_and_what_cannot_be_judged_is_refused_in_yolo(
    mode: str, capsys: pytest.CaptureFixture[str], alone: Path
) -> None:
    look, hide = (Call("bash", {"command": each}) for each in ("ls -a | head -3", "echo touch planted | sh"))

    def plan(host: Host) -> None:
        host.conversation.permissions.mode = "plan"

    def deny(host: Host) -> None:
        host.conversation.permissions.rules = [parse_rule("deny", "bash(touch *)")]

    client = ScriptedClient([Turn(calls=[look]), "I see."])
    assert run(mode, client, plan) == 0
    assert "[exit 0]" in str(client.requests[1].messages[-1])
    assert run(mode, ScriptedClient([Turn(calls=[hide]), "Well."]), deny) == 5
    assert "what sh reads is not known" in capsys.readouterr().err
    assert not (alone / "planted").exists()
