"""Extensions with their own packages: real installers, real processes, no network."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from calling_extension import PATIENT
from tiny_wheel import write_wheel

from zot_agent.cli.ext import run
from zot_agent.extensions.discover import DiscoveredExtension, discover, read_extension
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.launch import LaunchError
from zot_agent.extensions.python.environment import PythonEnvironment, environment_of, usable_environment
from zot_agent.extensions.python.installer import InstallLimits, install
from zot_agent.extensions.setup import ExtensionSetup
from zot_agent.installers import InstallError
from zot_ext.limits import ExtensionLimits

pytestmark = pytest.mark.needs("uv")
PROGRAM = """
import sys, tiny
from zot_ext import Extension, display
ext = Extension("needy", "1")
ext.command("word")(lambda args: display(f"{tiny.WORD} {sys.prefix}"))
ext.run()
"""


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder with all packages that there are."""
    write_wheel(tmp_path / "wheels")
    for name, value in {"UV_OFFLINE": "1", "PIP_NO_INDEX": "1"}.items():
        monkeypatch.setenv(name, value)
    for name in ("UV_FIND_LINKS", "PIP_FIND_LINKS"):
        monkeypatch.setenv(name, str(tmp_path / "wheels"))
    return tmp_path / "wheels"


def needy(folder: Path, **fields: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.py").write_text(PROGRAM)
    manifest = {"name": "needy", "exec": "python3", "args": ["main.py"], "dependencies": ["tiny>=1,<2"], **fields}
    (folder / "extension.json").write_text(json.dumps(manifest))
    return folder


def found_in(folder: Path) -> DiscoveredExtension:
    found = read_extension(str(folder))
    assert isinstance(found, DiscoveredExtension)
    return found


def environment(found: DiscoveredExtension, home: Path) -> PythonEnvironment:
    made = environment_of(found, str(home))
    assert made is not None
    return made


def word(home: Path, project: Path) -> str:
    """What the installed extension displays."""
    return asyncio.run(_word(home, project))


async def _word(home: Path, project: Path) -> str:
    extensions = Extensions(
        lambda: discover([], str(project), str(home)),
        lambda: AgentInfo(str(project), "p", "m", ""),
        ExtensionSetup(str(home), ExtensionLimits(**PATIENT)),
    )
    extensions.start()
    try:
        await extensions.ready()
        assert [member.failure for member in extensions.members] == [""]
        return (await extensions.run_command("word")).text
    finally:
        await extensions.close()


def test_an_extension_is_installed_with_its_packages_and_removed_with_them(
    alone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "zot-home"
    assert run(["install", str(needy(tmp_path / "needy"))]) == 0
    out = capsys.readouterr().out
    (folder,) = (home / "envs").glob("needy-*/*")
    assert "  packages   tiny>=1,<2\n" in out
    assert f"installed tiny>=1,<2 in {folder}\n" in out
    assert word(home, alone) == f"tiny {folder}"
    assert run(["doctor", "needy"]) == 0
    assert f"packages          tiny>=1,<2 in {folder}\n" in capsys.readouterr().out
    assert run(["setup"]) == 0
    assert capsys.readouterr().out == "no extension needs anything more\n"
    assert run(["check", str(home / "extensions" / "needy"), "--no-calls"]) == 0
    assert run(["remove", "needy", "--yes"]) == 0
    assert list((home / "envs").iterdir()) == []


def test_a_block_in_the_program_names_packages_too(tmp_path: Path, no_network: Path) -> None:
    folder = needy(tmp_path / "needy", dependencies=None)
    block = f'# /// script\n# dependencies = ["tiny @ {(no_network / "tiny-1.0-py3-none-any.whl").as_uri()}"]\n# ///\n'
    (folder / "main.py").write_text(block + PROGRAM)
    made = environment(found_in(folder), tmp_path / "zot-home")
    install(made)
    assert made.complete


@pytest.mark.needs("ensurepip")
def test_without_uv_there_are_venv_and_pip(tmp_path: Path) -> None:
    made = environment(found_in(needy(tmp_path / "needy")), tmp_path / "zot-home")
    install(made, find=lambda name: None)
    assert made.complete
    assert list(Path(made.folder).glob("lib/*/site-packages/tiny.py"))


def test_other_requirements_replace_the_environment(
    tmp_path: Path, no_network: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "zot-home"
    run(["install", str(needy(tmp_path / "needy"))])
    write_wheel(no_network, version="2.0")
    installed = needy(home / "extensions" / "needy", dependencies=["tiny>=2"])
    with pytest.raises(LaunchError, match="packages that are not installed; run: zot ext setup needy"):
        usable_environment(found_in(installed), str(home))
    capsys.readouterr()
    assert run(["doctor", "needy", "--no-start"]) == 1
    assert "its Python packages must be installed first: zot ext setup needy" in capsys.readouterr().out
    assert run(["setup", "needy"]) == 0
    (folder,) = (home / "envs").glob("needy-*/*")
    assert capsys.readouterr().out == f"installed tiny>=2 in {folder}\n"
    assert run(["setup", "needy"]) == 0
    assert capsys.readouterr().out == "needy needs nothing more\n"


def test_an_extension_without_its_packages_does_not_start_and_says_why(tmp_path: Path, alone: Path) -> None:
    home = tmp_path / "zot-home"
    needy(home / "extensions" / "needy")
    with pytest.raises(AssertionError, match="run: zot ext setup needy"):
        word(home, alone)


def test_a_package_that_cannot_be_had_is_a_line(tmp_path: Path) -> None:
    made = environment(found_in(needy(tmp_path / "needy", dependencies=["absent==9"])), tmp_path / "zot-home")
    with pytest.raises(InstallError, match=r"Python packages of needy \(absent==9\): .*absent") as error:
        install(made)
    assert "\n" not in str(error.value)
    assert not made.complete


def test_an_index_that_cannot_be_reached_is_a_line(
    tmp_path: Path, alone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("UV_OFFLINE")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    assert run(["install", str(needy(tmp_path / "needy", dependencies=["absent==9"]))]) == 2
    out, err = capsys.readouterr()
    assert "installed in " in out
    assert err.count("\n") == 1
    assert "127.0.0.1:9" in err
    assert err.endswith("; try again with: zot ext setup needy\n")
    assert run(["setup"]) == 2


def test_an_installer_that_hangs_is_ended(tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nsleep 600\n")
    slow.chmod(0o755)
    made = environment(found_in(needy(tmp_path / "needy")), tmp_path / "zot-home")
    with pytest.raises(InstallError, match=r"slow took longer than 0.1 s"):
        install(made, limits=InstallLimits(0.1), find=lambda name: str(slow))


def test_packages_that_would_have_to_be_built_are_not_installed(tmp_path: Path) -> None:
    (source := tmp_path / "built").mkdir()
    (source / "setup.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    made = environment(found_in(needy(tmp_path / "needy", dependencies=[f"built @ {source.as_uri()}"])), tmp_path)
    with pytest.raises(InstallError):
        install(made)
    assert not (tmp_path / "ran").exists()


@pytest.mark.needs("bwrap")
def test_a_confined_extension_reads_its_packages(
    tmp_path: Path, alone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (user := tmp_path / "user").mkdir()
    monkeypatch.setenv("HOME", str(user))
    home = tmp_path / "zot-home"
    folder = needy(tmp_path / "needy", permissions={"commands": True})
    assert run(["install", str(folder), "--yes"]) == 0
    assert word(home, alone).startswith("tiny ")


def test_the_program_of_an_extension_finds_its_python_first(tmp_path: Path) -> None:
    made = environment(found_in(needy(tmp_path / "needy")), tmp_path / "zot-home")
    variables = made.variables({"PATH": "/usr/bin"})
    assert variables["PATH"] == os.pathsep.join([made.programs, "/usr/bin"])
    assert variables["ZOT_PYTHON"] == made.python != sys.executable
