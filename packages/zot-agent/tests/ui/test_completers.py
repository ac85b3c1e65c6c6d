"""What extensions suggest while the person types, with real processes."""

import pytest
from screen import Chats
from waiting import until

from zot_agent.ui.extensions.completions import ExtensionCompletions
from zot_provider.testing import ScriptedServer
from zot_tui.editor.completion import CompletionQuery

ISSUES = """
ISSUES = {"28": "too slow", "29": "it \\x1b[5;5Hcrashes", "31": "typo"}

@ext.completer("#")
def issues(asked):
    if asked.prefix == "dead":
        os._exit(3)
    if asked.prefix.startswith("odd"):
        return [5, {"label": "no text"}, "#odd", {"text": "#" + "x" * 5000}]
    return [Suggestion(f"#{n}", f"#{n} {what}", "open") for n, what in ISSUES.items() if n.startswith(asked.prefix)]

@ext.command("deploy")
def deploy(where):
    return f"deployed to {where or 'nowhere'}"

@ext.completer(command="deploy")
async def places(asked):
    return [place for place in ("staging", "production") if place.startswith(asked.prefix)]
"""


async def test_words_with_a_trigger_are_suggested_and_put_for_the_whole_word(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.extended(server, {"tracker": ISSUES}) as talk:
        await talk.press("fix #2")
        await talk.shown("#28 too slow")
        await talk.shown("#29 it crashes  open")
        await talk.press("9")
        await talk.until_hidden("#28")
        await talk.press("<tab>now")
        assert talk.editor == "fix #29 now"
        assert "#29 it" not in talk.screen()
        await talk.press("<enter>")
        await talk.until(lambda: talk.asked)
        assert talk.asked == ["fix #29 now"]


async def test_arguments_of_a_command_are_suggested_and_enter_waits_for_them(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.extended(server, {"tracker": ISSUES}) as talk:
        await talk.until(lambda: talk.chat.prompt_input.arguments("deploy"))
        await talk.press("/dep<enter>")
        assert talk.editor == "/deploy "
        await talk.shown("production")
        await talk.press("st")
        await talk.until_hidden("production")
        await talk.shown("staging")
        await talk.press("<enter>")
        assert talk.editor == "/deploy staging "
        await talk.press("<enter>")
        await talk.shown("deployed to staging")


async def test_odd_answers_lose_only_what_is_wrong_with_them(chats: Chats, server: ScriptedServer) -> None:
    async with chats.extended(server, {"tracker": ISSUES}) as talk:
        await talk.press("#odd")
        await talk.shown("#xxx")
        assert "no text" not in talk.screen()
        await talk.press("<down><tab>")
        assert talk.editor == "#" + "x" * 999 + " "


async def test_what_an_extension_suggested_ends_with_it(chats: Chats, server: ScriptedServer) -> None:
    async with chats.extended(server, {"tracker": ISSUES}) as talk:
        await talk.press("#2")
        await talk.shown("#28")
        await talk.press("<backspace>dead")
        await talk.shown("exited with code 3")
        await talk.until(lambda: not talk.chat.prompt_input.arguments("deploy"))
        await talk.press(" #2")
        assert talk.editor == "#dead #2"
        assert "#28" not in talk.screen()


async def test_a_completer_is_refused_in_one_line(chats: Chats, server: ScriptedServer) -> None:
    body = """
@ext.command("try")
def attempt(given):
    kind, _, value = given.partition(" ")
    try:
        ext.call("completions." + kind, **dict([value.split("=")]))
    except HostError as error:
        return f"{error.code}: {error}"
    return "done"
"""
    async with chats.extended(server, {"x": body + '\next._requested += ("autocomplete",)'}) as talk:
        for typed, words in (
            ("register trigger=@a", "invalid: words with @ first are completed by zot"),
            ("register trigger=word", "invalid: trigger must be 1 to 8 characters"),
            ("register command=help", "not_found: this extension has no command /help"),
            ("register trigger=%", "done"),
            ("unregister trigger=%", "done"),
        ):
            await talk.press(f"/try {typed}<enter>")
            await talk.shown(words)
            await talk.press("<esc>")


class Slow:
    """An extension whose answers wait for the test."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: dict[str, list[dict[str, str]]] = {}

    async def __call__(self, trigger: str, command: str, prefix: str, line: str) -> list[dict[str, str]]:
        self.asked.append(line)
        return self.answers.get(prefix, [])


@pytest.fixture
def source() -> ExtensionCompletions:
    return ExtensionCompletions()


def follow(source: ExtensionCompletions, text: str) -> CompletionQuery | None:
    query = source.find(text, len(text))
    source.follow(query)
    return query


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#", ("#", 0, "")),
        ("a\nfix #2", ("#", 6, "2")),
        ("##x", ("##", 0, "x")),
        ("a#b", None),
        ("/deploy", None),
        ("/deploy ", ("/deploy", 8, "")),
        ("/deploy a b", ("/deploy", 10, "b")),
        ("x\n/deploy a", None),
        ("/other a", None),
    ],
)
async def test_what_is_completed_depends_on_the_word_and_the_command(
    source: ExtensionCompletions, text: str, expected: tuple[str, int, str] | None
) -> None:
    for trigger, command in (("#", ""), ("##", ""), ("", "deploy")):
        source.add("x", trigger, command, Slow())
    found = source.find(text, len(text))
    assert (found and (found.kind.removeprefix("extension "), found.start, found.text)) == expected


async def test_only_the_newest_word_is_asked_about_and_the_old_suggestions_narrow_meanwhile(
    source: ExtensionCompletions,
) -> None:
    slow, other = Slow(), Slow()
    slow.answers["2"] = [{"text": "#28"}, {"text": "#29", "label": "#29 b"}]
    other.answers["2"] = [{"text": "#20"}]
    source.add("x", "#", "", slow)
    source.add("y", "#", "", other)
    follow(source, "#")
    query = follow(source, "#2")
    assert query is not None
    await until(lambda: len(source.candidates(query)) == 3)
    assert slow.asked == ["#2"]
    names = [(each.name, each.group) for each in source.candidates(query)]
    assert names == [("#28", "x"), ("#29 b", "x"), ("#20", "y")]
    narrowed = source.find("#29", 3)
    assert narrowed is not None
    assert [each.text for each in source.candidates(narrowed)] == ["#29"]
    source.remove("y")
    assert [each.text for each in source.candidates(query)] == ["#28", "#29"]
    follow(source, "")
    assert source.candidates(query) == []
