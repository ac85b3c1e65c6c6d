"""Flags of extensions on the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from zot_agent.cli import serve
from zot_agent.cli.args import build_parser, parse
from zot_agent.config.own_flags import OWN_FLAGS
from zot_provider.errors import ConfigError

PLAN: dict[str, Any] = {"name": "plan", "description": "only plan, 100 %"}
OTHERS = ({"name": "lang", "type": "string", "default": "en"}, {"name": "count", "type": "integer"})


def add(folder: Path, *flags: object, **more: object) -> Path:
    folder.mkdir(parents=True)
    manifest = {"name": folder.name, "exec": "./main", "flags": flags} | more
    (folder / "extension.json").write_text(json.dumps(manifest))
    return folder


@pytest.fixture
def installed(alone: Path) -> Path:
    """An installed extension, whose program is missing: nothing is started for its flags."""
    return add(alone.parent / "zot-home" / "extensions" / "planner", PLAN, *OTHERS)


def test_the_list_of_zots_own_flags_is_complete() -> None:
    parsers = (build_parser(), serve.run.build_parser())
    names = {name for parser in parsers for action in parser._actions for name in action.option_strings}
    assert {name[2:] for name in names if name.startswith("--")} == OWN_FLAGS


@pytest.mark.usefixtures("installed")
def test_a_flag_of_an_extension_is_read_like_one_of_zot() -> None:
    line = parse(["-p", "--plan", "fix", "--lang", "fr", "it", "--count=3", "--model", "m"])
    assert (line.prompt, line.mode, line.options.model) == ("fix it", "print", "m")
    assert line.options.flags == {"plan": True, "lang": "fr", "count": 3}
    assert parse(["--no-plan"]).options.flags == {"plan": False}
    assert parse(["x"]).options.flags == {}
    assert parse(["--", "--plan"]).prompt == "--plan"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--lang"], "argument --lang: expected one argument; see zot --help"),
        (["--count", "many"], "argument --count: invalid int value: 'many'"),
        (["--plan=yes"], "ignored explicit argument 'yes'"),
        (["--plans"], "unknown flag '--plans'; did you mean --plan"),
        (["--no-ext", "--plan"], "unknown flag '--plan'"),
        (["--lang", "fr", "-z"], "unknown flag '-z'"),
    ],
)
def test_a_wrong_use_is_one_line(arguments: list[str], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(arguments)
    assert words in str(caught.value)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("other", [[], ["--reasoning", "wrong"]])
def test_the_help_lists_flags_under_the_name_of_their_extension(
    other: list[str], alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = add(alone.parent / "more", {"name": "more", "default": True}, {"name": "lang"})
    with pytest.raises(SystemExit) as stopped:
        parse(["--help", "--ext", str(more), *other])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert "usage: zot [options] [prompt]" in text
    if not other:  # with a mistake beside it, the help is that of zot alone
        words = " ".join(text.split())
        assert "flags of the extension planner: --plan, --no-plan only plan, 100 % --count N commands:" in words
        assert "flags of the extension more: --more, --no-more (on by default) --lang, --no-lang flags of" in words


def test_zots_own_flag_and_the_extension_loaded_first_win(alone: Path) -> None:
    first = add(alone.parent / "first", {"name": "plan", "type": "string"}, {"name": "model"})
    second = add(alone.parent / "second", {"name": "plan"}, {"name": "tools", "type": "string"})
    line = parse(["-e", str(first), "-e", str(second), "--plan", "a", "--model", "m"])
    assert (line.options.flags, line.options.model) == ({"plan": "a"}, "m")


def test_a_project_that_was_not_allowed_brings_no_flags(alone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(alone / ".zot" / "extensions" / "theirs", {"name": "theirs"}, {"name": "lang", "type": "string"})
    add(alone.parent / "zot-home" / "extensions" / "mine", {"name": "lang", "type": "string"})
    with pytest.raises(ConfigError, match="the flag --theirs belongs to the extension theirs of this project"):
        parse(["--theirs", "x"])
    assert parse(["--lang", "de"]).options.flags == {"lang": "de"}
    assert parse(["--trust", "--theirs"]).options.flags == {"theirs": True}
    with pytest.raises(SystemExit):
        parse(["--help"])
    assert "theirs" not in capsys.readouterr().out
