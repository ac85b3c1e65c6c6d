import asyncio
import os
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from zot_core.machine.files import LocalFiles
from zot_core.machine.interface import Files
from zot_core.testing.world import MemoryFiles
from zot_core.tools.search.line_search import compiled
from zot_core.tools.search.search import MatchLine, SearchLimits, SearchQuery, SearchResult, search

ENGINES = {
    "process": SearchLimits(ripgrep=""),
    "thread": SearchLimits(ripgrep="", process=False),
    "one at a time": SearchLimits(ripgrep="", files=1, bytes=1),
    "memory": SearchLimits(),
    "memory in bits": SearchLimits(bytes=5),
}
if shutil.which("rg"):
    ENGINES["ripgrep"] = SearchLimits()
    ENGINES["ripgrep and a thread"] = SearchLimits(files=3, process=False)


async def each(paths: list[str]) -> AsyncIterator[str]:
    for path in paths:
        yield path


def found(query: SearchQuery, base: str, paths: list[str], files: Files, limits: SearchLimits) -> SearchResult:
    return asyncio.run(search(each(paths), base, query, files, limits))


CONTENTS = {
    "a.txt": b"one\ntwo needle\nthree\n",
    "b.bin": b"needle\n\0",
    "c.latin": b"caf\xe9 needle\nn\xe9edle\n",
    "d.windows": b"needle\r\nneedle \r\n",
    "e.upper": "NEEDLE\nÄ ä\n".encode(),
    "f.empty": b"",
    "g.late": b"\n" * 9000 + b"needle\0\n",
    "h.mark": b"\xef\xbb\xbfneedle\n",
    "i.odd": b"needle\x1cneedle\n{needle}\n",
    "j/k": b"xneedle\nneedlex needle-x\n",
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
    "class": SearchQuery("[^a-z{} ]needle"),
    "named class": SearchQuery("[[:space:]]needle"),
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
        if name.startswith("memory")
        else found(CASES[case], tree, list(CONTENTS), LocalFiles(), limits)
        for name, limits in ENGINES.items()
    ]
    assert [answer == answers[0] for answer in answers] == [True] * len(ENGINES)
    assert bool(answers[0].lines) == (case != "nothing")


def test_what_is_found_is_what_there_is(tree: str) -> None:
    assert found(SearchQuery("^needle$"), tree, list(CONTENTS), LocalFiles(), SearchLimits()) == SearchResult(
        [
            MatchLine("d.windows", 1, True, "needle"),
            MatchLine("h.mark", 1, True, "needle"),
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
            MatchLine("c.latin", 1, True, "caf\ufffd ... [truncated]"),
            MatchLine("c.latin", 2, False, "n\ufffdedl... [truncated]"),
        ],
        more=True,
        cut=True,
    )


TOKENS = ["a", "b", "A", "é", r"\w", r"\s", r"\b", r"\d", "^", "$", ".", "*", "+", "?", "(", ")", "|", " ", "-", "1"]
TOKENS += ["[a-c]", "[^b]", r"[\w-]", r"[^\s]", "{2}", r"\.", "&", "#", r"\W", r"\B", "??", "(?:", "~~", "{0,1}"]
PATTERNS = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=6).map("".join)
TEXTS = st.lists(
    st.sampled_from(
        [b"a", b"b", b"A", b"1", b" ", b"-", b".", b"\n", b"\r", b"\r\n", b"\x1c", b"&", b"\xc3\xa9", b"\xe9"]
    ),
    max_size=12,
).map(b"".join)


@settings(max_examples=settings.default.max_examples * 4 // 5)
@given(
    st.lists(st.tuples(PATTERNS, st.booleans(), st.booleans()), min_size=1, max_size=3),
    st.lists(TEXTS, min_size=2, max_size=5),
)
def test_generated_trees_give_the_same_with_and_without_ripgrep(
    tree: str, queries: list[tuple[str, bool, bool]], texts: list[bytes]
) -> None:
    paths = [f"generated{number}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        (Path(tree) / path).write_bytes(text)
    for pattern, literal, ignore_case in queries:
        try:
            compiled(pattern, literal=literal)
        except ValueError:
            assume(False)
        query = SearchQuery(pattern, literal, ignore_case)
        slow, fast = (
            found(query, tree, paths, LocalFiles(), SearchLimits(ripgrep=program, process=False))
            for program in ("", "rg")
        )
        assert fast == slow


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
    limits = SearchLimits(seconds=0.6, files=1, ripgrep="")
    result = await search(each(["a", "b"]), str(tmp_path), SearchQuery("(a+)+$|evil"), LocalFiles(), limits)
    watching.cancel()
    assert result == SearchResult([MatchLine("a", 1, True, "evil")], timed_out=True)
    assert time.monotonic() - began < 60
    assert turns > 5, "the loop stood still while the pattern was tried"


@pytest.mark.parametrize("engine", ["process", "memory"])
async def test_cancelling_ends_the_search_and_its_process(tmp_path: Path, engine: str) -> None:
    (tmp_path / "b").write_text("a" * 60 + "b\n")
    memory = MemoryFiles({f"{tmp_path}/b": "a" * 60 + "b\n"})
    files: Files = memory if engine == "memory" else LocalFiles()
    task = asyncio.ensure_future(search(each(["b"]), str(tmp_path), SearchQuery("(a+)+$"), files, SearchLimits()))
    await asyncio.sleep(0.2)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (time.monotonic() - began) < 60


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


def test_a_pattern_that_is_none_is_a_value_error_before_anything_is_read() -> None:
    with pytest.raises(ValueError, match="missing \\)"):
        found(SearchQuery("("), "/nowhere", ["x"], LocalFiles(), SearchLimits())


def test_no_process_is_left_and_no_descriptor_is_open(tree: str) -> None:
    def descriptors() -> int:
        return len(os.listdir("/dev/fd"))

    found(SearchQuery("x"), tree, list(CONTENTS), LocalFiles(), SearchLimits())
    before = descriptors()
    for _ in range(3):
        found(SearchQuery("needle", limit=1), tree, list(CONTENTS), LocalFiles(), SearchLimits())
    assert descriptors() <= before


def test_the_defaults_of_the_limits() -> None:
    assert SearchLimits() == SearchLimits(seconds=20.0, files=1000, bytes=1024 * 1024, ripgrep="rg", process=True)
    assert SearchQuery("x") == SearchQuery("x", False, False, 0, 100, 500)
