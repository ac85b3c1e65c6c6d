"""No title, note, answer, item or key of a dialog is cut on a small screen, without a key that shows the rest."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from zot_tui.keys.key import parse_key
from zot_tui.widgets.dialogs.dialog import Dialog, Hint
from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice, Pages, TextInput
from zot_tui.widgets.scroll import Scroll

SIZES = [(60, 16), (40, 15), (40, 11)]
"""What a `Stack` leaves to a dialog on screens of 60 by 20 and 40 by 15, and less."""


def words(name: str, count: int) -> str:
    """Words that are found again one by one."""
    return " ".join(f"{name}{number}" for number in range(count))


def seen(dialog: Dialog[Any], size: tuple[int, int], keys: Sequence[str]) -> set[str]:
    """The words that are drawn, at first and after each of these keys."""
    found: set[str] = set()
    for key in ("", *keys):
        if key:
            dialog.press(parse_key(key))
        canvas = dialog.render(size, focus=True)
        assert (canvas.cols(), canvas.rows()) == size
        found |= {word for row in canvas.text for word in row.decode().split()}
    return found


def confirm() -> Confirm[int]:
    answers = [ConfirmChoice(key, words(f"answer-{key}-", 12), 1) for key in "abcd"]
    return Confirm(words("title", 14), answers, words("text", 60), note=words("note", 30))


def items(count: int) -> list[PickerItem[int]]:
    return [
        PickerItem(at, words(f"label-{at}-", 5), words(f"about-{at}-", 5), f"detail-{at}", f"group-{at // 4}")
        for at in range(count)
    ]


def picker(count: int) -> Picker[int]:
    actions = [RowAction[int](f"ctrl+{key}", f"action-{key}", lambda _: None) for key in "abefg"]
    return Picker(words("title", 14), items(count), note=words("note", 30), actions=actions)


def plain() -> Dialog[int]:
    hints = [Hint("dialog_accept", words(f"key{number}-", 3)) for number in range(4)]
    return Dialog(words("title", 14), Scroll(""), note=words("note", 40), hints=hints)


READ = ["ctrl+o"] * 40
GONE_THROUGH = ["down"] * 20
HEAD = {*words("title", 14).split(), *words("note", 30).split()}
ANSWERS = {word for key in "abcd" for word in words(f"answer-{key}-", 12).split()}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("made", "keys", "expected"),
    [
        (confirm, [*READ, *GONE_THROUGH, *["pagedown"] * 40], HEAD | ANSWERS | {*words("text", 60).split()}),
        (lambda: Pages(words("title", 14), words("text", 60), note=words("note", 30)), READ, HEAD),
        (lambda: TextInput(words("title", 14), note=words("note", 30)), READ, HEAD),
        (lambda: picker(3), READ, HEAD),
        (lambda: picker(200), READ, HEAD | {f"action-{key}" for key in "abefg"}),
        (plain, READ, {word for number in range(4) for word in words(f"key{number}-", 3).split()}),
    ],
    ids=["confirm", "pages", "input", "few", "many", "hints"],
)
def test_everything_can_be_read(
    made: Callable[[], Dialog[Any]], keys: list[str], expected: set[str], size: tuple[int, int]
) -> None:
    assert expected - seen(made(), size, keys) == set()


@pytest.mark.parametrize("size", SIZES[:2])
@pytest.mark.parametrize("count", [3, 200])
def test_all_of_the_text_of_an_item_is_shown_when_it_is_chosen(count: int, size: tuple[int, int]) -> None:
    listed = Picker("Which?", items(count), note=words("note", 30))
    for at in range(3):
        drawn = seen(listed, size, ["down"] if at else [])
        expected = {*words(f"label-{at}-", 5).split(), *words(f"about-{at}-", 5).split(), f"detail-{at}"}
        assert expected - drawn == set()


def test_few_items_show_all_of_their_text_at_once() -> None:
    labels = [PickerItem(at, words(f"label-{at}-", 6)) for at in range(5)]
    listed = Picker("Which?", labels)
    assert {word for at in range(5) for word in words(f"label-{at}-", 6).split()} < seen(listed, (60, 18), [])
