import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from waiting import PATIENCE

from zot_agent.local.pick import ServerCandidate, local_provider
from zot_agent.ui.first_run.check import (
    FirstRun,
    Server,
    StartOption,
    Variables,
    find_servers,
    guess_key,
    start_options,
)
from zot_agent.ui.first_run.welcome import page
from zot_provider.providers import PROVIDERS
from zot_provider.providers.spec import Provider
from zot_provider.testing import Fault, ScriptedServer, Turn
from zot_tui.text.runs import plain, runs_width

ONE = Provider(
    "one",
    "One",
    "openai-chat",
    "https://one.example/v1",
    key_env=("ONE_API_KEY", "ONE_TOKEN"),
    key_prefixes=("pk-one-",),
)
TWO = Provider("two", "Two", "openai-chat", "https://two.example/v1", key_env=("TWO_API_KEY",), key_prefixes=("pk-",))
SAME = Provider(
    "same", "Two again", "openai-chat", "https://two.example/v1", key_env=("TWO_API_KEY",), key_prefixes=("pk-",)
)
FREE = Provider("free", "Free", "openai-chat", "http://127.0.0.1:1/v1")
MADE_UP = (ONE, TWO, SAME, FREE)
KEY = "pk-one-0123456789abcdef"


def look(*urls: str, limit: float = PATIENCE) -> FirstRun:
    found = start_options(MADE_UP)
    asyncio.run(find_servers(found, candidates(*urls), lambda: None, limit))
    return found


def candidates(*urls: str) -> list[ServerCandidate]:
    return [ServerCandidate(f"server {number}", local_provider(), url) for number, url in enumerate(urls)]


def test_each_variable_is_told_once_with_the_providers_that_read_it() -> None:
    found = look()
    assert [(each.names, each.titles) for each in found.variables] == [
        (("ONE_API_KEY", "ONE_TOKEN"), ["One"]),
        (("TWO_API_KEY",), ["Two", "Two again"]),
    ]
    assert found.options()[0] == [
        StartOption("export ONE_API_KEY=...", "One"),
        StartOption("export TWO_API_KEY=...", "Two or Two again"),
    ]


def test_every_provider_that_takes_a_key_is_among_them() -> None:
    found = start_options()
    assert {name for each in found.variables for name in each.names} == {
        name for provider in PROVIDERS for name in provider.key_env if not provider.keyless
    }


def test_the_variables_of_a_few_providers_are_shown_and_where_to_find_the_others() -> None:
    found = start_options()
    keys = found.options()[0]
    assert len(keys) == 3
    assert keys[0] == StartOption("export ANTHROPIC_API_KEY=...", "Anthropic")
    assert keys[-1] == StartOption(
        "zot doctor --all", f"lists the variables of {len(found.variables) - 2} more providers"
    )


def test_servers_that_answer_are_told_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a key changes nothing of that")
    with (
        ScriptedServer(models=["m1", "m2"]) as first,
        ScriptedServer(models=[]) as second,
        ScriptedServer(models=["evil\x1b[2J"]) as third,
    ):
        urls = [each.base_url("openai-chat") for each in (first, second, third)]
        found = look("http://127.0.0.1:9/v1", *urls, "nonsense")
    assert found.servers == [
        Server(local_provider().id, "server 1", urls[0], "m1"),
        Server(local_provider().id, "server 3", urls[2], "evil\x1b[2J"),
    ]
    assert found.options()[1][0] == StartOption(f"zot --base-url {urls[0]}", "server 1, m1")
    assert not any("\x1b" in option.text for option in found.options()[1])


def test_a_server_that_says_nothing_is_not_waited_for() -> None:
    with ScriptedServer([Turn(fault=Fault(stall=600))]) as server:
        assert look(server.url + "/silent", limit=0.2).servers == []


def test_without_anything_it_says_how_to_get_the_demo_model() -> None:
    found = look()
    assert not found.demo_ready
    assert found.demo.typed == "zot local setup"
    assert found.options()[1:] == [[], [found.demo]]
    assert any("zot doctor" in line for line in shown(found, 80))


def shown(found: FirstRun, columns: int) -> list[str]:
    rows = page(found, columns)
    assert all(runs_width(row) <= columns for row in rows)
    return [plain(row).rstrip() for row in rows]


