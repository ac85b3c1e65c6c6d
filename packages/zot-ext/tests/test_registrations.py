import pytest

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
