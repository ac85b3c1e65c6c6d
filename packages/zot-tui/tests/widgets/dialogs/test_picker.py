from collections.abc import Sequence
from typing import Any

import pytest

from zot_tui.keys.key import parse_key
from zot_tui.widgets.dialogs.picker import Picker, PickerItem, RowAction

SIZE = (44, 14)
MODELS = [
    PickerItem("sonnet", "claude-sonnet", "balanced", "200k", "Anthropic", current=True),
    PickerItem("opus", "claude-opus", "strongest", "200k", "Anthropic", enabled=False),
    PickerItem("haiku", "claude-haiku", "quick", "200k", "Anthropic"),
    PickerItem("mini", "gpt-mini", "quick", "400k", "OpenAI"),
]


def shown(picker: Picker[Any], size: tuple[int, int] = SIZE) -> list[str]:
    return [row.decode().rstrip() for row in picker.render(size, focus=True).text]


def press(picker: Picker[Any], *keys: str) -> list[Any]:
    answers: list[Any] = []
    picker.shown(answers.append)
    for key in keys:
        shown(picker)
        assert picker.press(parse_key(key))
    return answers


def numbered(count: int) -> list[PickerItem[int]]:
    return [PickerItem(number, f"item {number}") for number in range(count)]


def test_items_stand_under_their_groups_with_the_current_one_marked_and_chosen() -> None:
    assert shown(Picker("Choose a model", MODELS)) == [
        "─" * 44,
        "  Choose a model",
        "",
        "/ type to search",
        "  Anthropic",
        "› ● claude-sonnet  balanced           200k",
        "    claude-opus    strongest          200k",
        "    claude-haiku   quick              200k",
        "  OpenAI",
        "    gpt-mini       quick              400k",
        "",
        "  Enter choose · Esc close",
        "",
        "",
    ]


class Wrapping(Picker[str]):
    wraps = True


def test_descriptions_go_on_below_themselves_in_a_picker_that_wraps_them() -> None:
    items = [PickerItem(name, name, f"what {name} does, in more words than fit") for name in ("one", "two", "three")]
    picker = Wrapping("Help", items)
    one, two, three = (
        [f"  {name:7}what {name} does, in", "         more words than fit"] for name in ("one", "two", "three")
    )

    def rows(height: int) -> list[str]:
        found = shown(picker, (30, height))
        return [row.replace("›", " ") for row in found if "does" in row or "more words" in row]

    assert rows(8) == [*one, *two]
    press(picker, "down", "down")
    assert rows(8) == [*two, *three]
    assert rows(7) == three
    press(picker, "up", "up")
    assert rows(8) == [*one, *two]
    assert rows(20) == [*one, *two, *three]


def test_how_many_there_are_is_said_where_they_are_not_all_in_view() -> None:
    picker = Picker("Choose a model", MODELS)

    assert shown(picker)[1] == "  Choose a model"
    assert shown(picker, (44, 7))[1] == "  Choose a model" + " " * 25 + "4"
    press(picker, *"haiku")
    assert shown(picker)[1].endswith("1/4")


@pytest.mark.parametrize(("columns", "at"), [(120, 38), (80, 30), (60, 24)])
def test_a_few_long_labels_leave_room_for_the_descriptions_of_all(columns: int, at: int) -> None:
    usual = [PickerItem(number, "x" * (18 if number else 4), "what it does, and that is all") for number in range(20)]
    picker = Picker("Help", [*usual, PickerItem(20, "y" * 34, "what it does")], max_rows=30)

    rows = shown(picker, (columns, 30))[4:25]

    assert [row.index("what it does") for row in rows] == [at] * 20 + [38]
    assert all(row.rstrip().endswith("and that is all") for row in rows[:-1])


def test_labels_that_are_long_as_a_rule_stay_aligned() -> None:
    items = [PickerItem(number, "x" * (30 + number % 3), "what it does") for number in range(9)]

    rows = shown(Picker("Models", items), (80, 24))

    assert {row.index("what") for row in rows[4:13]} == {36}


def test_typing_leaves_what_fits_the_best_first_with_its_group() -> None:
    picker = Picker("Choose a model", MODELS)
    press(picker, *"mini")

    assert shown(picker)[1:5] == [
        "  Choose a model                       1/4",
        "",
        "/ mini",
        "›   gpt-mini       quick      OpenAI  400k",
    ]
    assert press(picker, "enter") == ["mini"]


def test_a_shorter_search_finds_again_what_a_longer_one_left_out() -> None:
    picker = Picker("Choose", numbered(40))
    press(picker, "3", "9")
    assert picker.detail() == "1/40"
    press(picker, "backspace")
    assert picker.detail() == "13/40"
    press(picker, "ctrl+u")
    assert picker.detail() == "40"


def test_items_are_found_by_their_group_too() -> None:
    picker = Picker("Choose a model", MODELS)
    press(picker, *"openai")

    assert press(picker, "enter") == ["mini"]


def test_a_disabled_item_is_passed_over() -> None:
    assert press(Picker("Choose", MODELS), "down", "enter") == ["haiku"]
    assert press(Picker("Choose", MODELS), *"opus", "enter") == []


def test_going_on_at_an_end_stays_there() -> None:
    assert press(Picker("Choose", numbered(3)), "up", "enter") == [0]
    assert press(Picker("Choose", numbered(3)), "end", "down", "enter") == [2]


