"""The record of tool calls."""

import asyncio
import json
import os
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from zot_agent.cli.args import parse
from zot_agent.host.audit import AuditLimits, AuditLog
from zot_agent.host.build import build_host
from zot_agent.host.host import Host
from zot_core.confirm import AskPermission, PermissionAnswer, PermissionQuestion, Permissions
from zot_core.conversation.driver import Conversation
from zot_core.conversation.shell_command import ShellCommand
from zot_core.errors import Refused
from zot_core.events import Notice
from zot_core.hooks import ToolRequest
from zot_core.permissions.rule import parse_permissions
from zot_core.runtime.runtime import Runtime
from zot_provider.model import Model
from zot_provider.testing import Call, ScriptedClient, ScriptedServer, Turn


def rows(home: Path) -> list[dict[str, Any]]:
    """The rows, without their times."""
    path = home / "logs" / "audit.jsonl"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert all(row.pop("time").endswith("Z") for row in found)
    return found


def recorded(
    home: Path,
    *calls: Call,
    permissions: Permissions | None = None,
    limits: AuditLimits | None = None,
    then: Callable[[Conversation], Awaitable[object]] | None = None,
) -> list[str]:
    """Let a model make these calls, and return the notices."""
    notices: list[str] = []

    async def main() -> None:
        runtime = Runtime(Model("m", "v"), client=ScriptedClient([Turn(calls=list(calls)), "Done."]))
        async with Conversation(runtime, permissions=permissions) as conversation:
            log = AuditLog(str(home), conversation, ["given-key"], limits)
            log.attach()
            conversation.events.add(lambda event: notices.append(event.message) if isinstance(event, Notice) else None)
            await conversation.prompt("go")
            if then is not None:
                await then(conversation)
            await conversation.idle()
            await log.close()

    asyncio.run(main())
    return notices


def answering(*answers: PermissionAnswer) -> AskPermission:
    left = list(answers)

    async def ask(question: PermissionQuestion) -> PermissionAnswer:
        return left.pop(0)

    return ask


def test_a_call_is_recorded_with_who_allowed_it_and_what_came_of_it(alone: Path, tmp_path: Path) -> None:
    rules = parse_permissions({"allow": ["bash(sh *)", "bash(true)"], "deny": ["bash(rm *)"]}, "f").rules
    person = answering(
        PermissionAnswer("always"), PermissionAnswer("no", "not now"), PermissionAnswer("no", unanswered=True)
    )
    bash = [Call("bash", {"command": each}) for each in ("true", "rm x", "expr 0", "touch a", "touch b")]
    recorded(tmp_path, *bash, Call("nothing", {}), permissions=Permissions("ask", rules, ask=person))
    found = rows(tmp_path)
    assert {row.pop("session") for row in found} == {""}
    assert {row.pop("cwd") for row in found} == {str(alone)}
    assert {row.pop("mode") for row in found} == {"ask"}
    ids = {row["id"]: number for number, row in enumerate(found)}
    short = [{key: value for key, value in row.items() if key not in ("id", "asked_by", "tool")} for row in found]
    assert len(ids) == 6
    assert short == [
        {
            "kind": "call", "arguments": {"command": "true"}, "answer": "allow", "answered_by": "rule",
            "rule": "bash(true)", "source": "f: permissions.allow",
            "reason": "the rule bash(true) allows this call (f: permissions.allow)",
        },
        {"kind": "result", "outcome": "ran", "error": False, "exit": 0},
        {
            "kind": "call", "arguments": {"command": "rm x"}, "answer": "deny", "answered_by": "rule",
            "rule": "bash(rm *)", "source": "f: permissions.deny",
            "reason": "the rule bash(rm *) denies this call (f: permissions.deny)",
        },
        {
            "kind": "call", "arguments": {"command": "expr 0"}, "answer": "allow", "answered_by": "person",
            "choice": "always", "added": ["bash(expr 0)"], "reason": "no rule allows 'expr 0'",
        },
        {"kind": "result", "outcome": "ran", "error": True, "exit": 1},
        {
            "kind": "call", "arguments": {"command": "touch a"}, "answer": "deny", "answered_by": "person",
            "choice": "no", "message": "not now", "reason": "no rule allows 'touch a'",
        },
        {
            "kind": "call", "arguments": {"command": "touch b"}, "answer": "deny", "answered_by": "nobody",
            "reason": "no rule allows 'touch b'",
        },
        {
            "kind": "call", "answer": "deny", "answered_by": "zot",
            "reason": found[-1]["reason"],
        },
    ]  # fmt: skip
    assert found[-1]["reason"].startswith('unknown tool "nothing"')


def test_files_that_a_call_writes_are_recorded_by_their_real_paths(alone: Path, tmp_path: Path) -> None:
    (alone / "real").mkdir()
    (alone / "link").symlink_to("real")
    recorded(
        tmp_path,
        Call("write", {"path": "link/a", "content": "x"}),
        Call("edit", {"path": "missing", "edits": [{"oldText": "a", "newText": "b"}]}),
        Call("ls", {}),
    )
    files = [row.get("files") for row in rows(tmp_path) if row["kind"] == "result"]
    assert files == [[str(alone / "real" / "a")], None, None]


def test_a_row_is_on_disk_before_its_call_runs(tmp_path: Path) -> None:
    recorded(tmp_path, Call("bash", {"command": f"grep -c '\"call\"' {tmp_path}/logs/audit.jsonl"}))
    assert [row.get("exit") for row in rows(tmp_path)] == [None, 0]


def test_a_command_of_the_person_is_recorded(tmp_path: Path) -> None:
    async def then(conversation: Conversation) -> None:
        await conversation.shell(ShellCommand("exit 3"))

    recorded(tmp_path, then=then)
    [row] = rows(tmp_path)
    assert (row["kind"], row["asked_by"], row["command"], row["exit"]) == ("command", "person", "exit 3", 3)


