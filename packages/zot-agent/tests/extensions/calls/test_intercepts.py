"""Interceptions beyond those of every host, by extensions in their own processes."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from calling_extension import RAW, Talk, World

from zot_agent.extensions.permissions.lines import permission_lines
from zot_core.compaction.compactor import CompactionLimits
from zot_core.conversation.branches import NotAllowed
from zot_core.conversation.events import ShellEnd
from zot_core.conversation.extensions import FrontEndActions
from zot_core.conversation.shell_command import ShellCommand
from zot_core.display import CodeDisplay, TextDisplay, recalled_display
from zot_core.events import ErrorEvent, ToolResultEvent, UserMessage
from zot_ext.manifest import Manifest
from zot_ext.protocol.events import INTERCEPTS, NEWER_INTERCEPTS
from zot_ext.protocol.events.interceptable import INTERCEPTABLE
from zot_ext.protocol.permissions import ExtensionPermissions, is_tool
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolResultBlock
from zot_provider.testing import Call, ScriptedClient, Turn


def interceptor(event: str, body: str, options: str = "") -> str:
    """An interceptor of an event, whose request is `it`."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"@ext.intercept({event!r}{options})\ndef on_{event}(it):\n{lines}"


def sent(client: ScriptedClient, number: int = -1) -> list[str]:
    """The texts of the messages of a request."""
    return [message.text for message in client.requests[number].messages]


async def events(talk: Talk, prompt: str = "go") -> list[Any]:
    """The events of a run."""
    return [event async for event in talk.conversation.prompt(prompt)]


def rows(world: World) -> list[dict[str, Any]]:
    """The messages in the session file."""
    lines = (world.root / "sessions" / "one.jsonl").read_text("utf-8").splitlines()
    return [row["message"] for row in map(json.loads, lines) if row["type"] == "message"]


async def test_a_prompt_is_changed_by_each_extension_in_order_and_the_row_says_by_whom(world: World) -> None:
    world.add("first", interceptor("input", "return InputDecision(text=it.text + ' one')"), "")
    world.add("second", interceptor("input", "return InputDecision(text=it.text + ' two')"), "")
    client = ScriptedClient(["ok"])
    async with world.running(client, session=True) as talk:
        await events(talk)
    assert sent(client) == ["go one two"]
    assert rows(world)[0]["meta"]["changed_by"] == "first, second"


async def test_a_prompt_is_handled_or_refused_without_the_model(world: World) -> None:
    body = "if it.text == 'ping':\n    ext.notify('pong')\n    return InputDecision(handled=True)\nreturn block('no')"
    world.add("ping", interceptor("input", body), "")
    client = ScriptedClient([])
    async with world.running(client) as talk:
        assert not any(isinstance(each, UserMessage | ErrorEvent) for each in await events(talk, "ping"))
        (error,) = [each for each in await events(talk, "other") if isinstance(each, ErrorEvent)]
    assert error.message == "no"
    assert client.requests == []


async def test_a_steering_message_is_changed_too(world: World) -> None:
    world.add("loud", interceptor("input", "return InputDecision(text=it.deliver_as + ': ' + it.text.upper())"), "")
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "true"})]), "ok"])
    async with world.running(client) as talk:
        run = talk.conversation.prompt("go")
        async for event in run:
            if isinstance(event, ToolResultEvent):
                talk.conversation.steer("hurry")
    assert sent(client)[0] == "prompt: GO"
    assert sent(client)[-1] == "steer: HURRY"


async def test_messages_are_left_out_of_a_request_and_stay_in_the_conversation(world: World) -> None:
    body = "return ContextDecision(drop_ids=[each['id'] for each in it.messages[:-1]])"
    world.add("short", interceptor("context", body), "")
    client = ScriptedClient(["a", "b"])
    async with world.running(client) as talk:
        await events(talk, "one")
        await events(talk, "two")
        assert [message.text for message in talk.runtime.messages] == ["one", "a", "two", "b"]
    assert sent(client) == ["two"]


