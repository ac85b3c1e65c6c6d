import json
import socket
from pathlib import Path

import pytest
from registry import Registry

from zot_agent.update.installation import Installation
from zot_agent.update.latest import DAY, FILE, is_newer, latest_version, look_daily
from zot_agent.version import __version__
from zot_provider.errors import ProtocolError

NEWER = '{"info": {"version": "99.0"}}'


def installed() -> Installation:
    return Installation("run it")


async def test_the_registry_names_the_newest_version() -> None:
    with Registry(NEWER) as registry:
        assert await latest_version(registry.url) == "99.0"


@pytest.mark.parametrize(
    ("document", "status"),
    [
        ("", 404),
        ("", 500),
        ("<html>", 200),
        ("[]", 200),
        ('{"info": {}}', 200),
        ('{"info": {"version": 3}}', 200),
        ('{"info": {"version": "\\u001b[2J"}}', 200),
        ('{"info": {"version": "' + "1" * 1000 + '"}}', 200),
        ("[" * 100_000, 200),
    ],
)
async def test_an_answer_without_a_version_is_one_line(document: str, status: int) -> None:
    with Registry(document, status) as registry, pytest.raises(ProtocolError) as caught:
        await latest_version(registry.url)
    assert registry.url in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("version", "than", "newer"),
    [
        ("0.2.0", "0.1.9", True),
        ("0.10.0", "0.9.0", True),
        ("1.0", "1.0.0", False),
        ("1.0.1", "1.0", True),
        ("0.1.0", "0.2.0", False),
        ("1.0", "1.0rc1", True),
        ("1.0rc1", "1.0", False),
        ("1.0rc1", "0.9", True),
        ("1.0.post1", "1.0", False),
        ("nonsense", "0.1", False),
    ],
)
def test_versions_are_compared_by_their_numbers(version: str, than: str, newer: bool) -> None:
    assert is_newer(version, than) is newer


async def test_a_look_is_taken_once_a_day(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Registry(NEWER) as registry:
        assert await look_daily(str(home), registry.url, installed=installed) == "99.0"
        assert await look_daily(str(home), registry.url, installed=installed) == ""
        looked = json.loads((home / FILE).read_text())["looked"]
        (home / FILE).write_text(json.dumps({"looked": looked - int(DAY) - 1}))
        assert await look_daily(str(home), registry.url, installed=installed) == "99.0"
        (home / FILE).write_text(json.dumps({"looked": looked + 1_000_000}))  # the clock was wrong
        assert await look_daily(str(home), registry.url, installed=installed) == "99.0"
        assert registry.asked == 3


@pytest.mark.parametrize("content", ["", "[]", '{"looked": "x"}', '{"looked": NaN}'])
async def test_a_damaged_file_means_another_look(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    with Registry(NEWER) as registry:
        assert await look_daily(str(tmp_path), registry.url, installed=installed) == "99.0"


async def test_nothing_is_said_when_zot_is_current_or_the_registry_is_away(tmp_path: Path) -> None:
    with Registry(json.dumps({"info": {"version": __version__}})) as registry:
        assert await look_daily(str(tmp_path / "a"), registry.url, installed=installed) == ""
    assert await look_daily(str(tmp_path / "b"), registry.url, installed=installed) == ""


async def test_a_registry_that_never_answers_is_given_up(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert await look_daily(str(tmp_path), url, 0.05, installed=installed) == ""


async def test_a_home_that_cannot_be_written_and_a_clone_ask_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with Registry(NEWER) as registry:
        assert await look_daily(str(tmp_path / "file"), registry.url, installed=installed) == ""
        clone = Installation("pull", source="/somewhere")
        assert await look_daily(str(tmp_path / "home"), registry.url, installed=lambda: clone) == ""
        assert registry.asked == 0
