import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zot_core.tools.search.gitignore import Gitignore


@pytest.mark.parametrize(
    ("text", "out", "kept"),
    [
        ("*.log", "a.log x/b.log", "a.logs log"),
        ("ignored/", "ignored/ x/ignored/", "ignored"),
        ("/out", "out out/", "x/out"),
        ("a/b", "a/b", "x/a/b"),
        ("doc/**/x", "doc/x doc/a/b/x", "doc/xx"),
        ("doc/**", "doc/a doc/a/b", "doc/"),
        ("**/x/y", "x/y a/b/x/y", "xx/y"),
        ("**", "a a/b", ""),
        ("a**b", "ab axb", "a/b"),
        ("a?c", "abc", "a/c"),
        ("[a-c]x", "ax bx", "dx"),
        ("[!a]x", "bx", "ax"),
        ("[[:digit:]]", "1", "a"),
        ("[[:nothing:]]", "", "a :"),
        ("[z-a]", "", "z a -"),
        ("[]-]x", "]x -x", "ax"),
        ("[a", "", "[a a"),
        (r"\#x", "#x", "x"),
        (r"\!x", "!x", "x"),
        (r"a\*", "a*", "ab"),
        ("a\\", "", "a a\\"),
        ("# words", "", "# words"),
        ("a   ", "a", "a   "),
        ("a\\ ", "a ", "a"),
        ("a\\   ", "a ", "a   "),
        ("*b*/**/*c*d", "ab/cd xb/y/cxd", "ab/dc"),
        ("a\r\nb", "a b", "c"),
        ("\n\n/\n", "", "a a/"),
    ],
)
def test_rules_keep_out_what_git_keeps_out(text: str, out: str, kept: str) -> None:
    rules = Gitignore(text)
    separator = "," if text.endswith(" ") or text.startswith("#") else " "
    assert [path for path in out.split(separator) if path and not rules.verdict(path)] == []
    assert [path for path in kept.split(separator) if path and rules.verdict(path)] == []


def test_the_last_rule_decides() -> None:
    rules = Gitignore("*\n!*/\n!*.py\nsecret.py\n")
    verdicts = [rules.verdict(path) for path in ("pkg/", "pkg/a.py", "pkg/a.txt", "secret.py")]
    assert verdicts == [False, False, True, True]
    assert rules.verdict("pkg/") is False
    assert Gitignore("a").verdict("b") is None


def test_many_stars_cost_no_more_than_one() -> None:
    name = "a" * 250
    for pattern in ("*a" * 100 + "b", "**/" + "*a*/" * 50 + "b", "*a" * 50 + "[b]*", "a**/" + "*a" * 50 + "b"):
        for path in (name, "/".join([name] * 10)):
            assert Gitignore(pattern).verdict(path) is None
    assert Gitignore("*a" * 100 + "b").verdict(f"{name}b")


@pytest.mark.parametrize("line", ["a\n", "*a" * 60 + "\n", "a\n!b\n", "?" * 200 + "*b\n"])
def test_parsing_can_be_ended_at_many_places(line: str) -> None:
    text = line * (131_072 // len(line))
    calls = 0

    def check() -> None:
        nonlocal calls
        calls += 1
        if calls == 20:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        Gitignore(text, check)


def test_hostile_lines_are_parsed_at_once() -> None:
    size = 4000
    for line in (
        " " * size,
        "[" * size,
        "[[:" * 1300,
        "*" * size + "/",
        "a/" + "**/" * 1300 + "b",
        "\\" * size,
        "**a" * 1300,
    ):
        assert not Gitignore(f"{line}\n" * 30).verdict("x/y")
    assert not Gitignore("[x]" * 2000).verdict("x" * 2000)


PATHS = ["a", "b.py", "d/a", "d/b.py", "d/e/a", "d/e/c.txt", "e/a", "e/d/b.py", "[a", "ab", "abab", "d/aab/e/abba"]
RULE = st.builds(
    lambda start, parts, end: start + "".join(parts) + end,
    st.sampled_from(["", "", "!", "/", "!/", "**/"]),
    st.lists(
        st.sampled_from(
            ["a", "b", "d", "d/", "e", "*", "**", "/", "?", "***", "[[:alpha:]]", "\\[", "[ab]", "[!a]", ".py", "\\"]
        ),
        max_size=5,
    ),
    st.sampled_from(["", "", "/", "/**", " "]),
).filter(lambda rule: "\\/" not in rule)  # an escaped slash is still one to git; nobody writes it


@pytest.fixture(scope="module")
def repository() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        git(Path(folder), "init", "-q")
        for path in PATHS:
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).touch()
        yield Path(folder)


def git(folder: Path, *arguments: str) -> bytes:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", "-C", str(folder), *arguments], env=env, check=True, capture_output=True).stdout


@example(["**/", "!*d/*"])
@settings(max_examples=settings.default.max_examples * 3 // 5)
@given(st.lists(RULE, min_size=1, max_size=4))
def test_what_is_left_of_a_tree_is_what_git_leaves(repository: Path, lines: list[str]) -> None:
    text = "\n".join(lines)
    (repository / ".gitignore").write_text(text)
    listed = git(repository, "ls-files", "-z", "--others", "--exclude-standard").decode().split("\0")
    rules = Gitignore(text)

    def left(path: str) -> bool:
        parts = path.split("/")
        folders = ["/".join(parts[:count]) + "/" for count in range(1, len(parts))]
        return not any(rules.verdict(each) for each in [*folders, path])

    assert [path for path in PATHS if left(path)] == [path for path in PATHS if path in listed]
