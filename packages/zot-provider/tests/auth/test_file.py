import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_provider.auth.entry import AccountToken, Entry, KeyCommand, entry_json, parse_entry
from zot_provider.auth.file import AuthFile
from zot_provider.errors import ConfigError

SECRET = "sk-0123456789-very-secret"
GO = {
    "anthropic": {"api_key": SECRET, "base_url": "https://example.com"},
    "openai": {
        "api_key": "sk-openai",
        "oauth": {
            "access_token": "at",
            "refresh_token": "rt",
            "token_type": "Bearer",
            "expiry": "2026-11-22T23:00:00.123456789+01:00",
            "account_id": "acc",
        },
    },
    "github_copilot": {"api_key": "ghu"},
    "google": {"api_key_command": {"program": "op", "args": ["read", "op://x"], "timeout_ms": 500}},
    "additional_api_key_creds": {"mistral": {"api_key": "m", "model": "x"}},
    "theme": "dark",
    "version": 7,
}


def put(folder: Path, value: object, mode: int = 0o600) -> Path:
    path = folder / "auth.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    path.chmod(mode)
    return path


def test_the_file_of_the_go_zot_is_read(tmp_path: Path) -> None:
    put(tmp_path, GO)
    file = AuthFile(str(tmp_path))
    assert sorted(file.names()) == ["anthropic", "github-copilot", "google", "mistral", "openai"]
    assert file.entry("anthropic") == Entry(SECRET, rest={"base_url": "https://example.com"})
    assert file.entry("google") == Entry(command=KeyCommand("op", ("read", "op://x"), 500))
    assert file.entry("mistral") == Entry("m", rest={"model": "x"})
    assert (copilot := file.entry("github-copilot")) is not None
    assert copilot.key == "ghu"
    assert (openai := file.entry("openai")) is not None
    assert openai.kind == "api_key"
    assert openai.token is not None
    assert openai.token.expires == 1795384800.123456
    assert file.entry("deepseek") is None


async def test_a_change_keeps_what_zot_does_not_know(tmp_path: Path) -> None:
    path = put(tmp_path, GO)
    file = AuthFile(str(tmp_path))
    await file.write("xai", Entry("xai-key"))
    await file.write("kimi", Entry("kimi-key"))
    await file.write("github-copilot", Entry("new"))
    await file.write("google", None)
    expected: dict[str, Any] = json.loads(json.dumps(GO))
    expected["additional_api_key_creds"]["xai"] = {"api_key": "xai-key"}
    expected["kimi"] = {"api_key": "kimi-key"}
    expected["github_copilot"] = {"api_key": "new"}
    del expected["google"]
    assert json.loads(path.read_text()) == expected


async def test_a_new_file_and_its_folder_are_for_their_owner_alone(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    await AuthFile(str(home)).write("openai", Entry(SECRET))
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / "auth.json").stat().st_mode & 0o777 == 0o600
    assert [each.name for each in home.iterdir() if "tmp" in each.name] == []


def test_a_file_that_others_can_read_is_corrected_with_a_note(tmp_path: Path) -> None:
    path = put(tmp_path, GO, 0o644)
    file = AuthFile(str(tmp_path))
    assert file.entry("mistral") == Entry("m", rest={"model": "x"})
    assert path.stat().st_mode & 0o777 == 0o600
    assert file.notes == [f"{path} could be read by other users of this machine; now only you can read it"]
    assert file.names()
    assert len(file.notes) == 1