async def test_messages_that_come_back_unchanged_are_the_same_and_changed_ones_are_new(world: World) -> None:
    body = (
        "found = it.messages\nif len(found) > 1:\n"
        "    found[0] = {'role': 'user', 'content': [{'type': 'text', 'text': 'X'}]}\n"
        "return ContextDecision(messages=found)"
    )
    world.add("other", interceptor("context", body), "")
    client = ScriptedClient(["a", "b"])
    async with world.running(client) as talk:
        await events(talk, "one")
        await events(talk, "two")
        messages = talk.runtime.messages
    first, second = client.requests
    assert first.messages[0] is messages[0]
    assert sent(client) == ["X", "a", "two"]
    assert second.messages[1] is messages[1]


@pytest.mark.parametrize(
    "answer",
    [
        "{'messages': []}",
        "{'messages': 'no'}",
        "{'messages': [{'role': 'user'}]}",
        "{'messages': [{'role': 'user', 'content': [{'type': 'text', 'text': 5}]}]}",
        "{'messages': [{'role': 'user', 'content': [{'type': 'tool_call', 'id': 'a', 'name': 'b'}]}]}",
        "{'messages': [{'role': 'assistant', 'content': [{'type': 'text', 'text': 'a'}]}]}",
        "{'messages': [1, None]}",
        "{'drop_ids': 'all'}",
        "{'drop_ids': [each['id'] for each in frame['messages']]}",
    ],
)
async def test_garbage_for_messages_changes_nothing_and_is_logged(world: World, answer: str) -> None:
    raw = RAW + (
        "say(type='hello', name='raw', capabilities=['intercepts2'])\n"
        "say(type='subscribe', intercept=['context'])\nsay(type='ready')\n"
        "while (frame := read())['type'] != 'shutdown':\n"
        "    if frame['type'] == 'event_intercept':\n"
        f"        say(type='event_intercept_response', id=frame['id'], **{answer})\n"
    )
    world.add_raw("raw", raw)
    client = ScriptedClient(["a"])
    async with world.running(client) as talk:
        await events(talk, "one")
        assert "no answer to the intercept context" in talk.log("raw")
    assert sent(client) == ["one"]


async def test_signed_thinking_behind_a_changed_place_is_left_out() -> None:
    from zot_agent.extensions.hooks.context import ContextCopies, SentMessages
    from zot_ext.protocol.from_extension import EventInterceptResponse

    answer = Message("assistant", [ReasoningBlock("why", signature="s"), TextBlock("a")], id="2")
    messages = [Message("user", [TextBlock("one")], id="1"), answer, Message("user", [TextBlock("two")], id="3")]
    asked = SentMessages(messages, ContextCopies(), bound=True)
    dropped = asked.changed(EventInterceptResponse("q", extra={"drop_ids": ["1"]}))
    assert [type(block) for block in dropped.messages[0].content] == [TextBlock]
    again = asked.changed(EventInterceptResponse("q", extra={"drop_ids": ["1"]}))
    assert again.messages[0] is dropped.messages[0]
    kept = asked.replace(bound=False).changed(EventInterceptResponse("q", extra={"drop_ids": ["1"]}))
    assert kept.messages[0] is answer
    assert asked.changed(EventInterceptResponse("q", extra={"drop_ids": ["unknown"]})) is asked


async def test_a_result_is_changed_for_the_model_and_the_session(world: World) -> None:
    body = (
        "text = it.content[0]['text'].replace('secret', '***')\n"
        "return ToolResultDecision(content=[{'type': 'text', 'text': text}], is_error=True)"
    )
    world.add("mask", interceptor("tool_result", body), "")
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "echo secret"}, "c1")]), "ok"])
    async with world.running(client, session=True) as talk:
        (result,) = [each for each in await events(talk) if isinstance(each, ToolResultEvent)]
    assert "***" in str(result.content)
    assert result.is_error
    row = rows(world)[2]
    assert "secret" not in json.dumps(row)
    assert row["meta"] == {"changed_by c1": "mask"}


