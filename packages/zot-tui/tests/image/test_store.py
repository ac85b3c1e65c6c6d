"""Images in a transcript: when they come, what the terminal is told, what is left of them."""

import asyncio
import errno
import re
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from PIL import Image
from waiting import PATIENCE

from zot_tui.app import App
from zot_tui.image.kitty import PLACEHOLDER
from zot_tui.image.store import ImageLimits, ImageStore
from zot_tui.terminal.input import TerminalReply
from zot_tui.testing import Driver, MemoryScreen
from zot_tui.text.runs import Row, plain
from zot_tui.theme import builtin, parse_theme
from zot_tui.theme.detect import TRUE_COLOR, Depth
from zot_tui.widgets.transcript.cell import CellStyle
from zot_tui.widgets.transcript.cells import AnswerCell, UserCell
from zot_tui.widgets.transcript.tool_cell import IMAGES, ToolCell
from zot_tui.widgets.transcript.transcript import Transcript

HALF, KITTY, ITERM = {"TERM": "xterm"}, {"TERM": "xterm-ghostty"}, {"TERM_PROGRAM": "iTerm.app"}
SENT = re.compile(r"\x1b_Ga=T,U=1,i=(\d+),c=(\d+),r=(\d+)")
DELETED = re.compile(r"\x1b_Ga=d,d=I,i=(\d+)")


@dataclass
class Shown:
    data: str
    mime_type: str = "image/png"
    source: str = "a.png"
    kind: str = "image"


class Scene:
    """A transcript on a screen that shows images."""

    def __init__(self, environment: dict[str, str], columns: int, rows: int, depth: Depth) -> None:
        self.transcript = Transcript()
        screen = MemoryScreen(columns, rows, depth=depth)
        self.app = App(self.transcript, screen=screen, environment=environment)
        self.transcript.outdated.connect(self.app.redraw)
        self.style = CellStyle(gallery=self.app.gallery)
        self.driver = Driver(self.app)

    def show(self, *data: str) -> ToolCell:
        """A step that returned images."""
        cell = ToolCell("read", "a.png", self.style)
        cell.finish("ok", [Shown(each) for each in data])
        self.transcript.append(cell)
        return cell

    def screen(self) -> str:
        return self.driver.screen()

    @property
    def sent(self) -> list[str]:
        """The numbers of images that the terminal got."""
        return [found[1] for each in self.driver.memory.sent for found in SENT.finditer(each)]

    @property
    def live(self) -> list[str]:
        """Those of them that it was not told to forget."""
        deleted = [found[1] for each in self.driver.memory.sent for found in DELETED.finditer(each)]
        return [number for number in self.sent if number not in deleted]

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                await asyncio.sleep(0.005)
                await self.driver.settle()


def play(
    test: Callable[[Scene], Awaitable[None]],
    environment: dict[str, str] = HALF,
    columns: int = 60,
    rows: int = 24,
    depth: Depth = TRUE_COLOR,
) -> Scene:
    async def run() -> Scene:
        scene = Scene(environment, columns, rows, depth)
        async with scene.driver:
            await test(scene)
        return scene

    return asyncio.run(run())


def test_an_image_comes_below_its_caption_once_it_is_scaled(encode: Callable[..., str], quarters: Image.Image) -> None:
    async def test(scene: Scene) -> None:
        scene.show(encode(quarters))
        scene.transcript.append(AnswerCell("Four quarters.", finished=True))
        scene.app.draw()  # before the loop can hear of the thread that scales it
        assert scene.screen().splitlines()[:4] == [
            *("● read a.png", "    ▨ PNG · 640×480 · 2 kB  a.png"),
            *("", "  Four quarters."),
        ]
        await scene.until(lambda: "▀" in scene.screen())
        rows = scene.screen().splitlines()
        assert [len(row.strip()) for row in rows[2:14]] == [32] * 12  # half of the screen
        assert rows[14:16] == ["", "  Four quarters."]
        style: Any = scene.driver.style_at(5, 2)
        assert (style.foreground, style.background) == ("#fc0404", "#fc0404")
        style = scene.driver.style_at(4 + 30, 13)
        assert (style.foreground, style.background) == ("#fcfcfc", "#fcfcfc")

    play(test)


def test_expanding_shows_more_of_an_image(encode: Callable[..., str], quarters: Image.Image) -> None:
    async def test(scene: Scene) -> None:
        cell = scene.show(encode(quarters))
        await scene.until(lambda: scene.screen().count("▀") == 32 * 12)
        assert cell.folds(60)
        scene.transcript.toggle_expanded()
        await scene.until(lambda: scene.screen().count("▀") == 48 * 18)
        scene.transcript.toggle_expanded()
        await scene.driver.settle()
        assert scene.screen().count("▀") == 32 * 12

    play(test)