def test_an_answer_about_the_outside_of_a_sandbox_is_recorded(tmp_path: Path) -> None:
    async def then(conversation: Conversation) -> None:
        assert await conversation.permissions.offer("git commit", "it writes .git")

    recorded(tmp_path, permissions=Permissions(ask=answering(PermissionAnswer("yes"))), then=then)
    [row] = rows(tmp_path)
    assert (row["outside"], row["arguments"]) == (True, {"command": "git commit"})
    assert (row["answer"], row["answered_by"], row["choice"]) == ("allow", "person", "yes")


async def test_a_refusal_of_a_guard_names_its_reason(alone: Path, tmp_path: Path) -> None:
    def guard(call: ToolRequest) -> None:
        raise Refused("not on a Sunday")

    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "ls"})]), "Done."])
    async with Conversation(Runtime(Model("m", "v"), client=client)) as conversation:
        conversation.runtime.hooks.tool_call.add(guard)
        log = AuditLog(str(tmp_path), conversation)
        log.attach()
        await conversation.prompt("go")
        await log.close()
    [row] = rows(tmp_path)
    assert (row["answer"], row["answered_by"], row["reason"]) == ("deny", "guard", "not on a Sunday")


def test_secrets_are_struck_out_and_what_is_long_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_PW", "line\nsecret")
    text = "line\nsecret\nghp_0123456789abcdefABCDEF http://a:b@h given-key " + "x" * 100_000
    nested: Any = "deep"
    for _ in range(30):
        nested = [nested]
    recorded(tmp_path, Call("write", {"path": "a", "content": text, "ghp_0123456789abcdefABCDEF": nested}))
    call = rows(tmp_path)[0]
    content = call["arguments"]["content"]
    assert content.startswith("***\n*** http://a:***@h *** xxx")
    assert content.endswith(f"x… ({len(text)} characters)")
    assert len(content) < 2100
    assert call["arguments"]["***"] == [[[["…"]]]]


def test_a_secret_at_the_place_where_a_text_is_cut_is_struck_out(tmp_path: Path) -> None:
    recorded(tmp_path, Call("bash", {"command": "true " + "x" * 1992 + " given-key and more"}))
    assert "giv" not in (tmp_path / "logs" / "audit.jsonl").read_text()


def test_the_file_is_rotated_and_a_few_old_ones_are_kept(tmp_path: Path) -> None:
    calls = [Call("bash", {"command": f"true {number}"}) for number in range(12)]
    recorded(tmp_path, *calls, limits=AuditLimits(file_bytes=500))
    kept = sorted(each for each in os.listdir(tmp_path / "logs") if not each.endswith(".lock"))
    assert set(kept) <= {"audit.jsonl", "audit.jsonl.1", "audit.jsonl.2", "audit.jsonl.3"}
    assert {"audit.jsonl.1", "audit.jsonl.2", "audit.jsonl.3"} <= set(kept)
    last = "".join((tmp_path / "logs" / name).read_text() for name in reversed(kept))
    assert "true 11" in last
    assert "true 0" not in last


def test_a_record_that_cannot_be_written_is_one_note_and_fails_nothing(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("no folder")
    bash = Call("bash", {"command": "true"})

    async def then(conversation: Conversation) -> None:
        assert conversation.runtime.messages[-1].text == "Done."

    notices = recorded(tmp_path, bash, then=then)
    assert len(notices) == 1
    assert notices[0].startswith(f"tool calls are not recorded in {tmp_path}/logs/audit.jsonl: ")


def test_a_record_that_is_no_file_holds_nobody_up(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    os.mkfifo(tmp_path / "logs" / "audit.jsonl")
    assert len(recorded(tmp_path, Call("bash", {"command": "true"}))) == 1


@pytest.mark.parametrize("value", ["on", "off"])
def test_the_setting_turns_it_on_and_off_means_that_nothing_is_loaded(
    alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    home = tmp_path / "zot-home"
    home.mkdir()
    (home / "config.json").write_text(json.dumps({"audit": value}))
    program = """if True:
        import asyncio, sys
        from zot_agent.cli.args import parse
        from zot_agent.host.build import build_host
        async def main():
            host = build_host(parse(["-p", "--base-url", sys.argv[1], "--model", "m"]).options)
            await host.runtime.ask("go")
            await host.close()
            print("zot_agent.host.audit" in sys.modules)
        asyncio.run(main())
    """
    with ScriptedServer([Turn(calls=[Call("bash", {"command": "true"})]), "Done."]) as server:
        address = server.base_url("openai-chat")
        done = subprocess.run([sys.executable, "-c", program, address], capture_output=True, text=True, check=True)
    assert done.stdout == f"{value == 'on'}\n"
    assert (home / "logs").exists() is (value == "on")
    if value == "on":
        call, result = rows(home)
        assert call["session"] == result["session"] != ""
        assert (call["mode"], call["answered_by"], result["exit"]) == ("yolo", "mode", 0)


async def test_two_hosts_write_into_one_record(alone: Path, tmp_path: Path) -> None:
    home = tmp_path / "zot-home"
    home.mkdir()
    (home / "config.json").write_text('{"audit": "on"}')
    with ScriptedServer([Turn(calls=[Call("bash", {"command": "true"})]), "Done."] * 2) as server:
        base = ("--base-url", server.base_url("openai-chat"), "--model", "m")
        hosts: list[Host] = [build_host(parse(["-p", *base]).options) for _ in range(2)]
        for host in hosts:
            await host.runtime.ask("go")
            await host.close()
    assert len({row["session"] for row in rows(home)}) == 2
