"""Check the commits since this file was added: `check_history.py [TIP]`, in a clone with the whole history.

A commit does one thing. Its subject is `package: verb object`, its body says why, and it is no merge. The merge of a
pull request is exempt, on the main branch and in the try of it by GitHub. CONTRIBUTING.md has the rules for people.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

OWN_PATH = "scripts/check_history.py"
ROOMS = {"all", "build", "ci", "make", "quality", "release", "repo"}
NO_VERB = re.compile(
    "an?|and|another|any|at|by|each|every|for|from|if|in|its?|more|most|none|no|not|of|one|only|our|some|so|"
    "that|the|their|there|these|they|this|those|two|what|when|where|which|who|with"
)
MERGE_OF_A_REQUEST = re.compile(r"Merge pull request #\d+ from |Merge [0-9a-f]{40} into [0-9a-f]{40}$")
TRAILER = re.compile(r"[A-Z][\w-]*: .+")
LONGEST_SUBJECT = 100


class Commit(NamedTuple):
    id: str
    parents: tuple[str, ...]
    subject: str
    body: str


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True, encoding="utf-8").stdout


def rooms(paths: list[str]) -> set[str]:
    """Return what a subject may begin with: packages without `zot-`, folders of them, and folders of the project."""
    found = set(ROOMS)
    for path in paths:
        folder, *rest = path.split("/")[:-1] or [""]
        found.add(folder)
        if folder == "packages" and rest:
            found |= {rest[0].removeprefix("zot-"), *rest[3:]}
    return found - {"", "packages"}


def commits_after(start: str, tip: str) -> Iterator[Commit]:
    """Yield the commits of `tip` that `start` does not have, the oldest first."""
    for entry in git("log", "--reverse", "--format=%H%n%P%n%s%n%b%x00", f"{start}..{tip}").split("\0"):
        if entry.strip():
            id, parents, subject, body = entry.lstrip("\n").split("\n", 3)
            yield Commit(id, tuple(parents.split()), subject, body)


def faults(commit: Commit, known: set[str]) -> Iterator[str]:
    """Yield what is wrong with a commit, a few words each."""
    if len(commit.parents) > 1:
        if not MERGE_OF_A_REQUEST.match(commit.subject):
            yield "it merges a branch; rebase instead"
        return
    where, colon, what = commit.subject.partition(": ")
    words = what.split()
    if not colon or not words:
        yield "its subject is not `package: verb object`"
        return
    if unknown := [name for name in where.split(", ") if name not in known]:
        yield f"{unknown[0]!r} is no package and no folder"
    # Dependabot begins with a capital letter.
    if len(words) < 2 or not re.fullmatch(r"([a-z]+(-[a-z]+)*,?|Bump)", words[0]) or NO_VERB.fullmatch(words[0]):
        yield f"{words[0]!r} is no verb with an object"
    if ";" in commit.subject:
        yield "its subject names two things"
    if what.endswith(".") or len(commit.subject) > LONGEST_SUBJECT:
        yield f"its subject is longer than {LONGEST_SUBJECT} characters or ends with a period"
    if not [line for line in commit.body.splitlines() if line.strip() and not TRAILER.fullmatch(line)]:
        yield "it has no body that says why"


def main(tip: str = "HEAD") -> int:
    if git("rev-parse", "--is-shallow-repository").strip() == "true":
        print("this clone has a part of the history; git fetch --unshallow", file=sys.stderr)
        return 2
    added = git("log", "--diff-filter=A", "--format=%H", tip, "--", OWN_PATH).split()
    if not added:
        print(f"{tip} has no {OWN_PATH}", file=sys.stderr)
        return 2
    known = rooms(git("ls-tree", "-r", "--name-only", tip).splitlines())
    failed = 0
    for commit in commits_after(added[-1], tip):
        for fault in faults(commit, known):
            failed = 1
            print(f"{commit.id[:10]} {commit.subject}: {fault}")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
