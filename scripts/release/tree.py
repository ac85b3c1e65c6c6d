"""`Tree`: the files of a clone that have the version, its changelog, and the open lines of docs/releasing.md."""

import datetime
import re
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # for `fetch_uv`

from fetch_uv import pinned_wheel

PLACES = {
    "packages/*/src/*/version.py": r'^__version__ = "(.+)"$',
    "packages/*/pyproject.toml": r'"zot-[a-z]+(?:\[[a-z]+\])?==([^"]+)"',
}
"""Where the version is: files, and an expression whose group is the version."""
RELEASED = {
    "packaging/install.sh": r"^ZOT=(.+)$",
    "packaging/Dockerfile": r"^ARG ZOT=(.+)$",
    "packaging/homebrew/zot.rb": r'^  version "(.+)"$',
    "packaging/acp-registry/zot/agent.json": r'(?:"version": "|zot-agent@)([^"]+)"',
}
"""The same, of what only ever installs a release and no candidate."""

PLATFORMS = (("Linux", "x86_64"), ("Linux", "aarch64"), ("Darwin", "arm64"), ("Darwin", "x86_64"))

_NUMBER = r"(0|[1-9]\d*)"  # an index takes 0.1.01 for 0.1.1
_VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:rc{_NUMBER})?", re.ASCII)
_HEADING = "## Unreleased\n"


class Wrong(Exception):
    """What forbids a release, in one line."""