def test_a_page_down_leaves_no_item_out_where_the_chosen_one_takes_several_rows() -> None:
    picker = Picker("Which?", [PickerItem(at, f"item-{at}", "what it is for, in some words more") for at in range(40)])
    seen: set[str] = set()
    for _ in range(20):
        seen |= {word for row in shown(picker, (40, 12)) for word in row.split()}
        picker.press(parse_key("pagedown"))
    assert {f"item-{at}" for at in range(40)} - seen == set()


def test_it_goes_by_pages_and_to_the_ends() -> None:
    picker = Picker("Choose", numbered(100))
    press(picker, "pagedown")
    assert picker.chosen is not None
    assert picker.chosen.value == 8
    assert [row for row in shown(picker) if "item" in row] == [
        "› item 8",
        *(f"  item {number}" for number in range(9, 16)),
    ]
    press(picker, "end")
    assert picker.chosen.value == 99
    assert shown(picker)[11] == "› item 99"
    assert press(picker, "pageup", "home", "enter") == [0]


def test_a_letter_acts_on_a_row_only_while_nothing_is_searched_for() -> None:
    done: list[str] = []
    picker = Picker("Choose", MODELS, actions=[RowAction("r", "rename", done.append)])
    press(picker, "r", "x", "r")

    assert done == ["sonnet"]
    assert picker.filter.text == "xr"
    assert "r rename" not in shown(picker)[11]


def test_an_action_that_destroys_is_asked_for_twice() -> None:
    done: list[tuple[str, str]] = []
    actions = [
        RowAction("d", "delete", lambda value: done.append(("delete", value)), "delete this?"),
        RowAction("ctrl+r", "rename", lambda value: done.append(("rename", value))),
    ]
    picker = Picker("Choose", MODELS, actions=actions)
    press(picker, "d")
    assert "  delete this? d again to confirm" in shown(picker)
    assert press(picker, "esc") == []
    press(picker, "d", "down", "d")
    assert done == []
    press(picker, "d", "ctrl+r")
    assert done == [("delete", "haiku"), ("rename", "haiku")]
    assert press(picker, "d", "esc", "esc") == [None]


def test_an_action_that_cannot_be_done_says_why_until_the_next_key() -> None:
    done: list[str] = []
    action = RowAction("d", "delete", done.append, "delete this?", lambda value: "in use" if value == "sonnet" else "")
    picker = Picker("Choose", MODELS, actions=[action])
    press(picker, "d", "d")
    assert "  in use" in shown(picker)
    press(picker, "down")
    assert "  in use" not in shown(picker)
    press(picker, "d", "d")
    assert done == ["haiku"]


def test_new_items_leave_the_choice_where_it_was() -> None:
    picker = Picker("Choose", numbered(5))
    press(picker, "down", "down")
    picker.set_items([item for item in picker.items if item.value != 0])
    assert picker.chosen is not None
    assert picker.chosen.value == 2
    picker.set_items([item for item in picker.items if item.value != 2])
    assert picker.chosen.value == 3
    picker.set_items([])
    assert picker.chosen is None
    assert press(picker, "enter", "down", "pageup", "end") == []


def test_nothing_to_choose_from_and_nothing_found_are_said() -> None:
    empty: Sequence[PickerItem[int]] = []
    assert "  no sessions yet" in shown(Picker("Choose", empty, empty="no sessions yet"))
    picker = Picker("Choose", MODELS)
    press(picker, *"zzz")
    assert "  nothing found" in shown(picker)


def test_a_word_of_the_label_comes_before_the_same_word_of_the_group() -> None:
    items = [PickerItem("of", "one", group="word"), PickerItem("is", "a longer word"), PickerItem("no", "two")]
    assert press(Picker("Choose", items), *"word", "enter") == ["is"]


def test_a_search_can_be_pasted() -> None:
    picker = Picker("Choose", MODELS)
    picker.paste("gpt\n")
    assert press(picker, "enter") == ["mini"]


def test_it_can_be_used_on_the_smallest_of_screens() -> None:
    picker = Picker("Choose a model", MODELS)

    assert shown(picker, (20, 6)) == [
        "─" * 20,
        "  Choose a model 4",
        "/ type to search",
        "› ● claude-sonnet",
        "    balanced",
        "  Enter choose",
    ]


def test_of_ten_thousand_items_only_those_in_view_are_built() -> None:
    looked_at: set[int] = set()

    class Watched(PickerItem[int]):
        def __getattribute__(self, name: str) -> Any:
            if name == "description":
                looked_at.add(object.__getattribute__(self, "value"))
            return object.__getattribute__(self, name)

    picker = Picker("Choose", [Watched(number, f"item {number}") for number in range(10_000)])
    press(picker, "end", "up")

    assert len(looked_at) <= 2 * SIZE[1]


def test_texts_that_arrive_late_are_drawn() -> None:
    texts = dict[int, str]()

    class Late(Picker[int]):
        def text(self, item: PickerItem[int]) -> str:
            return texts.get(item.value, "…")

    picker = Late("Late", numbered(1))
    before = picker.render(SIZE, focus=True)
    assert any("› …" in row.decode() for row in before.text)
    texts[0] = "here"
    picker.changed()
    assert any("› here" in row for row in shown(picker))