def test_who_reads_further_up_is_not_moved_by_an_image_that_comes(
    encode: Callable[..., str], quarters: Image.Image
) -> None:
    async def test(scene: Scene) -> None:
        scene.transcript.append(*(AnswerCell(f"line {number}", finished=True) for number in range(30)))
        await scene.driver.settle()
        scene.transcript.show(20)
        scene.show(encode(quarters))
        scene.transcript.append(*(AnswerCell(f"later {number}", finished=True) for number in range(30)))
        scene.transcript.show(25)
        await scene.driver.settle()
        assert scene.screen().splitlines()[0] == "  line 25"
        await scene.until(lambda: "▀" in scene.screen())
        assert scene.screen().splitlines()[0] == "  line 25"
        assert not scene.transcript.following

    play(test)


def test_a_small_image_is_not_enlarged_and_folds_nothing(encode: Callable[..., str]) -> None:
    async def test(scene: Scene) -> None:
        cell = scene.show(encode(Image.new("RGB", (24, 32), "red")))
        await scene.until(lambda: "▀" in scene.screen())
        assert scene.screen().splitlines()[2:] == ["    ▀▀▀", "    ▀▀▀"]
        assert not cell.folds(60)

    play(test)


@pytest.mark.parametrize(
    ("environment", "depth"), [({**KITTY, "NO_COLOR": "1"}, 1), (ITERM, 16), ({"ZOT_INLINE_IMAGES": "off"}, TRUE_COLOR)]
)
def test_without_colours_or_by_wish_there_is_the_caption_alone(
    encode: Callable[..., str], quarters: Image.Image, environment: dict[str, str], depth: Depth
) -> None:
    async def test(scene: Scene) -> None:
        cell = scene.show(encode(quarters))
        await scene.driver.settle()
        assert scene.app.gallery().protocol == "off"
        assert scene.screen().splitlines()[1:] == ["    ▨ PNG · 640×480 · 2 kB  a.png"]
        assert not cell.folds(60)
        assert scene.driver.memory.sent == []

    play(test, environment, depth=depth)


