"""What a signature and a docstring become on the command line."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

import pytest

from zot_agent.cli.verb import Verb, VerbTable
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.record import Record, field

given: list[Any] = []
"""What the last verb was called with."""

Name: TypeAlias = Annotated[str, "NAME: whose"]


class Place(Record):
    """Where it is.

    --town TOWN: the town (default: %(default)s)
    --roads NAME: a road (repeatable)
    """

    town: str = "Ulm"
    roads: list[str] = field(default_factory=list)


def show(
    name: Name,
    how: Literal["short", "long"] = "short",
    words: Sequence[str] = (),
    *,
    dry_run: bool = False,
    limit: int = 3,
    ratio: float | None = None,
    tag: Sequence[str] = (),
    level: Annotated[int, {"choices": range(3)}] = 0,
    place: Place,
) -> int:
    """Show a thing. It says more than
    the summary.

    short|long: how much of it
    WORDS: what else
    -n, --dry-run: only say it
    --limit N: at most N
        of them (default: %(default)s)
    --ratio R: a ratio
    --tag TAG: a tag (repeatable)
    --level LEVEL: one of %(choices)s

    exit codes: 0 done

    and so on
    """
    given[:] = [name, how, words, dry_run, limit, ratio, tag, level, place]
    return 7


def work(*task: str, detach: bool = False) -> int:
    """Work.

    --detach: elsewhere
    """
    given[:] = [task, detach]
    return 0


def bare() -> int:
    """Do what has no arguments.

    exit codes: 0 done
    """
    return 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["a"], ["a", "short", [], False, 3, None, [], 0, Place()]),
        (["a", "long", "b", "c"], ["a", "long", ["b", "c"], False, 3, None, [], 0, Place()]),
        (["-n", "--limit=5", "a", "--ratio", "0.5"], ["a", "short", [], True, 5, 0.5, [], 0, Place()]),
        (["a", "--tag", "x", "--tag", "y", "--level", "2"], ["a", "short", [], False, 3, None, ["x", "y"], 2, Place()]),
        (
            ["a", "--town", "Bonn", "--roads", "x", "--roads", "y"],
            ["a", "short", [], False, 3, None, [], 0, Place("Bonn", ["x", "y"])],
        ),
    ],
)
def test_arguments_and_options_arrive_with_their_types_and_defaults(arguments: list[str], expected: list[Any]) -> None:
    assert Verb("zot show", show)(arguments) == 7
    assert given == expected


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "the following arguments are required: NAME; see zot show --help"),
        (["a", "wide"], "argument short|long: invalid choice: 'wide'"),
        (["a", "--limit", "x"], "argument --limit: invalid int value: 'x'"),
        (["a", "--level", "3"], "argument --level: invalid choice: '?3"),
        (["a", "--nope"], "unrecognized arguments: --nope; see zot show --help"),
    ],
)
def test_a_mistake_is_told_by_the_names_of_the_help(arguments: list[str], text: str) -> None:
    with pytest.raises(ConfigError, match="^" + text.replace("|", r"\|")):
        Verb("zot show", show).run(arguments)


def test_the_docstring_is_the_help(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert Verb("zot show", show)(["--help"]) == 0
    usage, _, help = capsys.readouterr().out.partition("\n\n")
    assert "NAME [short|long] [WORDS ...]" in usage
    assert help == (
        "Show a thing. It says more than the summary.\n"
        "\n"
        "positional arguments:\n"
        "  NAME           whose\n"
        "  short|long     how much of it\n"
        "  WORDS          what else\n"
        "\n"
        "options:\n"
        "  -h, --help     show this help message and exit\n"
        "  -n, --dry-run  only say it\n"
        "  --limit N      at most N of them (default: 3)\n"
        "  --ratio R      a ratio\n"
        "  --tag TAG      a tag (repeatable)\n"
        "  --level LEVEL  one of 0, 1, 2\n"
        "\n"
        "Where it is:\n"
        "  --town TOWN    the town (default: Ulm)\n"
        "  --roads NAME   a road (repeatable)\n"
        "\n"
        "exit codes: 0 done and so on\n"
    )


def test_a_verb_that_takes_the_options_of_zot_gets_what_is_not_its_own() -> None:
    verb = Verb("zot work", work)
    assert verb(["--model", "m", "--detach", "fix", "it", "--", "--detach"]) == 0
    assert given == [("--model", "m", "fix", "it", "--", "--detach"), True]
    assert verb(["--det"]) == 0
    assert given == [("--det",), False]  # it may be the beginning of an option of zot
    assert verb.build_parser().format_usage() == "usage: zot work [options] [options of zot] [task]\n"


def test_words_behind_a_command_without_arguments_are_taken_for_a_prompt() -> None:
    with pytest.raises(ConfigError, match=r"^zot bare takes no words; a prompt is sent with zot -- bare the thing$"):
        Verb("zot bare", bare).run(["the", "thing"])
    with pytest.raises(ConfigError, match=r"^unrecognized arguments: words; see zot some bare --help$"):
        VerbTable("zot some", "", {"bare": bare}).run(["bare", "words"])


@pytest.mark.parametrize("docstring", ["Show.", "Show.\n\n    --other: no such parameter\n    "])
def test_a_docstring_that_does_not_fit_the_signature_is_a_fault_of_the_program(docstring: str) -> None:
    def show(*, limit: int = 3) -> int:
        return limit

    show.__doc__ = docstring
    with pytest.raises((IndexError, KeyError)):
        Verb("zot show", show).build_parser()


def test_a_table_names_a_verb_that_resembles_an_unknown_one() -> None:
    with pytest.raises(
        UnknownName, match=r"^unknown command 'zot a sho'; did you mean zot a show\? \(see zot a --help"
    ):
        VerbTable("zot a", "", {"show": show}).run(["sho"])


def test_a_table_says_what_is_missing_where_a_verb_is_needed() -> None:
    with pytest.raises(ConfigError, match=r"^the following arguments are required: show\|work; see zot a --help$"):
        VerbTable("zot a", "", {"show": show, "work": work}, needed=True).run([])
