"""The user of an editor is asked before a tool runs."""

from pathlib import Path
from typing import Any

from acp_editor import Writer

from zot_agent.acp.feed import UpdateFeed
from zot_agent.acp.permission import MAX_OLD_CONTENT, AcpPermission
from zot_core.compaction.window import Window
from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.events import ToolCall
from zot_core.hooks import ToolRequest
from zot_core.machine.files import LocalFiles
from zot_core.testing import FakeShell
from zot_core.tools.definition.context import ToolContext
from zot_provider.errors import ZotError


class Scene:
    """A permission whose questions get `answer`."""

    def __init__(self, folder: Path, answer: str | ZotError = "once") -> None:
        self.answer = answer
        self.asked: list[dict[str, Any]] = []
        self.choices: list[dict[str, Any]] = []
        self.feed = UpdateFeed(
            lambda update: None, lambda: str(folder), tools={"write": Writer()}, window=lambda: Window(0)
        )
        context = ToolContext(str(folder), LocalFiles(), FakeShell())
        self.permission = AcpPermission(self.feed, lambda: context, self.ask)

    async def ask(self, call: dict[str, Any], choices: list[dict[str, Any]]) -> str:
        self.asked.append(call)
        self.choices = choices
        if isinstance(self.answer, ZotError):
            raise self.answer
        return self.answer

    async def call(self, name: str = "bash", *, always: str = "", **arguments: str) -> PermissionAnswer:
        call = ToolRequest("c", name, arguments)
        self.feed.show(ToolCall("c", name, call.arguments_json()))
        return await self.permission(PermissionQuestion("q", call, "no rule", [always] if always else []))


async def test_one_call_is_allowed(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    assert await scene.call() == PermissionAnswer("yes")
    assert [each["optionId"] for each in scene.choices] == ["once", "reject"]


async def test_always_is_offered_with_its_rule_where_a_rule_can_allow_the_call(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "always")
    assert await scene.call("bash", always="bash(ls)") == PermissionAnswer("always")
    assert [each["name"] for each in scene.choices] == ["Allow this call", "Always allow bash(ls)", "Reject"]


async def test_a_question_that_is_cancelled_or_fails_refuses_the_call(tmp_path: Path) -> None:
    assert await Scene(tmp_path, "").call() == PermissionAnswer("no")
    failed = await Scene(tmp_path, ZotError("no answer")).call()
    assert failed == PermissionAnswer("no", "the user could not be asked: no answer", unanswered=True)


async def test_a_question_about_a_file_shows_its_old_content(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    scene = Scene(tmp_path)
    await scene.call("write", path="a.txt", content="new")
    (change,) = scene.asked[0]["content"]
    assert (change["oldText"], change["newText"]) == ("old", "new")


async def test_a_new_file_has_no_old_content_and_a_huge_one_no_change(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    await scene.call("write", path="new.txt", content="new")
    assert "oldText" not in scene.asked[0]["content"][0]
    (tmp_path / "huge.txt").write_text("x" * (MAX_OLD_CONTENT + 1))
    scene = Scene(tmp_path)
    await scene.call("write", path="huge.txt", content="new")
    assert "content" not in scene.asked[0]


async def test_a_question_about_a_call_of_a_sub_agent_names_it_and_its_call_is_ended(tmp_path: Path) -> None:
    for answer, status in (("once", "completed"), ("reject", "failed")):
        sent: list[dict[str, Any]] = []
        scene = Scene(tmp_path, answer)
        scene.feed = UpdateFeed(sent.append, lambda: str(tmp_path), tools={}, window=lambda: Window(0))
        scene.permission = AcpPermission(
            scene.feed, lambda: ToolContext(str(tmp_path), LocalFiles(), FakeShell()), scene.ask
        )
        call = ToolRequest("c", "bash", {"command": "ls"}, agent_id="2")
        await scene.permission(PermissionQuestion("q", call, "no rule", []))
        assert (scene.asked[0]["toolCallId"], scene.asked[0]["title"]) == ("agent-2:c", "agent 2: bash ls")
        assert sent == [{"sessionUpdate": "tool_call_update", "toolCallId": "agent-2:c", "status": status}]