class Tree:
    """A clone at `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.changelog = root / "CHANGELOG.md"
        self.installer = root / "packaging" / "install.sh"

    def git(self, *words: str) -> str:
        """The output of git, which must succeed."""
        done = subprocess.run(["git", *words], cwd=self.root, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            raise Wrong(f"git {words[0]}: {done.stderr.strip()}")
        return done.stdout

    def versions(self, places: dict[str, str] = PLACES) -> dict[str, set[str]]:
        """The versions that each file has. Raises `Wrong` where a file has none."""
        found = {}
        for pattern, expression in places.items():
            for path in sorted(self.root.glob(pattern)):
                found[str(path.relative_to(self.root))] = {*re.findall(expression, path.read_text("utf-8"), re.M)}
        return found

    def version(self) -> str:
        """The version that every place has. Raises `Wrong` where two differ."""
        found = self.versions()
        every = {version for versions in found.values() for version in versions}
        if len(every) != 1:
            raise Wrong(f"the versions differ: {', '.join(f'{each} {sorted(found[each])}' for each in found)}")
        (version,) = every
        installed = {version for versions in self.versions(RELEASED).values() for version in versions}
        if installed != {version} and "rc" not in version:
            raise Wrong(
                f"the installers have {sorted(installed)}, and the packages {version}: make version V={version}"
            )
        if self.installer_with_pins() != self.installer.read_text("utf-8"):
            raise Wrong(f"packaging/install.sh pins another uv than uv.lock: make version V={version}")
        return version

    def check_commit(self, version: str) -> None:
        """Raises `Wrong` where the last commit, which is what is built, has another version than the files."""
        for path, found in self.versions().items():
            if found and f'{version}"' not in self.git("show", f"HEAD:{path}"):  # 0.2.0 is not 0.2.0rc1
                raise Wrong(f"the last commit, which is built, does not have {version} in {path}: commit first")

    def installer_with_pins(self) -> str:
        """The text of install.sh with the wheels of uv that the lock has."""
        lock = (self.root / "uv.lock").read_text("utf-8")
        rows = []
        for system, machine in PLATFORMS:
            for musl in (False, True) if system == "Linux" else (False,):
                url, digest, _ = pinned_wheel(lock, system, machine, musl=musl)
                rows.append(f"{system}-{machine}{'-musl' * musl} {digest} {url}\n")
        head, _, rest = self.installer.read_text("utf-8").partition("<<'END'\n")
        return f"{head}<<'END'\n{''.join(rows)}END{rest.partition('END')[2]}"

    def bump(self, version: str) -> None:
        """Write a version to every place, and date the heading of the changelog. A candidate (`0.2.0rc1`) keeps the
        heading, and the installers. Until the version has its tag, this can be done again. Raises `Wrong`."""
        order = _order(version)
        if self.git("tag", "--list", f"v{version}").strip():
            raise Wrong(f"v{version} is tagged, and what it names stays: take the next version")
        text = self._with_one_heading(version)
        newest = re.search(r"^## (\d\S*) - [\d-]+$", text, re.M)
        if newest and order <= _order(newest[1]):
            raise Wrong(f"{version} is not newer than {newest[1]}, the newest version in CHANGELOG.md")
        if not _section(text, "Unreleased").strip():
            raise Wrong("nothing is under Unreleased in CHANGELOG.md: a release says what is new")
        changed = self.write(version)
        if "rc" not in version:
            today = datetime.datetime.now(datetime.UTC).date()
            text = text.replace(_HEADING, f"{_HEADING}\n## {version} - {today}\n", 1)
        if text != self.changelog.read_text("utf-8"):
            self.changelog.write_text(text, "utf-8")
            changed.append("CHANGELOG.md")
        print(version, *changed, sep="\n  ")

    def _with_one_heading(self, version: str) -> str:
        """The changelog, where an earlier try has dated the newest section without its heading: what is in it is
        unreleased. Raises `Wrong` where such a try was for another version."""
        text = self.changelog.read_text("utf-8")
        newest = re.search(r"^## (\d\S*) - [\d-]+\n\n?", text, re.M)
        begun = [path.parent.name for path in self.root.glob("tests/compat/*/state")]
        begun += [newest[1]] if newest else []
        abandoned = {each for each in begun if not self.git("tag", "--list", f"v{each}").strip()}
        if others := sorted(abandoned - {version.partition("rc")[0]}):
            raise Wrong(
                f"{others[0]} was begun, and there is no tag v{others[0]}: git fetch --tags, or remove its heading in "
                f"CHANGELOG.md and tests/compat/{others[0]}"
            )
        if newest is None or newest[1] not in abandoned:
            return text
        return text[: newest.start()] + text[newest.end() :]

    def write(self, version: str) -> list[str]:
        """Write a version to the files that have it, and return which."""
        changed = []
        for pattern, expression in (PLACES if "rc" in version else {**PLACES, **RELEASED}).items():
            for path in sorted(self.root.glob(pattern)):
                before = path.read_text("utf-8")
                after = re.sub(expression, lambda found: _with(found, version), before, flags=re.M)
                if after != before:
                    path.write_text(after, "utf-8")
                    changed.append(str(path.relative_to(self.root)))
        self.installer.write_text(self.installer_with_pins(), "utf-8")
        return changed

    def is_tagged(self, tag: str) -> bool:
        """Whether this commit has the tag. Raises `Wrong` where another has it, or a file differs from this one."""
        tagged = bool(self.git("tag", "--list", tag).strip())
        if tagged and self.git("rev-parse", f"{tag}^{{commit}}") != self.git("rev-parse", "HEAD"):
            raise Wrong(f"the tag {tag} is on another commit")
        if changed := self.git("status", "--porcelain").strip():
            raise Wrong(f"files differ from the last commit, which is built: {changed.splitlines()[0]}")
        return tagged

    def notes(self, version: str, *, released: bool) -> str:
        """The section of a version in the changelog, with links to the files of its tag. Before a release, and
        for a candidate, it is the section of the next version. Raises `Wrong` without one."""
        text = self.changelog.read_text("utf-8")
        notes = _section(text, version).strip()
        if not notes and ("rc" in version or not released):
            notes = _section(text, "Unreleased").strip()
        if not notes:
            raise Wrong(f"CHANGELOG.md has no section for {version}: make version V={version}")
        return re.sub(r"\]\((?!https?:)", f"]({self.address()}/blob/v{version}/", notes) + "\n"

    def address(self) -> str:
        """Where the repository is on GitHub. Raises `Wrong` where no package says so."""
        page = (self.root / "packages" / "zot-agent" / "pyproject.toml").read_text("utf-8")
        home = re.search(r'^Homepage = "(.+)"$', page, re.M)
        if home is None:
            raise Wrong("packages/zot-agent/pyproject.toml names no Homepage")
        return home[1]

    def open_lines(self) -> list[str]:
        """The lines of docs/releasing.md that a person must fill: those whose mark, the code at their beginning, still
        is in a file of the repository."""
        page = (self.root / "docs" / "releasing.md").read_text("utf-8")
        _, heading, below = page.partition("\n## Open lines\n")
        if not heading:
            raise Wrong("docs/releasing.md has no section called Open lines")
        open_lines = []
        for line, mark in re.findall(r"^- (`([^`]+)`: .+)$", below, re.M):
            words = [
                "grep",
                "--fixed-strings",
                "--files-with-matches",
                "-e",
                mark,
                "--",
                ".",
                ":!docs/releasing.md",
                ":!tests",
            ]
            done = subprocess.run(
                ["git", *words], cwd=self.root, capture_output=True, text=True, timeout=60, check=False
            )
            if done.returncode not in (0, 1):
                raise Wrong(f"git grep: {done.stderr.strip()}")
            if files := done.stdout.split():
                open_lines.append(f"{line} ({len(files)} files)")
        return open_lines


def _section(changelog: str, heading: str) -> str:
    """The text below a heading of the changelog, up to the next of its kind."""
    found = re.search(rf"^## {re.escape(heading)}(?: - [\d-]+)?\n(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    return found[1] if found else ""


def _order(version: str) -> list[float]:
    """What a version is compared by: a candidate comes before its release."""
    found = _VERSION.fullmatch(version)
    if found is None:
        raise Wrong(f"{version!r} is no version such as 0.2.0 or 0.2.0rc1")
    return [float(each or "inf") for each in found.groups()]


def _with(found: "re.Match[str]", version: str) -> str:
    start, end = found.span(1)
    return found[0][: start - found.start()] + version + found[0][end - found.start() :]
