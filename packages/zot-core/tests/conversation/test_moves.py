"""A conversation that continues at another place of its session."""

import asyncio
from pathlib import Path

import pytest

from zot_core import Runtime
from zot_core.conversation.branches import NotAllowed
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import ConversationEvent, SessionStart, SessionTreeMove
from zot_core.errors import Busy, Refused
from zot_core.hooks import SessionChange, TreeMove
from zot_core.sessions.tree import UnknownEntry
from zot_provider.testing import ScriptedClient


async def talk(conversation: Conversation, *prompts: str) -> None:
    for prompt in prompts:
        async for _ in conversation.prompt(prompt):
            pass


async def test_a_conversation_goes_back_gets_a_label_and_is_forked(tmp_path: Path) -> None:
    client, seen = ScriptedClient(["one", "two", "three"]), list[ConversationEvent]()
    runtime = Runtime("scripted", client=client, cwd=tmp_path, session=tmp_path / "s.jsonl")
    async with Conversation(runtime) as conversation:
        conversation.events.add(seen.append)
        await talk(conversation, "first", "second")
        branches = conversation.branches
        second = next(message for message in runtime.messages if message.text == "second")
        assert await branches.go_to(second.id, before=True) == second
        assert [message.text for message in runtime.messages] == ["first", "one"]
        await branches.label(second.id, "left")
        assert (await branches.tree()).labels[second.id] == "left"
        with pytest.raises(UnknownEntry, match="no entry 'gone'"):
            await branches.label("gone", "left")
        await branches.label(second.id, " \n two\twords " + "x" * 300 + "\nmore")
        assert (await branches.tree()).labels == {second.id: "two words " + "x" * 189 + "…"}
        await talk(conversation, "third")
        before = runtime.session
        await branches.fork()
        assert runtime.session is not before
        kinds = [type(event) for event in seen if isinstance(event, SessionStart | SessionTreeMove)]
        assert kinds == [SessionTreeMove, SessionStart]


async def test_a_hook_stops_a_move_gives_a_summary_and_a_label(tmp_path: Path) -> None:
    runtime = Runtime("scripted", client=ScriptedClient(["one", "two"]), cwd=tmp_path, session=tmp_path / "s.jsonl")

    async def move(wanted: TreeMove) -> TreeMove:
        if wanted.summarise:
            return wanted.replace(summary="written by a hook", label="seen")
        raise Refused("stay here")

    async def change(_: SessionChange) -> None:
        raise Refused("no forks")

    async with Conversation(runtime) as conversation:
        await talk(conversation, "first", "second")
        runtime.hooks.tree_move.add(move)
        runtime.hooks.session_change.add(change)
        first = runtime.messages[0]
        with pytest.raises(NotAllowed, match="stay here"):
            await conversation.branches.go_to(first.id)
        with pytest.raises(NotAllowed, match="no forks"):
            await conversation.branches.fork()
        await conversation.branches.go_to(first.id, summarise=True)
        assert "written by a hook" in runtime.messages[-1].text
        assert (await conversation.branches.tree()).labels[first.id] == "seen"


async def test_changes_of_the_session_are_made_in_turn_and_a_later_prompt_waits_for_them(tmp_path: Path) -> None:
    runtime = Runtime("scripted", client=ScriptedClient(["one", "two"]), cwd=tmp_path, session=tmp_path / "s.jsonl")
    async with Conversation(runtime) as conversation:
        await talk(conversation, "first")
        make, branches, first = conversation.changes.make, conversation.branches, runtime.session
        begun = [make(branches.fork), make(branches.fork), make(conversation.new_session)]
        run = conversation.prompt("second")
        with pytest.raises(Busy):
            await make(branches.clear)  # the prompt comes before it
        runs = [asyncio.ensure_future(each) for each in begun]
        await runs[0]
        assert (len(runtime.messages), run.end) == (2, None)
        await asyncio.gather(*runs)
        await conversation.idle()
        assert [message.text for message in runtime.messages] == ["second", "two"]
        assert runtime.session is not first


async def test_a_change_that_is_cancelled_or_refused_holds_nothing_up(tmp_path: Path) -> None:
    runtime = Runtime(
        "scripted", client=ScriptedClient(["one", "two", "three"]), cwd=tmp_path, session=tmp_path / "s.jsonl"
    )
    asked = asyncio.Event()

    async def never(_: SessionChange) -> None:
        asked.set()
        await asyncio.Event().wait()

    async with Conversation(runtime) as conversation:
        await talk(conversation, "first")
        runtime.hooks.session_change.add(never)
        make, branches = conversation.changes.make, conversation.branches
        held, waits = asyncio.ensure_future(make(branches.fork)), asyncio.ensure_future(make(branches.clear))
        await asked.wait()
        run = conversation.prompt("second")
        waits.cancel()
        held.cancel()
        await asyncio.wait([held, waits])
        assert await run == "completed"
        with pytest.raises(UnknownEntry):
            await make(lambda: branches.go_to("gone"))
        assert await conversation.prompt("third") == "completed"
        assert not conversation.busy


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
async def test_a_change_that_nobody_awaits_or_that_is_cancelled_before_it_is_awaited_holds_nothing_up(
    tmp_path: Path,
) -> None:
    runtime = Runtime("scripted", client=ScriptedClient(["one", "two"]), cwd=tmp_path, session=tmp_path / "s.jsonl")
    async with Conversation(runtime) as conversation:
        await talk(conversation, "first")
        make, branches, first = conversation.changes.make, conversation.branches, runtime.session
        make(branches.fork)
        cancelled = asyncio.ensure_future(make(branches.fork))
        run = conversation.prompt("second")
        cancelled.cancel()
        assert await run == "completed"
        assert [message.text for message in runtime.messages] == ["first", "one", "second", "two"]
        assert (conversation.changes.open, conversation.busy, runtime.session is first) == (False, False, False)
