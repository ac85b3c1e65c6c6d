"""A conversation that does not fit into the model's context window goes on."""

import json
from pathlib import Path
from typing import Any

import pytest

from zot_core import Runtime
from zot_core.agent.sent_history import SentHistory
from zot_core.compaction.short_texts import ShortenedTexts
from zot_core.compaction.size import estimate
from zot_core.events import Notice
from zot_core.testing import make_agent
from zot_provider.messages import Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.testing import Call, Fault, ScriptedClient, ScriptedServer, Turn

WINDOW = 16_384
TOO_LONG = {
    "error": {"message": f"m-1106 (2026-11) has a maximum context length of {WINDOW} tokens; 40100 were requested."}
}


class Window:
    """Answers turns in order; a request of more than the window is refused, a request for a summary gets one."""

    def __init__(self, *turns: Turn) -> None:
        self.turns = list(turns)
        self.refused = 0

    def __call__(self, received: Any) -> Turn:
        text = json.dumps(received.body)
        if len(text) > WINDOW * 4:
            self.refused += 1
            return Turn(fault=Fault(status=400, body=json.dumps(TOO_LONG)))
        return Turn("## Goal\n\nto read") if "Write the notes now." in text else self.turns.pop(0)


@pytest.mark.parametrize("window", [0, WINDOW, 200_000])
@pytest.mark.parametrize("earlier", [0, 3])
async def test_two_big_reads_in_a_small_window_block_nothing(tmp_path: Path, window: int, earlier: int) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("\n".join(f"line {number} of {name}" for number in range(1900)))
    reads = Turn("I look.", calls=[Call("read", {"path": "a.txt"}), Call("read", {"path": "b.txt"})])
    answer = Window(*[Turn("ok")] * earlier, reads, Turn("both read"), Turn("two"), Turn("three"), Turn("four"))
    with ScriptedServer([answer] * 20) as server:
        model = Model("m", "openai", context_window=window)
        url = server.base_url("openai-chat")
        async with Runtime(model, base_url=url, api_key="sk-x", cwd=tmp_path, session=tmp_path / "s.jsonl") as rt:
            notices: list[str] = []
            rt.hooks.event.add(lambda event: notices.append(event.message) if isinstance(event, Notice) else None)
            for number in range(earlier):
                await rt.ask(f"prompt {number}")
            assert str(await rt.ask("read both")) == "both read"
            assert str(await rt.ask("next")) == "two"
            assert str(await rt.ask("and on")) == "three"
            results = [
                block for message in rt.messages for block in message.content if isinstance(block, ToolResultBlock)
            ]
            assert [len(result.content[0].text) > 30_000 for result in results] == [True, True]  # type: ignore[union-attr]
        async with Runtime(model, base_url=url, api_key="sk-x", cwd=tmp_path, session=tmp_path / "s.jsonl") as rt:
            assert str(await rt.ask("in another process")) == "four"  # what was cut stays cut
        bodies = [request.body["messages"] for request in server.requests if request.body]  # one asks for the list
    assert "the model gets only both ends of 2 long texts, to fit its context window" in notices
    assert answer.refused <= 1
    for before, after in ((bodies[-3], bodies[-2]), (bodies[-2], bodies[-1])):
        assert after[: len(before)] == before


async def test_a_prompt_that_is_longer_than_the_window_is_shortened_too() -> None:
    answer = Window(Turn("one"), Turn("two"))
    with ScriptedServer([answer] * 9) as server:
        url = server.base_url("openai-chat")
        async with Runtime(Model("m", "openai"), base_url=url, api_key="sk-x") as rt:
            assert str(await rt.ask("begin " + "word " * 40_000 + "end")) == "one"
            assert str(await rt.ask("next")) == "two"
        sent = server.requests[-1].body["messages"][1]["content"]
    assert sent.startswith("begin word")
    assert sent.endswith("word end")
    assert WINDOW < len(sent) < WINDOW * 4


def signed(text: str, time: str) -> Message:
    thinking = ReasoningBlock("hm", signature="s", wire="anthropic-messages")
    return Message("assistant", [thinking, TextBlock(text)], time)


def has_thinking(message: Message) -> bool:
    return any(isinstance(block, ReasoningBlock) for block in message.content)


@pytest.mark.parametrize(("model", "dropped"), [("claude-opus-5-5", True), ("claude-sonnet-4-5", False)])
def test_signed_thinking_behind_a_change_is_left_out(model: str, dropped: bool) -> None:
    long = TextBlock("x" * 9000)
    messages = [
        Message("user", [TextBlock("hi")], "2026-01-01"),
        signed("before", "2026-01-01"),
        Message("user", [long], "2026-01-02"),
        signed("behind", "2026-01-02"),
        Message("user", [TextBlock("next")], "2026-01-03"),
        signed("later", "2999-01-01"),
    ]
    agent = make_agent(ScriptedClient([]), messages=messages, model=Model(model, "anthropic", reasoning=True))
    sent = SentHistory(agent)
    assert sent.view(messages) is messages
    sent.replace(long, TextBlock("short"))
    view = sent.view(messages)
    assert [has_thinking(message) for message in view] == [False, True, False, not dropped, False, True]
    assert view[2].text == "short"
    assert [after is before for before, after in zip(view, sent.view(messages), strict=True)] == [True] * 6
    sent.restore([long])
    assert sent.view(messages) == messages


