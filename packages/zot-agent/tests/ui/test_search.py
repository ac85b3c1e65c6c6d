"""Search in the conversation: what is found, how one goes from hit to hit, and what it leaves."""

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from screen import Chats, Paused, Talk, bash

from zot_agent.ui.cells.history_pager import HistoryPager
from zot_agent.ui.search.hits import ConversationHits
from zot_core.sessions.rows import Meta, message_row, meta_row, to_bytes
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import Turn
from zot_tui.text.find import RowPattern
from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.cells import AnswerCell, NoteCell, UserCell
from zot_tui.widgets.transcript.transcript import Transcript

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


async def test_a_search_begins_at_what_is_read_also_within_a_long_answer(chats: Chats) -> None:
    text = "\n\n".join(f"needle {number}" for number in range(60))
    async with chats.open([text]) as talk:
        await talk.send("one")
        await talk.press("<pageup><pageup>")
        last = [line.strip() for line in talk.lines() if line.strip().startswith("needle")][-1].partition("  ")[0]
        number = int(last.removeprefix("needle "))
        assert number < 59
        await talk.press("<f3>")
        await talk.press("needle")
        await talk.shown(f"{60 - number} of 60")
        assert last in talk.screen()
        await talk.press("<down>")
        await talk.shown(f"{59 - number} of 60")


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


async def test_hits_are_counted_while_an_answer_grows(chats: Chats) -> None:
    client = Paused([Turn("a needle¶, a needle and a needle", chunk=100)])
    async with chats.open(client) as talk:
        talk.type("one<enter>")
        await talk.shown("a needle")
        await talk.press("<f3>")
        await talk.press("needle")
        await talk.shown("1 of 1")
        client.go.set()
        await talk.shown("3 of 3")
        await talk.press("<down>")
        await talk.shown("2 of 3")


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


TEXTS = st.text(st.sampled_from("ab \n*`"), max_size=30)


def cells_of(messages: Sequence[Message]) -> list[Cell]:
    kinds = (lambda text: AnswerCell(text, finished=True), NoteCell, UserCell)
    return [kinds[at % 3](message.text or "x") for at, message in enumerate(messages)]


@given(st.lists(TEXTS, max_size=8), st.sampled_from(["a", "ab", "b a"]), st.booleans())
async def test_each_hit_that_is_drawn_is_gone_to_once_and_then_the_first_one_again(
    texts: list[str], wanted: str, older: bool
) -> None:
    transcript = Transcript()
    pager = HistoryPager(transcript, cells_of)
    pager.show([Message("user", [TextBlock(text)]) for text in texts])
    transcript.render((12, 6))
    pattern = RowPattern(wanted.split(), exact=False)
    drawn = [
        (cell, chunk, hit)
        for cell in transcript.cells
        for chunk, each in enumerate(cell.chunks)
        for hit in range(len(pattern.hits(each.rows(12), 12)))
    ]
    hits = ConversationHits(transcript, pager, {}, lambda: None)
    hits.look_for(wanted)
    await hits.count()
    seen = []
    for _ in drawn:
        assert hits.place is not None
        seen.append(hits.place[:3])
        await hits.step(older=older)
    assert (hits.place[:3] if hits.place else None) == (seen[0] if seen else None)
    assert {*seen} == {*drawn}
