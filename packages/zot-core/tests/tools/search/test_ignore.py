import subprocess
from pathlib import Path

import pytest

from zot_core.machine.files import LocalFiles
from zot_core.testing.world import MemoryFiles
from zot_core.tools.search.ignore import IgnoreRules, rules_above

FILES = MemoryFiles(
    {
        "/.gitignore": "*.py\n",
        "/repo/.git/HEAD": "",
        "/repo/.gitignore": "\ufeff*.log\nbuild/\n!important.log\n",
        "/repo/src/.gitignore": "/gen\n!x.log\n",
        "/repo/src/deep/a.py": "",
        "/repo/build/out/b": "",
        "/plain/.gitignore": "*.tmp\n",
        "/plain/sub/c": "",
        "/repo/locked/.gitignore": "*",
    }
)
FILES.locked.add("/repo/locked/.gitignore")


async def above(base: str, cwd: str = "/repo") -> IgnoreRules:
    return await rules_above(base, cwd, FILES)


async def test_rules_from_the_root_of_the_repository_hold_below() -> None:
    rules = await above("/repo/src/deep", cwd="/elsewhere")
    assert [rules(path) for path in ("a.log", "important.log", "x.log", "build/", "a.py", "gen")] == [
        *(True, False, False, True, False, False)
    ]
    assert (await above("/repo/src"))("gen") is False  # the folder's own rules are read by who walks it
    assert (await (await above("/repo/src")).below("/repo/src", "", FILES))("gen") is True


async def test_the_root_has_nothing_above_it() -> None:
    assert await above("/repo") == IgnoreRules()


async def test_outside_a_repository_the_working_directory_is_the_root() -> None:
    assert (await above("/plain/sub", cwd="/plain"))("x.tmp")
    assert not (await above("/plain/sub", cwd="/other"))("x.tmp")


async def test_a_folder_that_is_kept_out_can_be_looked_into_by_name() -> None:
    assert await above("/repo/build/out") == IgnoreRules()


async def test_a_file_that_cannot_be_read_has_no_rules() -> None:
    assert await IgnoreRules().below("/repo/locked", "", FILES) == IgnoreRules()


async def test_what_git_leaves_out_by_other_files_is_left_out_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, home = tmp_path / "repo", tmp_path / "home"
    names = ["a.mine", "a.ours", "kept.ours", "sub/b.mine", "sub/b.ours", "plain"]
    for name in names:
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).touch()
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (home / ".gitconfig").write_text('[user]\n\tname = x\n[core]\n\texcludesFile = "~/ignored"\n')
    (home / "ignored").write_text("*.mine\n*.ours\n")
    subprocess.run(["git", "init", "-q", repo], check=True)
    (repo / ".git/info/exclude").write_text("!kept.ours\n")
    listed = subprocess.run(
        ["git", "-C", repo, "ls-files", "--others", "--exclude-standard"], check=True, capture_output=True, text=True
    )
    assert listed.stdout.split() == ["kept.ours", "plain"]
    rules = await rules_above(str(repo), str(repo), LocalFiles())
    assert [name for name in names if not rules(name)] == ["kept.ours", "plain"]
    below = await rules_above(str(repo / "sub"), str(repo), LocalFiles())
    assert [below("b.mine"), below("b.ours"), below("c")] == [True, True, False]
    subprocess.run(["git", "-C", repo, "config", "core.excludesFile", str(home / "of-the-repository")], check=True)
    (home / "of-the-repository").write_text("plain\n")
    rules = await rules_above(str(repo), str(repo), LocalFiles())
    assert rules("plain")
    assert not rules("b.mine")
