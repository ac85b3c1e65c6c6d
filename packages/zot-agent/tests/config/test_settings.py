import json
import os
from pathlib import Path
from typing import Any

import pytest

from zot_agent.config.settings import FILE, SETTINGS, Layer, Settings, load_settings, project_layer, read_settings
from zot_provider.errors import ConfigError

SHAPES = [
    pytest.param("", "line 1, column 1: Expecting value", id="empty"),
    pytest.param("{", "line 1, column 2: Expecting property name", id="torn"),
    pytest.param('{\n  "model": x\n}', "line 2, column 12: Expecting value", id="bare word"),
    pytest.param('{"model": "a",}', "line 1, column 1", id="a comma too many"),
    pytest.param("// hi\n{}", "line 1, column 1:", id="a comment"),
    pytest.param("[]", "expected an object, got a list", id="a list"),
    pytest.param("null", "expected an object, got null", id="null"),
    pytest.param("3", "expected an object, got 3", id="a number"),
    pytest.param('"x"', 'expected an object, got "x"', id="text"),
    pytest.param('{"model": 3}', "model: expected text, got 3", id="a model that is a number"),
    pytest.param('{"model": 3.5}', "model: expected text, got 3.5", id="a fraction"),
    pytest.param('{"provider": ["a"]}', "provider: expected text, got a list", id="a provider that is a list"),
    pytest.param('{"http_proxy": {}}', "http_proxy: expected text, got an object", id="a proxy that is an object"),
    pytest.param('{"http_proxy": true}', "http_proxy: expected text, got true", id="a proxy that is true"),
    pytest.param(
        '{"http_proxy": "gopher://me:hunter2@h"}', "http_proxy: expected an address such", id="no kind of proxy"
    ),
    pytest.param('{"http_proxy": "http://a b"}', "http_proxy: expected an address such", id="two words"),
    pytest.param('{"http_proxy": "http://[::1"}', "http_proxy: expected an address such", id="half of an address"),
    pytest.param('{"http_proxy": "http://x:1:2"}', "http_proxy: expected an address such", id="two ports"),
    pytest.param('{"http_proxy": "off"}', "http_proxy: expected an address such", id="a word for no proxy"),
    pytest.param('{"ca_file": "/etc/passwd"}', "ca_file: there is no certificate in /etc/passwd", id="no certificate"),
    pytest.param('{"ca_file": "/nowhere/ca.pem"}', "ca_file: there is no file /nowhere/ca.pem", id="no authorities"),
    pytest.param('{"reasoning": "much"}', "reasoning: expected one of off, minimum,", id="an unknown level"),
    pytest.param('{"project_trust": "yes"}', "project_trust: expected one of ask, on, off, got 'yes'", id="trust"),
    pytest.param('{"project_trust": true}', "project_trust: expected text, got true", id="on"),
    pytest.param('{"inline_images_enabled": "no"}', 'inline_images_enabled: expected true or false, got "no"', id="no"),
    pytest.param('{"bash_timeout": "1m"}', 'bash_timeout: expected "off" (or 0) or a number from 1 to', id="1m"),
    pytest.param('{"bash_timeout": -1}', "bash_timeout: expected", id="negative"),
    pytest.param('{"bash_timeout": NaN}', "bash_timeout: expected", id="NaN"),
    pytest.param("[" * 100_000, "nested too deeply", id="deep"),
    pytest.param('{"theme": ' + "9" * 5000 + "}", "contains a number that is too long", id="a long number"),
    pytest.param(b'{"model": "\xff"}', "is not UTF-8 text (byte 11)", id="bytes"),
    pytest.param('{"x": "' + "x" * (1 << 20) + '"}', "is larger than the limit of 1 MiB", id="large"),
]


@pytest.mark.parametrize(("content", "words"), SHAPES)
def test_a_wrong_shape_is_one_line_that_names_file_and_place(tmp_path: Path, content: str | bytes, words: str) -> None:
    path = tmp_path / FILE
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    settings = read_settings(str(tmp_path), environ={})
    [said] = settings.errors + settings.problems
    assert said.startswith(f"{path}")
    assert words in said
    assert "\n" not in said
    assert "hunter2" not in said
    assert settings.values == {}


@pytest.mark.parametrize(("written", "seconds"), [("0", 0), ('"off"', 0), ("90", 90), ("null", 300)])
def test_the_time_limit_of_commands_is_a_number_of_seconds(tmp_path: Path, written: str, seconds: int) -> None:
    (tmp_path / FILE).write_text(f'{{"bash_timeout": {written}}}')
    assert load_settings(str(tmp_path), environ={}).bash_timeout == seconds


