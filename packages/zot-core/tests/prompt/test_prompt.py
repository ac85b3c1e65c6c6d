import re

from zot_core.prompt import identity, system_prompt


def test_a_prompt_is_the_identity_then_date_and_place() -> None:
    prompt = system_prompt("/work")

    assert prompt.startswith(identity())
    assert re.search(r"\n\nCurrent date: \d{4}-\d\d-\d\d\nCurrent working directory: /work$", prompt)


def test_a_replacement_replaces_the_identity_and_additions_follow_it() -> None:
    prompt = system_prompt("/work", replace=" be kind\n", append=["be brief", " ", "be quick"])

    assert prompt.startswith("be kind\n\nbe brief\n\nbe quick\n\nCurrent date: ")


def test_an_empty_replacement_leaves_date_and_place() -> None:
    assert system_prompt("/work", replace="").startswith("Current date: ")


def test_the_prompt_of_one_day_is_the_same_at_any_time_of_it() -> None:
    assert system_prompt("/work") == system_prompt("/work")
    assert not re.search(r"\d\d:\d\d", system_prompt("/work"))
