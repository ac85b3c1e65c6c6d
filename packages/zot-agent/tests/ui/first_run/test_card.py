"""The card of an empty conversation."""

from pathlib import Path

from screen import Chats

from zot_agent.ui.first_run.card import Card
from zot_provider.testing import ScriptedServer

KEYS = "  ? help · Shift+Tab mode · / commands · @ files"


async def test_the_card_goes_with_the_first_prompt_and_comes_with_a_new_session(chats: Chats) -> None:
    async with chats.open(["one"], session="s.jsonl") as talk:
        assert talk.rows()[3] == "▌ yolo, no sandbox: runs every call that no rule denies or asks about"
        talk.note("a note", "info")
        await talk.send("hello")
        assert "▌ zot" not in talk.screen()
        await talk.send("/new")
        assert KEYS in talk.rows()
        assert talk.tail().strip() == "a new session; the old one is in /sessions"


async def test_the_card_says_the_mode_of_now(chats: Chats) -> None:
    async with chats.open() as talk:
        await talk.press("<shift+tab>")
        assert any(row.startswith("▌ ask, no sandbox: asks before") for row in talk.rows())


async def test_the_whole_card_is_read_in_a_narrow_window(chats: Chats) -> None:
    async with chats.open(columns=40) as talk:
        assert [row for row in talk.rows() if row.startswith("▌")][3:] == [
            "▌ yolo, no sandbox: runs every call that",
            "▌ no rule denies or asks about",
        ]


async def test_init_is_offered_where_no_folder_has_instructions(chats: Chats) -> None:
    async with chats.open() as talk:
        assert "  /init has the model write an AGENTS.md for this project" in talk.rows()
    Path("CLAUDE.md").touch()
    async with chats.open() as talk:
        assert "/init" not in talk.screen()


async def test_the_last_session_of_the_directory_is_named(chats: Chats, alone: Path) -> None:
    with ScriptedServer() as server:
        server.add("A shop.")
        async with chats.built(server) as talk:
            await talk.send("what does this project do?")
        async with chats.built(server) as talk:
            card = Card(talk.chat)
            await card.look_up()
            await talk.settle()
            assert "  zot -c continues “what does this project do?”, just now" in talk.rows()
