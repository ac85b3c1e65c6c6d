from zot_agent.ui.permission import arguments
from zot_core.hooks import Call
from zot_tui.text.runs import plain


def shown(call: Call, columns: int) -> list[str]:
    return [plain(row).rstrip() for row in arguments(call, columns)]


def test_an_argument_stands_behind_its_name_however_narrow_the_screen_is() -> None:
    call = Call("1", "bash", {"command": "echo hello there", "timeout": 5, "quiet": True})

    assert shown(call, 40) == ["  command: echo hello there", "  timeout: 5", "  quiet: true"]
    assert shown(call, 18) == ["  command: echo", "  hello there", "  timeout: 5", "  quiet: true"]


def test_names_and_values_that_a_model_made_up_are_drawn_as_text() -> None:
    call = Call("1", "bash", {"a\x1b]0;title\x07b": "c\x1b[2Jd", "list": ["\x1b[2J"]})

    assert not any("\x1b" in row or "\x07" in row for row in shown(call, 60))


def test_a_replacement_is_a_change() -> None:
    call = Call("1", "edit", {"path": "a.py", "edits": [{"oldText": "x = 1", "newText": "x = 2"}]})

    assert shown(call, 40) == ["  path: a.py", "  x = 1", "  x = 2"]
