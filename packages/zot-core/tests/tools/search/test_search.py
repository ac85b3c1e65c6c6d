import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from waiting import PATIENCE, TIME_LIMITS, until

from zot_core.machine.files import LocalFiles
from zot_core.machine.interface import Files
from zot_core.testing.world import MemoryFiles
from zot_core.tools.search.line_search import compiled
from zot_core.tools.search.search import MatchLine, SearchLimits, SearchQuery, SearchResult, read_alike, search

LIMITS = {
    "python": SearchLimits(ripgrep=""),
    "python, five files at a time": SearchLimits(ripgrep="", files=5),
    "copies": SearchLimits(),
    "copies, one file at a time": SearchLimits(copied=10_000, ripgrep=""),
}
if shutil.which("rg"):
    LIMITS["ripgrep"] = SearchLimits()
    LIMITS["ripgrep, two files at a time"] = SearchLimits(arguments=20)


async def each(paths: list[str]) -> AsyncIterator[str]:
    for path in paths:
        yield path


def found(query: SearchQuery, base: str, paths: list[str], files: Files, limits: SearchLimits) -> SearchResult:
    return asyncio.run(search(each(paths), base, query, files, limits))


CONTENTS = {
    "a.txt": b"one\ntwo needle\nthree\n",
    "b.bin": b"needle\n\0",
    "c.latin": b"caf\xe9 needle\n",
    "d.windows": b"needle\r\nneedle \r\n",
    "e.upper": "NEEDLE\nÄ ä\n".encode(),
    "f.empty": b"",
    "g.late": b"\n" * 9000 + b"needle\0\n",
    "h.mark": b"\xef\xbb\xbfneedle\n",
    "i.odd": b"needle\rneedle\n{needle}\r\r\nneedle\r",
    "j/k": b"xneedle\nneedlex needle-x\n",
    "-": b"needle",
    "--help": b"needle",
    "new\nline:3:x": b"needle",
    "odd\udce9": b"needle",
}
CASES = {
    "plain": SearchQuery("needle"),
    "anchored": SearchQuery("^needle$"),
    "word": SearchQuery(r"\bneedle\b", context=1),
    "space": SearchQuery(r"needle\sneedle|needle\s$"),
    "any": SearchQuery("n.edle"),
    "case": SearchQuery("NEEDLE|ä", ignore_case=True),
    "braces": SearchQuery("{needle}"),
    "literal": SearchQuery("{needle}", literal=True),
    "literal case": SearchQuery("NEEDLE-X", literal=True, ignore_case=True),
    "ahead": SearchQuery("needle(?=-)"),
    "not": SearchQuery("needle[^a]needle|needle[^x]x|\\S-x"),
    "empty": SearchQuery("^$|three"),
    "class": SearchQuery("[^a-z{}]needle"),
    "named class": SearchQuery("[[:space:]]needle"),
    "options": SearchQuery("-needle|needle-"),
    "huge numbers": SearchQuery("needle", context=10**30, limit=10**30),
    "limit": SearchQuery("needle", limit=3, context=1),
    "narrow": SearchQuery("needle", width=4),
    "nothing": SearchQuery("no such thing"),
}


@pytest.fixture(scope="module")
def tree() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in CONTENTS.items():
            (Path(folder) / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).write_bytes(content)
        yield folder


@pytest.mark.parametrize("case", CASES)
def test_every_way_to_search_finds_the_same(tree: str, case: str) -> None:
    memory = MemoryFiles({f"/tree/{name}": content for name, content in CONTENTS.items()})
    answers = [
        found(CASES[case], "/tree", list(CONTENTS), memory, limits)
        if name.startswith("copies")
        else found(CASES[case], tree, list(CONTENTS), LocalFiles(), limits)
        for name, limits in LIMITS.items()
    ]
    assert [answer.lines for answer in answers if answer != answers[0]] == []
    assert bool(answers[0].lines) == (case != "nothing")


