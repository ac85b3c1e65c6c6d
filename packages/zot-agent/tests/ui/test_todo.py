"""The list of what is to be done, above the editor."""

from screen import Chats

from zot_provider.testing import Call, Turn


def listed(*statuses: str) -> Turn:
    items = [{"content": f"step\x1b[2J {at}", "status": status} for at, status in enumerate(statuses, 1)]
    return Turn(calls=[Call("todo", {"items": items})])


async def test_the_list_is_above_the_editor_until_all_is_done(chats: Chats) -> None:
    answers = [listed("completed", "in_progress", "pending"), "So.", listed(*["completed"] * 3), "Done."]
    async with chats.open(answers, session="s.jsonl") as talk:
        await talk.send("go")
        rows = talk.rows()
        at = rows.index("  to do: 1 of 3 done")
        assert rows[at + 1 : at + 3] == ["  ▸ step 2", "  ○ step 3"]
        assert rows[at + 3] == ""
        assert rows[at + 4].startswith("›")
        assert "1 of 3 done" in rows[next(index for index, row in enumerate(rows) if "● todo" in row)]
    async with chats.open(answers[2:], session="s.jsonl") as talk:
        await talk.shown("  to do: 1 of 3 done")
        await talk.send("on")
        await talk.until_hidden("to do:")
        assert "3 of 3 done" in talk.screen()


async def test_a_long_list_shows_what_comes_next(chats: Chats) -> None:
    async with chats.open([listed(*["completed"] * 3, *["pending"] * 9), "So."]) as talk:
        await talk.send("go")
        rows = talk.rows()
        at = rows.index("  to do: 3 of 12 done")
        assert rows[at + 1] == "  ○ step 4"
        assert rows[at + 6] == "  and 4 more"
