"""Search in the conversation: what is found, how one goes from hit to hit, and what it leaves."""

from pathlib import Path

from screen import Chats, Talk, bash

from zot_core.sessions.rows import Meta, message_row, meta_row, to_bytes
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import Turn

LONG = "\n\n".join(f"line {number}" for number in range(40))


def marked(talk: Talk) -> str:
    """The text that is marked as the hit that is looked at."""
    found = ""
    for y, row in enumerate(talk.lines()):
        found += "".join(letter for x, letter in enumerate(row) if talk.style_at(x, y) == "selection")
    return found


async def test_hits_are_marked_while_one_types_and_the_newest_is_looked_at(chats: Chats) -> None:
    async with chats.open(["A cart, and a Cart.", "No."]) as talk:
        await talk.send("one", "a cart")
        await talk.press("<f3>")
        await talk.press("cart")
        await talk.shown("1 of 3")
        assert marked(talk) == "cart"
        assert talk.row(-2).startswith("⌕ cart")
        await talk.press("T")
        await talk.shown("nothing found")
        assert marked(talk) == ""


async def test_enter_and_the_arrows_go_from_hit_to_hit_and_around(chats: Chats) -> None:
    async with chats.open([f"first needle\n\n{LONG}", f"{LONG}\n\nsecond needle"]) as talk:
        await talk.send("one", "two")
        await talk.press("/search needle<enter>")
        await talk.shown("1 of 2")
        assert "second needle" in talk.screen()
        await talk.press("<enter>")
        await talk.shown("2 of 2")
        assert "first needle" in talk.screen()
        await talk.press("<up>")
        await talk.shown("1 of 2")
        assert "second needle" in talk.screen()
        await talk.press("<down>")
        await talk.shown("2 of 2")
        await talk.press("<f3>")
        await talk.shown("1 of 2")


async def test_esc_leaves_the_hit_in_view_and_takes_the_marks_away(chats: Chats) -> None:
    async with chats.open([f"a needle\n\n{LONG}"]) as talk:
        await talk.send("one")
        await talk.press("typed<f3>")
        await talk.press("needle")
        await talk.shown("1 of 1")
        await talk.press("<esc>")
        assert "a needle" in talk.screen()
        assert marked(talk) == ""
        assert talk.editor == "typed"
        assert not talk.dialog_open


async def test_a_folded_result_is_searched_and_opened_and_folded_again(chats: Chats) -> None:
    command = "seq 1 60; echo needle; seq 61 90"
    async with chats.open([Turn(calls=[bash(command)]), "Done, needle."]) as talk:
        talk.asks = False
        await talk.send("count")
        await talk.press("<f3>")
        await talk.press("needle<enter>")
        await talk.shown("2 of 3")
        assert "    needle" in talk.screen()
        assert marked(talk) == "needle"
        await talk.press("<up>")  # the command itself
        await talk.shown("3 of 3")
        await talk.press("<up>")
        await talk.shown("1 of 3")
        assert "ctrl+o" in talk.transcript()


async def test_what_an_answer_does_not_show_is_not_counted(chats: Chats) -> None:
    async with chats.open(["some **bold** words"]) as talk:
        await talk.send("one")
        await talk.press("<f3>")
        await talk.press("bold words")
        await talk.shown("1 of 1")
        await talk.press("<ctrl+u>**")
        await talk.shown("nothing found")


async def test_what_arrives_meanwhile_can_be_gone_to(chats: Chats) -> None:
    async with chats.working("two") as (talk, client):
        await talk.press("<f3>")
        await talk.press("late")
        await talk.shown("nothing found")
        talk.note("a late note")
        client.go.set()
        await talk.quiet()
        await talk.press("<enter>")
        await talk.shown("1 of 1")


def long_session(root: Path, turns: int) -> str:
    """A session of so many turns, the first and the middle one with a needle."""
    path = root / "long.jsonl"
    rows = [meta_row(Meta("long", str(root), "m1", "scripted", "now"))]
    for number in range(turns):
        asked = f"prompt {number}" + (" needle" if number in (0, turns // 2) else "")
        for role, text in (("user", asked), ("assistant", f"answer {number}")):
            message = Message("user" if role == "user" else "assistant", [TextBlock(text)], id=f"{number:08x}{role:>8}")
            rows.append(message_row(message))
    path.write_bytes(b"".join(map(to_bytes, rows)))
    return str(path)


async def test_messages_that_were_not_loaded_are_found_and_only_those_around_them_loaded(chats: Chats) -> None:
    async with chats.open(session=long_session(chats.root, 2000)) as talk:
        await talk.press("<f3>")
        await talk.press("needle")
        await talk.shown("1 of 2")
        assert "prompt 1000 needle" in talk.screen()
        await talk.press("<enter>")
        await talk.shown("2 of 2")
        assert "prompt 0 needle" in talk.screen()
        await talk.press("<enter>")
        await talk.shown("1 of 2")
        assert len(talk.cells) < 500
        await talk.press("<enter>")
        await talk.press("<down>")
        await talk.shown("1 of 2")


async def test_what_was_passed_over_appears_when_one_scrolls_there(chats: Chats) -> None:
    async with chats.open(session=long_session(chats.root, 300)) as talk:
        await talk.press("<f3>")
        await talk.press("needle")
        await talk.shown("1 of 2")
        await talk.press("<enter>")
        await talk.shown("2 of 2")
        await talk.press("<esc>")
        assert "prompt 0 needle" in talk.screen()
        seen = set[str]()
        for _ in range(200):
            seen |= {row.strip() for row in talk.screen().split("\n")}
            await talk.press("<pagedown>")
            await talk.settle()
        assert {f"▌ prompt {number}" for number in range(1, 300) if number != 150} <= seen
        assert not any("messages" in row for row in talk.transcript().split("\n") if row.strip().startswith("…"))


async def test_the_row_fits_a_narrow_screen(chats: Chats) -> None:
    async with chats.open(["needle"], columns=30, rows=10) as talk:
        await talk.send("one")
        await talk.press("<f3>")
        await talk.press("needle")
        await talk.shown("1 of 1")
        assert talk.cursor is not None


async def test_the_wheel_scrolls_while_the_row_is_open(chats: Chats) -> None:
    async with chats.open([f"first needle\n\n{LONG}"]) as talk:
        await talk.send("one")
        await talk.press("<alt+m><f3>")
        await talk.shown("search the conversation")
        for _ in range(40):
            talk.click(3, 3, button=4)
        await talk.shown("first needle")
        await talk.press("<f3>")


async def test_a_search_continues_in_another_conversation(chats: Chats) -> None:
    async with chats.open(["a needle", "a needle too"], session="talk.jsonl") as talk:
        await talk.send("one")
        await talk.press("<f3>")
        await talk.press("needle")
        await talk.shown("1 of 1")
        await talk.chat.host.conversation.new_session()
        talk.note("a needle, later")
        await talk.settle()
        await talk.press("<enter>")
        await talk.shown("1 of 1")
        assert marked(talk) == "needle"


async def test_what_was_scrolled_to_meanwhile_is_not_passed_over(chats: Chats) -> None:
    async with chats.open(session=long_session(chats.root, 100)) as talk:
        await talk.press("<f3>")
        await talk.press("needle")
        await talk.shown("1 of 2")
        assert "prompt 50 needle" in talk.screen()
        for _ in range(60):
            await talk.press("<pageup>")
        assert "prompt 0 needle" in talk.screen()
        await talk.press("<enter>")
        await talk.shown("2 of 2")
        await talk.press("<enter>")
        await talk.shown("1 of 2")
