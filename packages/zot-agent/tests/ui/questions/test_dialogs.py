"""Dialogs of extensions on the screen."""

import asyncio
from typing import Any

import pytest
from screen import Chats, Talk
from waiting import PATIENCE

from zot_core.conversation.dialogs import DialogAnswer, DialogField, DialogRow, ExtensionDialog

ROWS = (DialogRow("a", "Apple", "red"), DialogRow("b", "Banana"), DialogRow("c", "Cherry"))
FIELDS = (
    DialogField("port", "integer", required=True, initial="8080", description="where it listens"),
    DialogField("tls", "boolean"),
    DialogField("note"),
)


async def answer(talk: Talk, dialog: ExtensionDialog, *steps: tuple[str, str]) -> DialogAnswer:
    """The answer to a dialog; each step is a text to wait for, and the keys that follow."""
    asked = asyncio.create_task(talk.ask_person(dialog))
    for shown, keys in steps:
        await talk.shown(shown)
        await talk.press(keys)
    async with asyncio.timeout(PATIENCE):
        return await asked


def dialog(kind: Any, title: str = "Well?", **fields: Any) -> ExtensionDialog:
    return ExtensionDialog("1", "guard", kind, title, **fields)


@pytest.mark.parametrize(
    ("asked", "steps", "value"),
    [
        (dialog("confirm", message="rm -rf build"), [("rm -rf build", "y")], True),
        (dialog("confirm"), [("guard asks", "n")], False),
        (dialog("confirm"), [("Well?", "<esc>")], None),
        (dialog("select", options=("red", "blue")), [("blue", "blu<enter>")], "blue"),
        (dialog("input", prefill="Ad"), [("Ad", "a<enter>")], "Ada"),
        (dialog("input", secret=True), [("Well?", "abc"), ("•••", "<enter>")], "abc"),
        (dialog("editor", prefill="one"), [("one", "<alt+enter>two<enter>")], "one\ntwo"),
        (dialog("pick", rows=ROWS), [("Banana", "<down><enter>")], ["b"]),
        (
            dialog("pick", rows=ROWS, multi=True),
            [("done, with 0 chosen", "<down><enter>"), ("done, with 1 chosen", "<enter>")],
            ["a"],
        ),
        (
            dialog("form", fields=FIELDS),
            [
                ("Well?: port", "x<enter>"),
                ("port must be a whole number", "<backspace>1<enter>"),
                ("Well?: tls", "tr<enter>"),
                ("Well?: note", "<enter>"),
            ],
            {"port": 80801, "tls": True},
        ),
        (dialog("form", fields=FIELDS), [("Well?: port", "<enter>"), ("Well?: tls", "<esc>")], None),
    ],
)
async def test_the_person_answers(
    chats: Chats, asked: ExtensionDialog, steps: list[tuple[str, str]], value: object
) -> None:
    async with chats.open() as talk:
        found = await answer(talk, asked, *steps)
    assert found == (DialogAnswer(closed=True) if value is None else DialogAnswer(value))


async def test_a_dialog_that_nobody_needs_any_more_disappears(chats: Chats) -> None:
    async with chats.open() as talk:
        asked = asyncio.create_task(talk.ask_person(dialog("confirm", seconds=9)))
        await talk.shown("guard asks, for 9 s")
        asked.cancel()
        await talk.until_hidden("guard asks")


async def test_text_of_an_extension_cannot_draw_outside_of_its_place(chats: Chats) -> None:
    async with chats.open() as talk:
        hostile = dialog("select", "a\x1b[2Jb", options=("c\x1b]0;x\x07d",), message="e\x1b[1;1Hf")
        asked = asyncio.create_task(talk.ask_person(hostile))
        await talk.shown("cd")
        assert "\x1b" not in talk.screen()
        await talk.press("<enter>")
        assert await asked == DialogAnswer("c\x1b]0;x\x07d")
