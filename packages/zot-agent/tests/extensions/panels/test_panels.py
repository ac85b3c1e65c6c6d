import asyncio
from typing import Any

import pytest
from waiting import PATIENCE

from zot_agent.extensions.panels.panel import PanelWishes, read_lines
from zot_agent.extensions.panels.panels import MOST, Panels
from zot_agent.operations.fields import OperationFailed
from zot_core.conversation.events import ExtensionEvent, PanelClose, PanelShow, PlacedPanel
from zot_ext.limits import DEFAULT_LIMITS, ExtensionLimits
from zot_ext.protocol import from_host
from zot_ext.protocol.from_extension import PanelClose as CloseFrame
from zot_ext.protocol.from_extension import PanelDraw, PanelKeyResult
from zot_ext.protocol.values import PanelSpec


class Owner:
    """An extension that keeps what it is sent."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sent: list[from_host.FromHost] = []

    def send(self, frame: from_host.FromHost) -> None:
        self.sent.append(frame)

    def got(self, kind: type[Any]) -> list[Any]:
        return [frame for frame in self.sent if isinstance(frame, kind)]


class Screen:
    """Panels, and what a front end hears of them."""

    def __init__(self, limits: ExtensionLimits = DEFAULT_LIMITS) -> None:
        self.heard: list[ExtensionEvent] = []
        self.panels = Panels(self.heard.append, limits)

    def open(self, owner: Owner, id: str = "p", wishes: PanelWishes | None = None, **given: Any) -> None:
        self.panels.open_drawn(owner, id, wishes or PanelWishes(), given)

    def views(self, id: str = "p") -> list[PlacedPanel]:
        return [each.panel for each in self.heard if isinstance(each, PanelShow) and each.panel.id == id]

    def shown(self, id: str = "p") -> PlacedPanel:
        return self.views(id)[-1]

    async def until(self, holds: Any) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                await asyncio.sleep(0.005)


@pytest.fixture
def screen() -> Screen:
    return Screen()


async def test_of_many_frames_the_newest_is_shown_thirty_times_a_second_at_most(screen: Screen) -> None:
    owner = Owner("x")
    screen.open(owner)
    for number in range(500):
        screen.panels.received(owner, PanelDraw("p", (str(number),)))
    assert len(screen.heard) < 5
    await screen.until(lambda: screen.shown().lines == ("499",))
    assert len(screen.heard) < 8


async def test_what_answers_a_key_is_shown_at_once(screen: Screen) -> None:
    owner, answers = Owner("x"), []
    screen.open(owner)
    screen.panels.answered.add(lambda _: answers.append(screen.shown().lines))
    for number in range(5):
        screen.panels.press("rune", "a")
        screen.panels.received(owner, PanelDraw("p", (str(number),)))
        screen.panels.received(owner, PanelKeyResult("p", owner.got(from_host.PanelKey)[-1].seq))
    assert answers == [(str(number),) for number in range(5)]


async def test_the_newest_panel_that_takes_keys_has_them_and_gives_them_back(screen: Screen) -> None:
    one, other = Owner("one"), Owner("other")
    screen.open(one, "a")
    screen.open(other, "b")
    screen.open(other, "c", PanelWishes(passive=True))
    await screen.until(lambda: screen.views("c"))
    screen.panels.press("rune", "x")
    screen.panels.received(other, CloseFrame("b"))
    screen.panels.press("rune", "y", ("alt",))
    assert other.got(from_host.PanelKey) == [from_host.PanelKey("b", "rune", "x", (), 1)]
    assert one.got(from_host.PanelKey) == [from_host.PanelKey("a", "rune", "y", ("alt",), 2)]
    assert PanelClose("other", "b") in screen.heard
    assert not other.got(from_host.PanelClose)


async def test_focus_moves_to_the_panel_that_asks_and_its_owner_hears_of_it(screen: Screen) -> None:
    owner = Owner("x")
    screen.open(owner, "a")
    screen.open(owner, "b")
    await screen.until(lambda: screen.views("b"))
    screen.panels.change(owner, "a", {"focus": True})
    await screen.until(lambda: owner.got(from_host.PanelFocus)[-1:] == [from_host.PanelFocus("a", focused=True)])
    assert screen.shown("a").order > screen.shown("b").order
    screen.panels.change(owner, "a", {"hidden": True})
    await screen.until(lambda: owner.got(from_host.PanelFocus)[-1] == from_host.PanelFocus("b", focused=True))
    assert screen.shown("a").hidden
    screen.panels.change(owner, "b", {"focus": False})
    assert screen.panels.focused is None
    assert not screen.panels.press("rune", "x")
    assert not screen.panels.paste("x")


async def test_a_panel_that_handles_esc_keeps_open_while_it_answers(screen: Screen) -> None:
    owner = Owner("x")
    screen.open(owner, wishes=PanelWishes(handles_esc=True))
    screen.panels.press("esc")
    screen.panels.received(owner, PanelKeyResult("p", 1))
    await asyncio.sleep(0.6)
    assert screen.panels.focused is not None
    screen.panels.press("c", "", ("ctrl",))
    assert owner.got(from_host.PanelClose) == [from_host.PanelClose("p")]


async def test_a_panel_that_is_silent_after_ctrl_c_is_closed(screen: Screen) -> None:
    owner = Owner("x")
    screen.open(owner, wishes=PanelWishes(handles_ctrl_c=True))
    screen.panels.press("c", "", ("ctrl",))
    assert owner.got(from_host.PanelKey) == [from_host.PanelKey("p", "c", "", ("ctrl",), 1)]
    await screen.until(lambda: owner.got(from_host.PanelClose))
    assert screen.panels.focused is None


async def test_a_panel_that_asks_for_it_hears_of_keys_that_are_held_down_and_let_go(screen: Screen) -> None:
    owner = Owner("x")
    screen.open(owner)
    screen.open(owner, "q", PanelWishes(key_kinds=True))
    for _ in range(2):
        screen.panels.press("rune", "w", repeated=True)
        screen.panels.release("rune", "w")
        screen.panels.close(screen.panels.focused)
    assert owner.got(from_host.PanelKey) == [
        from_host.PanelKey("q", "rune", "w", (), 1, "repeat"),
        from_host.PanelKey("q", "rune", "w", (), 0, "release"),
        from_host.PanelKey("p", "rune", "w", (), 2),
    ]


async def test_esc_that_is_held_down_is_no_second_press(screen: Screen) -> None:
    owner = Owner("x")
    screen.open(owner)
    screen.open(owner, "q", PanelWishes(handles_esc=True))
    screen.panels.press("esc")
    screen.panels.received(owner, PanelKeyResult("q", 1))
    screen.panels.press("esc", repeated=True)
    assert owner.got(from_host.PanelClose) == []
    screen.panels.press("esc")
    assert owner.got(from_host.PanelClose) == [from_host.PanelClose("q")]


@pytest.mark.parametrize(("seconds", "back"), [(60.0, ["pressed"]), (0.005, [])])
async def test_a_key_without_a_use_comes_back_unless_that_takes_too_long(seconds: float, back: list[str]) -> None:
    screen, owner, found = Screen(ExtensionLimits(panel_key_seconds=seconds)), Owner("x"), []
    screen.panels.unused.add(found.append)
    screen.open(owner)
    screen.panels.press("pageup", pressed="pressed")
    await asyncio.sleep(0.01)
    screen.panels.received(owner, PanelKeyResult("p", 1, consumed=False))
    screen.panels.received(owner, PanelKeyResult("p", 99, consumed=False))
    assert found == back


async def test_a_paste_is_typed_or_sent_whole(screen: Screen) -> None:
    owner = Owner("x")
    screen.open(owner)
    screen.panels.paste("a\nb")
    assert [key.text for key in owner.got(from_host.PanelKey)] == ["a", "b"]
    screen.open(owner, "q", PanelWishes(paste=True))
    screen.panels.paste("a\nb")
    assert owner.got(from_host.PanelPaste) == [from_host.PanelPaste("q", "a\nb")]


async def test_the_mouse_goes_to_panels_that_want_it(screen: Screen) -> None:
    owner = Owner("x")
    screen.open(owner, "a")
    screen.open(owner, "b", PanelWishes(mouse=True))
    assert not screen.panels.mouse("x", "a", "press", 0, 0, 1)
    assert screen.panels.mouse("x", "b", "press", 1, 2, 1)
    assert owner.got(from_host.PanelMouse) == [from_host.PanelMouse("b", "press", 1, 2, 1)]


async def test_a_panel_of_the_first_group_and_one_beside_the_editor_take_turns(screen: Screen) -> None:
    one, other = Owner("one"), Owner("other")
    screen.panels.open(one, PanelSpec("old", "Old"))
    screen.open(other, "inline", PanelWishes("inline"))
    assert one.got(from_host.PanelClose) == [from_host.PanelClose("old")]
    screen.panels.open(one, PanelSpec("old", "Old"))
    assert other.got(from_host.PanelClose) == [from_host.PanelClose("inline")]
    screen.open(other, "over")
    assert screen.panels.focused is not None
    screen.panels.open(one, PanelSpec("old", "Older"))
    assert screen.panels.focused is None
    screen.panels.close()
    assert screen.panels.focused is not None


async def test_sizes_follow_the_screen(screen: Screen) -> None:
    owner = Owner("x")
    for number in range(10):
        screen.open(owner, str(number), width="50%")
    for columns in range(20, 200):
        screen.panels.resize(columns, 30)
    await screen.until(
        lambda: owner.got(from_host.PanelResize)[-1:] == [from_host.PanelResize("9", 97, 28, visible=True)]
    )
    assert len(owner.got(from_host.PanelResize)) < 50
    assert screen.shown("9").width == 99


async def test_the_panels_of_an_extension_go_with_it_and_have_a_limit(screen: Screen) -> None:
    owner = Owner("x")
    for number in range(MOST):
        screen.open(owner, str(number))
    screen.open(owner, "0")  # in place of the first
    with pytest.raises(OperationFailed, match="are open already"):
        screen.open(owner, "one more")
    screen.panels.drop(owner)
    assert screen.panels.focused is None
    screen.panels.received(owner, PanelDraw("0", ("late",)))
    assert isinstance(screen.heard[-1], PanelClose)


def test_lines_from_outside_are_bounded_and_lose_what_is_not_known() -> None:
    span = {"text": "a", "style": "error", "bold": True, "blink": True, "bg": 3}
    assert read_lines(["x" * 10**6, [span, {"no": "text"}, 5]]) == (
        "x" * 20_000,
        [{"text": "a", "style": "error", "bold": True}],
    )
    assert len(read_lines(["x"] * 1000)) == 300
    assert sum(map(len, read_lines(["x" * 20_000] * 300))) == 400_000
