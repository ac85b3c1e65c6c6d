"""What a sandbox policy lets the inside read and write."""

import sys
from pathlib import Path

import pytest

from zot_core.sandbox.policy import SandboxPolicy, make_policy, repository_around


def policy_of(folder: Path, **more: object) -> SandboxPolicy:
    """Return the policy of `folder`/project with a home and a zot home beside it."""
    project, home = folder / "project", folder / "home"
    project.mkdir(exist_ok=True)
    home.mkdir(exist_ok=True)
    given = {"zot_home": str(home / ".zot-home"), "home": str(home), "environ": {}} | more
    return make_policy(str(project), **given)  # type: ignore[arg-type]  # the values are those of the tests below


@pytest.mark.parametrize(
    ("path", "access"),
    [
        ("project/src/a.py", "write"),
        ("project", "write"),
        ("project-2/a", "none"),
        ("project/.git/hooks/pre-commit", "read"),
        ("project/.zot/config.json", "read"),
        ("project/.claude", "read"),
        ("project/sub/.git", "write"),
        ("home/.ssh/id", "none"),
        ("home/.zot-home/auth.json", "none"),
        ("home/.cargo/bin/cargo", "read"),
        ("home/.cargo/credentials.toml", "none"),
        ("/usr/bin/env", "read"),
        ("/etc/shadow", "none"),
        ("/run/docker.sock", "none"),
        ("/tmp/of-another", "none"),
        ("/", "read"),
    ],
)
def test_the_longest_path_says_what_may_be_done(tmp_path: Path, path: str, access: str) -> None:
    (tmp_path / "home" / ".cargo" / "bin").mkdir(parents=True)
    assert policy_of(tmp_path).access(str(tmp_path / path)) == access


@pytest.mark.parametrize("folder", [".asdf", ".cargo/bin", ".local/bin", ".local/share/pnpm", ".rbenv", "own"])
def test_folders_of_programs_in_the_home_are_readable_and_nothing_beside_them(tmp_path: Path, folder: str) -> None:
    path = tmp_path / "home" / folder
    path.mkdir(parents=True)
    policy = policy_of(tmp_path, environ={"PATH": f"bin:{tmp_path}/home/own"})
    assert policy.access(str(path / "program")) == "read"
    assert policy.access(str(path.with_name("beside") / "key")) == "none"


def test_what_gives_programs_orders_is_not_writable_at_the_top_of_a_project(tmp_path: Path) -> None:
    names = (
        ".agents", ".claude", ".codex", ".cursor", ".devcontainer", ".envrc", ".git", ".husky", ".idea", ".mcp.json",
        ".vscode", ".zot",
    )  # fmt: skip
    for name in names:
        (tmp_path / "project" / name).mkdir(parents=True)
    policy = policy_of(tmp_path)
    assert {name: policy.access(str(tmp_path / "project" / name / "x")) for name in names} == dict.fromkeys(
        names, "read"
    )
    assert policy.may_write(str(tmp_path / "project" / ".github" / "x"))


@pytest.mark.parametrize("folder", ["/home", "/root", "/Users", "/var/tmp", "/run", "/etc/ssh", "/etc/ssl/private"])
def test_what_is_hidden_of_the_system_is_so_whoever_has_which_home(tmp_path: Path, folder: str) -> None:
    expected = "none" if Path(folder).exists() else "read"
    assert policy_of(tmp_path).access(f"{folder}/of-another") == expected


