import os
from pathlib import Path

import pytest
from waiting import wait_until

from zot_agent.browser import open_browser


def opener(folder: Path) -> dict[str, str]:
    """The environment of a desktop whose browser writes down what it got."""
    program = folder / "xdg-open"
    program.write_text(f'#!/bin/sh\nenv > "{folder}/env"\nprintf %s "$1" > "{folder}/url"\n')
    program.chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "DISPLAY": ":0", "ACME_API_KEY": "secret", "LANG": "C.UTF-8"}


def test_a_browser_gets_the_address_and_no_keys(tmp_path: Path) -> None:
    environ = opener(tmp_path)
    assert open_browser("http://127.0.0.1:1/x?a=b&c=d", ["ACME_API_KEY"], environ)
    wait_until((tmp_path / "url").exists)
    wait_until(lambda: (tmp_path / "url").read_text() == "http://127.0.0.1:1/x?a=b&c=d")
    assert "secret" not in (tmp_path / "env").read_text()
    assert "LANG=C.UTF-8" in (tmp_path / "env").read_text()


@pytest.mark.parametrize(
    "change", [{"SSH_CONNECTION": "1 2 3 4"}, {"SSH_TTY": "/dev/pts/1"}, {"DISPLAY": ""}, {"PATH": "/nowhere"}]
)
def test_where_a_person_sees_no_browser_none_is_opened(tmp_path: Path, change: dict[str, str]) -> None:
    assert not open_browser("https://example.com", [], opener(tmp_path) | change)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "-x", "javascript:alert(1)"])
def test_only_web_addresses_are_opened(tmp_path: Path, url: str) -> None:
    assert not open_browser(url, [], opener(tmp_path))
