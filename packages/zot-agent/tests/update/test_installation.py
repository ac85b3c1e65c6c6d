import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from zot_agent.update.installation import installation

Install = Callable[..., None]
NAME = "zot-nowhere-else"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Write what an installer leaves behind; arguments are names of files without their suffix, and their text."""

    def write(**files: str) -> None:
        folder = tmp_path / "site" / "zot_nowhere_else-1.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n")
        for name, text in files.items():
            (folder / name.replace("direct_url", "direct_url.json")).write_text(text)
        monkeypatch.syspath_prepend(str(folder.parent))

    return write


@pytest.mark.parametrize(
    ("marker", "installer", "command"),
    [
        ("uv-receipt.toml", "uv", ["uv", "tool", "upgrade", NAME]),
        ("pipx_metadata.json", "pip", ["pipx", "upgrade", NAME]),
        ("", "uv", ["uv", "pip", "install", "--python", sys.executable, "--upgrade", NAME]),
        ("", "pip", [sys.executable, "-m", "pip", "install", "--upgrade", NAME]),
    ],
)
def test_the_program_that_installed_zot_updates_it(
    install: Install, tmp_path: Path, marker: str, installer: str, command: list[str]
) -> None:
    if marker:
        (tmp_path / marker).touch()
    install(INSTALLER=f"{installer}\n")
    found = installation(str(tmp_path), NAME)
    assert found.command == command
    assert found.advice.startswith("run ")


def test_what_packed_zot_for_others_says_how_it_is_updated(install: Install, tmp_path: Path) -> None:
    (tmp_path / "zot-update.txt").write_text("brew upgrade zot\n")
    (tmp_path / "uv-receipt.toml").touch()
    install(INSTALLER="uv")
    found = installation(str(tmp_path), NAME)
    assert (found.command, found.advice) == ([], "run brew upgrade zot")


def test_an_environment_in_a_cache_is_replaced_by_the_next_one(install: Install, tmp_path: Path) -> None:
    (tmp_path / "CACHEDIR.TAG").touch()
    install(INSTALLER="uv")
    found = installation(str(tmp_path / "archive-v0" / "a1b2"), NAME)
    assert (found.command, found.advice) == ([], f"run uvx {NAME}@latest")


@pytest.mark.parametrize("installer", ["conda", ""])
def test_another_program_is_only_named(install: Install, tmp_path: Path, installer: str) -> None:
    install(INSTALLER=installer)
    found = installation(str(tmp_path), NAME)
    assert (found.command, found.source) == ([], "")
    assert (installer or "the program") in found.advice


def test_a_clone_is_pulled_by_its_owner(install: Install, tmp_path: Path) -> None:
    install(INSTALLER="uv", direct_url='{"url": "file:///src/zot", "dir_info": {"editable": true}}')
    found = installation(str(tmp_path), NAME)
    assert (found.command, found.source) == ([], "/src/zot")
    assert "pull" in found.advice


@pytest.mark.parametrize("text", ["[]", "{"])
def test_a_damaged_record_of_the_origin_counts_as_none(install: Install, tmp_path: Path, text: str) -> None:
    install(INSTALLER="pip", direct_url=text)
    assert installation(str(tmp_path), NAME).command[:3] == [sys.executable, "-m", "pip"]


def test_code_that_was_never_installed_is_a_clone(tmp_path: Path) -> None:
    assert installation(str(tmp_path), NAME).source.endswith("zot_agent/update")
