from zot_tui.signal import Signal


def test_all_listeners_are_called_in_the_order_in_which_they_were_connected() -> None:
    heard: list[str] = []
    signal: Signal[[str]] = Signal()
    signal.emit("nobody hears it")
    signal.connect(lambda text: heard.append(f"first {text}"))
    signal.connect(lambda text: heard.append(f"second {text}"))
    signal.emit("one")
    assert heard == ["first one", "second one"]
