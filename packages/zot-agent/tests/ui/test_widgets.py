"""What extensions show around the editor, as whole images."""

from screen import Chats, Paused

from zot_core.conversation.events import TitleChange, WidgetChange, WidgetPlace, WorkingChange
from zot_provider.testing import Turn

SPANS = [{"text": "build ", "style": "muted"}, {"text": "passing", "style": "success", "bold": True}]


def widget(place: WidgetPlace, *lines: str | list[dict[str, object]], key: str = "", priority: int = 0) -> WidgetChange:
    return WidgetChange("ci", key or place, place, lines, priority)


async def test_widgets_are_drawn_at_their_places(chats: Chats) -> None:
    async with chats.open() as talk:
        await talk.emit(
            widget("header", "a header"),
            widget("above_editor", SPANS, "\x1b[31mtwo\x1b[0m \x1b[5;5Hrows"),
            widget("top_left", "left"),
            widget("top_right", "right"),
            widget("bottom_left", "low"),
            widget("below_editor", "below"),
            widget("status", "12 tests"),
        )
        assert talk.shows("""
            |  a header
            |▌ zot X.Y.Z
            |▌ ~/work
            |▌ m1 · scripted
            |▌ yolo, no sandbox: runs every call that no rule denies or asks about
            |
            |  ? help · Shift+Tab mode · / commands · @ files
            |  /init has the model write an AGENTS.md for this project
            |(9 blank)
            |  build passing
            |  two rows
            |  left                                                                     right
            |› ask, or / for commands, @ for files
            |  low
            |  below
            |  yolo · no sandbox · ~/work · 12 tests                          scripted · m1
        """)
        await talk.emit(*(widget(place) for place in ("header", "above_editor", "top_left", "top_right")))
        await talk.emit(*(widget(place) for place in ("bottom_left", "below_editor", "status")))
        assert talk.shows("""
            |▌ zot X.Y.Z
            |▌ ~/work
            |▌ m1 · scripted
            |▌ yolo, no sandbox: runs every call that no rule denies or asks about
            |
            |  ? help · Shift+Tab mode · / commands · @ files
            |  /init has the model write an AGENTS.md for this project
            |(15 blank)
            |› ask, or / for commands, @ for files
            |  yolo · no sandbox · ~/work                                     scripted · m1
        """)


async def test_a_footer_replaces_the_status_row_but_for_what_is_always_shown(chats: Chats) -> None:
    async with chats.open() as talk:
        await talk.emit(widget("footer", "second", key="b"), widget("footer", "first", key="a", priority=1))
        assert talk.rows()[-3:] == ["  first", "  second", "  yolo · no sandbox"]


async def test_many_rows_leave_room_for_the_editor_and_the_conversation(chats: Chats) -> None:
    async with chats.open(columns=60, rows=12) as talk:
        await talk.emit(widget("above_editor", *(f"row {n}" for n in range(40))), widget("header", *"abcdefgh"))
        rows = talk.rows()
        assert rows[-2] == "› ask, or / for commands, @ for files"
        assert rows[-3] == "  row 9"
        assert rows[:2] == ["", "  ? help · Shift+Tab mode · / commands · @ files"]
    async with chats.open(columns=60, rows=8) as talk:
        await talk.emit(widget("above_editor", "a"), widget("top_left", "b"))
        assert len(talk.rows()) == 8
        assert talk.rows()[6] == "› ask, or / for commands, @ for files"
    async with chats.open(columns=60, rows=30) as talk:
        await talk.emit(widget("header", *(f"row {n}" for n in range(40))))
        assert [row for row in talk.rows() if "row" in row] == [f"  row {n}" for n in range(10)]


async def test_an_extension_names_the_window_and_what_is_done(chats: Chats) -> None:
    client = Paused(["¶Done."])
    async with chats.open(client) as talk:
        own = talk.title
        talk.type("go<enter>")
        await talk.emit(TitleChange("ci", "building"), WorkingChange("ci", "pondering"))
        assert talk.title == "building"
        await talk.shown("pondering")
        await talk.emit(WorkingChange("ci", message="pondering", hidden=True))
        await talk.until_hidden("pondering")
        await talk.emit(TitleChange("ci", ""), WorkingChange("ci"))
        client.go.set()
        await talk.quiet()
        assert talk.title != "building"
        assert own


async def test_a_thousand_widgets_and_long_lines_leave_the_editor_and_the_conversation_their_place(
    chats: Chats,
) -> None:
    places: list[WidgetPlace] = [
        "above_editor",
        "below_editor",
        "top_left",
        "bottom_right",
        "status",
        "header",
        "footer",
    ]
    async with chats.open() as talk:
        long = "x" * 20_000
        await talk.emit(*(widget(places[n % 7], long, f"line {n}", key=f"w{n}", priority=n) for n in range(1000)))
        await talk.press("typed")
        rows = talk.lines()
        assert {len(row) for row in rows} == {80}
        assert sum("line" in row or "xxx" in row for row in rows) <= 10 + 6 + 8 + 3 + 2
        at = next(at for at, row in enumerate(rows) if row.startswith("› typed"))
        assert at >= 3
        assert talk.editor == "typed"
        talk.resize(20, 6)
        await talk.until(lambda: len(talk.lines()) == 6)
        assert any(row.startswith("› typed") for row in talk.lines())
        talk.resize(80, 24)
        await talk.emit(*(widget(places[n % 7], key=f"w{n}") for n in range(1000)))
        assert talk.rows()[0] == "▌ zot X.Y.Z"


async def test_an_extension_chooses_the_word_before_all_thoughts(chats: Chats) -> None:
    thought = Turn("done", reasoning="it depends")
    async with chats.open([thought, thought]) as talk:
        await talk.send("why?")
        await talk.emit(WorkingChange("ci", thinking="Pondering"))
        await talk.send("why?")
        assert talk.screen().count("∴ Pondering for") == 2
        await talk.emit(WorkingChange("ci"))
        await talk.until(lambda: talk.screen().count("∴ Thought for") == 2)