def test_without_a_file_there_are_defaults(tmp_path: Path) -> None:
    settings = load_settings(str(tmp_path / "nowhere"), environ={})
    assert (settings.values, settings.problems) == ({}, [])


def test_a_file_that_cannot_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    assert read_settings(str(tmp_path)).errors == [
        f"cannot read {tmp_path / FILE}: Is a directory (--ignore-settings starts without it)"
    ]


def test_a_folder_that_is_a_link_that_leads_nowhere_is_no_missing_file(tmp_path: Path) -> None:
    (tmp_path / "home").symlink_to(tmp_path / "not mounted")
    with pytest.raises(ConfigError, match=r"the link .*home leads nowhere"):
        load_settings(str(tmp_path / "home"), environ={})


def test_settings_behind_a_link_that_leads_nowhere_and_in_what_is_no_folder_are_no_missing_file(tmp_path: Path) -> None:
    (tmp_path / "state").symlink_to(tmp_path / "not mounted")
    with pytest.raises(ConfigError, match=r"the link .*state leads nowhere"):
        load_settings(str(tmp_path / "state" / "zot"), environ={})
    (tmp_path / "home").touch()
    with pytest.raises(ConfigError, match=r"home is no folder"):
        load_settings(str(tmp_path / "home"), environ={})
    assert load_settings(str(tmp_path / "none" / "yet"), environ={}).values == {}
    assert load_settings(str(tmp_path / "home"), environ={}, ignore=True).values == {}
    assert project_layer(str(tmp_path / "home"), str(tmp_path)).errors == []