async def test_what_a_tool_shows_stays_where_something_is_only_added_to_its_result(world: World) -> None:
    body = "return ToolResultDecision(content=[*it.content, {'type': 'text', 'text': 'no faults'}])"
    world.add("lint", interceptor("tool_result", body), "")
    call = Call("write", {"path": "a.txt", "content": "one\n"})
    async with world.running(ScriptedClient([Turn(calls=[call]), "ok"])) as talk:
        (result,) = [each for each in await events(talk) if isinstance(each, ToolResultEvent)]
        asked, answered = talk.runtime.messages[1:3]
        (stored,) = [each for each in answered.content if isinstance(each, ToolResultBlock)]
        again = recalled_display(asked.tool_calls[0], stored, talk.runtime.agent.tools)
    shown = [CodeDisplay("a.txt", "one\n"), TextDisplay("no faults")]
    assert result.display == again == shown


async def test_an_answer_is_changed_before_it_is_stored(world: World) -> None:
    body = (
        "if it.message['role'] != 'assistant':\n    return None\n"
        "return MessageEndDecision({**it.message, 'content': [{'type': 'text', 'text': 'changed'}]})"
    )
    world.add("edit", interceptor("message_end", body), "")
    async with world.running(ScriptedClient(["said"]), session=True) as talk:
        await events(talk)
        assert talk.runtime.messages[1].text == "changed"
    assert rows(world)[1]["meta"]["changed_by"] == "edit"


async def test_a_message_of_another_role_is_ignored(world: World) -> None:
    body = "return MessageEndDecision({'role': 'tool', 'content': [{'type': 'text', 'text': 'changed'}]})"
    world.add("edit", interceptor("message_end", body), "")
    async with world.running(ScriptedClient(["said"])) as talk:
        await events(talk)
        assert [each.text for each in talk.runtime.messages] == ["go", "said"]


async def shell(talk: Talk, command: str) -> str:
    """The result of a command of the user."""
    ended: list[ShellEnd] = []
    talk.conversation.events.add(lambda event: ended.append(event) if isinstance(event, ShellEnd) else None)
    await talk.conversation.shell(ShellCommand(command))
    return ended[0].result.text


async def test_a_command_of_the_user_is_changed_answered_or_refused(world: World) -> None:
    body = (
        "if it.command == 'answer':\n    return UserBashDecision(output='from elsewhere', exit_code=3)\n"
        "if it.command == 'refuse':\n    return block('not here')\n"
        "return UserBashDecision(command='echo instead')"
    )
    world.add("bash", interceptor("user_bash", body), "")
    async with world.running() as talk:
        assert "instead" in await shell(talk, "other")
        assert (await shell(talk, "answer")).endswith("from elsewhere\n\n[exit 3]")
        assert "[not here]" in await shell(talk, "refuse")


async def test_a_command_of_the_user_may_be_run_on_the_terminal_instead(world: World) -> None:
    body = "return UserBashDecision(output=str(ext.programs.run(['vim'], foreground=True)))"
    world.add("bash", interceptor("user_bash", body), "exec")
    async with world.running() as talk:
        talk.conversation.actions = FrontEndActions(run_program=lambda launch: asyncio.sleep(0, 7))
        assert "7" in await shell(talk, "vim")


async def test_a_shell_is_started_with_what_an_extension_makes_of_its_command(world: World) -> None:
    body = (
        "if 'forbidden' in it.command:\n    return block('not this')\n"
        "return BashSpawnDecision(command='echo $X; ' + it.command, env={'X': 'from the extension'})"
    )
    world.add("spawn", interceptor("bash_spawn", body), "")
    calls = [Call("bash", {"command": "true"}), Call("bash", {"command": "forbidden"})]
    async with world.running(ScriptedClient([Turn(calls=calls), "ok"])) as talk:
        results = [each for each in await events(talk) if isinstance(each, ToolResultEvent)]
        assert "from the extension" in await shell(talk, "true")
    assert "from the extension" in str(results[0].content)
    assert "not this" in str(results[1].content)