def test_what_is_found_is_what_there_is(tree: str) -> None:
    assert found(SearchQuery("^needle$"), tree, list(CONTENTS), LocalFiles(), SearchLimits()) == SearchResult(
        [
            MatchLine("d.windows", 1, True, "needle"),
            MatchLine("h.mark", 1, True, "needle"),
            MatchLine("i.odd", 1, True, "needle\rneedle"),
            MatchLine("i.odd", 3, True, "needle\r"),
            MatchLine("-", 1, True, "needle"),
            MatchLine("--help", 1, True, "needle"),
            MatchLine("new\nline:3:x", 1, True, "needle"),
            MatchLine("odd\udce9", 1, True, "needle"),
        ]
    )
    limited = found(
        SearchQuery("needle", limit=2, context=1, width=5), tree, list(CONTENTS), LocalFiles(), SearchLimits()
    )
    assert limited == SearchResult(
        [
            MatchLine("a.txt", 1, False, "one"),
            MatchLine("a.txt", 2, True, "two n... [truncated]"),
            MatchLine("a.txt", 3, False, "three"),
            MatchLine("c.latin", 1, True, "café ... [truncated]"),
        ],
        more=True,
        cut=True,
    )


TOKENS = ["a", "b", "A", "é", r"\w", r"\s", r"\b", r"\d", "^", "$", ".", "*", "+", "?", "(", ")", "|", " ", "-", "1"]
TOKENS += ["[a-c]", "[^b]", r"[\w-]", r"[^\s]", "{2}", r"\.", "&", "#", r"\W", r"\B", "??", "(?:", "~~", "{0,1}"]
PATTERNS = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=6).map("".join)
TEXTS = st.lists(
    st.sampled_from([b"a", b"b", b"A", b"1", b" ", b"-", b".", b"\n", b"\r", b"\r\n", b"&", b"\xc3\xa9"]), max_size=12
).map(b"".join)


@settings(max_examples=settings.default.max_examples // 2)
@given(PATTERNS, st.booleans(), st.booleans(), st.integers(0, 2), st.integers(1, 4), st.lists(TEXTS, max_size=5))
def test_generated_trees_give_the_same_with_and_without_ripgrep(
    tree: str, pattern: str, literal: bool, ignore_case: bool, context: int, limit: int, texts: list[bytes]
) -> None:
    paths = [f"generated{number}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        (Path(tree) / path).write_bytes(text)
    query = SearchQuery(pattern, literal, ignore_case, context, limit)

    def outcome(program: str) -> SearchResult | str:
        try:
            return found(query, tree, paths, LocalFiles(), SearchLimits(ripgrep=program))
        except ValueError as error:
            return str(error)

    assert outcome("rg") == outcome("")


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"def \w+\(", "^import", "a|b$", r"\bx\b", "[a-zA-Z_-]+", "[^ab]?", "(?:a|b){2,3}", "a.*?b", r"[\w.]+@", "é"),
        *("(a)(b)", r"\.py", "a-b", "x{3}", r"[\]\[]", "#include <"),
    ],
)
def test_patterns_that_ripgrep_and_python_read_alike_are_known(pattern: str) -> None:
    compiled(pattern)
    assert read_alike(SearchQuery(pattern))


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"(?=a)", r"(a)\1", "a{", "interface{}", r"\Aa", r"\<a", "(?i)a", "[[a]", "[a&&b]", "a*+", r"\x41", "^*"),
        *("a\ufffd", "a\ud800", r"\ra", "[[:alpha:]]", "(?P<a>b)", "a{,2}", "(?#x)", r"\p", "a]", "}"),
    ],
)
def test_all_others_are_left_to_python(pattern: str) -> None:
    assert not read_alike(SearchQuery(pattern))
    assert read_alike(SearchQuery(pattern, literal=True)) == pattern.isascii()


def test_a_ripgrep_that_fails_is_replaced_by_python(tree: str, tmp_path: Path) -> None:
    (tmp_path / "rg").write_text("#!/bin/sh\nprintf './a.txt\\0001:wrong\\n'; exit 2\n")
    (tmp_path / "rg").chmod(0o755)
    with_it, without = (
        found(SearchQuery("needle"), tree, list(CONTENTS), LocalFiles(), SearchLimits(ripgrep=program))
        for program in (str(tmp_path / "rg"), "")
    )
    assert with_it == without


async def test_a_pattern_that_never_ends_is_stopped_and_the_loop_lives_on(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("evil\n")
    (tmp_path / "b").write_text("a" * 60 + "b\n")
    began = time.monotonic()
    turns = 0

    async def watch() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.01)
            turns += 1

    watching = asyncio.ensure_future(watch())
    limits = SearchLimits(seconds=PATIENCE / 80, files=1, ripgrep="")
    result = await search(each(["a", "b"]), str(tmp_path), SearchQuery("(a+)+$|evil"), LocalFiles(), limits)
    watching.cancel()
    assert result == SearchResult([MatchLine("a", 1, True, "evil")], timed_out=True)
    assert time.monotonic() - began < PATIENCE
    assert turns > 5, "the loop stood still while the pattern was tried"


