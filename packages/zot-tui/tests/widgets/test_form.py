from zot_tui.widgets.form import Field, Form

SIZE = (40, 12)
FIELDS = [
    Field("name", "Name", "local"),
    Field("url", "Base URL", placeholder="https://…"),
    Field("key", "Key", masked=True),
]


def press(form: Form, *keys: str) -> list[dict[str, str] | None]:
    answers: list[dict[str, str] | None] = []
    form.on_close = answers.append
    for key in keys:
        assert form.keypress(SIZE, key) is None
    return answers


def shown(form: Form, size: tuple[int, int] = SIZE) -> list[str]:
    return [row.decode().rstrip() for row in form.render(size, focus=True).text]


def test_labels_stand_before_what_is_filled_in() -> None:
    form = Form("Provider", FIELDS)

    assert shown(form)[1:6] == ["  Provider", "", "  Name     › local", "  Base URL › https://…", "  Key      ›"]
    assert form.render(SIZE, focus=True).cursor == (18, 3)


def test_enter_goes_from_field_to_field_and_answers_at_the_last() -> None:
    answers = press(Form("Provider", FIELDS), "2", "enter", "u", "enter", "begin paste", "k", "end paste", "enter")

    assert answers == [{"name": "local2", "url": "u", "key": "k"}]


def test_tab_goes_round_and_the_arrows_do_not() -> None:
    form = Form("Provider", FIELDS)
    press(form, "shift tab", "k", "tab", "up", "n", "down", "u")

    assert form.answer == {"name": "localn", "url": "u", "key": "k"}


def test_a_refused_answer_says_why() -> None:
    form = Form("Provider", FIELDS, check=lambda answer: "" if answer["key"] else "a key is needed")

    assert press(form, "enter", "enter", "enter") == []
    assert "  a key is needed" in shown(form)
    assert press(form, "k", "enter") == [{"name": "local", "url": "", "key": "k"}]


def test_the_field_that_is_edited_is_in_sight() -> None:
    form = Form("Many", [Field(str(number), f"field {number}") for number in range(20)])
    press(form, "shift tab", "x")

    assert any(row.endswith("› x") for row in shown(form, (20, 6)))
