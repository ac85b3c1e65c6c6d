import pytest

from zot_agent.extensions.panels.panels import Panels
from zot_core.conversation.events import ExtensionEvent, Panel, PanelClose, PanelOpen, PanelRender
from zot_ext.protocol import from_extension, from_host
from zot_ext.protocol.values import PanelSpec
from zot_tui.keys.key import parse_key


class Owner:
    """An extension that keeps what it is sent."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sent: list[from_host.FromHost] = []

    def send(self, frame: from_host.FromHost) -> None:
        self.sent.append(frame)


class Screen:
    """Panels, and what was told of them."""

    def __init__(self) -> None:
        self.told: list[ExtensionEvent] = []
        self.panels = Panels(self.told.append)


@pytest.fixture
def screen() -> Screen:
    return Screen()


def test_another_panel_takes_the_place_of_the_open_one_and_its_owner_is_told(screen: Screen) -> None:
    first, second = Owner("first"), Owner("second")
    screen.panels.open(first, PanelSpec("a", "A"))
    screen.panels.open(second, PanelSpec("a", "B"))

    assert first.sent == [from_host.PanelClose("a")]
    assert screen.told[1:] == [PanelClose("first", "a"), PanelOpen("second", Panel("a", "B"))]


def test_opening_the_open_panel_again_shows_it_anew(screen: Screen) -> None:
    owner = Owner("x")
    screen.panels.open(owner, PanelSpec("a", "A"))
    screen.panels.open(owner, PanelSpec("a", "B"))

    assert owner.sent == []
    assert screen.panels.panel == Panel("a", "B")


def test_rendering_keeps_the_title_if_none_is_given_and_always_replaces_the_footer(screen: Screen) -> None:
    owner = Owner("x")
    screen.panels.open(owner, PanelSpec("a", "A", ("1",), "keys"))
    screen.panels.received(owner, from_extension.PanelRender("a", lines=("2",)))

    assert screen.told[-1] == PanelRender("x", Panel("a", "A", ("2",), ""))


def test_rendering_a_panel_that_is_not_open_or_not_ones_own_is_ignored(screen: Screen) -> None:
    owner, other = Owner("x"), Owner("y")
    screen.panels.received(owner, from_extension.PanelRender("a"))
    screen.panels.open(owner, PanelSpec("a", "A"))
    screen.panels.received(owner, from_extension.PanelRender("b"))
    screen.panels.received(other, from_extension.PanelRender("a"))
    screen.panels.received(other, from_extension.PanelClose("a"))

    assert screen.told == [PanelOpen("x", Panel("a", "A"))]


def test_an_extension_that_closes_its_panel_gets_no_echo(screen: Screen) -> None:
    owner = Owner("x")
    screen.panels.open(owner, PanelSpec("a"))
    screen.panels.received(owner, from_extension.PanelClose("a"))

    assert owner.sent == []
    assert screen.told[-1] == PanelClose("x", "a")
    assert screen.panels.panel is None


def test_keys_go_to_the_owner_esc_closes_and_unknown_ones_are_swallowed(screen: Screen) -> None:
    owner = Owner("x")
    assert not screen.panels.press("down")
    screen.panels.open(owner, PanelSpec("a"))
    screen.panels.press("down")
    screen.panels.press("rune", "é")
    for name in ("a", "space", "pageup", "ctrl+d", "shift+tab", "f1"):
        key = parse_key(name)
        assert screen.panels.press(key.name, key.text, key.modifiers)
    screen.panels.press("rune")
    screen.panels.press("esc")

    assert owner.sent == [
        from_host.PanelKey("a", "down"),
        from_host.PanelKey("a", "rune", "é"),
        from_host.PanelKey("a", "rune", "a"),
        from_host.PanelKey("a", "rune", " "),
        from_host.PanelKey("a", "pageup"),
        from_host.PanelClose("a"),
    ]
    assert screen.panels.panel is None


def test_a_panel_goes_with_its_extension(screen: Screen) -> None:
    owner, other = Owner("x"), Owner("y")
    screen.panels.open(owner, PanelSpec("a"))
    screen.panels.drop(other)
    assert screen.panels.panel is not None
    screen.panels.drop(owner)

    assert owner.sent == []
    assert screen.told[-1] == PanelClose("x", "a")


def test_ctrl_c_closes_a_panel_and_a_paste_is_typed_on_one_line(screen: Screen) -> None:
    owner = Owner("x")
    assert not screen.panels.paste("a")
    screen.panels.open(owner, PanelSpec("a"))
    screen.panels.paste("a\n\x1b[31mb")
    screen.panels.press("c", "", ("ctrl",))

    assert owner.sent == [*(from_host.PanelKey("a", "rune", letter) for letter in "a b"), from_host.PanelClose("a")]