@pytest.mark.parametrize("place", ["local", "memory"])
async def test_cancelling_ends_the_search_and_its_process(tmp_path: Path, place: str) -> None:
    (tmp_path / "b").write_text("a" * 60 + "b\n")
    memory = MemoryFiles({f"{tmp_path}/b": "a" * 60 + "b\n"})
    files: Files = memory if place == "memory" else LocalFiles()
    task = asyncio.ensure_future(
        search(each(["b"]), str(tmp_path), SearchQuery("(a+)+$"), files, SearchLimits(ripgrep=""))
    )
    await asyncio.sleep(0.2)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < PATIENCE


@pytest.mark.parametrize("ending", ["limit", "cancelled", "enough"])
async def test_the_process_ends_with_the_search(tmp_path: Path, ending: str) -> None:
    printed = "while printf './a\\0001:x\\n'; do :; done" if ending == "enough" else "exec sleep 600"
    program, number = tmp_path / "rg", tmp_path / "number"
    program.write_text(f"#!/bin/sh\necho $$ > {number}.new; mv {number}.new {number}\n{printed}\n")
    program.chmod(0o755)
    (tmp_path / "a").touch()
    for seconds in TIME_LIMITS if ending == "limit" else [PATIENCE]:
        limits = SearchLimits(ripgrep=str(program), seconds=seconds)
        task = asyncio.ensure_future(search(each(["a"]), str(tmp_path), SearchQuery("x"), LocalFiles(), limits))
        if ending == "cancelled":
            await until(number.exists)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            result = await task
            assert (result.timed_out, result.more) == (ending == "limit", ending == "enough")
        if number.exists():
            break
    with pytest.raises(ProcessLookupError):
        os.kill(int(number.read_text()), 0)


def test_a_search_stops_reading_at_the_match_that_is_too_many() -> None:
    asked = []

    class Counting(MemoryFiles):
        async def chunks(self, path: str) -> AsyncIterator[bytes]:
            asked.append(path)
            async for piece in super().chunks(path):
                yield piece

    files = Counting({f"/{number}": "x\n" for number in range(100)})
    result = found(SearchQuery("x", limit=4), "/", [str(n) for n in range(100)], files, SearchLimits(files=10))
    assert (len(result.lines), result.more, len(asked)) == (4, True, 10)


def test_files_that_cannot_be_read_are_passed_over() -> None:
    files = MemoryFiles({"/a": "x", "/b": "x", "/c": "x"})
    files.locked.add("/b")
    assert [
        line.path for line in found(SearchQuery("x"), "/", ["a", "b", "gone", "c"], files, SearchLimits()).lines
    ] == [
        "a",
        "c",
    ]


def test_an_invalid_pattern_is_a_value_error_even_without_files(tmp_path: Path) -> None:
    for pattern, words in (
        ("(", r"missing \)"),
        ("(?<=a*)", "look-behind"),
        ("[" * 10_001, "10001 characters, more than 10000"),
    ):
        for files in (LocalFiles(), MemoryFiles()):
            with pytest.raises(ValueError, match=words):
                found(SearchQuery(pattern), str(tmp_path), [], files, SearchLimits())


def test_a_process_that_fails_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(OSError, match=r"^the search process failed with exit code 1$"):
        found(SearchQuery("x", context=-1), str(tmp_path), ["a"], LocalFiles(), SearchLimits())


def test_a_pattern_that_takes_long_to_compile_is_stopped(tmp_path: Path) -> None:
    result = found(SearchQuery("[" * 10_000), str(tmp_path), [], LocalFiles(), SearchLimits(seconds=0.1))
    assert result == SearchResult(timed_out=True)


def test_a_search_ends_when_it_has_found_enough_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n" * 1_000_000)
    query = SearchQuery("x", limit=10_000_000, context=10_000)
    for program in ("", "rg"):
        result = found(query, str(tmp_path), ["a"], LocalFiles(), SearchLimits(bytes=1000, ripgrep=program))
        assert len(result.lines) == 1001


def test_no_process_is_left_and_no_descriptor_is_open(tree: str) -> None:
    def descriptors() -> int:
        return len(os.listdir("/dev/fd"))

    found(SearchQuery("x"), tree, list(CONTENTS), LocalFiles(), SearchLimits())
    before = descriptors()
    for _ in range(3):
        found(SearchQuery("needle", limit=1), tree, list(CONTENTS), LocalFiles(), SearchLimits())
    assert descriptors() <= before
