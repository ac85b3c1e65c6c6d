import json
import os
from pathlib import Path

import pytest

from zot_ext import Manifest, ManifestError, load_manifest, parse_manifest
from zot_ext.manifest import MANIFEST_BYTES

WEATHER = """{
  "name": "weather",
  "version": "1.0.0",
  "exec": "./weather",
  "args": ["--mode", "daemon"],
  "language": "go",
  "description": "current weather for any city",
  "enabled": true
}"""


def test_every_documented_field_is_read() -> None:
    assert parse_manifest(WEATHER) == Manifest(
        name="weather",
        version="1.0.0",
        exec="./weather",
        args=("--mode", "daemon"),
        language="go",
        description="current weather for any city",
        enabled=True,
    )


def test_everything_but_name_and_exec_may_be_missing_or_null() -> None:
    expected = Manifest("x", exec="./x")

    assert expected.enabled
    assert parse_manifest('{"name":"x","exec":"./x"}') == expected
    assert parse_manifest('{"name":"x","exec":"./x","enabled":null,"args":null}') == expected


@pytest.mark.parametrize(
    "field",
    [
        '"Enabled": false', '"enable": false', '"disabled": true', '"Disabled": true', '"enabled": "false"',
        '"enabled": 0', '"permission": {}', '"Permissions": {}', '"permisions": {}', '"permissions": null',
        '"guards": null', '"gaurds": {}', '"guard_events": {}', '"sandbox": true', '"network": false',
        '"onlyTools": ["x"]', '"approval": "deny"', '"readOnly": true', '"description": "a", "description": "b"',
        '"permissions": []', '"permissions": "none"', '"permissions": {"network": "no"}',
    ],
)  # fmt: skip
def test_a_field_that_holds_the_extension_back_and_is_not_understood_is_an_error(field: str) -> None:
    with pytest.raises(ManifestError):
        parse_manifest(f'{{"name":"x","exec":"./x",{field}}}')


def test_unknown_fields_and_a_byte_order_mark_are_tolerated() -> None:
    assert parse_manifest('\ufeff{"name":"x","exec":"./x","homepage":1,"network":true}') == Manifest("x", exec="./x")
    assert parse_manifest(b'\xef\xbb\xbf{"name":"x","exec":"./x"}') == Manifest("x", exec="./x")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"exec": "./x"}, "field 'name' is missing or empty"),
        ({"name": "  ", "exec": "./x"}, "field 'name' is missing or empty"),
        ({"name": 5, "exec": "./x"}, "field 'name' must be a string, not a number"),
        ({"name": "x", "exec": ["./x"]}, "field 'exec' must be a string, not a list"),
        ({"name": "x", "exec": "x", "version": 1.0}, "field 'version' must be a string, not a number"),
        ({"name": "x", "exec": "x", "args": "-v"}, "field 'args' must be a list of strings, not a string"),
        ({"name": "x", "exec": "x", "args": ["-v", 2]}, "field 'args[1]' must be a string, not a number"),
        ({"name": "x", "exec": "x", "enabled": "yes"}, "field 'enabled' must be a boolean, not a string"),
        ({"name": "x", "skills": {}}, "field 'skills' must be a list of strings, not an object"),
        (
            {"name": "x", "providers": {"a/b": {}}},
            "field 'providers.a/b' is not the name of a provider: letters, digits, '-', '_', '.'",
        ),
        ({"name": "x", "providers": {"a": 1}}, "field 'providers.a' must be an object"),
        (
            {"name": "x"},
            "field 'exec' is missing or empty; only an extension with theme.json, skills, prompts, themes, "
            "providers or editor_modes needs no program",
        ),
    ],
)
def test_a_wrong_field_is_named_in_one_line(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ManifestError) as caught:
        parse_manifest(json.dumps(fields))
    assert str(caught.value) == f"extension.json: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a JSON object"),
        ("[]", "not a JSON object"),
        ('{"name":\n "x",}', "not valid JSON at character 15: expected a name in quotes"),
        (b"\xff\xfe", "not UTF-8 text"),
    ],
)
def test_text_that_is_no_manifest_is_refused_in_one_line(text: str | bytes, message: str) -> None:
    with pytest.raises(ManifestError) as caught:
        parse_manifest(text)
    assert str(caught.value) == f"extension.json: {message}"


def test_a_theme_or_skills_make_the_program_optional() -> None:
    assert parse_manifest('{"name":"ice"}', has_theme=True) == Manifest("ice")
    assert parse_manifest('{"name":"ice","skills":["skills/a"]}') == Manifest("ice", skills=("skills/a",))


