from typing import Any

import pytest

from zot_agent.extensions.registry import (
    Command,
    ExtensionRegistry,
    NameConflict,
    RegistrationError,
    ToolOffer,
    object_schema,
    tool_offer,
)
from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.protocol.from_extension import RegisterTool
from zot_ext.protocol.raw import RawObject


def tool(extension: str, name: str, description: str = "", **schema: Any) -> ToolOffer:
    return tool_offer(extension, RegisterTool(name, description, RawObject.from_value(schema)), DEFAULT_LIMITS)


def test_of_two_tools_with_one_name_the_extension_loaded_earlier_has_it_for_description_and_calls() -> None:
    registry = ExtensionRegistry()

    assert registry.add_tool(1, tool("late", "find", "of late")) is None
    shadow = registry.add_tool(0, tool("early", "find", "of early"))

    assert shadow == NameConflict(1, "the tool find is shadowed by that of extension early, which is loaded before")
    ((owner, offer),) = registry.tools()
    assert (owner, offer.source, offer.description) == (0, "early", "of early")


def test_the_one_that_registers_last_is_told_if_it_is_loaded_last_too() -> None:
    registry = ExtensionRegistry()
    registry.add_command(0, "early", "go", "")

    assert registry.add_command(2, "late", "go", "") == NameConflict(
        2, "the command /go is shadowed by that of extension early, which is loaded before"
    )


def test_a_shadowed_name_comes_back_when_its_owner_is_gone() -> None:
    registry = ExtensionRegistry()
    registry.add_command(0, "early", "go", "first")
    registry.add_command(1, "late", "go", "second")

    registry.drop(0)

    assert registry.commands() == [Command("late", "go", "second")]


def test_names_of_zots_own_cannot_be_had() -> None:
    registry = ExtensionRegistry(reserved_commands=("help",), reserved_tools=("bash",))

    assert registry.add_command(0, "x", "Help", "") == NameConflict(
        0, "the command /Help is shadowed by zot's own", own=True
    )
    assert registry.add_tool(0, tool("x", "bash")) == NameConflict(
        0, "the tool bash is shadowed by zot's own", own=True
    )
    assert registry.commands() == []
    assert registry.tools() == []


def test_registering_again_replaces_description_and_schema() -> None:
    registry = ExtensionRegistry()
    registry.add_tool(0, tool("x", "find", "old"))
    registry.add_tool(0, tool("x", "find", "new", type="object", required=["a"]))

    ((_, offer),) = registry.tools()

    assert offer.description == "new"
    assert offer.schema["required"] == ["a"]


def test_commands_are_found_whatever_their_case_and_keep_their_spelling() -> None:
    registry = ExtensionRegistry()
    registry.add_command(3, "x", "/ToDo", "list")

    assert registry.command("/todo") == (3, Command("x", "ToDo", "list"))
    assert registry.command("TODO") == (3, Command("x", "ToDo", "list"))
    assert registry.command("other") is None


@pytest.mark.parametrize("name", ["deploy:2", "deploy:eu", "deploy.eu"])
def test_a_command_may_have_several_parts(name: str) -> None:
    registry = ExtensionRegistry()
    registry.add_command(0, "x", name, "")
    assert registry.command(f"/{name}") == (0, Command("x", name, ""))


@pytest.mark.parametrize("name", ["", "a b", "näme", "x" * 65, "a.b", "a/b"])
def test_a_tool_name_that_providers_refuse_is_refused(name: str) -> None:
    with pytest.raises(RegistrationError, match="a tool cannot be called"):
        tool("x", name)


@pytest.mark.parametrize("name", ["", "/", "a b", "näme", ".b", "a:", "a/b", ":2", "skill:x"])
def test_a_command_name_nobody_can_type_is_refused(name: str) -> None:
    with pytest.raises(RegistrationError, match="a command cannot be called"):
        ExtensionRegistry().add_command(0, "x", name, "")


def test_a_schema_without_a_type_is_one_of_an_object() -> None:
    assert object_schema("find", {}) == {"type": "object", "properties": {}}
    assert object_schema("find", {"properties": {"a": {}}}) == {"type": "object", "properties": {"a": {}}}


@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": ["object", "null"]}, {"properties": []}])
def test_a_schema_that_is_no_object_is_refused(schema: dict[str, object]) -> None:
    with pytest.raises(RegistrationError, match="the schema of the tool find"):
        object_schema("find", schema)