async def test_changes_of_the_session_are_stopped(world: World) -> None:
    stops = ["session_before_switch", "session_before_fork", "session_before_tree", "session_before_compact"]
    body = "".join(interceptor(each, "return block('stay')") for each in stops)
    world.add("stay", body, "")
    async with world.running(ScriptedClient(["a", "b"]), session=True) as talk:
        talk.runtime.compactor._limits = CompactionLimits(None, keep=1)
        await events(talk)
        conversation, before = talk.conversation, talk.runtime.messages
        for change in (
            conversation.new_session,
            conversation.branches.fork,
            lambda: conversation.branches.go_to(before[0].id),
        ):
            with pytest.raises(NotAllowed, match="stay"):
                await change()
        run = conversation.compact()
        (error,) = [each async for each in run if isinstance(each, ErrorEvent)]
        assert "stay" in error.message
        assert talk.runtime.messages == before


async def test_an_extension_writes_the_summaries(world: World) -> None:
    body = interceptor("session_before_compact", "return CompactDecision('of ' + str(len(it.messages)))")
    body += interceptor("session_before_tree", "return TreeDecision(summary='left', label='here')")
    world.add("sums", body, "")
    async with world.running(ScriptedClient(["a", "b"]), session=True) as talk:
        talk.runtime.compactor._limits = CompactionLimits(None, keep=1)
        await events(talk)
        first = talk.runtime.messages[0].id
        await talk.conversation.branches.go_to(first)
        assert "left" in talk.runtime.messages[-1].text
        assert (await talk.conversation.branches.tree()).labels == {first: "here"}
        await events(talk)
        await talk.conversation.compact()
        assert "of 5" in talk.runtime.messages[0].text  # the mode, too
    assert len(talk.client.requests) == 2


async def test_an_extension_says_what_summaries_must_keep(world: World) -> None:
    body = interceptor("session_before_compact", "return CompactDecision(instructions=it.instructions + ' and sums')")
    body += interceptor("session_before_tree", "return TreeDecision(instructions=it.instructions + ' and ways')")
    world.add("keep", body, "")
    client = ScriptedClient(["a", "left", "b", "short"])
    async with world.running(client, session=True) as talk:
        talk.runtime.compactor._limits = CompactionLimits(None, keep=1)
        await events(talk)
        first = talk.runtime.messages[0].id
        await talk.conversation.branches.go_to(first, summarise=True, instructions="names")
        await events(talk)
        await talk.conversation.compact("dates")
    assert "names and ways" in sent(client, 1)[-1]
    assert "dates and sums" in sent(client, 3)[-1]


async def test_a_message_is_added_before_the_answer(world: World) -> None:
    body = "return AgentStartDecision(message={'content': 'about: ' + it.prompt, 'display': False})"
    world.add("add", interceptor("before_agent_start", body, ", cadence='prompt'"), "intercepts2")
    client = ScriptedClient(["a", "b"])
    async with world.running(client) as talk:
        await events(talk, "one")
        await events(talk, "two")
        assert talk.runtime.messages[1].hidden
    assert sent(client) == ["one", "about: one", "a", "two", "about: two"]


async def test_an_extension_without_the_group_is_not_asked_and_learns_why(world: World) -> None:
    raw = RAW + (
        "say(type='hello', name='raw')\nsay(type='subscribe', intercept=['input', 'unheard_of'])\n"
        "say(type='ready')\nuntil('shutdown')\n"
    )
    world.add_raw("raw", raw)
    client = ScriptedClient(["ok"])
    async with world.running(client) as talk:
        await events(talk)
        assert "to intercept input needs the group 'intercepts2'" in talk.log("raw")
        assert "there is no intercept 'unheard_of'" in talk.log("raw")


async def test_a_late_answer_continues_or_blocks_as_the_extension_wants(world: World) -> None:
    body = interceptor("input", "import time\ntime.sleep(60)", ", on_timeout='block'")
    world.add("slow", body, "")
    async with world.running(ScriptedClient(["ok"]), intercept_seconds=0.2) as talk:
        (error,) = [each for each in await events(talk) if isinstance(each, ErrorEvent)]
    assert "did not answer within 0.2 s, so this is refused" in error.message


