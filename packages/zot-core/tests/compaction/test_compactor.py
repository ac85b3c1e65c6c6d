import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zot_core.agent import Agent, user_message
from zot_core.compaction.compactor import CompactionError, CompactionLimits, Compactor, NothingToCompact
from zot_core.compaction.summary import HEADING
from zot_core.display import Todo
from zot_core.events import CompactDone, CompactStart, UsageEvent
from zot_core.sessions.file import SessionFile, load
from zot_core.sessions.recorder import Recorder
from zot_core.sessions.rows import Meta
from zot_core.testing import EventClient, make_agent, record, types
from zot_core.tools import BUILTIN_TOOLS
from zot_core.tools.todo import LEFT_ALONE, current_list
from zot_provider.errors import ConfigError, ModelError
from zot_provider.events import StreamEnd, StreamEvent
from zot_provider.messages import Block, Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.testing import ScriptedClient, Turn
from zot_provider.wire.base import Quirks
from zot_provider.wire.normalize import NO_RESULT, normalize

KEEP = CompactionLimits().keep


def said(text: str) -> Message:
    return Message("assistant", [TextBlock(text)])


def chat(length: int) -> list[Message]:
    return [(said if number % 2 else user_message)(f"{number} " + "x" * 40) for number in range(length)]


def round_of(number: int, calls: int, results: int, text: str = "") -> list[Message]:
    """An answer with calls, and the message with the results of as many of them as there are."""
    ids = [f"call_{number}_{position}" for position in range(calls)]
    words: list[Block] = [TextBlock(text)] if text else []
    messages = [Message("assistant", [*words, *(ToolCallBlock(id, "ls", "{}") for id in ids)])]
    if results:
        messages.append(Message("tool", [ToolResultBlock(id, [TextBlock(id)]) for id in ids[:results]]))
    return messages


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Prompts, answers, and rounds of calls, some of them stopped before all or any of their results came."""
    messages: list[Message] = []
    for number in range(draw(st.integers(0, 12))):
        kind = draw(st.sampled_from(["prompt", "answer", "round", "stopped"]))
        if kind == "prompt":
            messages.append(user_message(draw(st.text(max_size=5))))
        elif kind == "answer":
            messages.append(said(draw(st.text(min_size=1, max_size=5))))
        else:
            calls = draw(st.integers(1, 3))
            results = calls if kind == "round" else draw(st.integers(0, calls))
            messages += round_of(number, calls, results, draw(st.sampled_from(["", "I look."])))
    return messages


def compact(agent: Agent, limits: CompactionLimits | None = None, instructions: str = "") -> None:
    asyncio.run(Compactor(agent, limits).compact(instructions=instructions))


def unanswered(messages: list[Message]) -> tuple[set[str], set[str]]:
    """Calls without a result, and results without a call."""
    calls = {call.id for message in messages for call in message.tool_calls}
    blocks = [block for message in messages for block in message.content if isinstance(block, ToolResultBlock)]
    results = {block.call_id for block in blocks}
    return calls - results, results - calls


def test_a_summary_replaces_all_but_the_last_four() -> None:
    agent = make_agent(ScriptedClient(["## Goal\n\nCount."]), messages=chat(10))
    before, events = agent.history.messages, record(agent)

    compact(agent)

    summary, *kept = agent.history.messages
    assert kept == before[-4:]
    assert summary.role == "user"
    facts, notes = summary.content
    assert notes == TextBlock("## Notes\n\n## Goal\n\nCount.")
    quoted = [f"> {number} {'x' * 40}" for number in (0, 2, 4)]
    text = "\n\n".join([HEADING, "## What the user has written, word for word", *quoted])
    assert facts == TextBlock(text)
    assert summary.summarized_tokens == 105
    assert summary.time.endswith("Z")
    assert types(events) == ["compact_start", "usage", "compact_done"]
    assert events[0] == CompactStart("manual", 10, 105)
    assert events[-1] == CompactDone("## Goal\n\nCount.", 4, 105, 109)


async def test_the_next_request_has_the_summary_and_the_same_prompt_and_cache_key() -> None:
    client = ScriptedClient(["the summary", "an answer"])
    agent = make_agent(client, messages=chat(9), system="be brief")
    agent.cache_key = "key"
    agent.hooks.system_prompt.add(lambda system: f"{system}!")
    await Compactor(agent).compact()
    await agent.run(user_message("go on"))
    request = client.requests[1]
    assert (request.system, request.cache_key) == ("be brief!", "key")
    assert [message.text[:2] for message in request.messages] == ["##", "5 ", "6 ", "7 ", "8 ", "go"]


@given(conversations())
@settings(max_examples=settings.default.max_examples * 3 // 5)
def test_a_compacted_conversation_adds_up_and_keeps_its_end(messages: list[Message]) -> None:
    agent = make_agent(ScriptedClient(["s"], repeat=True), messages=messages)
    open_calls, _ = unanswered(messages)
    try:
        compact(agent)
    except NothingToCompact:
        assert agent.history.messages == messages
        return
    summary, *kept = agent.history.messages
    assert summary.role == "user"
    assert len(kept) >= KEEP
    assert kept == messages[-len(kept) :]
    calls, results = unanswered(kept)
    assert results == set()
    assert calls <= open_calls
    sent = normalize(agent.history.messages, "wire", Model("m", "p"), Quirks())
    assert sent[0].role == "user"
    stubs = [block for message in sent for block in message.content if isinstance(block, ToolResultBlock)]
    assert sum(block.content == [TextBlock(NO_RESULT)] for block in stubs) == len(calls)


@given(conversations())
@settings(max_examples=settings.default.max_examples * 3 // 10)
def test_compacting_twice_changes_nothing_the_second_time(messages: list[Message]) -> None:
    agent = make_agent(ScriptedClient(["s"]), messages=[*messages, *chat(KEEP + 1)])
    compact(agent)
    once, events = agent.history.messages, record(agent)
    with pytest.raises(NothingToCompact):
        compact(agent)
    assert agent.history.messages == once
    assert events == []


def test_an_earlier_summary_is_carried_over() -> None:
    client = ScriptedClient(["first notes", "second notes"])
    agent = make_agent(client, messages=chat(8))
    compact(agent)
    for message in chat(3):
        agent.history.append(message)

    compact(agent, instructions="mind the roof")

    assert "<earlier_notes>\nfirst notes\n</earlier_notes>" in client.requests[1].messages[0].text
    assert "mind the roof" in client.requests[1].messages[0].text
    texts = [message.text for message in agent.history.messages]
    assert texts[0].startswith(HEADING)
    assert texts[0].count("## What the user has written") == 1
    assert texts[0].endswith("\n## Notes\n\nsecond notes")
    assert len(texts) == 1 + KEEP


@pytest.mark.parametrize("length", range(KEEP + 1))
def test_a_short_conversation_has_nothing_to_compact(length: int) -> None:
    agent = make_agent(ScriptedClient(), messages=chat(length))
    events = record(agent)
    tail = ": keep-tail covers the whole transcript" if length else ""
    with pytest.raises(NothingToCompact, match=rf"^nothing to compact{tail}$"):
        compact(agent)
    assert events == []


def test_a_tail_that_reaches_to_the_beginning_covers_everything() -> None:
    messages = [*round_of(0, 1, 1), *chat(3)]
    agent = make_agent(ScriptedClient(), messages=messages)
    with pytest.raises(NothingToCompact, match="keep-tail covers the whole transcript"):
        compact(agent)


@pytest.mark.parametrize("turn", [Turn(""), Turn(" \n"), Turn(f"{HEADING}\n\n"), Turn(reasoning="hm")])
def test_a_model_that_says_nothing_is_asked_again_and_then_has_summarised_nothing(turn: Turn) -> None:
    agent = make_agent(ScriptedClient([turn, turn]), messages=chat(9))
    before = agent.history.messages
    with pytest.raises(CompactionError, match=r"^empty summary from model$"):
        compact(agent)
    assert agent.history.messages == before
    agent = make_agent(ScriptedClient([turn, "the notes"]), messages=chat(9))
    compact(agent)
    assert agent.history.messages[0].text.endswith("the notes")


def test_a_conversation_that_changes_meanwhile_is_left_alone() -> None:
    agent = make_agent(ScriptedClient(["s"]), messages=chat(9))

    def interfere(event: object) -> None:
        if isinstance(event, UsageEvent):
            agent.history.append(user_message("by the way"))

    agent.hooks.event.add(interfere)
    with pytest.raises(CompactionError, match="changed while"):
        compact(agent)
    assert len(agent.history) == 10


def test_a_summary_has_no_half_characters() -> None:
    agent = make_agent(ScriptedClient([Turn("so \ud83d it is", chunk=100)]), messages=chat(9))
    compact(agent)
    assert agent.history.messages[0].text.endswith("so � it is")


@pytest.mark.parametrize(
    "limits",
    [
        CompactionLimits(0.0),
        CompactionLimits(1.1),
        CompactionLimits(float("nan")),
        CompactionLimits(keep=0),
        CompactionLimits(summary_tokens=0),
    ],
)
def test_limits_that_make_no_sense_are_refused(limits: CompactionLimits) -> None:
    with pytest.raises(ConfigError):
        Compactor(make_agent(ScriptedClient()), limits)


def test_the_limits_are_the_documented_ones() -> None:
    assert CompactionLimits() == CompactionLimits(0.85, True, 4, 4096, 2000)


# In a session file.


def recorded(agent: Agent, path: Path) -> SessionFile:
    session = SessionFile(str(path), Meta("id", "/p", "m", "v", "then"))
    Recorder(agent.hooks, agent.tools, session)
    return session


def test_a_compaction_is_on_disk_before_it_is_reported_and_before_the_history_changes(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    agent = make_agent(ScriptedClient(["s"]))
    session = recorded(agent, path)
    for message in chat(9):
        agent.history.append(message)
    seen: list[tuple[int, list[Message]]] = []
    agent.hooks.compacted.add(lambda compacted: seen.append((len(agent.history), load(str(path)).messages)))

    compact(agent)
    session.close()

    assert seen == [(9, agent.history.messages)]
    kinds = [json.loads(line)["type"] for line in path.read_text().splitlines()]
    assert kinds == ["meta", *["message"] * 9, "compaction", "usage"]


@pytest.mark.parametrize("how", ["cancelled", "failing", "empty"])
async def test_whatever_goes_wrong_with_a_summary_leaves_transcript_and_file_as_they_were(
    tmp_path: Path, how: str
) -> None:
    path = tmp_path / "s.jsonl"
    answers: dict[str, list[StreamEvent | BaseException | None]] = {
        "cancelled": [None],
        "failing": [ModelError("no")],
        "empty": [StreamEnd("end_turn", [])],
    }
    client = EventClient(answers[how])
    agent = make_agent(client)
    session = recorded(agent, path)
    for message in chat(9):
        agent.history.append(message)
    before, data = agent.history.messages, path.read_bytes()
    work = asyncio.ensure_future(Compactor(agent).compact())
    if how == "cancelled":
        await client.hanging.wait()
        work.cancel()
    await asyncio.wait([work])
    assert work.cancelled() or work.exception() is not None
    session.close()
    assert agent.history.messages == before
    assert path.read_bytes() == data


@given(st.data())
@settings(max_examples=settings.default.max_examples // 4)
def test_a_resumed_session_has_the_very_messages_the_agent_had(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("session") / "s.jsonl"
    agent = make_agent(ScriptedClient(["s"], repeat=True))
    session = recorded(agent, path)
    agent.history.append(user_message("hi"))
    for _ in range(data.draw(st.integers(1, 3))):
        for message in data.draw(conversations()):
            for block in message.content if message.role == "tool" else [None]:
                agent.history.append(message if block is None else message.replace(content=[block]))
        try:
            compact(agent)
        except NothingToCompact:
            continue
        if data.draw(st.booleans()):  # another process goes on
            session.close()
            stored = load(str(path))
            assert stored.messages == agent.history.messages
            agent = make_agent(ScriptedClient(["s"], repeat=True), messages=stored.messages)
            session = SessionFile(str(path), stored.meta, resume=stored)
            Recorder(agent.hooks, agent.tools, session)
    agent.history.append(user_message("bye"))
    session.close()
    assert load(str(path)).messages == agent.history.messages


def test_the_list_of_what_is_to_be_done_comes_back_with_the_summary() -> None:
    items = [{"content": "test it", "status": "in_progress"}, {"content": "write it", "status": "completed"}]
    call = ToolCallBlock("1", "todo", json.dumps({"items": items}))
    listed = [Message("assistant", [call]), Message("tool", [ToolResultBlock("1", [TextBlock("2 items")])])]
    todo = next(each for each in BUILTIN_TOOLS if each.name == "todo")
    left_alone = [*listed, *chat(2 * LEFT_ALONE + 2)]
    kept = "- [>] test it\n- [x] write it"
    for messages, expected in (([*listed, *chat(10)], kept), (chat(10), "Count."), (left_alone, "Count.")):
        agent = make_agent(ScriptedClient(["Count."]), todo, messages=messages)
        compact(agent)
        assert agent.history.messages[0].text.endswith(expected)
    agent = make_agent(ScriptedClient(["Count."], repeat=True), todo, messages=[*listed, *chat(10)])
    for _ in range(3):  # it comes back again, and not for ever
        compact(agent)
        assert agent.history.messages[0].text.endswith(kept)
        for message in chat(30):
            agent.history.append(message)
    for _ in range(2):
        compact(agent)
        for message in chat(60):
            agent.history.append(message)
    assert agent.history.messages[0].text.endswith("Count.")
    empty = [call.replace(id="2", arguments='{"items": []}')], [ToolResultBlock("2", [TextBlock("empty")])]
    assert todo.carry([*listed, Message("assistant", [*empty[0]]), Message("tool", [*empty[1]])]) is None


def test_the_list_of_what_is_to_be_done_is_kept_whole_and_not_read_from_the_summary() -> None:
    words = "step\n- [x] a line of it"
    call = ToolCallBlock("1", "todo", json.dumps({"items": [{"content": words, "status": "in_progress"}]}))
    todo = next(each for each in BUILTIN_TOOLS if each.name == "todo")
    messages = [Message("assistant", [call]), Message("tool", [ToolResultBlock("1", [TextBlock("1 item")])]), *chat(9)]
    agent = make_agent(ScriptedClient(["Count."], repeat=True), todo, messages=messages)
    for _ in range(4):
        compact(agent)
        assert current_list(agent.history.messages) == [Todo(words, "in_progress")]
        for message in chat(60):
            agent.history.append(message)
    assert agent.history.messages[0].text.endswith("Count.")  # no longer for the model


@pytest.mark.parametrize("kept", ["[]", '{"carried": 1}', '{"carried": {"todo": {"items": [1], "answers": 1}}}',
                                  '{"carried": {"todo": {"items": [], "answers": Infinity}}}'])  # fmt: skip
def test_a_damaged_list_in_a_summary_is_none(kept: str) -> None:
    assert current_list([Message("user", [], summarized_tokens=1, kept=kept)]) == []
