"""`surroundings`: what a model would otherwise look up first, in a few lines of the system prompt.

Only names and small files are read, and no program is started, so that the first request does not wait for it.
"""

import os
import sys
from itertools import islice

from zot_core.machine.repository import first_line, git_folders, repository_top
from zot_core.printable import printable_line

HEADING = "# Surroundings"
LONGEST = 800
"""Characters: some 200 tokens."""
_NAME = 40
_BRANCH = 80
"""Characters of a name that are shown."""
_MOST_ENTRIES = 2000
"""Entries of the directory that are looked at."""
_CACHES = ("_cache", "__pycache__", ".hypothesis", ".DS_Store")
"""Ends of names that say nothing about a project."""

_BUILDS = {
    "uv.lock": "uv",
    "poetry.lock": "poetry",
    "pyproject.toml": "Python (pyproject.toml)",
    "requirements.txt": "pip (requirements.txt)",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "package-lock.json": "npm",
    "package.json": "Node (package.json)",
    "deno.json": "deno",
    "Cargo.toml": "cargo",
    "go.mod": "go",
    "CMakeLists.txt": "cmake",
    "meson.build": "meson",
    "pom.xml": "maven",
    "build.gradle": "gradle",
    "build.gradle.kts": "gradle",
    "Gemfile": "bundler",
    "composer.json": "composer",
    "mix.exs": "mix",
    "Package.swift": "swift",
    "BUILD.bazel": "bazel",
    "justfile": "just",
    "Makefile": "make",
}
"""Files that say what a project builds with."""

_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisect",
}
"""Files of a git directory that say what is under way."""


def surroundings(cwd: str) -> str:
    """Return facts about the machine and the project in `cwd`, an absolute path; at most `LONGEST` characters. What
    cannot be read is left out."""
    names, more = _names(cwd)
    lines = [f"Platform: {_platform()} with {_shell()}"]
    lines += [f"Git: {state}" for state in [_git(cwd)] if state]
    builds = [tool for file, tool in _BUILDS.items() if file in names]
    lines += [f"Builds with: {', '.join(builds)}"] * bool(builds)
    text = "\n".join([f"{HEADING}\n", *lines])
    return f"{text}\n{_top(names, more, LONGEST - len(text) - 1)}"[:LONGEST]


def _platform() -> str:
    try:
        system = os.uname()
    except AttributeError:
        return sys.platform
    return printable_line(f"{system.sysname} {system.machine}")


def _shell() -> str:
    found = any(os.access(os.path.join(folder, "bash"), os.X_OK) for folder in os.get_exec_path())
    return "bash" if found else "sh"


def _names(cwd: str) -> tuple[dict[str, bool], bool]:
    """Return the names in a directory, sorted, and which are directories; and whether it has more."""
    try:
        with os.scandir(cwd) as entries:
            found = [(entry.name, entry.is_dir()) for entry in islice(entries, _MOST_ENTRIES)]
    except OSError:
        return {}, False
    return dict(sorted(pair for pair in found if not pair[0].endswith(_CACHES))), len(found) == _MOST_ENTRIES


def _top(names: dict[str, bool], more: bool, room: int) -> str:  # noqa: FBT001  private
    line, shown = "Top of the tree:", 0
    for name, folder in names.items():
        plain = printable_line(name.encode("utf-8", "replace").decode())
        part = (plain if len(plain) <= _NAME else f"{plain[:_NAME]}...") + "/" * folder
        if len(line) + len(part) + 30 > room:
            break
        line, shown = f"{line} {part}", shown + 1
    rest = len(names) - shown
    if not names:
        return f"{line} empty"
    return line + (f" ... and {rest:,}{' or more' * more} others" if rest or more else "")


def _git(cwd: str) -> str:
    top = repository_top(cwd)
    git = git_folders(top)[0] if top else ""
    head = first_line(os.path.join(git, "HEAD")) if git else ""
    if not head:
        return ""
    branch = printable_line(head.removeprefix("ref:").strip().removeprefix("refs/heads/"))[:_BRANCH]
    where = f"branch {branch}" if head.startswith("ref:") else f"no branch, at {branch[:12]}"
    states = [state for file, state in _UNDER_WAY.items() if os.path.exists(os.path.join(git, file))]
    return ", ".join([where, *(f"{state} under way" for state in dict.fromkeys(states))])