@pytest.mark.parametrize("theme", ["theme.json", "themes/theme.json"])
def test_loading_from_a_directory_finds_its_theme(tmp_path: Path, theme: str) -> None:
    (tmp_path / "extension.json").write_text('{"name":"ice"}')
    with pytest.raises(ManifestError):
        load_manifest(tmp_path)

    (tmp_path / theme).parent.mkdir(exist_ok=True)
    (tmp_path / theme).write_text("{}")

    assert load_manifest(tmp_path) == Manifest("ice")


def test_a_directory_without_a_manifest_is_named_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(ManifestError) as caught:
        load_manifest(tmp_path)
    assert str(caught.value) == (f"extension.json: cannot be read in {str(tmp_path)!r}: No such file or directory")


def test_a_manifest_that_is_not_a_regular_file_or_too_large_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "extension.json"

    def problem() -> str:
        with pytest.raises(ManifestError) as caught:
            load_manifest(tmp_path)
        path.unlink()
        return str(caught.value).partition(f" in {str(tmp_path)!r}: ")[2]

    os.mkfifo(path)
    assert problem() == "not a regular file"
    for device in ("/dev/ptmx", "/dev/zero"):
        path.symlink_to(device)
        assert problem() == "not a regular file"
    path.symlink_to(tmp_path)
    assert problem() == "Is a directory"
    path.write_bytes(b"x" * (MANIFEST_BYTES + 1))
    assert problem() == "larger than 1,048,576 bytes"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ('"guards": {"tool_call": {"on_exit": "block"}}, "guards": {"tool_call": {}}', "field 'guards' is there twice"),
        ('"guards": {"tool_call": {"on_exit": "block", "on_exit": "allow"}}', "field 'on_exit' is there twice"),
        ('"guards": {}', "field 'guards' names no event"),
        *(
            (f'"{name}": "block"', f"field '{name}' is unknown; did you mean 'guards'?")
            for name in (
                "on_exit",
                "onTimeout",
                "on_failure",
                "intercept",
                "protects",
                "guard",
                "on_error",
                "required",
                "fail_closed",
                "block",
            )
        ),
    ],
)
def test_a_field_that_may_name_guards_and_is_not_understood_may_be_that_of_a_guard(fields: str, said: str) -> None:
    with pytest.raises(ManifestError, match=said.replace("?", r"\?")) as caught:
        parse_manifest(f'{{"name": "g", "exec": "./g", {fields}}}')
    assert caught.value.guards


WRONG_GUARDS = {
    '["tool_call"]': "field 'guards' must be an object",
    '{"tool_cal": {}}': "field 'guards.tool_cal' is not an event that can be refused; there are tool_call,",
    '{"before_agent_start": {}}': "field 'guards.before_agent_start' is not an event that can be refused",
    '{"tool_call": "block"}': "field 'guards.tool_call' must be an object with on_timeout and on_exit",
    '{"tool_call": {"on_timout": "block"}}': "field 'guards.tool_call.on_timout' is not an option",
    '{"tool_call": {"on_exit": "Block"}}': "field 'guards.tool_call.on_exit' must be allow or block, not 'Block'",
    '{"tool_call": {"on_exit": true}}': "field 'guards.tool_call.on_exit' must be allow or block, not 'True'",
    '{"tool_call": {"on_exit": null}}': "field 'guards.tool_call.on_exit' must be allow or block, not 'None'",
    '{"tool_call": {"on_exit": ["block"]}}': "field 'guards.tool_call.on_exit' must be allow or block",
}


@pytest.mark.parametrize(("guards", "problem"), WRONG_GUARDS.items(), ids=WRONG_GUARDS)
def test_guards_that_say_nothing_make_a_manifest_invalid(guards: str, problem: str) -> None:
    with pytest.raises(ManifestError) as caught:
        parse_manifest(f'{{"name": "g", "exec": "./g", "guards": {guards}}}')
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_guards_need_a_program_and_the_permission() -> None:
    guards = '"guards": {"tool_call": {"on_exit": "block"}}'
    with pytest.raises(ManifestError, match="'guards' needs a program"):
        parse_manifest(f'{{"name": "g", "skills": ["s"], {guards}}}')
    with pytest.raises(ManifestError, match=r"permissions\.intercept does not have it"):
        parse_manifest(f'{{"name": "g", "exec": "./g", {guards}, "permissions": {{"intercept": ["input"]}}}}')
    made = parse_manifest(f'{{"name": "g", "exec": "./g", {guards}, "permissions": {{"intercept": ["bash"]}}}}')
    assert made.guards is not None
    assert made.guards.value == {"tool_call": {"on_exit": "block"}}
