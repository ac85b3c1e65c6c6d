import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from acp_editor import Editor
from waiting import PATIENCE

from zot_agent.acp.session import AcpSession, PromptEnd, PromptFailed
from zot_agent.extensions.discover import Discovery
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.setup import ExtensionSetup
from zot_agent.host.host import Host
from zot_core.aio import spawn
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import Alert, ClearNotes, Notify, Submit, TitleChange, WidgetChange
from zot_core.errors import Busy
from zot_core.events import RunEnd
from zot_core.hooks import Refusal
from zot_core.permission_mode import PermissionMode
from zot_core.runtime.runtime import Runtime
from zot_provider.errors import ModelError
from zot_provider.messages import Message
from zot_provider.model import Model
from zot_provider.testing import Call, ScriptedClient, Turn
from zot_provider.testing.turn import Answer


@asynccontextmanager
async def opened(
    editor: Editor, *answers: Answer, messages: list[Message] | None = None, mode: PermissionMode = "yolo", **more: Any
) -> AsyncIterator[AcpSession]:
    """A session of a scripted model, with extensions of which there are none."""
    runtime = Runtime(Model("m", "v"), client=ScriptedClient(answers), messages=messages or [], **more)
    host = Host(Conversation(runtime), ["a note of the beginning"])
    host.extensions = Extensions(lambda: Discovery([], []), lambda: AgentInfo(".", "v", "m", ""), ExtensionSetup("."))
    host.extensions.start()
    host.conversation.attach(host.extensions)
    session = AcpSession("s", host, editor)
    session.set_mode(mode)
    try:
        yield session
    finally:
        await session.close()


def words(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


async def test_notes_between_prompts_wait_for_the_next_one_and_prompts_are_not_sent() -> None:
    editor = Editor()
    async with opened(editor, "Hello.") as session:
        events = session.host.extensions.events  # type: ignore[union-attr]
        for event in (Notify("ext", "info", "a note"), Submit("ext", "a prompt"), ClearNotes("ext")):
            events.notify(event)
        assert editor.said() == ""
        assert await session.prompt(words("hi")) == PromptEnd("end_turn", "completed")
    assert editor.said().split("\n\n") == [
        "*[zot]* a note of the beginning",
        "*[ext]* a note",
        "*[ext]* wanted to say, and it was not sent because no prompt was being answered: a prompt",
        "Hello.",
    ]
    assert editor.said("user_message_chunk") == ""


async def test_a_prompt_of_an_extension_is_answered_after_the_running_one() -> None:
    editor = Editor()
    async with opened(editor, "First.", "Second.") as session:

        def submit(step: int) -> None:
            if step == 1 and len(session.host.runtime.messages) == 1:
                session.host.extensions.events.notify(Submit("ext", "and more"))  # type: ignore[union-attr]

        session.host.runtime.hooks.before_turn.add(submit)
        assert await session.prompt(words("hi")) == PromptEnd("end_turn", "completed")
    assert editor.said("user_message_chunk") == "and more"
    assert editor.said().endswith("First.Second.")


@pytest.mark.parametrize(
    ("end", "stop"),
    [
        ("refused", "end_turn"),
        ("max_steps", "max_turn_requests"),
        ("max_cost", "max_turn_requests"),
        ("deadline", "max_turn_requests"),
        ("max_tokens", "max_tokens"),
    ],
)
async def test_a_prompt_that_is_stopped_says_why(end: RunEnd, stop: str) -> None:
    editor = Editor()
    async with opened(editor) as session:
        session.host.runtime.hooks.before_model_call.add(lambda step: Refusal("not today", end))
        assert await session.prompt(words("hi")) == PromptEnd(stop, end)
    assert editor.said().endswith("*[zot]* not today")


async def test_a_failure_is_raised_and_the_session_continues() -> None:
    async with opened(Editor(), Turn(error=ModelError("out of order")), "Hello.") as session:
        with pytest.raises(PromptFailed, match="out of order"):
            await session.prompt(words("hi"))
        assert await session.prompt(words("again")) == PromptEnd("end_turn", "completed")


async def test_a_failure_is_raised_whatever_came_after_it() -> None:
    async with opened(Editor(), Turn(error=ModelError("out of order")), "Second.") as session:

        def submit(step: int) -> None:
            if len(session.host.runtime.messages) == 1:
                session.host.extensions.events.notify(Submit("ext", "and more"))  # type: ignore[union-attr]

        session.host.runtime.hooks.before_turn.add(submit)
        with pytest.raises(PromptFailed, match="out of order"):
            await session.prompt(words("hi"))


async def test_a_prompt_during_another_is_refused_and_both_end_when_the_session_is_closed() -> None:
    async with opened(Editor(), Turn("Slowly.", delay=60.0)) as session:
        first = spawn(session.prompt(words("hi")), "prompt")
        await asyncio.sleep(0)
        assert session.busy
        with pytest.raises(Busy):
            await session.prompt(words("more"))
        await session.close()
        assert await first == PromptEnd("cancelled", "aborted")


async def test_compacting_is_a_command_that_fails_like_a_prompt() -> None:
    async with opened(Editor()) as session:
        with pytest.raises(PromptFailed, match="compact"):
            await session.prompt(words("/compact"))


async def test_calls_of_one_turn_are_asked_about_one_at_a_time(alone: Path) -> None:
    editor = Editor("always")
    turn = Turn(calls=[Call("write", {"path": name, "content": name}) for name in "abc"])
    async with opened(editor, turn, "Done.", mode="ask", cwd=alone) as session:
        assert await session.prompt(words("write")) == PromptEnd("end_turn", "completed")
    assert [each["title"] for each in editor.asked] == ["write a", "write b", "write c"]
    assert sorted(path.name for path in alone.iterdir()) == ["a", "b", "c"]


class SlowEditor(Editor):
    """Has no room until `reads` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.waited_for, self.reads = asyncio.Event(), asyncio.Event()

    async def room(self) -> None:
        self.waited_for.set()
        await self.reads.wait()


async def test_an_editor_that_reads_slowly_delays_the_next_model_call() -> None:
    editor = SlowEditor()
    async with opened(editor, "Hello.") as session:
        prompt = spawn(session.prompt(words("hi")), "prompt")
        async with asyncio.timeout(PATIENCE):
            await editor.waited_for.wait()
        assert editor.said("agent_message_chunk").endswith("a note of the beginning")
        editor.reads.set()
        assert await prompt == PromptEnd("end_turn", "completed")
    assert editor.said().endswith("Hello.")


async def test_what_extensions_show_goes_to_an_editor_that_can_show_it_and_is_unavailable_elsewhere() -> None:
    shown = [WidgetChange("ext", "k", "status", ("ready",)), TitleChange("ext", "at work"), Alert("ext", "done")]
    for editor in (Editor(shows=True), Editor()):
        async with opened(editor) as session:
            actions = session.conversation.actions
            for event in shown:
                session.host.extensions.events.notify(event)  # type: ignore[union-attr]
            assert (actions.shows_widgets, actions.shows_panels) == (editor.shows, False)
        sent = [each["_meta"]["zot"] for each in editor.of("session_info_update")]
        assert [each["type"] for each in sent] == (["ext_widget", "ext_title", "ext_alert"] if editor.shows else [])
        assert not editor.shows or (sent[0]["place"], sent[0]["lines"]) == ("status", ["ready"])
