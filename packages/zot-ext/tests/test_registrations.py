import pytest

from zot_ext import Extension
from zot_ext.registrations import command_name, tool_name


@pytest.mark.parametrize("name", ["", "a b", "ä", "a.b", "/a", "a" * 65])
def test_a_tool_has_a_name_that_providers_accept(name: str) -> None:
    with pytest.raises(ValueError, match="is not a tool name"):
        tool_name(name)


def test_good_names_stay_as_they_are() -> None:
    assert tool_name("_a-B_9") == "_a-B_9"
    assert command_name("a-b") == command_name("/a-b") == "a-b"


@pytest.mark.parametrize("name", ["", "/", "//a", "a b", "é"])
def test_a_command_has_a_name_that_can_be_typed(name: str) -> None:
    with pytest.raises(ValueError, match="is not a command name"):
        command_name(name)


def test_an_extension_is_asked_about_the_texts_of_all_its_interceptors_unless_one_wants_every_prompt() -> None:
    ext = Extension("x")

    def register(*texts: str) -> object:
        ext.intercept("input", contains=texts)(lambda prompt: None)
        options = ext._registrations.subscription(intercept=("input",)).intercept_options
        return None if options is None else options.value

    assert register("@a:") == {"input": {"contains": ["@a:"]}}
    assert register("@b:", "@c:") == {"input": {"contains": ["@a:", "@b:", "@c:"]}}
    assert register() is None
    assert register("@d:") is None
