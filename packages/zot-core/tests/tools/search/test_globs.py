import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.tools.search.globs import Glob


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.go", "main.go pkg/sub/deep.go", "main.gox go"),
        ("pkg/*.go", "pkg/util.go", "pkg/sub/deep.go main.go a/pkg/util.go"),
        ("pkg/**/*.go", "pkg/util.go pkg/sub/deep.go", "main.go"),
        ("**/*", "a a/b .x/y", ""),
        ("**", "a a/b", ""),
        ("src/**", "src/a src/a/b", "src a"),
        ("./a.txt", "a.txt b/a.txt", "ab.txt"),
        ("[+--[x]", "+ , - [ x", ". a"),  # Python warns of such a set
        ("[a||b]", "a | b", "c"),
        ("/a.txt", "a.txt", "b/a.txt"),
        ("/base/dir/*.py", "dir/x.py", "x.py"),
        ("*.{go,json}", "a.go b.json", "c.ts"),
        ("{a,b{1,2}}.c", "a.c b1.c b2.c", "b.c b3.c"),
        ("{a}.c", "{a}.c", "a.c"),
        ("{a,b.c", "{a,b.c", "a"),
        ("{a,{b,c}.d", "{a,b.d {a,c.d", "b.d"),
        ("x{,/y/{a,b}*}.c", "x.c x/y/a.c x/y/b1.c", "x/y/.c"),
        ("{{a},b}{{", "{a}{{ b{{", "a{{"),
        ("a**/b/c", "ab/c ax/b/c a/b/c ax/y/b/c", "axb/c"),
        ("**a*b/c", "a/ab/c b/xaxb/c", "a/b/c"),
        ("a,b", "a,b", "a"),
        ("?.c", "a.c x/b.c", "ab.c"),
        ("[a-c]?.txt", "a1.txt", "d1.txt a.txt"),
        ("[!a].c", "b.c", "a.c"),
        ("[^a].c", "b.c", "a.c"),
        ("x[/]y", "", "x/y"),
        ("x/[!a]", "x/b", "x/a x//"),
        ("[]a].c", "].c a.c", "b.c"),
        ("[].c", "[].c", "].c"),
        ("[.c", "[.c", "c"),
        (r"\*.c", "*.c", "a.c"),
        ("a.b+(c)$", "a.b+(c)$", "aXb+(c)$"),
        ("dir/", "dir a/dir", "dir/x"),
    ],
)
def test_patterns_stand_for_paths(pattern: str, yes: str, no: str) -> None:
    glob = Glob(pattern, "/base")
    assert [path for path in yes.split() if not glob.matches(path)] == []
    assert [path for path in no.split() if glob.matches(path)] == []


def test_a_pattern_may_begin_at_any_folder() -> None:
    glob = Glob("src/*.py", anywhere=True)
    assert [glob.matches(path) for path in ("src/a.py", "x/src/a.py", "xsrc/a.py")] == [True, True, False]
    assert not Glob("/src/*.py", anywhere=True).matches("x/src/a.py")


def test_patterns_that_name_what_is_hidden_are_known() -> None:
    named = [Glob(pattern).names_hidden for pattern in (".env", "a/.b/*", "{.x,y}", "*.py", "a.b/c", "./a")]
    assert named == [True, True, True, False, False, False]


@pytest.mark.parametrize("pattern", ["", " ", "/", "./", "[z-a]"])
def test_what_is_no_pattern_is_a_value_error(pattern: str) -> None:
    with pytest.raises(ValueError, match="the pattern"):
        Glob(pattern)


def test_many_stars_cost_no_more_than_one() -> None:
    name = "a" * 250
    for pattern in (
        "*a" * 100 + "b",
        "**/" + "*a*/" * 50 + "b",
        "*a" * 50 + "[b]*",
        "**a" * 100 + "/b",
        "{*a,*aa}" * 8 + "b",
    ):
        for path in (name, "/".join([name] * 10)):
            assert not Glob(pattern).matches(path)
    assert Glob("*a" * 100 + "b").matches(f"{name}b")


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("a" * 1001, "the pattern has 1001 characters; use at most 1000"),
        ("{a,b}" * 14, "its braces abbreviate too many patterns"),
        ("{a," * 250 + "}" * 250, "its braces abbreviate too many patterns"),
        ("{,}" * 300, "its braces abbreviate too many patterns"),
        ("{" + "a," * 400 + "}" + "b" * 100, "its braces abbreviate too many patterns"),
        ("a**/" * 100, r"it has too many \*\* inside names"),
    ],
)
def test_a_pattern_that_is_too_large_is_a_value_error(pattern: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Glob(pattern)


@pytest.mark.parametrize("pattern", ["{a," * 333, "{" * 1000, "[" * 1000, "[!" * 500])
def test_hostile_patterns_are_parsed_at_once(pattern: str) -> None:
    assert not Glob(pattern).matches("x/y")


def modelled(pattern: str, path: str) -> bool:
    """The same, one character at a time."""
    if not pattern:
        return not path
    if pattern.startswith("**/"):
        return modelled(pattern[3:], path) or any(
            modelled(pattern[3:], path[at + 1 :]) for at, character in enumerate(path) if character == "/"
        )
    if pattern.startswith("**"):
        return any(modelled(pattern[2:], path[at:]) for at in range(len(path) + 1))
    if pattern[0] == "*":
        return modelled(pattern[1:], path) or (path[:1] not in ("", "/") and modelled(pattern, path[1:]))
    if not path:
        return False
    same = path[0] != "/" if pattern[0] == "?" else path[0] == pattern[0]
    return same and modelled(pattern[1:], path[1:])


PARTS = st.lists(st.sampled_from(["a", "b", "*", "**", "**/", "/", "?", "."]), min_size=1, max_size=9).map("".join)


@given(
    PARTS,
    st.lists(st.sampled_from(["a", "b", "ab", ".a", "aab", "abab", "baab"]), min_size=1, max_size=4).map("/".join),
)
def test_a_path_is_matched_as_by_a_simple_model(pattern: str, path: str) -> None:
    try:
        glob = Glob(pattern)
    except ValueError:
        assert not pattern.removeprefix("./").strip("/")
        return
    bare = pattern.removeprefix("./")
    if "/" in bare.rstrip("/"):
        assert glob.matches(path) == modelled(bare.strip("/"), path)
    else:
        assert glob.matches(path) == modelled(bare.rstrip("/"), path.rsplit("/", 1)[-1])