def test_signed_thinking_of_kept_messages_is_left_out_after_a_compaction() -> None:
    summary = Message("user", [TextBlock("notes")], "2026-01-05", summarized_tokens=9)
    messages = [summary, signed("kept", "2026-01-04"), Message("user", [TextBlock("b")]), signed("new", "2026-01-06")]
    agent = make_agent(
        ScriptedClient([]), messages=messages, model=Model("claude-opus-5-5", "anthropic", reasoning=True)
    )
    assert [has_thinking(message) for message in SentHistory(agent).view(messages)] == [False, False, False, True]


def test_results_are_shortened_before_prompts_and_small_texts_stay(tmp_path: Path) -> None:
    result = ToolResultBlock("1", [TextBlock("r" * 40_000), TextBlock("small")])
    messages = [
        Message("user", [TextBlock("p" * 8000)]),
        Message("assistant", [ToolCallBlock("1", "read", "{}")]),
        Message("tool", [result]),
    ]
    agent = make_agent(ScriptedClient([]), messages=messages)
    sent = SentHistory(agent)
    shortened = ShortenedTexts(sent, lambda: str(tmp_path))
    assert shortened.fit(messages, 100_000) == 0
    assert shortened.fit(messages, 4000) == 1
    assert abs(estimate(sent.view(messages)) - 4000) < 100
    assert sent.view(messages)[0] is messages[0]
    assert shortened.fit(messages, 1000) == 2
    assert estimate(sent.view(messages)) < 1150


def test_a_shortened_text_says_in_which_file_all_of_it_is(tmp_path: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(4000))
    messages = [Message("user", [TextBlock(text)])]
    sent = SentHistory(make_agent(ScriptedClient([]), messages=messages))
    shortened = ShortenedTexts(sent, lambda: str(tmp_path))
    paths = set()
    for tokens in (4000, 1000):  # the second time the same file
        assert shortened.fit(messages, tokens) == 1
        paths.add(sent.view(messages)[0].text.partition("; all of it: ")[2].partition(" ...]")[0])
    (path,) = paths
    assert Path(path).read_text() == text
    assert [str(each) for each in tmp_path.iterdir()] == [path]


async def test_a_cut_text_names_no_file_that_is_gone(tmp_path: Path) -> None:
    path, file = str(tmp_path / "s.jsonl"), tmp_path / "output.log"
    async with Runtime("m", client=ScriptedClient(["ok"]), session=path, cwd=tmp_path) as rt:
        await rt.ask("a long prompt")
        (message, _) = rt.messages
        text = f"a\n[... 9 characters left out to fit; all of it: {file} ...]\nb"
        rt.sent.cut(message, message.content[0], text, str(file))  # type: ignore[arg-type]
    for there in (True, False):
        file.touch() if there else file.unlink()
        async with Runtime("m", client=ScriptedClient([]), session=path, cwd=tmp_path) as rt:
            assert rt.messages[0].text == "a long prompt"
            assert (f"; all of it: {file}" in rt.sent.view(rt.messages)[0].text) == there
            assert rt.sent.view(rt.messages)[0].text.startswith("a\n[... 9 characters left out to fit")


@pytest.mark.parametrize(
    "row", [{}, {"cut": []}, {"cut": {"entry": "x", "part": 9, "text": "t"}}, {"cut": {"entry": 7, "part": -1}}]
)
async def test_a_row_of_a_text_that_is_not_there_cuts_nothing(tmp_path: Path, row: dict[str, Any]) -> None:
    path = tmp_path / "s.jsonl"
    async with Runtime("m", client=ScriptedClient(["ok"]), session=path, cwd=tmp_path) as rt:
        await rt.ask("a prompt")
    with path.open("a") as file:
        file.write(json.dumps({"type": "cut"} | row) + "\n")
    async with Runtime("m", client=ScriptedClient([]), session=path, cwd=tmp_path) as rt:
        assert [message.text for message in rt.sent.view(rt.messages)] == ["a prompt", "ok"]


def test_a_text_for_which_there_is_no_room_is_shortened_all_the_same(tmp_path: Path) -> None:
    messages = [Message("user", [TextBlock("words " * 8000)])]
    sent = SentHistory(make_agent(ScriptedClient([]), messages=messages))
    assert ShortenedTexts(sent, lambda: str(tmp_path / "gone")).fit(messages, 1000) == 1
    assert " characters left out ...]" in sent.view(messages)[0].text