def test_a_broken_image_stays_a_caption(encode: Callable[..., str], quarters: Image.Image) -> None:
    async def test(scene: Scene) -> None:
        whole = encode(quarters)
        scene.show(whole[: len(whole) // 8 * 4])
        scene.show("not base64!")
        scene.show(encode(Image.new("RGB", (8, 16), "red")))
        await scene.until(lambda: "▀" in scene.screen())  # those before it are done
        await scene.driver.settle()
        assert scene.screen().count("▨") == 3
        assert scene.screen().count("▀") == 1

    play(test)


def test_the_persons_own_images_are_shown(encode: Callable[..., str], quarters: Image.Image) -> None:
    async def test(scene: Scene) -> None:
        scene.transcript.append(UserCell("what is it?", scene.style, [Shown(encode(quarters), source="")]))
        await scene.until(lambda: "▀" in scene.screen())
        rows = scene.screen().splitlines()
        assert rows[:2] == ["▌ what is it?", "▌ ▨ PNG · 640×480 · 2 kB"]
        assert rows[2] == "▌ " + "▀" * 32

    play(test)


def test_a_step_shows_its_first_images_and_tells_of_the_others(encode: Callable[..., str]) -> None:
    async def test(scene: Scene) -> None:
        images = [encode(Image.new("RGB", (8, 16), (shade, 0, 0))) for shade in range(0, 250, 25)]
        cell = scene.show(*images)
        await scene.until(lambda: scene.screen().count("▀") == IMAGES)
        assert scene.screen().count("▨") == 10
        assert cell.folds(60)
        cell.expanded = True
        await scene.until(lambda: scene.screen().count("▀") == 10)

    play(test, rows=40)


def test_kitty_gets_an_image_once_and_forgets_it_at_the_end(encode: Callable[..., str], quarters: Image.Image) -> None:
    async def test(scene: Scene) -> None:
        scene.show(encode(quarters))
        await scene.until(lambda: PLACEHOLDER in scene.screen())
        scene.transcript.append(*(AnswerCell(f"line {number}", finished=True) for number in range(60)))
        await scene.driver.settle()
        assert PLACEHOLDER not in scene.screen()
        scene.transcript.home()
        await scene.driver.settle()
        assert scene.screen().count(PLACEHOLDER) == 32 * 12
        assert len(scene.sent) == len(scene.live) == 1

    scene = play(test, KITTY)
    assert len(scene.sent) == 1
    assert scene.live == []


def test_kitty_gets_it_again_after_another_program_had_the_screen(
    encode: Callable[..., str], quarters: Image.Image
) -> None:
    async def test(scene: Scene) -> None:
        scene.show(encode(quarters))
        await scene.until(lambda: PLACEHOLDER in scene.screen())
        with scene.app.suspended():
            assert scene.live == []
        await scene.driver.settle()
        assert len(scene.sent) == 2
        assert scene.sent[0] == scene.sent[1]
        assert scene.screen().count(PLACEHOLDER) == 32 * 12

    play(test, KITTY)


def test_a_conversation_that_is_cleared_leaves_nothing_in_the_terminal(
    encode: Callable[..., str], quarters: Image.Image
) -> None:
    async def test(scene: Scene) -> None:
        for shade in range(3):
            scene.show(encode(Image.new("RGB", (8, 16), (shade, 0, 0))))
        await scene.until(lambda: len(scene.sent) == 3)
        scene.transcript.clear()
        scene.app.gallery().clear()
        await scene.driver.settle()
        assert scene.live == []
        assert PLACEHOLDER not in scene.screen()

    play(test, KITTY, depth=256)


def test_a_cell_of_another_size_makes_images_anew(encode: Callable[..., str], quarters: Image.Image) -> None:
    async def test(scene: Scene) -> None:
        scene.show(encode(quarters))
        await scene.until(lambda: PLACEHOLDER in scene.screen())
        assert scene.driver.memory.sent[0] == "\x1b[16t"
        scene.driver.memory.hear(TerminalReply("\x1b[6;40;20t"))
        await scene.until(lambda: len(scene.sent) == 2 and PLACEHOLDER in scene.screen())
        assert len(scene.live) == 1
        assert scene.screen().count(PLACEHOLDER) == 32 * 12  # 640 by 480 pixels are 32 by 12 such cells
        scene.driver.memory.hear(
            TerminalReply("\x1b[6;40;20t"),
            TerminalReply("\x1b[6;0;0t"),
            TerminalReply("\x1b[4;1;1t"),
            TerminalReply("\x1b[6;9999;9999t"),
        )
        await scene.driver.settle()
        assert len(scene.sent) == 2
        scene.driver.resize(50, 24)  # another font changes this too
        assert scene.driver.memory.sent[-1] == "\x1b[16t"

    play(test, KITTY)


def test_another_width_needs_no_other_image_where_it_fits(encode: Callable[..., str], quarters: Image.Image) -> None:
    async def test(scene: Scene) -> None:
        scene.show(encode(quarters))
        await scene.until(lambda: scene.screen().count(PLACEHOLDER) == 32 * 12)
        scene.driver.resize(90, 24)
        await scene.driver.settle()
        assert scene.screen().count(PLACEHOLDER) == 32 * 12
        assert len(scene.sent) == 1
        scene.driver.resize(24, 24)
        await scene.until(lambda: scene.screen().count(PLACEHOLDER) == 20 * 8)
        assert len(scene.sent) == 2

    play(test, KITTY)


def test_iterm_is_given_each_row_where_it_is_drawn(encode: Callable[..., str], quarters: Image.Image) -> None:
    async def test(scene: Scene) -> None:
        scene.show(encode(quarters))
        sequences = scene.driver.memory.sequences
        await scene.until(lambda: len(sequences) == 12)
        await scene.driver.settle()
        drawn = [style for row in scene.driver.styles() for style, _ in row if style in sequences]
        assert drawn == list(sequences)
        scene.app.gallery().clear()
        assert sequences == {}
        await scene.until(lambda: len(sequences) == 12)

    play(test, ITERM)


def test_what_is_left_behind_holds_no_images(encode: Callable[..., str], quarters: Image.Image) -> None:
    async def test(scene: Scene) -> None:
        scene.show(encode(quarters))
        await scene.until(lambda: PLACEHOLDER in scene.screen())
        scene.app.exit()
        assert [plain(row).rstrip() for row in scene.transcript.last_rows(60, 99)] == [
            "● read a.png",
            "    ▨ PNG · 640×480 · 2 kB  a.png",
        ]

    play(test, KITTY)


def test_a_screen_that_fails_leaves_no_images_behind_either(encode: Callable[..., str], quarters: Image.Image) -> None:
    async def test(scene: Scene) -> None:
        scene.show(encode(quarters))
        await scene.until(lambda: PLACEHOLDER in scene.screen())
        scenes.append(scene)
        raise ValueError("broken on purpose")

    scenes: list[Scene] = []
    with pytest.raises(ValueError, match="broken on purpose"):
        play(test, KITTY)
    assert scenes[0].live == []
    assert PLACEHOLDER not in "".join(map(plain, scenes[0].transcript.last_rows(60, 99)))


def test_text_cannot_show_an_image(encode: Callable[..., str], quarters: Image.Image) -> None:
    @dataclass
    class Text:
        text: str
        kind: str = "text"

    async def test(scene: Scene) -> None:
        scene.show(encode(quarters))
        await scene.until(lambda: PLACEHOLDER in scene.screen())
        number = int(scene.sent[0])
        color = f"\x1b[38;2;{number >> 16};{number >> 8 & 255};{number & 255}m"
        flood = color + f"{PLACEHOLDER}\u0305\u0305 \ue000\U000f0000" * 20_000
        cell = ToolCell("bash", "cat", scene.style)
        cell.finish("ok", [Text(flood)])
        scene.transcript.append(cell, AnswerCell(flood, finished=True), UserCell(flood, scene.style))
        for turn in range(4):
            scene.transcript.scroll(-24 * turn)
            await scene.driver.settle()
            rows = [row for row in scene.driver.rows() if PLACEHOLDER in row]
            assert all(row.count(PLACEHOLDER) == 32 for row in rows)
            assert len(rows) <= 12
        assert "\ufffd" in scene.screen()

    play(test, KITTY)


@pytest.mark.parametrize(("version", "placeholders"), [(27, 0), (28, 32 * 12)])
def test_kitty_shows_an_image_itself_if_its_version_can(
    version: int, placeholders: int, encode: Callable[..., str], quarters: Image.Image
) -> None:
    async def test(scene: Scene) -> None:
        scene.show(encode(quarters))
        await scene.until(lambda: "▀" in scene.screen())
        assert scene.driver.memory.sent.count("\x1b[>c") == 1
        assert scene.sent == []
        scene.driver.memory.hear(TerminalReply(f"\x1b[>1;4000;{version}c"))
        await scene.until(lambda: scene.screen().count(PLACEHOLDER) == placeholders)
        assert ("▀" in scene.screen()) is not bool(placeholders)
        assert len(scene.sent) == bool(placeholders)

    play(test, {"TERM": "xterm-kitty"})


# Without a transcript


def gallery(limits: ImageLimits, environment: dict[str, str] = KITTY) -> tuple[ImageStore, MemoryScreen]:
    screen = MemoryScreen(60, 24)
    screen.start()
    return ImageStore(screen, environment, lambda: builtin("dark"), limits=limits), screen


async def ready(shown: ImageStore, data: str) -> list[Row[Any]]:
    """The rows of an image once it is done."""
    changed = asyncio.Event()
    rows = shown.rows(data, 40, changed.set)
    if not rows:
        async with asyncio.timeout(PATIENCE):
            await changed.wait()
        rows = shown.rows(data, 40, lambda: None)
    return rows


async def test_no_more_images_are_kept_than_allowed(encode: Callable[..., str]) -> None:
    shown, screen = gallery(ImageLimits(images=3))
    told: list[int] = []
    for shade in range(6):
        data = encode(Image.new("RGB", (8, 16), (shade, 0, 0)))
        assert await ready(shown, data)
        shown.rows(data, 40, lambda shade=shade: told.append(shade))
    deleted = DELETED.findall("".join(screen.sent))
    sent = [found[0] for found in SENT.findall("".join(screen.sent))]
    assert told == [0, 1, 2]
    assert deleted == sent[:3]
    shown.close()


async def test_images_that_take_too_many_bytes_give_way(encode: Callable[..., str]) -> None:
    shown, screen = gallery(ImageLimits(bytes=1))
    for shade in range(3):
        assert await ready(shown, encode(Image.new("RGB", (8, 16), (shade, 0, 0))))
    assert len(DELETED.findall("".join(screen.sent))) == 2
    shown.close()


async def test_an_image_that_takes_too_long_is_given_up(encode: Callable[..., str]) -> None:
    shown, _ = gallery(ImageLimits(seconds=0.0))
    large = encode(Image.new("RGB", (2000, 2000)))
    assert await ready(shown, large) == []
    assert shown.rows(large, 40, lambda: None) == []
    assert not shown.can_expand(large, 40)
    shown.close()


async def test_of_images_that_wait_the_last_ones_are_scaled(encode: Callable[..., str]) -> None:
    shown, _ = gallery(ImageLimits(waiting=2))
    done = [asyncio.Event() for _ in range(8)]
    images = [encode(Image.new("RGB", (8, 16), (shade, 0, 0))) for shade in range(8)]
    for data, event in zip(images, done, strict=True):
        shown.rows(data, 40, event.set)
    async with asyncio.timeout(PATIENCE):
        for event in done:
            await event.wait()
    rows = [bool(shown.rows(data, 40, lambda: None)) for data in images]
    assert rows[-2:] == [True, True]
    shown.close()


async def test_as_many_images_as_a_screen_has_rows_wait_until_they_are_scaled(encode: Callable[..., str]) -> None:
    shown, _ = gallery(ImageLimits(), HALF)
    images = [encode(Image.new("RGB", (8, 16), (shade, 0, 0))) for shade in range(90)]
    told: asyncio.Queue[str] = asyncio.Queue()
    for data in images:
        assert shown.rows(data, 40, lambda data=data: told.put_nowait(data)) == []
    async with asyncio.timeout(PATIENCE):
        for _ in images:
            assert shown.rows(await told.get(), 40, lambda: None)
    shown.close()


async def test_a_large_image_is_sent_coarser_over_ssh(encode: Callable[..., str]) -> None:
    noise = encode(Image.effect_noise((600, 300), 100).convert("RGB"))
    sizes = []
    for environment in (KITTY, {**KITTY, "SSH_CONNECTION": "1 2 3 4"}):
        shown, screen = gallery(ImageLimits(sent=400_000, sent_over_ssh=20_000), environment)
        assert len(await ready(shown, noise)) == 10
        sizes.append(len("".join(screen.sent)))
        shown.close()
    assert sizes[1] < 25_000 < sizes[0] < 450_000


async def test_iterm_gets_coarser_strips_over_ssh(encode: Callable[..., str]) -> None:
    noise = encode(Image.effect_noise((600, 300), 100).convert("RGB"))
    sizes = []
    for environment in (ITERM, {**ITERM, "SSH_CONNECTION": "1 2 3 4"}):
        shown, screen = gallery(ImageLimits(sent=400_000, sent_over_ssh=20_000), environment)
        assert len(await ready(shown, noise)) == len(screen.sequences) == 10
        sizes.append(len("".join(screen.sequences.values())))
        shown.close()
    assert sizes[1] < 20_000 < sizes[0] < 400_000


async def test_however_often_the_screen_changes_one_image_is_scaled_at_a_time(encode: Callable[..., str]) -> None:
    shown, _ = gallery(ImageLimits(), HALF)
    data = encode(Image.effect_noise((2000, 1500), 100).convert("RGB"))
    changed = asyncio.Event()
    at_once = []
    for _ in range(20):  # as somebody does who looks for a theme
        assert shown.rows(data, 40, changed.set) == []
        at_once.append(sum(thread.name == "image" for thread in threading.enumerate()))
        shown.clear()
    assert await ready(shown, data)
    assert max(at_once) == 1
    shown.close()


async def test_what_was_scaled_before_the_screen_changed_is_not_shown(encode: Callable[..., str]) -> None:
    themes = [builtin("dark"), parse_theme('{"name": "ink", "colors": {"background": "#101828"}}')]
    screen = MemoryScreen(60, 24)
    screen.start()
    shown = ImageStore(screen, HALF, lambda: themes[0])
    clear = encode(Image.new("RGBA", (800, 1600), (0, 0, 0, 0)))
    assert shown.rows(clear, 40, lambda: None) == []
    themes.reverse()
    shown.renew()
    rows = await ready(shown, clear)
    assert {style.foreground for row in rows for style, _ in row} == {"#141c2c"}  # rounded
    shown.close()


async def test_a_terminal_that_is_gone_is_not_the_images_affair(
    encode: Callable[..., str], quarters: Image.Image
) -> None:
    class Gone(MemoryScreen):
        def send(self, sequence: str) -> None:
            raise OSError(errno.EIO, "Input/output error")

    screen = Gone(60, 24)
    screen.start()
    shown = ImageStore(screen, KITTY, lambda: builtin("dark"))
    assert len(await ready(shown, encode(quarters))) == 12
    shown.clear()
    shown.close()


async def test_an_image_inside_tmux_is_passed_on(encode: Callable[..., str], quarters: Image.Image) -> None:
    shown, screen = gallery(ImageLimits(), {**KITTY, "TMUX": "x", "ZOT_INLINE_IMAGES": "kitty"})
    assert await ready(shown, encode(quarters))
    assert all(each.startswith("\x1bPtmux;\x1b\x1b_G") for each in screen.sent[1:])
    shown.suspend()
    assert screen.sent[-1].startswith("\x1bPtmux;\x1b\x1b_Ga=d")
    shown.close()
