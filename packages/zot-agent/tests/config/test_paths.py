import os
from pathlib import Path

import pytest

from zot_agent.config.paths import current_directory, models_folder, sessions_root, zot_home
from zot_provider.errors import ConfigError


def test_the_home_is_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert zot_home({"ZOT_HOME": "/z", "XDG_STATE_HOME": "/s"}) == "/z"
    assert zot_home({"ZOT_HOME": "~/z"}) == "/home/me/z"
    assert zot_home({"ZOT_HOME": "z"}) == os.path.join(os.getcwd(), "z")
    assert zot_home({"XDG_STATE_HOME": "/s"}) == "/s/zot"
    assert zot_home({"ZOT_HOME": "", "XDG_STATE_HOME": ""}) == zot_home({})


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("linux", "/home/me/.local/state/zot"),
        ("freebsd14", "/home/me/.local/state/zot"),
        ("darwin", "/home/me/Library/Application Support/zot"),
        ("win32", "/home/me/AppData/Local/zot"),
    ],
)
def test_without_it_the_platform_has_a_place(monkeypatch: pytest.MonkeyPatch, platform: str, expected: str) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setattr("sys.platform", platform)
    assert zot_home({}) == expected
    assert zot_home({"LOCALAPPDATA": "/local"}) == ("/local/zot" if platform == "win32" else expected)


def test_the_folders_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZOT_HOME", "/z")
    assert (sessions_root(), models_folder()) == ("/z/sessions", "/z/models")


def test_a_working_directory_that_was_deleted_is_told(alone: Path) -> None:
    assert current_directory() == os.getcwd()
    alone.rmdir()
    with pytest.raises(ConfigError, match="the current directory no longer exists; change to another one"):
        current_directory()
