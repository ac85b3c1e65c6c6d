"""`zot ext` with extensions whose manifests have `permissions`."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from zot_agent.cli.doctor import run as doctor
from zot_agent.cli.ext import run
from zot_agent.cli.ext.folder.names import installed

SOME = {"tools": ["add"], "intercept": ["bash"], "conversation": True, "network": ["api.example.com"]}
LINES = """\
  may        connect to api.example.com
  may        read the conversation, with the calls of tools
  may        see, refuse and change calls of bash
  may        add tools: add
"""


class Cli:
    """Runs `zot ext` in this process, without a terminal."""

    def __init__(self, capsys: pytest.CaptureFixture[str], root: Path) -> None:
        self._capsys = capsys
        self.source, self.place = root / "origin" / "adder", root / "zot-home" / "extensions"

    def __call__(self, *arguments: str) -> str:
        assert run(arguments) == 0
        out, err = self._capsys.readouterr()
        assert err == ""
        return out

    def write(self, folder: Path | None = None, **fields: Any) -> Path:
        folder = folder or self.source
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "extension.json").write_text(json.dumps({"name": "adder", "exec": "./run", **fields}))
        (folder / "run").write_text("#!/bin/sh\n")
        (folder / "run").chmod(0o755)
        return folder

    @property
    def active(self) -> list[str]:
        return [each.name for each in installed().active()]

    def commit(self, **fields: Any) -> None:
        self.write(**fields)
        for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "-m", "x"]):
            subprocess.run(
                ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
                cwd=self.source,
                check=True,
                capture_output=True,
            )


@pytest.fixture
def ext(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Cli:
    return Cli(capsys, tmp_path)


def test_an_installation_says_what_it_may_do_and_waits_for_a_yes(ext: Cli) -> None:
    out = ext("install", str(ext.write(permissions=SOME)))
    assert LINES in out
    assert out.endswith("it does not run yet, because you have not allowed what it may do: zot ext enable adder\n")
    assert ext.active == []


def test_with_yes_it_is_allowed_as_it_is_installed(ext: Cli) -> None:
    ext("install", "--yes", str(ext.write(permissions=SOME)))
    assert ext.active == ["adder"]


def test_enabling_it_allows_what_it_may_do(ext: Cli) -> None:
    ext("install", str(ext.write(permissions=SOME)))
    assert ext("enable", "adder").startswith(LINES)
    assert ext.active == ["adder"]


def test_disabling_and_enabling_it_asks_nothing_again(ext: Cli) -> None:
    ext("install", "--yes", str(ext.write(permissions=SOME)))
    ext("disable", "adder")
    assert ext.active == []
    assert "may " not in ext("enable", "adder")
    assert ext.active == ["adder"]


def test_enabling_one_that_has_changed_says_what_is_new(ext: Cli) -> None:
    ext("install", "--yes", str(ext.write(permissions=SOME)))
    ext.write(ext.place / "adder", permissions={**SOME, "exec": True})
    assert ext.active == []
    out = ext("enable", "adder")
    assert "             new: run programs, which may do no more than it may\n" in out
    assert "             changed: extension.json\n" in out
    assert ext.active == ["adder"]


def test_an_update_that_changes_it_needs_another_yes(ext: Cli) -> None:
    ext.commit(permissions=SOME)
    ext("install", "--yes", f"file://{ext.source}")
    assert ext.active == ["adder"]
    ext.commit(permissions={**SOME, "write": ["."]})
    out = ext("update", "adder")
    assert "             new: write the project\n" in out
    assert out.endswith("it does not run until you allow what it may do now: zot ext enable adder\n")
    assert ext.active == []


def test_a_removed_one_is_forgotten(ext: Cli) -> None:
    ext("install", "--yes", str(ext.write(permissions=SOME)))
    ext("remove", "--yes", "adder")
    ext("install", str(ext.write()))
    assert ext.active == ["adder"]


def test_lists_say_what_each_may_do(ext: Cli) -> None:
    ext("install", str(ext.write(permissions=SOME)))
    ext("install", str(ext.write(ext.source.parent / "plain", name="plain")))
    ext("install", str(ext.write(ext.source.parent / "bare", name="bare", permissions={})))
    rows = [re.split("  +", line) for line in ext("list", "--no-start").splitlines()]
    assert {row[1]: (row[3], row[5]) for row in rows[1:]} == {
        "adder": ("untrusted", "tools add; intercept bash; conversation…"),
        "bare": ("untrusted", "nothing"),
        "plain": ("yes", "everything"),
    }
    listed = {each["name"]: each for each in json.loads(ext("list", "--json", "--no-start"))["extensions"]}
    assert listed["plain"]["permissions"] is None
    assert listed["adder"]["permissions"]["network"] == ["api.example.com"]
    assert listed["bare"]["permissions"]["exec"] == []


def test_the_doctor_says_what_it_may_do_and_how_to_allow_it(ext: Cli) -> None:
    ext("install", str(ext.write(permissions=SOME)))
    out = ext("doctor", "--no-start", "adder")
    assert "connect to api.example.com" in out
    assert "no; allow it with zot ext enable adder" in out
    ext("enable", "adder")
    assert "allow it with" not in ext("doctor", "--no-start", "adder")


def test_the_check_finds_what_the_permissions_do_not_name(ext: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ext.write(permissions={"netwrok": ["a.test"]})
    assert run(["check", str(folder)]) == 1
    assert "field 'permissions.netwrok' is not a permission" in capsys.readouterr().out


def test_the_doctor_of_zot_names_extensions_that_wait(ext: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    ext("install", str(ext.write(permissions=SOME)))
    doctor(["--offline"])
    assert "adder (it waits: zot ext enable adder)" in capsys.readouterr().out
