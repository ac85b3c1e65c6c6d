import os
from pathlib import Path

import pytest

from zot_agent.config.settings import FILE, Settings, load_settings
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
    pytest.param('{"model": null}', "model: expected text, got null", id="a model that is null"),
    pytest.param('{"provider": ["a"]}', "provider: expected text, got a list", id="a provider that is a list"),
    pytest.param('{"http_proxy": {}}', "http_proxy: expected text, got an object", id="a proxy that is an object"),
    pytest.param('{"http_proxy": true}', "http_proxy: expected text, got true", id="a proxy that is true"),
    pytest.param('{"http_proxy": "socks5://me:hunter2@h"}', "http_proxy: expected an address such", id="socks"),
    pytest.param('{"http_proxy": "http://a b"}', "http_proxy: expected an address such", id="two words"),
    pytest.param('{"ca_file": "/nowhere/ca.pem"}', "ca_file: there is no file /nowhere/ca.pem", id="no authorities"),
    pytest.param('{"reasoning": "much"}', "reasoning: expected one of off, minimum,", id="an unknown level"),
    pytest.param('{"project_trust": "yes"}', "project_trust: expected one of ask, on, off, got 'yes'", id="trust"),
    pytest.param('{"project_trust": true}', "project_trust: expected text, got true", id="on"),
    pytest.param('{"inline_images_enabled": "no"}', 'inline_images_enabled: expected true or false, got "no"', id="no"),
    pytest.param('{"bash_timeout": "1m"}', 'bash_timeout: expected seconds from 0 to 1,000,000, got "1m"', id="1m"),
    pytest.param('{"bash_timeout": -1}', "bash_timeout: expected seconds from 0", id="negative"),
    pytest.param('{"bash_timeout": NaN}', "bash_timeout: expected seconds from 0", id="NaN"),
    pytest.param("[" * 100_000, "nested too deeply", id="deep"),
    pytest.param('{"theme": ' + "9" * 5000 + "}", "contains a number that is too long", id="a long number"),
    pytest.param(b'{"model": "\xff"}', "is not UTF-8 text (byte 11)", id="bytes"),
    pytest.param('{"x": "' + "x" * (1 << 20) + '"}', "is larger than the limit of 1 MiB", id="large"),
]


@pytest.mark.parametrize(("content", "words"), SHAPES)
def test_a_wrong_shape_is_one_line_that_names_file_and_place(tmp_path: Path, content: str | bytes, words: str) -> None:
    path = tmp_path / FILE
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ConfigError) as caught:
        load_settings(str(tmp_path))
    said = str(caught.value)
    assert said.startswith(f"{path}")
    assert words in said
    assert "\n" not in said
    assert "hunter2" not in said


@pytest.mark.parametrize(("written", "seconds"), [("0", 0.0), ("90", 90.0), ("0.5", 0.5), ("null", 300.0)])
def test_the_time_limit_of_commands_is_a_number_of_seconds(tmp_path: Path, written: str, seconds: float) -> None:
    (tmp_path / FILE).write_text(f'{{"bash_timeout": {written}}}')
    assert load_settings(str(tmp_path)).bash_timeout == seconds


def test_without_a_file_there_are_defaults(tmp_path: Path) -> None:
    assert load_settings(str(tmp_path / "nowhere")) == Settings()
    (tmp_path / "file").touch()
    assert load_settings(str(tmp_path / "file")) == Settings()


def test_a_file_that_cannot_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(ConfigError, match=r"cannot read .*config\.json: Is a directory"):
        load_settings(str(tmp_path))


def test_known_keys_are_taken_and_others_left_alone(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(
        b'\xef\xbb\xbf{"provider": " openai ", "model": "m", "reasoning": "high", "http_proxy": "proxy:3128",'
        b' "shell": 3, "codemode": {"enabled": true}, "keymap": null}'
    )
    assert load_settings(str(tmp_path)) == Settings("openai", "m", "high", "proxy:3128")


def test_empty_texts_are_defaults(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"provider": "", "model": " ", "reasoning": "", "http_proxy": ""}')
    assert load_settings(str(tmp_path)) == Settings()


def test_projects_are_asked_about_unless_the_person_says_otherwise(tmp_path: Path) -> None:
    assert Settings().project_trust == "ask"
    (tmp_path / FILE).write_text('{"project_trust": "off"}')
    assert load_settings(str(tmp_path)).project_trust == "off"


@pytest.mark.parametrize(
    ("written", "threshold"),
    [('"off"', 0), ("false", 0), ("null", 0), ("70", 70), ('"90"', 90), ('"80%"', 80), ("true", 85)],
)
def test_the_threshold_of_compaction_is_off_or_per_cent(tmp_path: Path, written: str, threshold: int) -> None:
    (tmp_path / FILE).write_text(f'{{"auto_compact_threshold": {written}}}')

    assert load_settings(str(tmp_path)).auto_compact_threshold == threshold


@pytest.mark.parametrize("written", ["5", "100", '"much"', "[]", "8.5", pytest.param(f'"{"9" * 5000}"', id="long")])
def test_a_threshold_that_is_none_is_told(tmp_path: Path, written: str) -> None:
    (tmp_path / FILE).write_text(f'{{"auto_compact_threshold": {written}}}')

    with pytest.raises(ConfigError, match=r'auto_compact_threshold: expected "off" \(or 0\) or a number from 10 to 99'):
        load_settings(str(tmp_path))


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

    with pytest.raises(ConfigError, match=said):
        load_settings(str(tmp_path))


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
    with pytest.raises(ConfigError, match=f"^cannot read {path}: not a regular file$"):
        load_settings(str(tmp_path))
