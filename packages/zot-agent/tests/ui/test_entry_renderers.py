"""Entries of the session that an extension draws in the conversation, with real processes."""

import asyncio
from pathlib import Path
from typing import Any

from screen import Chats, Talk

from zot_core.conversation.events import SessionTreeMove, WidgetLine
from zot_provider.testing import Call, ScriptedServer, Turn

CARDS = """
@ext.renderer("entry", "card")
def card(asked):
    if asked.data["text"] == "die":
        os._exit(4)
    if asked.data["text"] == "nothing":
        return [] if not asked.expanded else "more of nothing"
    size = "large" if asked.expanded else "small"
    return [[{"text": "CARD ", "style": "accent"}, {"text": asked.data["text"]}], f"{size} {asked.width} wide"]

@ext.command("card")
def add(text):
    ext.session.append("card", {"text": text})

@ext.command("secret")
def secret(text):
    ext.session.append("state", {"text": text})

ext._requested += ("session",)
"""


def shown(talk: Talk) -> list[str]:
    """The prompts, answers and cards on the screen, in order."""
    rows = (row.strip(" ▌") for row in talk.rows())
    return [row for row in rows if row.startswith("CARD ") or row in ("one", "two", "red", "blue")]


async def test_entries_are_drawn_live_and_in_their_places_after_a_resume_and_in_the_tree(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add("red", "blue")
    async with chats.extended(server, {"cards": CARDS}, rows=40) as talk:
        await talk.press("/card first<enter>")
        await talk.shown("CARD first")
        await talk.shown("small 78 wide")
        await talk.press("/secret nobody draws it<enter>/card nothing<enter>")
        await talk.until(lambda: '"nothing"' in Path(talk.session_path).read_text())
        await talk.send("one")
        await talk.press("/card between<enter>")
        await talk.shown("CARD between")
        await talk.send("two")
        await talk.press("/card last<enter>")
        await talk.shown("CARD last")
        whole = ["CARD first", "one", "red", "CARD between", "two", "blue", "CARD last"]
        assert shown(talk) == whole
        assert "nobody" not in talk.screen()
        session = talk.session_path
    async with chats.built(server, rows=40, session=session, extensions=[str(chats.root / "cards")]) as talk:
        await talk.until(lambda: shown(talk) == whole)
        talk.type("<alt+o>")
        await talk.shown("more of nothing")
        await talk.shown("large 78 wide")
        talk.type("<alt+o>")
        await talk.until_hidden("more of nothing")
        talk.resize(60, 40)
        await talk.until(lambda: talk.screen().count("small 58 wide") == 3)
        await talk.press("/tree<enter>")
        await talk.shown("Session tree")
        await talk.press("<enter>")
        await talk.until(lambda: shown(talk) == whole[:4])
        branch = talk.session_path
        await talk.press("<ctrl+u>/clone<enter>")
        await talk.until(lambda: talk.session_path != branch)
        await talk.shown("a new session with the same conversation")
        await talk.until(lambda: shown(talk) == whole[:4])
        await talk.press("/card in the copy<enter>")
        await talk.until(lambda: shown(talk) == [*whole[:4], "CARD in the copy"])
        await talk.press("/new<enter>")
        await talk.until(lambda: shown(talk) == [])


async def test_an_entry_stored_before_its_renderer_is_there_gets_its_place(
    chats: Chats, server: ScriptedServer
) -> None:
    late = """
@ext.tool
def note() -> str:
    'Note.'
    ext.session.append("card", "the note")
    return "noted"

@ext.command("draw")
def draw(_):
    ext.renderer("entry", "card")(lambda asked: f"CARD {asked.data}")

ext._requested += ("session", "renderers")
"""
    server.add(Turn("red", calls=[Call("note", {})]), "blue")
    async with chats.extended(server, {"late": late}) as talk:
        await talk.send("one")
        await talk.press("/draw<enter>")
        await talk.until(lambda: shown(talk) == ["one", "red", "CARD the note", "blue"])


async def test_what_an_extension_draws_goes_with_it_and_comes_back_once(chats: Chats, server: ScriptedServer) -> None:
    server.add("red")
    async with chats.extended(server, {"cards": CARDS}) as talk:
        await talk.send("one")
        await talk.press("/card kept<enter>")
        await talk.shown("CARD kept")
        await talk.press("/reload-ext<enter>")
        await talk.shown("1 loaded (1 ready)")
        await talk.until(lambda: shown(talk) == ["one", "red", "CARD kept"])
        await talk.press("typed <ctrl+u>/card die<enter>")
        await talk.shown("exited with code 4")
        await talk.until(lambda: shown(talk) == ["one", "red"])


async def test_an_entry_is_drawn_by_the_extension_that_stored_it_alone(chats: Chats, server: ScriptedServer) -> None:
    other = """
@ext.renderer("entry", "card")
def card(asked):
    return "STOLEN " + asked.data["text"]
"""
    async with chats.extended(server, {"cards": CARDS, "other": other}) as talk:
        await talk.press("/card mine<enter>")
        await talk.shown("CARD mine")
        await talk.press("/reload-ext<enter>")
        await talk.shown("2 loaded (2 ready)")
        await talk.shown("CARD mine")
        assert "STOLEN" not in talk.screen()


async def test_an_entry_shows_nothing_until_its_renderer_answers(chats: Chats, server: ScriptedServer) -> None:
    answers: list[asyncio.Future[list[WidgetLine] | None]] = []

    async def draw(members: dict[str, Any]) -> list[WidgetLine] | None:
        assert members["data"] == [1]
        answers.append(asyncio.get_running_loop().create_future())
        return await answers[-1]

    async with chats.built(server) as talk:
        talk.access.add_renderer("slow", "entry", "card", draw, 5)
        talk.store("slow", "card", [1])
        await talk.until(lambda: answers)
        await talk.press("typed")
        assert talk.row(0).startswith("▌ zot")
        answers[0].set_result(["drawn"])
        await talk.until(lambda: "  drawn" in talk.rows())
        assert talk.editor == "typed"


async def test_a_renderer_of_entries_that_never_answers_is_not_asked_for_ever(
    chats: Chats, server: ScriptedServer
) -> None:
    async def never(_: dict[str, Any]) -> list[WidgetLine] | None:
        raise TimeoutError("it did not answer")

    async with chats.built(server) as talk:
        talk.access.add_renderer("slow", "entry", "card", never, 5)
        talk.store("slow", "card", [1])
        for _ in range(1000):
            talk.access.render_again("slow", "entry", "card")
            await talk.settle()
            if "no longer draws" in talk.screen():
                break
        await talk.shown("[slow] no longer draws card: it did not answer")


async def test_older_pages_have_their_entries_too(chats: Chats, server: ScriptedServer) -> None:
    server.add(*["red"] * 60)
    async with chats.extended(server, {"cards": CARDS}) as talk:
        await talk.press("/card oldest<enter>")
        await talk.shown("CARD oldest")
        await talk.send("one")
        await talk.press("/card second<enter>")
        await talk.shown("CARD second")
        await talk.send(*["two"] * 59)
        session = talk.session_path
    async with chats.built(server, session=session, extensions=[str(chats.root / "cards")]) as talk:
        await talk.settle()
        await talk.press("<shift+home>")
        await talk.shown("CARD second")
        await talk.press("<shift+home>")  # what was drawn later is above
        await talk.until(lambda: shown(talk)[:4] == ["CARD oldest", "one", "red", "CARD second"])


async def test_a_cell_that_is_made_again_gets_the_answer_to_the_question_of_the_one_before(
    chats: Chats, server: ScriptedServer
) -> None:
    answers: list[asyncio.Future[list[WidgetLine] | None]] = []

    async def draw(_: dict[str, Any]) -> list[WidgetLine] | None:
        answers.append(asyncio.get_running_loop().create_future())
        return await answers[-1]

    async with chats.built(server) as talk:
        talk.access.add_renderer("slow", "entry", "card", draw, 5)
        talk.store("slow", "card", [1])
        await talk.until(lambda: answers)
        await talk.emit(SessionTreeMove("", ""))
        await talk.until(lambda: talk.cells)
        answers[0].set_result(["drawn"])
        await talk.shown("drawn")
        assert len(answers) == 1