@pytest.mark.parametrize(
    ("key", "named"),
    [
        ("strict_extensions", "--strict-extensions"),
        ("no-tools", "--no-tools"),
        ("tools", "--tools"),
        ("noExt", "--no-ext"),
        ("Deny", "permissions"),
        ("defaultMode", "permissions"),
        ("disallowedTools", "permissions"),
        ("approval_policy", "permissions"),
        ("blockedCommands", "permissions"),
        ("aproval", "permissions"),
        ("security-level", "permissions"),
    ],
)
def test_what_only_a_flag_or_another_agent_calls_so_stops_too(key: str, named: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(json.dumps({key: True}))
    with pytest.raises(ConfigError, match=f"unknown key '{key}'; did you mean {named}"):
        load_settings(str(tmp_path), environ={})
    (tmp_path / FILE).unlink()
    with pytest.raises(ConfigError, match=f"ZOT_{key.upper()}: zot reads no such variable"):
        load_settings(str(tmp_path), environ={f"ZOT_{key.upper()}": "1"})


@pytest.mark.parametrize(
    ("content", "place", "named"),
    [
        ({"settings": {"no_yolo": True}}, "settings.no_yolo", "no_yolo"),
        ({"settings": {"permissions": {"deny": ["bash"]}}}, "settings.permissions", "permissions"),
        ({"zot": {"safety": {"snadbox": "on"}}}, "zot.safety", "permissions"),
        ({"zot": {"agent": {"snadbox": "on"}}}, "zot.agent.snadbox", "sandbox"),
        ({"profiles": {"work": {"mode": "ask"}}}, "profiles.work.mode", "permissions"),
        ({"claude": {"deny": ["bash"]}}, "claude.deny", "permissions"),
        ({"agent.mode": {"deny": []}}, "agent.mode", "permissions"),
        ({"general.hooks": {}}, "general.hooks", "hooks"),
    ],
)
def test_what_holds_back_inside_a_key_that_no_setting_has_stops(
    content: dict[str, Any], place: str, named: str, tmp_path: Path
) -> None:
    (tmp_path / FILE).write_text(json.dumps(content))
    with pytest.raises(ConfigError, match=f"{place}: a setting has no effect inside another key; .* {named}"):
        load_settings(str(tmp_path), environ={})


@pytest.mark.parametrize(
    "content",
    [
        {"editor": {"mode": "vi"}},
        {"window": {"theme": "light", "size": [1, 2]}},
        {"my.theme": 1},
        {"identity": "me"},
        {"autoApprove": ["bash"]},
        {"dark_mode": True},
        {"network_access": True},
        {"autoTrust": True},
        {"max_width": 3},
    ],
)
def test_an_unknown_key_that_holds_nothing_back_is_a_line(content: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(json.dumps(content))
    [line] = load_settings(str(tmp_path), environ={}).problems
    assert f"unknown key {next(iter(content))!r}" in line


@pytest.mark.parametrize(
    "content",
    [
        *({"unattended": "deny"}, {"policy": "strict"}, {"start": "plan"}, {"autoApprove": False}, {"bypass": False}),
        *({"agent.mode": "plan"}, {"bash": "ask"}, {"disabledTools": ["bash"]}, {"rules": []}, {"preToolUse": []}),
        *({"trust": "off"}, {"network": "off"}, {"budget": 1}, {"limits": {"steps": 3}}, {"whitelist": ["ls"]}),
        *({"jailed": True}, {"max_turn": 3}, {"polcy": "x"}, {"disalowedTool": ["bash"]}, {"perms": {"bash": "ask"}}),
        *(
            {"plan_mode": True},
            {"yolo_mode": False},
            {"askMode": True},
            {"network_access": False},
            {"folderTrust": "no"},
        ),
        *(
            {"folderTrust": "no"},
            {"max_tool_calls": 3},
            {"costLimit": 1},
            {"maxMinutes": 5},
            {"onlyTools": ["read"]},
            {"askFirst": True},
        ),
        *({"write": False}, {"shell": False}, {"mcp": False}, {"fetch": False}),
        *({"lockdown": True}, {"protect": ["~/.ssh"]}, {"never": ["bash"]}, {"dry_run": True}, {"allow_all": False}),
        *({"allowedHosts": ["a"]}, {"trusted": False}, {"profiles": [{"sandbox": "on"}]}),
        *({"ignore": [".env"]}, {"writable_roots": []}, {"child_env": "none"}, {"shell_environment_policy": {}}),
    ],
)
def test_an_unknown_key_whose_value_or_name_asks_for_less_stops(content: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(json.dumps(content))
    with pytest.raises(ConfigError, match=f"{next(iter(content))}.*; did you mean "):
        load_settings(str(tmp_path), environ={})


@pytest.mark.parametrize("name", ["ZOT_HOM", "ZOT_CONFIG", "zot_home", "ZOTHOME", "ZOT_SETTINGS"])
def test_a_variable_that_is_meant_for_the_folder_of_the_settings_stops(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"{name}: zot reads no such variable; did you mean ZOT_HOME"):
        load_settings(str(tmp_path), environ={name: "/srv/zot"})
    assert (
        load_settings(
            str(tmp_path), environ={"ZOT_HOME": "/srv/zot", "ZOT_TEST_CONFIG": "1", "ZOTERO_HOME": "/"}
        ).errors
        == []
    )


@pytest.mark.parametrize("value", ["", " "])
def test_a_mode_that_is_empty_in_a_variable_stops(value: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="ZOT_PERMISSION_MODE is empty: say what it should be, or unset it"):
        load_settings(str(tmp_path), environ={"ZOT_PERMISSION_MODE": value})


def test_a_link_that_leads_nowhere_is_no_missing_file(tmp_path: Path) -> None:
    (tmp_path / FILE).symlink_to(tmp_path / "unmounted")
    with pytest.raises(ConfigError, match=r"the link .*config.json leads nowhere"):
        load_settings(str(tmp_path))


def test_known_keys_are_taken_and_those_of_the_go_zot_left_alone(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(
        b'\xef\xbb\xbf{"provider": " openai ", "model": "m", "reasoning": "high", "http_proxy": "proxy:3128",'
        b' "codemode": {"enabled": true}, "keymap": null}'
    )
    settings = load_settings(str(tmp_path), environ={})
    assert settings.problems == []
    assert {key: value for key, value in settings.values.items() if value} == {
        "provider": "openai",
        "model": "m",
        "reasoning": "high",
        "http_proxy": "proxy:3128",
    }


def test_empty_texts_and_null_are_defaults(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"provider": "", "model": " ", "reasoning": null, "http_proxy": ""}')
    settings = load_settings(str(tmp_path), environ={})
    assert (settings.provider, settings.model, settings.reasoning, settings.problems) == ("", "", "off", [])


def test_projects_are_asked_about_unless_the_person_says_otherwise(tmp_path: Path) -> None:
    assert Settings().project_trust == "ask"
    (tmp_path / FILE).write_text('{"project_trust": "off"}')
    assert load_settings(str(tmp_path)).project_trust == "off"


@pytest.mark.parametrize(
    ("written", "threshold"),
    [('"off"', 0), ("false", 0), ("null", 85), ("70", 70), ('"90"', 90), ('"80%"', 80), ("true", 85)],
)
def test_the_threshold_of_compaction_is_off_or_per_cent(tmp_path: Path, written: str, threshold: int) -> None:
    (tmp_path / FILE).write_text(f'{{"auto_compact_threshold": {written}}}')

    assert load_settings(str(tmp_path)).auto_compact_threshold == threshold


@pytest.mark.parametrize("written", ["5", "100", '"much"', "[]", "8.5", pytest.param(f'"{"9" * 5000}"', id="long")])
def test_a_threshold_that_is_none_is_told(tmp_path: Path, written: str) -> None:
    (tmp_path / FILE).write_text(f'{{"auto_compact_threshold": {written}}}')

    [problem] = load_settings(str(tmp_path)).problems
    assert 'auto_compact_threshold: expected "off" (or 0) or a number from 10 to 99' in problem


def test_the_screens_settings_are_read(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"theme": "mine", "tool_render": "box", "keymap": {"ctrl+p": "/model", "f5": null}}')

    found = load_settings(str(tmp_path))

    assert (found.theme, found.tool_render) == ("mine", "box")
    assert found.keymap == {"ctrl+p": "/model", "f5": ""}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"editor_mode": "emacs"}', "editor_mode: expected one of default, vi, got 'emacs'"),
        ('{"favourite_models": "sonnet"}', 'favourite_models: expected an array, got "sonnet"'),
        ('{"favourite_models": ["a", 3]}', "favourite_models: expected names of models, got 3"),
        ('{"keymap": []}', "keymap: expected an object, got a list"),
        ('{"keymap": {"f5": 3}}', "keymap: f5: expected text, got 3"),
        ('{"tool_render": "round"}', "tool_render: expected one of flat, box, got 'round'"),
    ],
)
def test_settings_of_the_screen_that_cannot_be_used_are_told(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / FILE).write_text(text)

    [problem] = load_settings(str(tmp_path)).problems
    assert said in problem


def test_images_are_shown_unless_turned_off(tmp_path: Path) -> None:
    for content, shown in (("{}", True), ('{"inline_images_enabled": null}', True)):
        (tmp_path / FILE).write_text(content)
        assert load_settings(str(tmp_path)).inline_images_enabled is shown
    (tmp_path / FILE).write_text('{"inline_images_enabled": false}')
    assert load_settings(str(tmp_path)).inline_images_enabled is False


@pytest.mark.parametrize("device", ["", "/dev/ptmx", "/dev/zero"])
def test_a_file_that_is_a_pipe_or_a_device_is_an_error_and_not_waited_for(tmp_path: Path, device: str) -> None:
    path = tmp_path / FILE
    if device:
        path.symlink_to(device)
    else:
        os.mkfifo(path)
    [error] = read_settings(str(tmp_path)).errors
    assert error.startswith(f"cannot read {path}: not a regular file")


def test_of_several_layers_the_last_one_with_a_value_counts(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"theme": "mine", "tool_render": "box", "model": "m"}')
    project = Layer("project", {"theme": "theirs"})
    settings = load_settings(str(tmp_path), project, {"ZOT_FLAT_TOOLS": "1", "ZOT_INLINE_IMAGES": "off"})
    assert (settings.model, settings.theme, settings.tool_render) == ("m", "theirs", "flat")
    assert settings.inline_images_enabled is False
    assert [settings.source(key) for key in ("model", "theme", "tool_render", "editor_mode")] == [
        str(tmp_path / FILE),
        "project",
        "$ZOT_FLAT_TOOLS",
        "",
    ]


def test_a_variable_that_says_nothing_leaves_the_file_in_use(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"inline_images_enabled": false, "tool_render": "box"}')
    settings = load_settings(str(tmp_path), environ={"ZOT_INLINE_IMAGES": "what", "ZOT_FLAT_TOOLS": " "})
    assert (settings.inline_images_enabled, settings.tool_render, settings.problems) == (False, "box", [])


def test_a_value_that_is_wrong_leaves_the_others_in_use(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"reasoning": "ultra", "theme": 3, "model": "m"}')
    settings = load_settings(str(tmp_path), environ={})
    assert settings.values == {"model": "m"}
    assert len(settings.problems) == 2


def test_a_project_can_set_only_what_the_table_allows(tmp_path: Path) -> None:
    folder = tmp_path / ".zot"
    folder.mkdir()
    (folder / FILE).write_text('{"model": "m", "project_trust": "on", "http_proxy": "evil:1", "theme": 3, "x": 1}')
    layer = project_layer(str(tmp_path), str(tmp_path / "home"))
    assert [line.removeprefix(f"{folder / FILE}: ") for line in layer.problems] == [
        "theme: expected text, got 3",
        "unknown key 'x'",
    ]
    errors = read_settings(str(tmp_path / "home"), layer, {}).errors
    assert [line.removeprefix(f"{folder / FILE}: ").partition(";")[0] for line in errors] == [
        "project_trust: a project cannot set on",
        "http_proxy: a project cannot set evil:1",
    ]
    assert project_layer(str(tmp_path), str(folder)).values == {}  # the folder is zot's own home


def test_what_decides_about_safety_is_not_for_projects() -> None:
    for key in ("project_trust", "child_keys", "http_proxy", "ca_file", "keymap"):
        assert not SETTINGS[key].in_project


@pytest.mark.parametrize(
    ("key", "typed", "value"),
    [
        ("inline_images_enabled", "off", False),
        ("inline_images_enabled", "Yes", True),
        ("auto_compact_threshold", "70%", 70),
        ("auto_compact_threshold", "off", 0),
        ("favourite_models", "sonnet, openai/gpt-5.4,", ["sonnet", "openai/gpt-5.4"]),
        ("keymap", '{"f5": "/model"}', {"f5": "/model"}),
        ("editor_mode", " vi ", "vi"),
        ("theme", "mine", "mine"),
    ],
)
def test_a_typed_text_becomes_a_value_that_is_read_and_shown_again(key: str, typed: str, value: object) -> None:
    setting = SETTINGS[key]
    assert setting.parse(typed) == value
    assert setting.read(setting.json(value)) == value
    assert setting.parse(setting.show(value)) == value


@pytest.mark.parametrize(
    ("key", "typed", "said"),
    [
        ("inline_images_enabled", "maybe", 'expected true or false, got "maybe"'),
        ("keymap", "f5", 'expected an object, got "f5"'),
        ("keymap", '{"f5": 1}', "f5: expected text, got 1"),
        ("reasoning", "much", "expected one of off, minimum"),
    ],
)
def test_a_typed_text_that_fits_no_setting_is_refused(key: str, typed: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        SETTINGS[key].parse(typed)


@pytest.mark.parametrize(
    "content",
    [
        *({"auto_swarm_enabled": False}, {"insecure": True}, {"recursive_file_suggest": True}, {"autoUpdate": False}),
        *({"autoshare": False}, {"no_color": True}, {"extensions": []}, {"images": {"blockImages": False}}),
        *({"defaultModel": "x"}, {"models": ["x"]}, {"node": True}),
    ],
)
def test_an_unknown_key_that_holds_nothing_back_stops_nothing(content: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(json.dumps(content))
    assert load_settings(str(tmp_path), environ={}).errors == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ZOT_DATA_DIR", "/x"),
        ("ZOT_MODE", "hybrid"),
        ("ZOT_NO_COLOR", "1"),
        ("ZOT_EXTENSION", "x"),
        ("ZOT_MODELS", "x"),
    ],
)
def test_a_variable_of_another_program_stops_nothing(name: str, value: str, tmp_path: Path) -> None:
    assert load_settings(str(tmp_path), environ={name: value}).errors == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("ZOT_PERM", "ask"), ("ZOT_START", "Plan "), ("ZOT_APPROVE", "ask"), ("ZOT_UNATTENDED", "deny")),
        *(("ZOT_AUTO_APPROVE", "false"), ("ZOT_YOLO", "0"), ("ZOT_DRY_RUN", "1")),
    ],
)
def test_a_variable_whose_value_asks_for_less_stops(name: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"{name}: zot reads no such variable; did you mean "):
        load_settings(str(tmp_path), environ={name: value})


@pytest.mark.parametrize("value", ["plan", "paln", "ask"])
def test_a_variable_with_a_mode_that_zot_does_not_read_stops(value: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="ZOT_MODE: zot reads no such variable"):
        load_settings(str(tmp_path), environ={"ZOT_MODE": value})


@pytest.mark.parametrize("name", ["roles.json", "roles.yaml", "police.json", "confirm.json"])
def test_a_file_of_another_name_is_no_file_of_settings(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("{}")
    assert load_settings(str(tmp_path), environ={}).errors == []