def test_a_folder_that_others_can_change_is_noted(tmp_path: Path) -> None:
    put(tmp_path, GO)
    tmp_path.chmod(0o757)
    file = AuthFile(str(tmp_path))
    assert file.names()
    assert file.notes == [f"other users of this machine can replace files in {tmp_path}; run chmod o-w on it"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"openai": {"api_key": "' + SECRET, "line 1, column 24"),
        ("", "line 1, column 1"),
        ("[]", "expected an object"),
        (f'"{SECRET}"', "expected an object"),
        ("[" * 100_000, "is not JSON"),
        ('{"openai": NaN}', "is not JSON"),
        (" " * (1 << 20) + "{}", "larger than the limit of 1 MiB"),
    ],
)
async def test_a_damaged_file_is_one_line_and_is_left_alone(tmp_path: Path, text: str, words: str) -> None:
    path = put(tmp_path, text)
    file = AuthFile(str(tmp_path))
    for attempt in (lambda: file.names(), lambda: file.entry("openai")):
        with pytest.raises(ConfigError, match=words) as raised:
            attempt()
        assert SECRET not in str(raised.value) + repr(raised.value.__cause__) + repr(raised.value.__context__)
    with pytest.raises(ConfigError, match=words):
        await file.write("xai", Entry("x"))
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"api_key": 5}, "openai.api_key: expected text, got a number"),
        ({"api_key": [SECRET]}, "openai.api_key: expected text, got a list"),
        ({"api_key_command": {"program": ""}}, "openai.api_key_command.program"),
        ({"api_key_command": {"program": "op", "args": "x"}}, "openai.api_key_command.args: expected a list"),
        ({"api_key_command": {"program": "op", "timeout_ms": -1}}, "timeout_ms: expected milliseconds"),
        ({"api_key_command": {"program": "o\0p"}}, "null character"),
        ({"oauth": "at"}, "openai.oauth: expected an object"),
        ({"oauth": {"access_token": "a", "expiry": "soon"}}, "openai.oauth.expiry: expected a time"),
    ],
)
def test_a_wrong_entry_names_its_field_and_spoils_no_other(tmp_path: Path, entry: object, words: str) -> None:
    path = put(tmp_path, {"openai": entry, "xai": {"api_key": "x"}})
    file = AuthFile(str(tmp_path))
    with pytest.raises(ConfigError, match=words) as raised:
        file.entry("openai")
    assert str(path) in str(raised.value)
    assert SECRET not in str(raised.value)
    assert (other := file.entry("xai")) is not None
    assert other.key == "x"
    assert file.names() == ["openai", "xai"]


def test_a_pipe_or_a_folder_at_its_path_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "auth.json")
    with pytest.raises(ConfigError, match="not a regular file"):
        AuthFile(str(tmp_path)).names()
    (tmp_path / "auth.json").unlink()
    (tmp_path / "auth.json").mkdir()
    with pytest.raises(ConfigError, match="directory"):
        AuthFile(str(tmp_path)).names()


async def test_a_change_of_another_process_is_seen_and_kept(tmp_path: Path) -> None:
    file, other = AuthFile(str(tmp_path)), AuthFile(str(tmp_path))
    await file.write("xai", Entry("1"))
    assert file.names() == ["xai"]
    await other.write("groq", Entry("2"))
    await file.write("openai", Entry("3"))
    assert sorted(file.names()) == ["groq", "openai", "xai"]


async def test_a_link_to_a_file_elsewhere_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "home").mkdir()
    target = put(tmp_path / "elsewhere", {})
    (tmp_path / "home" / "auth.json").symlink_to(target)
    await AuthFile(str(tmp_path / "home")).write("xai", Entry("1"))
    assert "xai" in target.read_text()
    assert (tmp_path / "home" / "auth.json").is_symlink()


_WRITER = """
import asyncio, sys
from zot_provider.auth.entry import Entry
from zot_provider.auth.file import AuthFile

for each in range(5):
    asyncio.run(AuthFile(sys.argv[1]).write(f"{sys.argv[2]}-{each}", Entry("key")))
"""


def test_processes_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    commands = [[sys.executable, "-c", _WRITER, str(tmp_path), f"p{number}"] for number in range(3)]
    processes = [subprocess.Popen(command) for command in commands]
    assert [process.wait(PATIENCE) for process in processes] == [0, 0, 0]
    assert len(AuthFile(str(tmp_path)).names()) == 15


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
words = texts.map(str.strip).filter(bool)
TOKENS = st.builds(
    AccountToken,
    words,
    texts,
    st.just(0.0) | st.integers(1, 4_000_000_000).map(float),
    texts,
    texts,
    st.dictionaries(st.sampled_from(["id_token", "account_id"]), texts),
)
COMMANDS = st.builds(
    KeyCommand, words.filter(lambda text: "\0" not in text), st.just(("a", "b")), st.integers(1, 3_600_000)
)
ENTRIES = st.builds(
    Entry,
    texts.map(str.strip),
    st.none() | COMMANDS,
    st.none() | TOKENS,
    st.dictionaries(st.sampled_from(["base_url", "model"]), texts | st.integers()),
)


@given(ENTRIES)
def test_an_entry_is_read_as_it_was_written(entry: Entry) -> None:
    assert parse_entry(json.loads(json.dumps(entry_json(entry))), "x") == entry


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["api_key", "oauth", "api_key_command", "program", "args", "timeout_ms", "access_token", "expiry"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_an_entry_or_a_line(value: object) -> None:
    try:
        line = f"here: {parse_entry(value, 'here').kind}"
    except ConfigError as error:
        line = str(error)
    assert line.startswith("here")
    assert "\n" not in line
