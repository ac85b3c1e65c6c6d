"""`zot trust`."""

import os
from pathlib import Path

import pytest

from zot_agent.cli.trust import run
from zot_agent.config.folder_trust import FolderContent, FolderTrust


@pytest.fixture
def trust(tmp_path: Path) -> FolderTrust:
    """The answers in the home folder of zot."""
    return FolderTrust(str(tmp_path / "zot-home"))


def test_answers_are_listed_with_their_folders(
    trust: FolderTrust, alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["list"]) == 0
    assert capsys.readouterr().out == "you have not been asked about any folder\n"
    trust.remember(FolderContent(str(alone)), allowed=True)
    trust.remember(FolderContent("/a/\x1b[2Jgone"), allowed=False)
    answers = alone.parent / "zot-home" / "trust"
    (answers / "broken.json").write_text("{")
    (answers / "other.json").write_text(f'{{"folder": "{alone}", "allowed": "no", "files": {{}}, "roots": []}}')
    assert run(["list"]) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["used", "folder", "note"],
        ["no", "/a/gone", "the", "folder", "is", "gone"],
        ["yes", str(alone), "-"],
    ]


@pytest.mark.parametrize("path", [[], ["."], ["../link"]])
def test_an_answer_is_forgotten_by_the_real_path_of_its_folder(
    trust: FolderTrust, alone: Path, path: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    content = FolderContent(os.path.realpath(alone))
    (alone.parent / "link").symlink_to(alone)
    trust.remember(content, allowed=True)
    assert run(["forget", *path]) == 0
    assert trust.decision(content) is None
    assert run(["forget", *path]) == 2
    printed = capsys.readouterr()
    assert printed.out == f"forgotten: {alone}\n"
    assert printed.err == f"zot: there is no answer about {alone}; zot trust list shows all\n"


def test_an_answer_about_a_folder_that_is_gone_is_forgotten(trust: FolderTrust) -> None:
    trust.remember(FolderContent("/a/gone"), allowed=True)
    assert run(["forget", "/a/gone"]) == 0
    assert trust.answers() == []


def test_wrong_words_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    assert run(["forget", "a", "b"]) == 2
    assert "unrecognized arguments: b" in capsys.readouterr().err
