"""Answers whose Markdown extensions change before it is drawn, with real processes."""

import asyncio
from pathlib import Path
from typing import Any

from screen import Chats

from zot_agent.ui.extensions.markdown_cells import SETTLED
from zot_core.conversation.events import WidgetLine
from zot_core.sessions.file import load
from zot_provider.testing import ScriptedServer

LOUD = """
count = 0
@ext.renderer("markdown", "answer")
def loud(asked):
    global count
    count += 1
    return asked.text.replace("red", f"RED{count} {asked.width}")

@ext.command("again")
def again(text):
    ext.rendering.again("markdown", "answer")
"""

THEN = """
@ext.renderer("markdown", "*")
def then(asked):
    return None if "quiet" in asked.text else f"{asked.text} (then)"
"""


async def test_an_answer_is_drawn_as_an_extension_changes_it_and_the_model_reads_what_it_wrote(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add("red **one**", "two")
    async with chats.extended(server, {"loud": LOUD}) as talk:
        await talk.send("go")
        await talk.shown("RED1 78 one")
        await talk.send("more")
        assert "red **one**" in str(server.requests[-1].body)
        await talk.press("/again<enter>")
        await talk.until(lambda: "RED1" not in talk.screen() and "RED" in talk.screen())
        session = talk.session_path
        assert load(session).messages[1].text == "red **one**"
    async with chats.built(server, session=session, extensions=[str(chats.root / "loud")]) as talk:
        await talk.shown("RED")


async def test_an_answer_is_asked_about_again_when_the_screen_keeps_another_width(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add("red")
    async with chats.extended(server, {"loud": LOUD}) as talk:
        await talk.send("go")
        await talk.shown("RED1 78")
        for columns in (79, 70, 61, 60):
            talk.resize(columns, 24)
        await talk.shown("RED2 58")
        talk.resize(60, 20)  # not another width
        await asyncio.sleep(2 * SETTLED)
        talk.resize(50, 20)
        await talk.shown("RED3 48")


async def test_extensions_change_markdown_in_turn(chats: Chats, server: ScriptedServer) -> None:
    server.add("red", "a quiet red")
    async with chats.extended(server, {"loud": LOUD, "then": THEN}) as talk:
        await talk.send("go")
        await talk.shown("(then)")
        await talk.shown("RED1")
        await talk.send("more")
        await talk.shown("a quiet RED2 78")
        assert talk.screen().count("(then)") == 1


async def test_answers_are_as_they_were_when_the_extension_has_gone(chats: Chats, server: ScriptedServer) -> None:
    server.add("red")
    async with chats.extended(server, {"loud": LOUD}) as talk:
        await talk.send("go")
        await talk.shown("RED1")
        program = next(Path(chats.root / "loud").glob("*.py"))
        program.write_text(program.read_text().replace("@ext.renderer", "#"))
        await talk.press("/reload-ext<enter>")
        await talk.until_hidden("RED1")
        await talk.shown("red")


async def test_an_extension_that_never_answers_is_not_asked_for_ever(chats: Chats, server: ScriptedServer) -> None:
    asked: list[str] = []

    async def never(members: dict[str, Any]) -> list[WidgetLine] | None:
        asked.append(members["text"])
        raise TimeoutError("it did not answer")

    server.add("red")
    async with chats.built(server) as talk:
        talk.access.add_renderer("slow", "markdown", "answer", never, 5)
        await talk.send("go")
        for _ in range(6):
            talk.access.render_again("slow", "markdown", "answer")
            await talk.settle()
        await talk.shown("[slow] no longer draws answer: it did not answer")
        await talk.shown("red")
        assert asked == ["red"] * 5
