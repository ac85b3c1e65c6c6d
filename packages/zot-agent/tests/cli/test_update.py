import json
import sys
from pathlib import Path

import pytest
from registry import Registry

from zot_agent.cli.parser import report_errors
from zot_agent.cli.update import install_newest, run
from zot_agent.update.installation import Installation
from zot_agent.version import __version__

NEWER = '{"info": {"version": "99.0"}}'
NAME = "zot-nowhere-else"


def installer(code: int = 0) -> Installation:
    return Installation("run it", [sys.executable, "-c", f"import sys; sys.exit({code})"])


def update(registry: Registry, found: Installation, *, check: bool = False) -> int:
    return report_errors(lambda: install_newest(registry.url, found, check=check))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages with version 1.0 of `NAME`."""
    folder = tmp_path / "site"
    (folder / "zot_nowhere_else-1.0.dist-info").mkdir(parents=True)
    (folder / "zot_nowhere_else-1.0.dist-info/METADATA").write_text(f"Name: {NAME}\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(str(folder))
    return folder


def test_the_installer_runs_and_decides_the_exit_code(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Registry(NEWER) as registry:
        assert update(registry, installer(1)) == 1
    shown = f"{sys.executable} -c 'import sys; sys.exit(1)'"
    assert capsys.readouterr().out == f"zot 99.0 is available; this is {__version__}\n{shown}\n"


def test_an_update_is_one_where_another_version_is_there_afterwards(
    alone: Path, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = (str(site / f"zot_nowhere_else-{version}.dist-info") for version in ("1.0", "99.0"))
    text = "import os, sys; os.rename(*sys.argv[1:3]); open(sys.argv[2] + '/METADATA', 'w').write(sys.argv[3])"
    command = [sys.executable, "-c", text, old, new, f"Name: {NAME}\nVersion: 99.0\n"]
    found = Installation("", command, package=NAME)
    with Registry(NEWER) as registry:
        assert update(registry, found) == 0
    assert (found.version(), capsys.readouterr().err) == ("99.0", "")


def test_an_installer_that_keeps_the_old_version_has_not_updated_zot(
    alone: Path, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Registry(NEWER) as registry:
        assert update(registry, Installation("", [sys.executable, "-c", ""], package=NAME)) == 1
    assert capsys.readouterr().err.startswith("zot: zot is still 1.0: ")


def test_an_environment_that_the_installer_has_replaced_has_no_version_to_compare(alone: Path, site: Path) -> None:
    command = [sys.executable, "-c", "import shutil, sys; shutil.rmtree(sys.argv[1])", str(site)]
    with Registry(NEWER) as registry:
        assert update(registry, Installation("", command, package=NAME)) == 0


def test_nothing_is_done_when_zot_is_current(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Registry(json.dumps({"info": {"version": __version__}})) as registry:
        assert update(registry, installer(1)) == 0
    assert capsys.readouterr().out == f"zot {__version__} is up to date\n"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [(["--check"], installer(1)), ([], Installation("run it")), ([], Installation("run it", source="/src"))],
)
def test_where_nothing_may_or_can_be_done_the_way_is_said(
    alone: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], found: Installation
) -> None:
    with Registry(NEWER) as registry:
        assert update(registry, found, check="--check" in arguments) == 0
    assert "run it" in capsys.readouterr().out


def test_a_program_that_is_missing_is_one_line(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Registry(NEWER) as registry:
        assert update(registry, Installation("run zotty", ["zotty-does-not-exist"])) == 1
    assert capsys.readouterr().err == "zot: zotty-does-not-exist is not on the PATH; run zotty\n"


def test_without_a_network_there_is_one_line(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Registry() as registry:
        pass
    assert update(registry, installer()) == 1
    error = capsys.readouterr().err
    assert "connection refused" in error
    assert error.count("\n") == 1


def test_words_after_it_are_taken_for_a_prompt(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["the", "readme"]) == 2
    assert capsys.readouterr().err == (
        "zot: zot update takes no words; a prompt is sent with zot -- update the readme\n"
    )