FOUND = FirstRun(
    [Variables(("ONE_API_KEY",), ["One"]), Variables(("ANOTHER_API_KEY",), ["Two", "Three"])],
    [Server("any", "A server", "http://127.0.0.1:11434/v1", "a-model:30b")],
    StartOption("zot local setup", "the demo model, and some words more than one row has room for"),
)


def test_what_a_way_to_begin_is_for_stands_beside_it() -> None:
    assert shown(FOUND, 80) == [
        "  No API key is set. Any one of these is enough to start:",
        "",
        "  export ONE_API_KEY=...      One",
        "  export ANOTHER_API_KEY=...  Two or Three",
        "",
        "  zot --base-url http://127.0.0.1:11434/v1",
        "                              A server, a-model:30b",
        "",
        "  zot local setup             the demo model, and some words more than one row",
        "                              has room for",
    ]


def test_what_a_way_to_begin_is_for_stands_below_it_on_a_narrow_screen() -> None:
    assert shown(FOUND.replace(servers=[]), 40) == [
        "  No API key is set. Any one of these is",
        "  enough to start:",
        "",
        "  export ONE_API_KEY=...",
        "    One",
        "  export ANOTHER_API_KEY=...",
        "    Two or Three",
        "",
        "  No local server answers; zot doctor",
        "  shows where zot looked.",
        "",
        "  zot local setup",
        "    the demo model, and some words more",
        "    than one row has room for",
    ]


@pytest.mark.parametrize("columns", [60, 61, 80])
def test_a_description_stands_apart_from_what_is_typed(columns: int) -> None:
    for length in range(columns):
        found = FOUND.replace(variables=[Variables(("X" * length,), ["One"])])
        assert not any("...One" in row for row in shown(found, columns))


@given(st.integers(1, 120), st.text(max_size=20))
def test_the_page_fits_every_width(columns: int, text: str) -> None:
    assert shown(FOUND.replace(servers=[Server("any", text, f"http://{text}", text)]), columns)


def ids(text: str) -> list[str]:
    guess = guess_key(text, MADE_UP)
    assert guess.problem == ""
    assert guess.key == KEY or text.strip() == guess.key
    return [provider.id for provider in guess.providers]


def test_a_key_is_known_by_the_longest_prefix() -> None:
    assert ids(f"  {KEY}\n") == ["one"]
    assert ids("pk-0123456789abcdef") == ["two", "same"]
    assert ids("xx-0123456789abcdef") == []


@pytest.mark.parametrize("line", ["ONE_TOKEN={}", "export ONE_TOKEN='{}'", '$env:ONE_TOKEN = "{}"', "set ONE_TOKEN={}"])
def test_a_line_that_sets_a_variable_tells_the_provider_by_its_name(line: str) -> None:
    assert ids(line.format(KEY)) == ["one"]
    assert guess_key(line.format(KEY), providers=MADE_UP).key == KEY
    assert [each.id for each in guess_key(f"TWO_API_KEY={KEY}", MADE_UP).providers] == ["two", "same"]


def test_an_equals_sign_in_a_key_is_a_part_of_it() -> None:
    assert guess_key("abcdefghijklmnop==", MADE_UP).key == "abcdefghijklmnop=="


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "nothing was pasted"), ("ONE_TOKEN=", "nothing was pasted"), ("'  '", "nothing was pasted"),
        ("pk-one 0123456789abcdef", "no spaces"), (f"{KEY}\n{KEY}", "no spaces"), ("pk-é123456789abcdef", "unusual"),
        ("pk-\x1b[0m123456789abcdef", "unusual"), ("https://one.example/keys", "an address"), ("short", "at least 16"),
        ("x" * 5000, "at most 4096"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_key_is_said_not_to_be_one(text: str, problem: str) -> None:
    guess = guess_key(text, MADE_UP)
    assert problem in guess.problem
    assert guess.key == ""


@given(st.text())
def test_whatever_is_pasted_gives_a_usable_key_or_a_problem_that_does_not_repeat_it(text: str) -> None:
    guess = guess_key(text, MADE_UP)
    assert bool(guess.key) != bool(guess.problem)
    assert guess.key.isascii()
    assert guess.key.isprintable()
    assert " " not in guess.key


def test_a_key_is_not_shown_by_accident() -> None:
    guess = guess_key(KEY, MADE_UP)
    assert KEY not in repr(guess)
    assert "one" in repr(guess)
