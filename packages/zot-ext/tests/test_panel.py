import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_ext import Extension, NotGranted, PanelKey, PanelSpec, Response
from zot_ext.panel import Panel
from zot_ext.protocol.from_extension import ClearNotes, Notify, OpenPanel, PanelClose, PanelRender
from zot_ext.testing import FakeHost


def editor() -> tuple[Extension, Panel]:
    """An extension with a panel that shows what was typed into it."""
    ext = Extension("editor")
    panel = ext.panel("main", "Editor", "esc closes")
    typed: list[str] = []

    @panel.on_render
    def lines() -> list[str]:
        return ["".join(typed)]

    @panel.on_key
    async def key(press: PanelKey) -> None:
        if press.key == "tab":
            raise RuntimeError("no tabs")
        if press.key == "end":
            panel.close()
        typed.append(press.text)

    @ext.command("edit")
    def edit(_: str) -> Response:
        return panel.open()

    @ext.command("show")
    def show(_: str) -> None:
        panel.show()

    return ext, panel


def test_a_command_opens_a_panel_and_keys_draw_it_anew() -> None:
    ext, _ = editor()
    with FakeHost(ext) as host:
        assert "panels" in host.frames[0].capabilities  # type: ignore[union-attr]
        assert host.command("edit").open_panel == PanelSpec("main", "Editor", ("",), "esc closes")
        host.type_text("main", "ab")
        assert host.wait_for(PanelRender, count=2) == PanelRender("main", "Editor", ("ab",), "esc closes")
        host.key("main", "tab")
        assert host.wait_for(PanelRender, count=3).lines == ("ab",)


def test_keys_before_opening_after_closing_and_for_other_panels_do_nothing() -> None:
    ext, panel = editor()
    with FakeHost(ext) as host:
        host.type_text("main", "a")
        host.key("other", "rune", "b")
        host.command("edit")
        host.key("main", "end")
        host.type_text("main", "c")
        host.wait_for(PanelClose)
        panel.refresh()
        panel.close()
    assert host.sent(PanelRender) == []
    assert host.sent(PanelClose) == [PanelClose("main")]


def test_the_handler_is_told_when_the_person_closes_the_panel() -> None:
    ext, panel = editor()
    panel.on_close(ext.clear_notes)
    with FakeHost(ext) as host:
        host.command("edit")
        host.close_panel("main")
        host.wait_for(ClearNotes)
        host.close_panel("main")
    assert len(host.sent(ClearNotes)) == 1
    assert not panel.is_open


def test_a_panel_opens_unasked_only_where_that_is_granted() -> None:
    ext, panel = editor()
    with FakeHost(ext) as host:
        assert host.command("show").error == "NotGranted: the host does not grant 'panels'"
        with pytest.raises(NotGranted):
            panel.show()
    ext, panel = editor()
    with FakeHost(ext, capabilities=["panels"]) as host:
        assert host.command("show").action == "noop"
        assert host.wait_for(OpenPanel).panel.id == "main"


@settings(max_examples=settings.default.max_examples // 4)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_fast_typing_stays_in_order(text: str) -> None:
    ext, _ = editor()
    with FakeHost(ext) as host:
        host.command("edit")
        host.type_text("main", text)
        assert host.wait_for(PanelRender, count=len(text)).lines == (text,)


def test_slow_events_do_not_hold_up_keys() -> None:
    import threading

    ext, _ = editor()
    drawn = threading.Event()

    @ext.on("turn_start")
    def slow(_: object) -> None:
        assert drawn.wait(PATIENCE)
        ext.notify("seen")

    with FakeHost(ext) as host:
        host.command("edit")
        host.event("turn_start", step=1)
        host.type_text("main", "a")
        host.wait_for(PanelRender)
        drawn.set()
        host.wait_for(Notify)
