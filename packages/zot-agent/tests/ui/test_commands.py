"""Slash commands, typed on a screen whose host was built as the command builds it."""

import json
from pathlib import Path
from typing import Any

import pytest
from held_list import held_list
from screen import Chats, Paused, bash

from zot_agent.ui import commands
from zot_agent.ui.bindings import ACTIONS
from zot_provider.testing import Call, Fault, ScriptedServer, Turn


@pytest.fixture
def anthropic(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key for Anthropic, whose calls go to the scripted server too."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url("anthropic-messages"))


def rows(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


def sessions(chats: Chats) -> list[Path]:
    return sorted(chats.root.glob("zot-home/sessions/*/*.jsonl"))


async def test_new_begins_another_session_and_clear_forgets_the_conversation(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add("one", "two", "three")
    async with chats.built(server) as talk:
        await talk.send("first")
        old = talk.session_path
        await talk.send("/new")
        assert talk.said == []
        assert "first" not in talk.screen()
        assert "a new session; the old one is in /sessions" in talk.screen()
        await talk.send("second")
        assert talk.session_path != old
        await talk.send("/clear")
        assert talk.said == []
        assert "second" not in talk.screen()
        await talk.send("third")
        assert [role for role, _ in talk.said] == ["user", "assistant"]
    assert len(sessions(chats)) == 2


async def test_clear_is_refused_by_who_refuses_a_new_session(chats: Chats, server: ScriptedServer) -> None:
    server.add("one")
    body = "@ext.intercept('session_before_switch')\ndef stay(_):\n    return block('keep it')"
    async with chats.extended(server, {"keeper": body}) as talk:
        await talk.send("first", "/clear")
        await talk.shown("keep it")
        assert "first" in talk.screen()


async def test_a_command_that_cannot_run_beside_work_stops_it_first(chats: Chats, server: ScriptedServer) -> None:
    server.add(Turn(calls=[bash("echo here; sleep 100")]))
    async with chats.built(server) as talk:
        talk.type("work<enter>")
        await talk.shown("    here")
        talk.type("later<enter>")
        talk.type("/clear<enter>")
        await talk.until(lambda: not talk.busy and talk.said == [])
        await talk.quiet()
        assert talk.editor == "later"
        assert len(server.requests) == 1


async def test_a_command_that_harms_nothing_runs_beside_work(chats: Chats, server: ScriptedServer) -> None:
    server.add(Turn(calls=[bash("echo here; until [ -e go ]; do sleep 0.02; done")]), "Done.")
    async with chats.built(server) as talk:
        talk.type("work<enter>")
        await talk.shown("    here")
        talk.type("/help<enter>")
        await talk.shown("type to search")
        talk.type("<esc>/study<enter>")
        await talk.until(lambda: talk.waiting)
        assert talk.waiting[0].startswith("Get to know the project")
        talk.type("<alt+up><ctrl+c>")
        Path("go").touch()
        await talk.quiet()


async def test_an_unknown_command_is_an_error_that_names_near_ones(chats: Chats, server: ScriptedServer) -> None:
    server.add("a file")
    async with chats.built(server) as talk:
        talk.type("/modle<enter>")
        await talk.shown("unknown command '/modle'; did you mean /model")
        assert talk.editor == "/modle"
        talk.type("<esc>/skill:nonsuch x<enter>")
        await talk.shown("unknown skill 'nonsuch'")
        talk.type("<esc>")
        await talk.send("/etc/hosts")
        assert talk.said == [("user", "/etc/hosts"), ("assistant", "a file")]


@pytest.mark.parametrize("typed", ["//permissions plan", "/permissions: plan", "/sandbox; on", "/undo."])
async def test_a_command_with_a_sign_too_many_is_no_prompt(chats: Chats, server: ScriptedServer, typed: str) -> None:
    async with chats.built(server) as talk:
        talk.type(f"{typed}<enter>")
        await talk.shown(f"unknown command '{typed.split()[0]}'; did you mean /{typed.split()[0].strip('/:;.')}")
        assert talk.editor == typed
        assert server.requests == []


@pytest.mark.parametrize("typed", ["/yolo off", "/undo a.txt", "/clear the cache of npm", "/unjail later"])
async def test_words_behind_a_command_that_takes_none_stop_it(chats: Chats, server: ScriptedServer, typed: str) -> None:
    server.add("an answer")
    async with chats.built(server, permission_mode="ask") as talk:
        await talk.send("a prompt")
        talk.type(f"{typed}<enter>")
        await talk.shown(f"{typed.split()[0]} takes no words")
        assert talk.editor == typed
        assert talk.status.strip().startswith("ask")
        assert talk.said[-1] == ("assistant", "an answer")


async def test_compact_takes_what_matters(chats: Chats, server: ScriptedServer) -> None:
    server.add("one", "two", "three", "In short.")
    async with chats.built(server) as talk:
        await talk.send("/compact")
        assert "✗" in talk.screen()
        await talk.send("a", "b", "c")
        await talk.send("/compact keep the numbers")
        assert "≡ Summary of the conversation" in talk.screen()
        assert "In short." not in talk.screen()
        talk.type("<ctrl+o>")
        await talk.shown("In short.")
        assert "keep the numbers" in str(server.requests[-1].body)
        assert "In short." in talk.said[0][1]


async def test_sessions_are_opened_renamed_and_deleted(chats: Chats, server: ScriptedServer) -> None:
    server.add("one", "two", "three")
    async with chats.built(server) as talk:
        await talk.send("the first talk")
        await talk.send("/new")
        await talk.send("the second talk")
        talk.type("/sessions<enter>")
        await talk.shown("you  the second talk")
        assert talk.shows("""
            |  a new session; the old one is in /sessions
            |
            |▌ the second talk
            |
            |  two
            |(5 blank)
            |────────────────────────────────────────────────────────────────────────────────
            |  Sessions
            |
            |/ type to search
            |› ● the second talk                                                   just now
            |    the first talk                                                    just now
            |
            |  YYYY-MM-DD · scripted · 2 messages · ↑10 ↓5
            |  you  the second talk
            |  zot  two
            |
            |  Enter choose · Ctrl+F search · Ctrl+R rename · Ctrl+D delete · Ctrl+A all
            |  Esc close
            |  yolo · no sandbox · ~/work        ↑10 ↓5 · <1% of ~32.8k · openai · scripted
        """)
        talk.type("first<ctrl+r>")
        await talk.shown("Rename the session")
        talk.type("<ctrl+u>beginnings<enter>")
        await talk.until_hidden("Rename")
        talk.type("<ctrl+u>")
        await talk.shown("beginnings")
        talk.type("beg<enter>")
        await talk.until(lambda: talk.said and talk.said[0][1] == "the first talk")
        await talk.settle()
        assert "▌ the first talk" in talk.screen()
        await talk.send("go on")
        talk.type("/sessions<enter>")
        await talk.shown("beginnings")
        talk.type("<ctrl+r>")
        await talk.shown("Rename the session")
        talk.type(" again<enter>")
        await talk.shown("beginnings again")
        talk.type("second<ctrl+d>")
        await talk.shown("delete this session?")
        talk.type("<ctrl+d>")
        await talk.until(lambda: len(sessions(chats)) == 1)
        await talk.settle()
        talk.type("<esc>")
        assert [row["type"] for row in rows(talk.session_path)].count("message") == 4


async def test_the_session_at_hand_cannot_be_deleted(chats: Chats, server: ScriptedServer) -> None:
    server.add("one")
    async with chats.built(server) as talk:
        await talk.send("hello")
        talk.type("/sessions<enter>")
        await talk.shown("just now")
        talk.type("<ctrl+d>")
        await talk.shown("this is the current session; start another one with /new first")
        await talk.press("<ctrl+d>")
        await talk.shown("this is the current session; start another one with /new first")
        assert len(sessions(chats)) == 1
        talk.type("<up>")
        await talk.shown("Ctrl+R rename")
        assert "✗" not in talk.screen()


async def test_a_session_that_another_zot_has_open_is_neither_renamed_nor_deleted(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add("one", "two")
    async with chats.built(server) as other, chats.built(server) as talk:
        await other.send("theirs")
        await talk.send("mine")
        talk.type("/sessions<enter>")
        await talk.shown("theirs")
        talk.type("theirs<ctrl+d><ctrl+d>")
        await talk.shown("another zot has this session open; close it there first")
        talk.type("<ctrl+r>")
        await talk.shown("Rename the session")
        talk.type("<enter>")
        await talk.shown("another zot has this session open")
        assert len(sessions(chats)) == 2
        assert all("rename" not in [row["type"] for row in rows(str(path))] for path in sessions(chats))


async def test_a_session_that_another_zot_has_open_is_continued_in_a_copy(chats: Chats, server: ScriptedServer) -> None:
    server.add("one", "two", "three")
    async with chats.built(server) as other, chats.built(server) as talk:
        await other.send("theirs")
        await talk.send("mine")
        for answer in ("n", "y"):
            talk.type("/sessions<enter>")
            await talk.shown("theirs")
            talk.type("theirs<enter>")
            await talk.shown("Another zot has this session open. Continue in a copy?")
            assert [text for _, text in talk.said] == ["mine", "two"]
            talk.type(answer)
            await talk.until_hidden("Continue in a copy?")
        await talk.until(lambda: [text for _, text in talk.said] == ["theirs", "one"])
        await talk.send("mine now")
        assert len(sessions(chats)) == 3
        assert [text for _, text in other.said] == ["theirs", "one"]


@pytest.mark.usefixtures("anthropic")
async def test_a_model_of_the_same_provider_and_one_of_another(chats: Chats, server: ScriptedServer) -> None:
    server.add("one", "two", "three")
    async with chats.built(server) as talk:
        await talk.send("first")
        await talk.send("/model gpt-4o-mini")
        await talk.until(lambda: talk.status.endswith("gpt-4o-mini"))
        await talk.send("second")
        assert server.requests[-1].body["model"] == "gpt-4o-mini"
        await talk.send("/model anthropic/claude-sonnet-4-5")
        await talk.until(lambda: talk.status.endswith("claude-sonnet-4-5"))
        await talk.send("third")
        assert "max_tokens" in server.requests[-1].body
        assert [text for _, text in talk.said] == ["first", "one", "second", "two", "third", "three"]
        assert talk.screen().count("▌") == 3
    (path,) = sessions(chats)
    assert [row["type"] for row in rows(str(path))].count("message") == 6


async def test_a_model_that_the_catalogue_has_not_is_taken_with_a_word_about_it(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add("one")
    async with chats.built(server, model="gpt-4o-mini") as talk:
        await talk.send("/model gpt-nope")
        await talk.shown("gpt-nope is not among the models of OpenAI that zot knows")
        await talk.send("hello")
        assert server.requests[-1].body["model"] == "gpt-nope"


async def test_a_provider_that_nobody_knows_is_refused_and_nothing_changes(
    chats: Chats, server: ScriptedServer
) -> None:
    async with chats.built(server, model="gpt-4o-mini") as talk:
        await talk.send("/model foo/bar")
        await talk.shown("✗ unknown provider 'foo'; did you mean")
        assert talk.model == "gpt-4o-mini"


async def test_a_server_with_names_of_its_own_takes_those_with_a_slash_without_a_word(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add("one")
    async with chats.built(server) as talk:
        await talk.send("/model meta/llama")
        await talk.send("hello")
        assert server.requests[-1].body["model"] == "meta/llama"
        assert "not among" not in talk.screen()


async def test_new_where_nothing_was_said_speaks_of_no_old_session(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server) as talk:
        await talk.send("/new")
        await talk.shown("a new session")
        assert "the old one" not in talk.screen()


@pytest.mark.usefixtures("anthropic")
async def test_a_conversation_that_is_not_kept_goes_on_with_a_model_of_another_provider(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add("one", "two")
    async with chats.built(server, no_session=True) as talk:
        await talk.send("first")
        await talk.send("/model anthropic/claude-sonnet-4-5")
        await talk.until(lambda: talk.status.endswith("claude-sonnet-4-5"))
        await talk.send("second")
        assert [text for _, text in talk.said] == ["first", "one", "second", "two"]
        assert "first" in str(server.requests[-1].body)
    assert sessions(chats) == []


async def test_a_model_without_a_key_changes_nothing_if_nobody_signs_in(chats: Chats, server: ScriptedServer) -> None:
    server.add("one", "two")
    async with chats.built(server) as talk:
        await talk.send("first")
        talk.type("/model anthropic/claude-sonnet-4-5<enter>")
        await talk.shown("Sign in to Anthropic")
        assert "ANTHROPIC_API_KEY" in talk.screen()
        await talk.press("<esc>")
        assert not talk.dialog_open
        await talk.send("second")
        assert talk.said[-1] == ("assistant", "two")


@pytest.mark.usefixtures("anthropic")
async def test_models_are_picked_from_a_list(chats: Chats, server: ScriptedServer) -> None:
    server.add("one")
    async with chats.built(server) as talk:
        talk.type("/model<enter>")
        await talk.shown("providers with a key")
        assert "openai-responses" not in talk.screen()
        assert "gives no list" not in talk.screen()  # servers that are not in use need not run
        talk.type("haiku45")
        await talk.shown("claude-haiku-4-5")
        await talk.settle()
        rows = [" ".join(row.split()) for row in talk.rows()]
        assert "from providers with a key and local servers" in rows
        assert "/ haiku45" in rows
        assert any(row.startswith("› claude-haiku-4-5 Claude Haiku 4.5") for row in rows)
        assert any(row.endswith("anthropic 200k tokens") for row in rows)
        talk.type("<enter>")
        await talk.until(lambda: "haiku" in talk.status)
        await talk.send("hello")
        assert talk.said == [("user", "hello"), ("assistant", "one")]


async def test_the_known_models_are_shown_at_once_and_those_of_slow_servers_are_added(
    chats: Chats, server: ScriptedServer
) -> None:
    async with held_list("scripted", "newest-model") as (url, answered), chats.built(server, base_url=url) as talk:
        talk.type("/model<enter>")
        await talk.shown("› ● scripted")
        assert "newest-model" not in talk.screen()
        answered.set()
        await talk.shown("newest-model")
        assert "› ● scripted" in talk.screen()
        await talk.press("<esc>")


async def test_a_server_in_use_that_gives_no_list_of_models_is_told_once(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server, base_url="http://127.0.0.1:1/v1") as talk:
        for _ in range(3):
            talk.type("/model<enter>")
            await talk.shown("openai did not list its models: ")
            await talk.shown("› ● scripted")
            talk.type("<esc>")
            await talk.until_hidden("› ● scripted")
            await talk.send("/reasoning high")  # comes after the lists
        assert talk.screen().count("did not list its models") == 1


async def test_reasoning_is_chosen(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server) as talk:
        await talk.send("/reasoning high")
        assert talk.reasoning == "high"
        await talk.send("/reasoning hihg")
        assert "did you mean high?" in talk.screen()
        talk.type("/reasoning<enter>")
        await talk.shown("Reasoning")
        talk.type("low<enter>")
        await talk.quiet()
        assert talk.reasoning == "low"


async def test_jump_shows_a_prompt_of_before(chats: Chats, server: ScriptedServer) -> None:
    server.add(*["\n\n".join("word" for _ in range(20)) for _ in range(3)])
    async with chats.built(server) as talk:
        await talk.send("alpha", "beta", "gamma")
        await talk.send("/jump alp")
        assert "▌ alpha" in talk.screen()
        await talk.send("/jump omega")
        assert talk.cells[-1].shows
        talk.type("<shift+end>/jump<enter>")
        await talk.shown("Jump to")
        talk.type("<down><enter>")
        await talk.shown("▌ beta")


async def test_the_timeline_lists_prompts_and_scrolls_to_one(chats: Chats, server: ScriptedServer) -> None:
    server.add(*["\n\n".join("word" for _ in range(20)) for _ in range(3)])
    async with chats.built(server) as talk:
        await talk.send("alpha", "beta", "alpha", "/session list")
        assert "/session knows timeline, not 'list'" in talk.screen()
        talk.type("/session timeline<enter>")
        await talk.shown("Timeline")
        screen = talk.screen()
        assert screen.count("alpha") == 2
        assert screen.count(" 15") >= 3
        talk.type("<home><down><enter>")
        await talk.shown("▌ beta")


async def test_a_question_beside_the_work_is_not_kept(chats: Chats, server: ScriptedServer) -> None:
    server.add("main answer", "side **answer**", "second side answer", "main again")
    async with chats.built(server) as talk:
        await talk.send("first")
        talk.type("/btw what is it?<enter>")
        await talk.shown("ask more")
        assert talk.shows("""
            |▌ first
            |
            |  main answer
            |(11 blank)
            |────────────────────────────────────────────────────────────────────────────────
            |  By the way
            |  not part of the conversation; the model will not remember it
            |
            |▌ what is it?
            |
            |  side answer
            |
            |  Enter ask more · Esc close
            |  yolo · no sandbox · ~/work        ↑10 ↓5 · <1% of ~32.8k · openai · scripted
        """)
        talk.type("<enter>")
        await talk.shown("another question")
        talk.type("and that?<enter>")
        await talk.shown("second side answer")
        await talk.shown("ask more")
        assert "side answer" in talk.screen()
        talk.type("<esc>")
        await talk.quiet()
        assert "By the way" not in talk.screen()
        await talk.send("second")
        assert [text for _, text in talk.said] == ["first", "main answer", "second", "main again"]
        assert "what is it?" not in str(server.requests[-1].body)
        assert "main answer" in str(server.requests[1].body)
        assert "side **answer**" in str(server.requests[2].body)


async def test_the_answer_to_a_question_beside_the_work_is_shown_as_it_comes_and_can_be_stopped(chats: Chats) -> None:
    client = Paused(["It is a \x1b[2J\u202eshed¶, or a boat.", "Sorry.", "main"])
    async with chats.open(client) as talk:
        talk.type("/btw what is it?<enter>")
        await talk.shown("It is a \ufffdshed")
        assert "Esc stop" in talk.screen()
        assert "\x1b" not in talk.screen()
        assert "\u202e" not in talk.screen()
        talk.type("<enter>")  # there is nothing to answer yet
        talk.type("<esc>")
        await talk.shown("stopped")
        assert "boat" not in talk.screen()
        assert client.cancelled == 1
        talk.type("<enter>")
        await talk.shown("another question")
        talk.type("why?<enter>")
        await talk.shown("Sorry.")
        asked = [each.text for each in client.requests[-1].messages]
        assert asked == ["what is it?", "It is a \x1b[2J\u202eshed", "why?"]
        talk.type("<esc>")
        await talk.send("hello")
        assert talk.said == [("user", "hello"), ("assistant", "main")]


async def test_a_long_answer_beside_the_work_is_followed_to_its_end_and_can_be_read_from_its_beginning(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add("\n\n".join(f"paragraph {number}" for number in range(40)))
    async with chats.built(server) as talk:
        talk.type("/btw everything<enter>")
        await talk.shown("ask more")
        assert "paragraph 39" in talk.screen()
        talk.type("<home>")
        await talk.shown("▌ everything")
        assert "1–15/81" in talk.screen()
        talk.resize(20, 6)
        await talk.settle()
        assert "everything" in talk.screen()


async def test_a_question_beside_the_work_can_be_given_up_before_its_answer(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add(Turn(fault=Fault(stall=60.0)), "main")
    async with chats.built(server) as talk:
        talk.type("/btw what is it?<enter>")
        await talk.shown("waiting for the answer")
        await talk.until(lambda: server.requests)
        talk.type("<esc>")
        await talk.until(lambda: server.requests[0].closed_early)
        await talk.settle()
        assert "By the way" not in talk.screen()
        await talk.send("hello")
        assert talk.said == [("user", "hello"), ("assistant", "main")]


async def test_a_question_beside_the_work_that_fails_says_why_and_can_be_asked_again(
    chats: Chats, server: ScriptedServer
) -> None:
    server.add(Turn(fault=Fault(status=400, body={"error": {"message": "no such\n\x1b[2Jmodel"}})), "Now.")
    async with chats.built(server) as talk:
        talk.type("/btw<enter>")
        await talk.shown("a side question")
        talk.type("what is it?<enter>")
        await talk.shown("ask more")
        assert any(row.startswith("✗ ") and "no such model" in row for row in talk.rows())
        talk.type("<enter>")
        await talk.shown("another question")
        talk.type("again<enter>")
        await talk.shown("Now.")
        talk.type("<esc>")
        await talk.quiet()
        assert "✗" not in talk.screen()
        assert talk.said == []


async def test_what_was_read_of_an_answer_beside_the_work_stays_above_the_one_that_is_asked_for_again(
    chats: Chats, server: ScriptedServer
) -> None:
    cut = Turn("It is a shed", chunk=4, fault=Fault(cut=True, after=3))
    server.add(cut, "A boat.", "Yes.")
    async with chats.built(server) as talk:
        talk.type("/btw what is it?<enter>")
        await talk.shown("ask more")
        rows = [row.strip() for row in talk.rows() if row.strip()]
        assert rows.index("It is a") < rows.index("A boat.")
        assert "cut off, and asked again: openai:" in " ".join(rows[rows.index("It is a") : rows.index("A boat.")])
        talk.type("<enter>")
        await talk.shown("another question")
        talk.type("sure?<enter>")
        await talk.shown("Yes.")
        assert "It is a" not in str(server.requests[-1].body)


async def test_leaving_ends_a_question_beside_the_work(chats: Chats, server: ScriptedServer) -> None:
    server.add(Turn("It is " + "long " * 50, fault=Fault(stall=60.0)))
    async with chats.built(server) as talk:
        talk.type("/btw what is it?<enter>")
        await talk.until(lambda: server.requests)
        await talk.close()
        await talk.until(lambda: server.requests[0].closed_early)


async def test_a_compaction_is_stopped_by_esc(chats: Chats, server: ScriptedServer) -> None:
    server.add("one", "two", "three", Turn(fault=Fault(stall=60.0)), "four")
    async with chats.built(server) as talk:
        await talk.send("a", "b", "c")
        talk.type("/compact<enter>")
        await talk.shown("summarising the conversation")
        await talk.until(lambda: len(server.requests) == 4)
        talk.type("<esc>")
        await talk.quiet()
        assert len(talk.said) == 6
        await talk.send("d")
        assert talk.said[-1] == ("assistant", "four")


async def test_a_call_is_confirmed_where_that_was_asked_for(chats: Chats, server: ScriptedServer) -> None:
    call = bash("expr done; expr more")
    server.add(Turn("I run it.", calls=[call]), "No then.", Turn(calls=[call]), "Done.")
    async with chats.built(server, permission_mode="ask") as talk:
        talk.type("go<enter>")
        await talk.shown("Run bash")
        assert talk.shows("""
            |▌ go
            |
            |  I run it.
            |
            |* bash expr done; expr more
            |(3 blank)
            |────────────────────────────────────────────────────────────────────────────────
            |  Run bash expr done; expr more?
            |
            |  no rule allows 'expr done'
            |  command: expr done; expr more
            |
            |  always: bash(expr done)
            |  always: bash(expr more)
            |
            |› y  yes, this call
            |  a  yes, and always in this folder
            |  n  no
            |  w  no, and tell the model why
            |
            |  Enter choose · Esc cancel
            |  ask · no sandbox · ~/work         ↑10 ↓5 · <1% of ~32.8k · openai · scripted
        """)
        talk.type("n")
        await talk.quiet()
        assert "⊘ bash expr done; expr more  refused" in talk.screen()
        assert "the user did not allow this call of bash" in talk.screen()
        assert "No then." in talk.screen()
        talk.type("again<enter>")
        await talk.shown("Run bash")
        talk.type("y")
        await talk.shown("Done.")


async def test_a_refusal_tells_the_model_why_and_an_always_is_kept_and_listed(
    chats: Chats, server: ScriptedServer, tmp_path: Path
) -> None:
    call = bash("expr done")
    server.add(Turn(calls=[call]), "No then.", Turn(calls=[call]), "Done.", Turn(calls=[call]), "Again.")
    async with chats.built(server, permission_mode="ask") as talk:
        talk.type("go<enter>")
        await talk.shown("Run bash")
        await talk.until(lambda: talk.dialog_open)
        talk.type("w")
        await talk.shown("Why not?")
        talk.type("use make<enter>")
        await talk.shown("No then.")
        assert "the user did not allow this call of bash: use make" in talk.screen()
        talk.type("again<enter>")
        await talk.shown("Run bash")
        await talk.until(lambda: talk.dialog_open)
        talk.type("a")
        await talk.shown("Done.")
        assert "bash(expr done)" in (tmp_path / "zot-home" / "permissions.json").read_text()
        await talk.send("once more")
        await talk.shown("Again.")
        talk.type("/permissions<enter>")
        await talk.shown("allow bash(expr done)")


async def test_a_question_about_a_file_shows_the_change(chats: Chats, server: ScriptedServer, alone: Path) -> None:
    (alone / "a.txt").write_text("one\ntwo\n")
    server.add(Turn(calls=[Call("write", {"path": "a.txt", "content": "one\n2\n"})]), "Well.")
    async with chats.built(server, permission_mode="ask") as talk:
        talk.type("go<enter>")
        await talk.shown("Run write a.txt?")
        await talk.shown("2 - two")
        await talk.shown("2 + 2")
        await talk.shown("always: edit(a.txt)")
        await talk.until(lambda: talk.dialog_open)
        talk.type("n")
        await talk.shown("Well.")
        assert (alone / "a.txt").read_text() == "one\ntwo\n"


async def test_a_skill_is_found_and_sent(chats: Chats, server: ScriptedServer, tmp_path: Path) -> None:
    folder = tmp_path / "zot-home/skills/knots"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: knots\ndescription: how to tie knots\n---\nOver, under, through.\n")
    server.add("tied")
    async with chats.built(server) as talk:
        talk.type("/skills<enter>")
        await talk.shown("how to tie knots")
        talk.type("<enter>")
        await talk.until(lambda: talk.editor == "/skill:knots ")
        await talk.send("a bowline")
        assert "Over, under, through." in talk.said[0][1]
        assert "a bowline" in talk.said[0][1]


async def test_a_pinned_skill_is_in_the_system_prompt_from_then_on(chats: Chats, server: ScriptedServer) -> None:
    home = chats.root / "zot-home"
    (home / "skills/knots").mkdir(parents=True)
    (home / "skills/knots/SKILL.md").write_text("---\ndescription: how to tie knots\n---\nOver, under, through.\n")
    server.add("tied", "untied")
    async with chats.built(server) as talk:
        talk.type("/skills<enter>")
        await talk.shown("how to tie knots")
        talk.type("knots<ctrl+u>pg")
        await talk.shown("pinned here and everywhere · user")
        talk.type("p")
        await talk.until_hidden("pinned here")
        talk.type("<esc>")
        await talk.shown("pinned skills: knots")
        await talk.send("go")
        talk.type("/skills<enter>")
        await talk.shown("pinned everywhere")
        (home / "skill-pins.json").write_text("[]")
        talk.type("p")
        await talk.shown("skill-pins.json: expected an object")
        (home / "skill-pins.json").write_text('{"global": ["knots"], "projects": {}, "x": 1}')
        talk.type("g")
        await talk.until_hidden("pinned everywhere")
        talk.type("<esc>")
        await talk.shown("no skill is pinned any more")
        await talk.send("again")
    first, second = [request.body["messages"][0]["content"] for request in server.requests]
    assert "Over, under, through." in first
    assert "Over, under, through." not in second
    assert json.loads((home / "skill-pins.json").read_text()) == {"global": [], "projects": {}, "x": 1}


async def test_the_last_answer_is_copied(chats: Chats, server: ScriptedServer) -> None:
    server.add("the answer")
    async with chats.built(server) as talk:
        await talk.send("/copy")
        assert "there is no answer to copy yet" in talk.screen()
        await talk.send("question")
        await talk.send("/copy")
        await talk.shown("copied")
        assert any(sequence.startswith("\x1b]52;") for sequence in talk.sequences)


async def test_a_theme_is_chosen_by_name_or_from_a_list(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server) as talk:
        await talk.send("/theme light")
        assert talk.theme == "light"
        await talk.send("/theme nonsuch")
        assert "✗ unknown theme 'nonsuch'; known: auto, " in talk.screen()
        talk.type("/theme<enter>")
        await talk.shown("Theme")
        talk.type("dark<enter>")
        await talk.quiet()
        assert talk.theme == "dark"


@pytest.mark.usefixtures("anthropic")
async def test_ctrl_p_goes_through_the_favourite_models_and_back(chats: Chats, server: ScriptedServer) -> None:
    home = chats.root / "zot-home"
    home.mkdir(exist_ok=True)
    (home / "config.json").write_text('{"favourite_models": ["anthropic/claude-opus-4-5", "openai/scripted:high"]}')
    async with chats.built(server) as talk:
        await talk.press("<ctrl+p>")
        await talk.until(lambda: talk.model == "claude-opus-4-5")
        await talk.press("<ctrl+p>")
        await talk.until(lambda: talk.model == "scripted")
        await talk.press("<ctrl+shift+p>")
        await talk.until(lambda: talk.model == "claude-opus-4-5")


async def test_without_favourite_models_ctrl_p_says_how_to_name_them(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server) as talk:
        await talk.press("<ctrl+p>")
        await talk.shown("no favourite models yet")
        assert talk.model == "scripted"


def test_the_keys_that_run_commands_are_those_of_the_commands() -> None:
    assert {name: [each.help, [*each.keys]] for name, each in commands.slash_commands().items()} == commands.KEYS
    assert {(name, help, tuple(keys)) for name, (help, keys) in commands.KEYS.items() if keys} <= {
        (each.name, each.help, each.keys) for each in ACTIONS
    }


async def test_exit_leaves(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server) as talk:
        talk.type("/exit<enter>")
        await talk.until(lambda: talk.over)


@pytest.mark.needs("bwrap")
async def test_the_sandbox_is_switched_and_shown_and_what_it_stops_is_offered(
    chats: Chats, server: ScriptedServer, alone: Path
) -> None:
    (alone / ".git").mkdir()
    server.add(Turn(calls=[bash("touch .git/x && echo ran")]), "Done.")
    async with chats.built(server) as talk:
        talk.type("/jail<enter>")
        await talk.shown("yolo · sandbox · ~/work")
        talk.type("go<enter>")
        await talk.shown("yes, outside the sandbox")
        await talk.until(lambda: talk.dialog_open)
        talk.type("y")
        await talk.shown("Done.")
        assert (alone / ".git" / "x").exists()
        talk.type("/sandbox strict<enter>")
        await talk.shown(" strict sandbox · ~/work")
        talk.type("/sandbox maybe<enter>")
        await talk.shown("maybe")
        talk.type("/unjail<enter>")
        await talk.shown("yolo · no sandbox · ~/work")


async def test_hooks_lists_the_programs_that_the_settings_name(chats: Chats, server: ScriptedServer) -> None:
    home = chats.root / "zot-home"
    home.mkdir()
    entry = {"match": "edit|wr*", "command": "./guard --all", "on_failure": "block", "sandbox": False}
    hooks = {"tool_call": [entry], "turn_end": [{"command": "date"}]}
    (home / "config.json").write_text(json.dumps({"hooks": hooks}))
    async with chats.built(server, columns=120) as talk:
        talk.type("/hooks<enter>")
        await talk.shown("tool_call, for edit|wr*, a failure blocks, outside the sandbox, at most 60 s")
        assert "    ./guard --all" in talk.screen()
        assert "turn_end, only notified, at most 60 s" in talk.screen()
    (home / "config.json").unlink()
    async with chats.built(server) as talk:
        talk.type("/hooks<enter>")
        await talk.shown("none; docs/hooks.md says how")