def test_a_folder_that_a_person_adds_is_writable_but_not_its_repository(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    policy = policy_of(tmp_path, writable=[str(tmp_path / "more")])
    assert policy.may_write(str(tmp_path / "more" / "a"))
    assert not policy.may_write(str(tmp_path / "more" / ".git" / "config"))
    assert policy.may_read(str(tmp_path / "more" / ".git" / "config"))


def test_the_python_of_zot_is_not_writable_in_a_project_that_contains_it(tmp_path: Path) -> None:
    own = Path(sys.prefix).resolve()
    policy = make_policy(str(own.parent), home=str(tmp_path), environ={}, zot_home=str(tmp_path / "zot-home"))
    assert policy.may_write(str(own.parent / "a"))
    assert policy.access(str(own / "bin" / "python")) == "read"


def test_the_folder_of_zot_is_hidden_wherever_it_is(tmp_path: Path) -> None:
    (tmp_path / "shown").mkdir()
    for folder in ("/opt/zot-home", f"{tmp_path}/shown/zot-home", f"{tmp_path}/project/zot-home"):
        policy = policy_of(tmp_path, zot_home=folder, readable=[str(tmp_path / "shown")])
        assert [policy.access(path) for path in (folder, f"{folder}/auth.json")] == ["none", "none"]
        assert policy.may_read(f"{folder}-2")


@pytest.mark.parametrize("folder", ["home", ".", "/"])
def test_a_project_that_contains_the_home_is_refused(tmp_path: Path, folder: str) -> None:
    (tmp_path / "home").mkdir()
    with pytest.raises(ValueError, match="cannot protect your home folder"):
        make_policy(str(tmp_path / folder), zot_home="/z", home=str(tmp_path / "home"))


def test_a_link_in_the_place_of_a_protected_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / ".git").symlink_to(tmp_path)
    with pytest.raises(ValueError, match="which is a link"):
        policy_of(tmp_path)


def worktree(folder: Path, *, points_back: bool) -> Path:
    """Make a worktree in `folder`/project of a repository in `folder`/main; return the worktree's own git folder."""
    own = folder / "main" / ".git" / "worktrees" / "project"
    own.mkdir(parents=True)
    (folder / "project").mkdir()
    (folder / "project" / ".git").write_text(f"gitdir: {own}\n")
    for path in (own, own.parents[1]):
        (path / "HEAD").write_text("ref: refs/heads/main\n")
    (own / "commondir").write_text("../..\n")
    (own / "gitdir").write_text(f"{folder / 'project' / '.git' if points_back else '/elsewhere/.git'}\n")
    return own


def test_the_repository_of_a_worktree_is_readable(tmp_path: Path) -> None:
    own = worktree(tmp_path, points_back=True)
    policy = policy_of(tmp_path)
    assert policy.access(str(own / "index")) == policy.access(str(tmp_path / "main" / ".git" / "config")) == "read"
    assert policy.access(str(tmp_path / "main" / "src")) == "none"


@pytest.mark.parametrize("points_back", [True, False])
def test_git_may_be_writable_and_a_pointer_counts_only_if_its_repository_points_back(
    tmp_path: Path, points_back: bool
) -> None:
    own = worktree(tmp_path, points_back=points_back)
    assert policy_of(tmp_path, git="write").may_write(str(own / "index")) == points_back


def test_the_settings_of_git_are_readable_only_where_git_may_write(tmp_path: Path) -> None:
    own = [".gitconfig", ".config/git/config"]
    (tmp_path / "home" / ".config" / "git").mkdir(parents=True)
    for name in own:
        (tmp_path / "home" / name).touch()
    for git, access in (("ask", "none"), ("write", "read")):
        policy = policy_of(tmp_path, git=git)
        assert [policy.access(str(tmp_path / "home" / name)) for name in own] == [access, access]


def test_the_repository_around_the_project_is_readable_unless_it_is_the_home(tmp_path: Path) -> None:
    (tmp_path / "project" / "part").mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    (tmp_path / "home" / "src").mkdir(parents=True)
    (tmp_path / "home" / ".git").mkdir()
    for root, readable in (("project/part", "project/.git/config"), ("home/src", "home/.git/config")):
        around = repository_around(str(tmp_path / root))
        policy = make_policy(str(tmp_path / root), home=str(tmp_path / "home"), environ={}, readable=around)
        assert policy.may_write(str(tmp_path / root / "a"))
        assert policy.access(str(tmp_path / readable)) == ("read" if root.startswith("project") else "none")


def test_a_pointer_to_what_is_no_repository_makes_nothing_readable(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "home" / ".ssh").mkdir(parents=True)
    (tmp_path / "project" / ".git").write_text(f"gitdir: {tmp_path / 'home' / '.ssh'}\n")
    assert not policy_of(tmp_path).may_read(str(tmp_path / "home" / ".ssh" / "id"))


def test_temporary_files_are_in_a_folder_of_the_sandbox(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, scratch=str(tmp_path / "scratch"))
    assert policy.outside("/tmp/a") == str(tmp_path / "scratch" / "a")
    assert policy.outside(str(tmp_path / "project" / "a")) == str(tmp_path / "project" / "a")
    assert policy.may_write(policy.outside("/tmp/a"))