def test_the_tables_of_host_and_protocol_agree() -> None:
    from zot_agent.extensions.hooks.intercepts import INTERCEPTED

    host = {row.name: (row.seconds, row.blockable) for row in INTERCEPTED}
    assert host == {name: (row.limit, row.blockable) for name, row in INTERCEPTABLE.items()}
    newer = [name for name, row in INTERCEPTABLE.items() if row.group == "intercepts2"]
    assert {*INTERCEPTABLE} == {*INTERCEPTS, *NEWER_INTERCEPTS}
    assert newer == [*NEWER_INTERCEPTS]


@pytest.mark.parametrize("event", [name for name in INTERCEPTABLE if not is_tool(name)])
def test_a_person_reads_what_each_interception_is(event: str) -> None:
    (line,) = permission_lines(Manifest("x", exec="x", permissions=ExtensionPermissions(intercept=(event,))))
    assert event not in line


async def test_every_answer_of_a_wrong_type_is_logged_and_changes_nothing(world: World, tmp_path: Path) -> None:
    raw = RAW + (
        "say(type='hello', name='raw', capabilities=['intercepts2'])\n"
        f"say(type='subscribe', intercept={[*INTERCEPTABLE]!r})\nsay(type='ready')\n"
        "wrong = dict.fromkeys(['text', 'images', 'handled', 'payload', 'headers', 'message', 'content', 'details',"
        " 'is_error', 'command', 'output', 'exit_code', 'cwd', 'env', 'summary', 'label', 'messages', 'drop_ids',"
        " 'first_kept_id', 'instructions', 'trusted', 'terminate', 'modified_args', 'replace_text',"
        " 'system_prompt'], 1.5)\n"
        "while (frame := read())['type'] != 'shutdown':\n"
        "    if frame['type'] == 'event_intercept':\n"
        "        say(type='event_intercept_response', id=frame['id'], **wrong)\n"
    )
    world.add_raw("raw", raw)
    client = ScriptedClient([Turn(calls=[Call("bash", {"command": "echo hi"})]), "ok"])
    async with world.running(client) as talk:
        await events(talk)
        await shell(talk, "true")
        assert [each.role for each in talk.runtime.messages] == ["user", "assistant", "tool", "assistant"]
        log = talk.log("raw")
    for name in ("input", "message_end", "context", "tool_call", "tool_result", "user_bash", "bash_spawn"):
        assert f"no answer to the intercept {name}: " in log


async def test_the_agent_is_kept_at_work_eight_times_and_again_in_the_next_run(world: World) -> None:
    world.add("more", interceptor("before_stop", "return block(f'{it.text} is {it.continued}: more')"), "")
    client = ScriptedClient([str(number) for number in range(18)])
    async with world.running(client) as talk:
        await events(talk)
        assert len(client.requests) == 9
        assert sent(client)[-1] == "7 is 7: more"
        await events(talk)
    assert len(client.requests) == 18
    assert sent(client, 10)[-1] == "9 is 0: more"


async def test_a_longer_run_is_kept_at_work_as_often_as_the_one_before(world: World) -> None:
    world.add("more", interceptor("before_stop", "return block(f'{it.text} is {it.continued}: more')"), "")
    work = Turn(calls=[Call("bash", {"command": "true"})])
    client = ScriptedClient(["0", "1", work, work, "2", "3"])
    async with world.running(client, continuations=1) as talk:
        await events(talk)
        await events(talk)
    assert len(client.requests) == 6
    assert sent(client)[-1] == "2 is 0: more"


@pytest.mark.parametrize("refuses", [True, False])
async def test_a_guard_ends_a_run_after_a_call_that_it_allows_or_refuses(world: World, *, refuses: bool) -> None:
    answer = f"return ToolCallDecision(block={refuses}, reason='enough', terminate=it.args['command'] == 'true')"
    world.add("last", interceptor("tool_call", answer), "")
    final, more = Call("bash", {"command": "true"}), Call("bash", {"command": "false"})
    client = ScriptedClient([Turn(calls=[final, more]), Turn(calls=[final]), "never"])
    async with world.running(client) as talk:
        run = await events(talk)
    results = [each for each in run if isinstance(each, ToolResultEvent)]
    assert len(client.requests) == 2
    assert [each.fate for each in results] == ["refused" if refuses else "ran"] * 3
