"""Flags of the command line: in a manifest, and in a program."""

import json
from typing import Any

import pytest

from zot_ext import Extension, ManifestError, parse_manifest
from zot_ext.protocol.flags import FLAGS
from zot_ext.protocol.from_extension import Hello, RegisterFlag
from zot_ext.testing import FakeHost


def manifest(*flags: object) -> str:
    return json.dumps({"name": "x", "exec": "./x", "flags": flags})


def test_a_flag_has_a_type_and_a_value_without_being_given() -> None:
    found = parse_manifest(manifest({"name": "plan"}, {"name": "n", "type": "integer", "default": 3}))
    assert [(each.name, each.type, each.value, each.names) for each in found.flags] == [
        ("plan", "boolean", False, ("plan", "no-plan")),
        ("n", "integer", 3, ("n",)),
    ]


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("plan", "'flags' must be a list of objects, not a list"),
        ({}, "'flags[0].name' must be 1 to 40 lower-case letters, digits and -"),
        ({"name": "Plan"}, "'flags[0].name' must be 1 to 40"),
        ({"name": "-plan"}, "'flags[0].name' must be 1 to 40"),
        ({"name": "a b"}, "'flags[0].name' must be 1 to 40"),
        ({"name": "x" * 41}, "'flags[0].name' must be 1 to 40"),
        ({"name": 1}, "'flags[0].name' must be a string, not a number"),
        ({"name": "a", "type": "float"}, "'flags[0].type' must be one of boolean, integer, string"),
        ({"name": "a", "default": "yes"}, "'flags[0].default' must be true or false, as its type says"),
        ({"name": "a", "type": "integer", "default": True}, "'flags[0].default' must be a whole number"),
        ({"name": "a", "type": "string", "default": []}, "'flags[0].default' must be true or false, a whole number or"),
        ({"name": "a", "type": "integer", "default": 1.5}, "'flags[0].default' must be true or false, a whole number"),
        ({"name": "a", "description": "two\nlines"}, "'flags[0].description' must be one line of 200 characters"),
    ],
)
def test_a_flag_that_cannot_be_typed_or_shown_makes_the_manifest_invalid(flag: object, message: str) -> None:
    with pytest.raises(ManifestError) as caught:
        parse_manifest(manifest(flag))
    assert message in str(caught.value)


def test_two_flags_of_one_name_and_too_many_flags_are_refused() -> None:
    with pytest.raises(ManifestError, match="is there twice: --no-a"):
        parse_manifest(manifest({"name": "a"}, {"name": "no-a", "type": "string"}))
    with pytest.raises(ManifestError, match="has 51 entries; at most 50"):
        parse_manifest(manifest(*({"name": f"f{number}"} for number in range(FLAGS + 1))))


def program() -> tuple[Extension, list[Any]]:
    ext, seen = Extension("x", "1"), list[Any]()
    ext.flag("lang", default="en", description="which language")

    @ext.flag("plan")
    def plan(value: bool) -> None:
        seen.append(value)

    @ext.flag("n", default=2)
    async def number(value: int) -> None:
        seen.append(value)

    @ext.command("flags")
    def flags(_: str) -> str:
        return f"{ext.flags['lang']} {ext.flags['plan']} {ext.flags['n']} {ext.flags.given('plan')}"

    return ext, seen


def test_handlers_and_flags_get_what_the_host_says() -> None:
    ext, seen = program()
    with FakeHost(ext, capabilities=("flags",), flags={"plan": True, "n": 5}) as host:
        assert "flags" in host.wait_for(Hello).capabilities
        assert host.command("flags").display == "en True 5 True"
        assert host.sent(RegisterFlag) == [
            RegisterFlag("lang", "string", "en", "which language"),
            RegisterFlag("plan", "boolean", False),
            RegisterFlag("n", "integer", 2),
        ]
    assert seen == [True, 5]


@pytest.mark.parametrize("flags", [None, {"plan": "yes", "n": True, "lang": 3}])
def test_a_host_without_flags_or_with_other_types_leaves_the_defaults(flags: dict[str, Any] | None) -> None:
    ext, seen = program()
    with FakeHost(ext, flags=flags) as host:
        assert host.command("flags").display.startswith("en False 2 ")
        assert host.sent(RegisterFlag) == []
    assert seen == [False, 2]


def test_a_flag_is_declared_before_it_is_read() -> None:
    ext, _ = program()
    with pytest.raises(KeyError):
        ext.flags["other"]
    with pytest.raises(ValueError, match="'No' must be 1 to 40 lower-case"):
        ext.flag("No")
    with pytest.raises(ValueError, match="must be True or False, a whole number or text"):
        ext.flag("x", default=1.5)  # type: ignore[arg-type]
