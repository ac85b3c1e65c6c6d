from zot_core.testing.world import MemoryFiles
from zot_core.tools.search.ignore import IgnoreRules, rules_above

FILES = MemoryFiles(
    {
        "/.gitignore": "*.py\n",
        "/repo/.git/HEAD": "",
        "/repo/.gitignore": "\ufeff*.log\nbuild/\n!important.log\n",
        "/repo/src/.gitignore": "/gen\n!x.log\n",
        "/repo/src/deep/a.py": "",
        "/repo/build/out/b": "",
        "/plain/.gitignore": "*.tmp\n",
        "/plain/sub/c": "",
        "/repo/locked/.gitignore": "*",
    }
)
FILES.locked.add("/repo/locked/.gitignore")


async def above(base: str, cwd: str = "/repo") -> IgnoreRules:
    return await rules_above(base, cwd, FILES)


async def test_rules_from_the_root_of_the_repository_hold_below() -> None:
    rules = await above("/repo/src/deep", cwd="/elsewhere")
    assert [rules(path) for path in ("a.log", "important.log", "x.log", "build/", "a.py", "gen")] == [
        *(True, False, False, True, False, False)
    ]
    assert (await above("/repo/src"))("gen") is False  # the folder's own rules are read by who walks it
    assert (await (await above("/repo/src")).below("/repo/src", "", FILES))("gen") is True


async def test_the_root_has_nothing_above_it() -> None:
    assert await above("/repo") == IgnoreRules()


async def test_outside_a_repository_the_working_directory_is_the_root() -> None:
    assert (await above("/plain/sub", cwd="/plain"))("x.tmp")
    assert not (await above("/plain/sub", cwd="/other"))("x.tmp")


async def test_a_folder_that_is_kept_out_can_be_looked_into_by_name() -> None:
    assert await above("/repo/build/out") == IgnoreRules()


async def test_a_file_that_cannot_be_read_has_no_rules() -> None:
    assert await IgnoreRules().below("/repo/locked", "", FILES) == IgnoreRules()
