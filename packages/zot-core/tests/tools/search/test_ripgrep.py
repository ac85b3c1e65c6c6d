import re
import shutil
from pathlib import Path

import pytest

from zot_core.tools.search.line_search import compiled
from zot_core.tools.search.ripgrep import candidate_files, pattern_arguments

RIPGREP = [program for program in ("rg",) if shutil.which(program)]


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"def \w+\(", "^import", "a|b$", r"\bx\b", "[a-zA-Z_-]+", "[^ab]?", "(?:a|b){2,3}", "a.*?b", r"[\w.]+@", "é"),
        *("(a)(b)", r"\.py", "a-b", "x{3}", r"[\]\[]", "#include <"),
    ],
)
def test_patterns_that_both_read_alike_are_given_to_it(pattern: str) -> None:
    compiled(pattern)
    assert pattern_arguments(pattern, literal=False, ignore_case=False) is not None


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            r"(?=a)",
            r"(a)\1",
            "a{",
            "interface{}",
            r"\Aa",
            r"\<a",
            "(?i)a",
            "[[a]",
            "[a&&b]",
            "a*+",
            r"\x41",
            "a\ufffd",
        ),
        *("a\ud800", r"\na", "[:alpha:]", "[[:alpha:]]", "(?P<a>b)", "a{,2}", "(?#x)", r"\p", "a]", "}"),
    ],
)
def test_all_others_are_not(pattern: str) -> None:
    assert pattern_arguments(pattern, literal=False, ignore_case=False) is None


def test_plain_text_is_given_as_it_is_and_with_any_case_as_a_pattern() -> None:
    assert pattern_arguments("-a.b(", literal=True, ignore_case=False) == ["--fixed-strings", "--regexp=-a.b("]
    given = pattern_arguments("a.b({", literal=True, ignore_case=True)
    assert given is not None
    assert given[:2] == ["--ignore-case", r"--regexp=a\.b\(\{"]


async def test_files_in_which_nothing_can_match_are_dropped_whatever_they_are_called(tmp_path: Path) -> None:
    for program in RIPGREP:
        contents = {
            "-": b"needle",
            "--help": b"needle",
            "dir/.hidden": b"x\nneedle\n",
            "bin": b"\0\nneedle",
            "utf16": "\ufeffneedle".encode("utf-16"),
            "latin": b"\xe9",
            "windows": b"hay\r\n",
            "hay": b"hay\n",
            "needle": b"hay stack\n",
            "odd\udce9\nname": b"needle",
            ".gitignore": b"*\n",
        }
        for name, content in contents.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_bytes(content)
        names = sorted(contents)
        looking_for = pattern_arguments("ne+dle", literal=False, ignore_case=False)
        assert looking_for is not None
        kept = await candidate_files(program, looking_for, names, str(tmp_path))
        assert sorted(set(names) - set(kept)) == [".gitignore", "hay", "needle"]
        assert kept == [name for name in names if name in kept]
        literal = pattern_arguments("needle", literal=True, ignore_case=False)
        assert literal is not None
        kept = await candidate_files(program, literal, names, str(tmp_path))
        assert sorted(kept) == sorted(["-", "--help", "dir/.hidden", "bin", "odd\udce9\nname"])


async def test_more_names_than_a_command_line_takes_are_asked_about_in_portions(tmp_path: Path) -> None:
    for program in RIPGREP:
        names = [f"{number:04}{'x' * 200}" for number in range(1200)]
        for name in names[::100]:
            (tmp_path / name).write_text("needle")
        for name in names[1::100]:
            (tmp_path / name).write_text("hay")
        literal = ["--fixed-strings", "--regexp=needle"]
        there = [name for name in names if (tmp_path / name).exists()]
        assert await candidate_files(program, literal, there, str(tmp_path)) == names[::100]
        # A file that is gone makes its portion unsure.
        assert set(names[::100]) <= set(await candidate_files(program, literal, names, str(tmp_path)))


async def test_what_it_does_not_understand_drops_nothing(tmp_path: Path) -> None:
    for program in RIPGREP:
        (tmp_path / "a").touch()
        assert await candidate_files(program, ["--regexp=(?<!a)"], ["a"], str(tmp_path)) == ["a"]


async def test_a_program_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await candidate_files("zot-no-such-program", [], ["a"], str(tmp_path))


def test_escaping_is_understood_by_both() -> None:
    given = pattern_arguments(".^$*+?()[]{}|\\", literal=True, ignore_case=True)
    assert given is not None
    assert re.fullmatch(given[1].removeprefix("--regexp="), ".^$*+?()[]{}|\\")
