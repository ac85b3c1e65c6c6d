import json
from pathlib import Path

import pytest
from processes import runs
from waiting import until

from zot_agent.host.host import Host
from zot_agent.host.options import HostOptions
from zot_agent.modes import json as json_mode
from zot_agent.modes import stream
from zot_core.conversation.driver import Conversation
from zot_core.runtime.runtime import Runtime
from zot_provider.model import Model
from zot_provider.testing import Call, ScriptedClient, Turn


def replace_text(_text: str) -> str:
    return "replaced"


async def host_that_replaces_text(*, hold_text: bool = False) -> Host:
    runtime = Runtime(Model("m", "v"), client=ScriptedClient([Turn("original")]))
    runtime.hooks.assistant_message.add(replace_text)
    return Host(Conversation(runtime), options=HostOptions(hold_text=hold_text))


@pytest.mark.parametrize(("hold_text", "deltas"), [(False, "original"), (True, "")])
async def test_hold_text_leaves_out_text_that_may_still_change(
    hold_text: bool, deltas: str, capfd: pytest.CaptureFixture[str]
) -> None:
    host = await host_that_replaces_text(hold_text=hold_text)
    try:
        assert await json_mode.run(host, "hello") == 0
    finally:
        await host.close()
    events = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert "".join(event["delta"] for event in events if event["type"] == "text_delta") == deltas
    assert events[-1] == {"type": "done"}


async def test_the_stream_prints_replaced_text_once(capfd: pytest.CaptureFixture[str]) -> None:
    host = await host_that_replaces_text()
    try:
        assert await stream.run(host, "hello") == 0
    finally:
        await host.close()
    assert capfd.readouterr().out == "replaced\n"


async def test_a_command_in_the_background_ends_with_the_answer_and_done_is_the_last_line(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    call = Call("bash", {"command": "echo $$ > pid; exec sleep 1000", "background": True})
    client = ScriptedClient([Turn(calls=[call]), "It runs."])
    host = Host(Conversation(Runtime(Model("m", "v"), client=client, cwd=tmp_path)))
    try:
        assert await json_mode.run(host, "serve") == 0
        await until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
    finally:
        await host.close()
    assert not runs(int((tmp_path / "pid").read_text()))
    types = [json.loads(line)["type"] for line in capfd.readouterr().out.splitlines()]
    assert "job_start" in types
    assert types[-1] == "done"


async def test_the_first_turn_says_what_may_run_and_what_confines_it(capfd: pytest.CaptureFixture[str]) -> None:
    client = ScriptedClient([Turn(calls=[Call("ls", {"path": "."})]), "done"])
    host = Host(Conversation(Runtime(Model("m", "v"), client=client)))
    host.conversation.permissions.mode = "plan"
    try:
        assert await json_mode.run(host, "look") == 0
    finally:
        await host.close()
    events = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    asked, told, *turn = events[:4]
    assert (asked["type"], told["type"]) == ("user_message", "user_message")
    assert "hidden" not in asked
    assert told["hidden"] == "the model knows: mode plan, no sandbox"
    assert [event["type"] for event in turn] == ["turn_start", "assistant_start"]
    assert [event for event in events if event["type"] == "turn_start"] == [
        {"type": "turn_start", "step": 1, "mode": "plan", "sandbox": "off"},
        {"type": "turn_start", "step": 2},
    ]
