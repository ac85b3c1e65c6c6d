"""Sub-agents on the screen."""

from screen import Chats, bash
from tasks import by_task

from zot_provider.testing import Call, Turn

GIVE = Turn(calls=[Call("agent", {"task": "find the slow tests", "agent": "explore"})])
WAITS = Turn(calls=[Call("bash", {"command": "echo ready; exec sleep 1000"})])


async def test_an_agent_is_one_cell_that_says_what_it_does(chats: Chats) -> None:
    look = [Turn(calls=[Call("ls", {"path": "."})]), "They are in test_a.py."]
    answer = by_task(**{"go": [GIVE, "All found."], "find the slow tests": look})
    async with chats.open([answer] * 4, agents=()) as talk:
        await talk.send("go")
        await talk.shown("All found.")
        screen = talk.screen()
        assert "● agent find the slow tests  1: explore · 30 tokens" in screen
        assert "They are in test_a.py." in screen
        assert "● ls" not in screen


async def test_agents_are_listed_opened_steered_and_stopped(chats: Chats) -> None:
    give = Turn(calls=[Call("agent", {"task": "wait for it"})])
    answer = by_task(**{"go": [give, "I see."], "wait for it": [WAITS, "never"]})
    async with chats.open([answer] * 4, agents=()) as talk:
        talk.type("go<enter>")
        await talk.shown("bash: echo ready")
        talk.type("/agents<enter>")
        await talk.shown("› 1  wait for it")
        assert "works · 15" in talk.screen()
        await talk.press("<ctrl+s>")
        await talk.shown("Message to agent 1")
        talk.type("hurry<enter>")
        await talk.shown("› 1  wait for it")
        await talk.press("<enter>")
        await talk.shown("Agent 1: wait for it")
        await talk.shown("agent 1: bash: echo ready")
        await talk.press("<esc>")
        await talk.shown("› 1  wait for it")
        await talk.press("<ctrl+d>")
        await talk.shown("stop this agent?")
        await talk.press("<ctrl+d>")
        await talk.shown("stopped · 15")
        await talk.press("<esc>")
        await talk.shown("I see.")
        assert "agent 1 was stopped after 1 step" in talk.screen()


async def test_an_agent_in_the_background_has_a_cell_of_its_own(chats: Chats) -> None:
    give = Turn(calls=[Call("agent", {"task": "look around", "background": True})])
    answer = by_task(**{"go": [give, "Meanwhile.", "Done."], "look around": ["Nothing there."]})
    async with chats.open([answer] * 4, agents=()) as talk:
        await talk.send("go")
        await talk.shown("Done.")
        assert "● agent look around  1 · 15 tokens" in talk.screen()


async def test_a_question_about_a_call_names_the_agent(chats: Chats) -> None:
    give = Turn(calls=[Call("agent", {"task": "say hello"})])
    answer = by_task(**{"go": [give, "Done."], "say hello": [Turn(calls=[bash("expr hello")]), "Said."]})
    async with chats.open([answer] * 4, agents=()) as talk:
        talk.asks = True
        talk.type("go<enter>")
        await talk.shown("Agent 1: run bash expr hello?")
        await talk.press("y")
        await talk.shown("Done.")
        assert "Said." in talk.screen()


async def test_without_agents_the_list_says_so(chats: Chats) -> None:
    async with chats.open() as talk:
        await talk.send("/agents")
        await talk.shown("no agents in this session")
