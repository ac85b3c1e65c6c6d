"""Going back in a session, on disk and in memory."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zot_core import Runtime
from zot_core.compaction.compactor import CompactionError
from zot_core.errors import Busy, SessionLocked
from zot_core.sessions.branch import Found, open_branch
from zot_core.sessions.file import load
from zot_core.sessions.listing import delete, list_sessions
from zot_core.sessions.store import SessionStore
from zot_core.sessions.tree import UnknownEntry
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn


@pytest.fixture(params=["file", "memory"])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> str | None:
    return str(tmp_path / "talk.jsonl") if request.param == "file" else None


def open_runtime(session: str | None, *answers: Any) -> Runtime:
    return Runtime("any-name", client=ScriptedClient(list(answers)), session=session, builtin_tools=["ls"])


def texts(messages: list[Message]) -> list[str]:
    return [message.text for message in messages]


async def test_going_back_to_a_prompt_and_asking_something_else_keeps_what_was(session: str | None) -> None:
    async with open_runtime(session, "one", "two", "three", "four") as rt:
        for text in ("a", "b"):
            await rt.ask(text)
        before, usage = rt.messages, rt.usage
        prompt = await rt.branches.go_to(rt.messages[2].id, before=True)
        assert prompt is not None
        assert prompt.text == "b"
        assert (texts(rt.messages), rt.usage) == (["a", "one"], usage)
        await rt.ask("c")
        assert texts(rt.messages) == ["a", "one", "c", "three"]
        tree = await rt.branches.tree()
        assert [tree.node(id).kind for id in tree.path()] == ["user", "assistant", "user", "assistant"]
        fork = rt.messages[1].id
        assert texts([found for id in tree.children(fork) if (found := tree.message(id))]) == ["b", "c"]
        await rt.branches.go_to(before[-1].id)
        assert rt.messages == before
        assert [message.id for message in rt.messages] == [message.id for message in before]
        await rt.ask("d")
        assert texts(rt.messages) == ["a", "one", "b", "two", "d", "four"]
        assert rt.usage.output == 4 * usage.output // 2


async def test_going_back_before_the_first_prompt_starts_an_empty_conversation(session: str | None) -> None:
    async with open_runtime(session, "one", "two") as rt:
        await rt.ask("a")
        old = rt.messages[0].id
        await rt.branches.go_to(old, before=True)
        assert rt.messages == []
        await rt.ask("b")
        await rt.branches.go_to(old)
        assert texts(rt.messages) == ["a"]
        assert len((await rt.branches.tree()).children("")) == 2


async def test_the_entry_where_the_conversation_is_changes_nothing(session: str | None) -> None:
    async with open_runtime(session, "one") as rt:
        await rt.ask("a")
        messages = rt.messages
        await rt.branches.go_to(messages[-1].id)
        assert rt.messages == messages


async def test_a_compaction_is_undone_by_going_back_before_it(session: str | None) -> None:
    async with open_runtime(session, "one", "two", "three", "## Goal", "five") as rt:
        for text in ("a", "b", "c"):
            await rt.ask(text)
        before = rt.messages
        await rt.compact()
        after = rt.messages
        assert len(after) == 5
        await rt.branches.go_to(before[-1].id)
        assert rt.messages == before
        await rt.branches.go_to(after[0].id)
        assert rt.messages == after
        await rt.ask("d")
        await rt.branches.go_to(rt.messages[-1].id)
        assert texts(rt.messages)[-2:] == ["d", "five"]


async def test_results_of_a_batch_are_one_entry(session: str | None) -> None:
    calls = Turn(calls=[Call("ls", {"path": "."}), Call("ls", {"path": "."}), Call("ls", {"path": "."})])
    async with open_runtime(session, calls, "one", "two") as rt:
        await rt.ask("a")
        results, answer = rt.messages[2], rt.messages[3]
        assert len(results.content) == 3
        await rt.branches.go_to(answer.id, before=True)
        assert len(rt.messages) == 3
        assert rt.messages[2] == results
        await rt.branches.go_to(results.id, before=True)
        assert [message.role for message in rt.messages] == ["user", "assistant"]


async def test_labels_and_data_of_extensions_stay_with_their_entries(session: str | None) -> None:
    async with open_runtime(session, "one", "two") as rt:
        await rt.ask("a")
        rt.branches.label(rt.messages[0].id, "start")
        rt.branches.label(rt.messages[1].id, "wrong")
        rt.branches.label(rt.messages[1].id, "")
        id = rt.branches.add("todo", "list", {"open": ["é\ud800", 1.5, None]})
        await rt.ask("b")
        tree = await rt.branches.tree()
        assert tree.labels == {rt.messages[0].id: "start", rt.messages[1].id: ""}
        assert [tree.node(each).kind for each in tree.path()] == ["user", "assistant", "custom", "user", "assistant"]
        custom = tree.custom(id)
        assert custom is not None
        assert (custom.extension, custom.custom_type, custom.data["open"][1:]) == ("todo", "list", [1.5, None])
        assert texts(rt.messages) == ["a", "one", "b", "two"]
        await rt.branches.go_to(id)
        assert texts(rt.messages) == ["a", "one"]


async def test_data_that_is_stored_before_the_first_prompt_stays_when_that_is_asked_again(session: str | None) -> None:
    async with open_runtime(session, "one", "two") as rt:
        ids = [rt.branches.add("todo", "list", number) for number in (1, 2)]
        await rt.ask("a")
        prompt = await rt.branches.go_to(rt.messages[0].id, before=True)
        assert prompt is not None
        assert (prompt.text, rt.messages) == ("a", [])
        found = await rt.branches.with_data()
        assert [each if isinstance(each, str) else each.id for each in found] == ids
        await rt.ask("b")
        assert [each if isinstance(each, str) else each.data for each in await rt.branches.with_data()][:2] == [1, 2]
        assert texts(rt.messages) == ["b", "two"]
    if session is not None:
        newest = max(Path(session).parent.glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
        async with open_runtime(str(newest)) as rt:
            assert len(await rt.branches.with_data()) == 4


async def test_what_an_extension_adds_without_an_answer_is_no_prompt_to_undo(session: str | None) -> None:
    async with open_runtime(session, "one", "two") as rt:
        await rt.ask("a")
        note = Message("user", [TextBlock("news")], extension="news")
        rt.agent.history.append(note)
        rt.branches.add("news", "seen", True)
        moved = await rt.branches.undo()
        assert moved.message is not None
        assert (moved.message.text, rt.messages) == ("a", [])
        await rt.branches.redo()
        assert texts(rt.messages) == ["a", "one", "news"]


async def test_a_label_in_a_branch_outlives_the_older_one_of_the_entry_s_first_file(session: str | None) -> None:
    async with open_runtime(session, "one", "two", "three") as rt:
        for text in ("a", "b"):
            await rt.ask(text)
        first = rt.messages[0].id
        rt.branches.label(first, "old")
        await rt.branches.go_to(rt.messages[1].id)
        rt.branches.label(first, "new")
        await rt.ask("c")
        assert (await rt.branches.tree()).labels == {first: "new"}


async def test_the_branch_that_is_left_is_summarised_for_the_model(session: str | None) -> None:
    async with open_runtime(session, "one", "two", "It went wrong.", "three") as rt:
        for text in ("a", "b"):
            await rt.ask(text)
        left = rt.messages[2:]
        summary = await rt.branches.summary(left[0].id, before=True)
        assert summary is not None
        usage = rt.usage
        await rt.branches.go_to(left[0].id, before=True, summary=summary)
        assert texts(rt.messages) == ["a", "one", "## Summary of another branch\n\nIt went wrong."]
        assert rt.usage == usage
        await rt.ask("c")
        assert await rt.branches.summary(rt.messages[-1].id) is None
        conversation = rt.messages
        tree = await rt.branches.tree()
        assert [tree.node(id).kind for id in tree.path()][2:] == ["branch_summary", "user", "assistant"]
        assert (found := tree.message(summary.id)) is not None
        assert found.summarized_tokens == summary.summarized_tokens
        await rt.branches.go_to(left[-1].id)
        await rt.branches.go_to(conversation[-1].id)
        assert rt.messages == conversation
        if rt.session is not None:
            assert load(rt.session.path).messages == conversation
            kinds = [json.loads(line)["type"] for line in Path(rt.session.path).read_text().splitlines()]
            assert kinds.count("branch_summary") == 1


async def test_a_summary_that_fails_is_an_error_and_changes_nothing(session: str | None) -> None:
    async with open_runtime(session, "one", "two", "") as rt:
        for text in ("a", "b"):
            await rt.ask(text)
        with pytest.raises(CompactionError, match="empty summary"):
            await rt.branches.summary(rt.messages[1].id)
        assert texts(rt.messages) == ["a", "one", "b", "two"]


async def test_an_unknown_entry_changes_nothing(session: str | None) -> None:
    async with open_runtime(session, "one") as rt:
        await rt.ask("a")
        for act in (rt.branches.go_to, rt.branches.fork):
            with pytest.raises(UnknownEntry, match="has no entry 'gone'"):
                await act("gone")
        assert texts(rt.messages) == ["a", "one"]


async def test_a_run_must_have_ended(session: str | None) -> None:
    async with open_runtime(session, "one", Turn("two", delay=5, chunk=1)) as rt:
        await rt.ask("a")
        run = rt.prompt("b")
        with pytest.raises(Busy):
            await rt.branches.go_to(rt.messages[0].id)
        run.cancel()
        await run


async def test_a_fork_is_a_session_of_its_own(session: str | None) -> None:
    async with open_runtime(session, "one", "two", "three") as rt:
        for text in ("a", "b"):
            await rt.ask(text)
        first = rt.session
        await rt.branches.fork(rt.messages[1].id)
        await rt.ask("c")
        assert texts(rt.messages) == ["a", "one", "c", "three"]
        assert len((await rt.branches.tree()).ids) == 4
        if first is not None and rt.session is not None:
            assert rt.session.meta.session_id != first.meta.session_id
            assert rt.session.meta.other["parent"] == first.meta.id
            assert rt.session.meta.other["fork_point"] == 2
            assert texts(load(first.path).messages) == ["a", "one", "b", "two"]
            assert not load(first.path).meta.hidden


async def test_a_branch_without_a_file_yet_is_forked_at_entries_of_others(session: str | None) -> None:
    async with open_runtime(session, "one") as rt:
        with pytest.raises(UnknownEntry, match="the session has no entry 'none'"):
            await rt.branches.fork("none")
        await rt.ask("a")
        first, last = rt.messages
        await rt.branches.go_to(first.id, before=True)
        assert rt.messages == []
        await rt.branches.fork(last.id)
        assert texts(rt.messages) == ["a", "one"]


async def test_a_fork_has_the_data_of_extensions_labels_and_compactions_before_its_entry(session: str | None) -> None:
    async with open_runtime(session, "one", "two", "the story so far", "three") as rt:
        rt.branches.add("todo", "list", 0)
        await rt.ask("a")
        rt.branches.add("todo", "list", 1)
        rt.branches.label(rt.messages[1].id, "start")
        await rt.ask("b")
        rt.branches.add("todo", "list", 2)
        await rt.compact()
        rt.branches.add("todo", "list", 3)
        messages = rt.messages
        await rt.branches.fork()
        assert rt.messages == messages
        await rt.ask("c")
        assert await data_in(rt) == [0, 1, 2, 3]
        prompts = [message for message in rt.messages if message.text == "c"]
        await rt.branches.fork(prompts[0].id, before=True)
        assert rt.messages == messages
        assert await data_in(rt) == [0, 1, 2, 3]
        tree = await rt.branches.tree()
        assert list(tree.labels.values()) == ["start"]
        await rt.branches.fork(next(iter(tree.labels)))
        assert texts(rt.messages) == ["a", "one"]
        assert await data_in(rt) == [0]


async def data_in(rt: Runtime) -> list[Any]:
    return [each.data for each in await rt.branches.with_data() if not isinstance(each, str)]


async def test_a_fork_keeps_its_entries_when_it_is_left_before_anything_was_asked(session: str | None) -> None:
    async with open_runtime(session, "one") as rt:
        await rt.ask("a")
        await rt.branches.fork()
        last = rt.messages[1].id
        await rt.branches.go_to(last, before=True)
        await rt.branches.go_to(last)
        assert texts(rt.messages) == ["a", "one"]


async def test_a_session_is_one_line_in_the_list_whatever_branches_it_has(tmp_path: Path) -> None:
    store, cwd = SessionStore(str(tmp_path / "sessions")), str(tmp_path)
    file = store.create(cwd, "any-name", "", "1")
    client = ScriptedClient([f"answer {number}" for number in range(5)])
    async with Runtime("any-name", client=client, session=file) as rt:
        assert rt.session is not None
        await rt.ask("a")
        await rt.ask("b")
        id = rt.state.session_id
        await rt.branches.go_to(rt.messages[2].id, before=True)
        rt.session.change(title="weather")
        await rt.ask("c")
        path = rt.session.path
        assert path != file.path
        assert rt.state.session_id == id == file.meta.id
        assert rt.agent.cache_key == id
    entries = list_sessions(store, cwd)
    assert [(entry.id, entry.path, entry.name) for entry in entries] == [(id, path, "weather")]
    assert store.latest(cwd) == path
    assert store.find(id[:8], cwd) == path
    assert load(path).usage.output == 3 * 5


async def test_a_deleted_session_leaves_no_branch_behind(tmp_path: Path) -> None:
    store, cwd = SessionStore(str(tmp_path / "sessions")), str(tmp_path)
    other = store.create(cwd, "any-name", "", "1")
    other.append(Message("user", [TextBlock("stays")]))
    other.close()
    client = ScriptedClient(["one", "two", "three"])
    async with Runtime("any-name", client=client, session=store.create(cwd, "any-name", "", "1")) as rt:
        await rt.ask("a")
        await rt.ask("b")
        await rt.branches.go_to(rt.messages[1].id)
        await rt.ask("c")
        assert rt.session is not None
        path = rt.session.path
    assert len(store.paths(cwd)) == 3
    delete(store, path)
    assert store.paths(cwd) == [other.path]


async def test_a_branch_without_entries_of_its_own_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    async with open_runtime(str(path), "one", "two") as rt:
        await rt.ask("a")
        await rt.ask("b")
        entries = [message.id for message in rt.messages]
        for id in (entries[1], entries[0], entries[2], entries[3]):
            await rt.branches.go_to(id)
            assert len(list(tmp_path.iterdir())) == 1 + (id != entries[3])
        assert rt.session is not None
        assert rt.session.path == str(path)
    assert not load(str(path)).meta.hidden


async def test_a_branch_that_another_process_has_open_is_not_entered(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    async with open_runtime(str(path), "one", "two", "three") as rt:
        await rt.ask("a")
        await rt.ask("b")
        last = rt.messages[-1].id
        await rt.branches.go_to(rt.messages[1].id)
        await rt.ask("c")
        other, _ = open_branch(Found(str(path)))
        files = sorted(tmp_path.iterdir())
        with pytest.raises(SessionLocked):
            await rt.branches.go_to(last)
        other.close()
        assert texts(rt.messages) == ["a", "one", "c", "three"]
        assert sorted(tmp_path.iterdir()) == files


GO_ROWS = [
    '{"type":"meta","meta":{"id":"af86bd37-4037-4b75-831b-5a146217f592","cwd":"/p","model":"m","provider":"p",'
    '"started":"2026-11-21T20:29:25.586Z","version":"0.1.0"}}',
    '{"type":"message","message":{"role":"user","content":[{"text":"hello"}],"time":"t"}}',
    '{"type":"message","message":{"role":"assistant","content":[{"text":"hm"}],"time":"t"}}',
    '{"type":"message","message":{"role":"user","content":[{"text":"hello"}],"time":"t"}}',
    '{"type":"message","message":{"role":"assistant","content":[{"text":"hm"}],"time":"t"}}',
]


async def test_entries_of_another_program_have_the_same_ids_in_copies(tmp_path: Path) -> None:
    path = tmp_path / "20261121-202925-af86bd37.jsonl"
    path.write_text("\n".join(GO_ROWS) + "\n")
    async with open_runtime(str(path), "one", "two") as rt:
        ids = [message.id for message in rt.messages]
        assert len(set(ids)) == 4
        await rt.ask("a")
        await rt.branches.go_to(ids[2])
        assert [message.id for message in rt.messages] == ids[:3]
        await rt.ask("b")
        tree = await rt.branches.tree()
        assert len(tree.ids) == 8
        await rt.branches.fork()
        assert [message.id for message in rt.messages][:3] == ids[:3]


async def test_a_copy_can_be_continued_after_its_parent_was_deleted(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    async with open_runtime(str(path), "one", "two", "three") as rt:
        await rt.ask("a")
        await rt.ask("b")
        await rt.branches.go_to(rt.messages[1].id)
        await rt.ask("c")
        assert rt.session is not None
        branch = rt.session.path
    path.unlink()
    async with open_runtime(branch, "four") as rt:
        await rt.ask("d")
        await rt.branches.go_to(rt.messages[2].id)
        assert texts(rt.messages) == ["a", "one", "c"]


STEPS = st.lists(st.tuples(st.sampled_from(["ask", "to", "before", "reopen"]), st.integers(0, 50)), max_size=12)


def walk(session: str | None, steps: list[tuple[str, int]]) -> list[list[str]]:
    """The texts of the conversation after each step, and the depth of each entry at the end."""
    return asyncio.run(_walk(session, steps))


async def _walk(session: str | None, steps: list[tuple[str, int]]) -> list[list[str]]:
    seen: list[list[str]] = []
    order: list[str] = []  # entries in the order in which they came
    rt = open_runtime(session, *(f"answer {number}" for number in range(20)))
    asked = 0
    try:
        for step, number in steps:
            if step == "ask":
                await rt.ask(f"prompt {asked}")
                asked += 1
                order += [message.id for message in rt.messages if message.id not in order]
            elif step == "reopen" and rt.session is not None and os.path.exists(rt.session.path):
                path = rt.session.path
                await rt.close()
                rt = open_runtime(path, *(f"answer {number}" for number in range(asked, 20)))
            elif step != "reopen" and order:
                await rt.branches.go_to(order[number % len(order)], before=step == "before")
            seen.append(texts(rt.messages))
        tree = await rt.branches.tree()
        seen.append(sorted(str(len(tree.path(id))) for id in tree.ids))
    finally:
        await rt.close()
    return seen


@settings(max_examples=25, deadline=None)
@given(STEPS)
def test_any_walk_through_a_session_is_the_same_on_disk_and_in_memory(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("walk")
    assert walk(str(folder / "talk.jsonl"), steps) == walk(None, steps)
    for path in folder.iterdir():
        kinds = [json.loads(line)["type"] for line in path.read_text().splitlines()]
        assert kinds[0] == "meta"
        assert load(str(path)).messages


async def test_a_message_keeps_its_id_when_it_is_compared_and_copied() -> None:
    one = Message("user", [TextBlock("a")], id="1")
    assert one == Message("user", [TextBlock("a")], id="2")
    assert one.replace(time="t").id == "1"
