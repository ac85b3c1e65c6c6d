"""The swarm on the screen. Members are folders here, and real processes where they work."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from repository import Repository
from screen import Chats

from zot_agent.config.paths import sessions_root, zot_home
from zot_agent.swarm.folder import MemberFolder
from zot_agent.swarm.limits import SwarmLimits
from zot_agent.swarm.member import Member
from zot_core.sessions.store import SessionStore
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import Call, ScriptedServer, Turn


def member(id: str, said: str = "", **fields: object) -> MemberFolder:
    """The folder of a member without a process, whose conversation is `said`."""
    folder = MemberFolder(os.path.join(zot_home(), "swarm", id), SwarmLimits())
    os.makedirs(os.path.dirname(folder.path), exist_ok=True)
    folder.create()
    session = SessionStore(sessions_root()).create("/p", "m", "p", "0")
    session.append(Message("user", [TextBlock("the task")]))
    if said:
        session.append(Message("assistant", [TextBlock(said)]))
    session.close()
    about = Member(id, "the task", "/p", "/p", "done", started=str(time.time()), session=session.path, tokens=1500)
    folder.write(about.replace(**fields))
    return folder


async def test_members_are_listed_by_folder_and_opened(chats: Chats) -> None:
    member("one", "All of it works.")
    member("two", folder=os.getcwd(), state="failed", error="no key")
    async with chats.open() as talk:
        talk.type("/swarm<enter>")
        await talk.shown("› two  the task")
        assert "failed: no key · 1.5k" in talk.screen()
        assert "one  the task" in talk.screen()
        await talk.press("<down>")
        await talk.press("<enter>")
        await talk.shown("All of it works.")
        await talk.shown("one: done")
        await talk.press("<esc>")
        await talk.shown("› two  the task")
        await talk.press("<ctrl+d>")
        await talk.shown("this agent does not work now")
        await talk.press("<esc>")
        await talk.until(lambda: not talk.dialog_open)


async def test_two_screens_see_what_becomes_of_a_member(chats: Chats) -> None:
    folder = member("one", state="working", line="bash: make")
    with folder.locked():
        async with chats.open() as left, chats.open() as right:
            for talk in (left, right):
                talk.type("/swarm<enter>")
                await talk.shown("working · 1.5k")
            await left.press("<enter>")
            await left.shown("one: bash: make")
            folder.write(folder.stored().replace(state="failed", error="out of credit"))
            await left.shown("one: failed: out of credit")
            await right.shown("failed: out of credit")


async def test_a_question_is_answered_in_the_list(chats: Chats) -> None:
    question = {"request": "permission-1", "tool": "bash", "args": {"command": "make"}, "reason": "why", "rules": ["x"]}
    folder = member("one", state="asking", question=question)
    pipe = folder.open_pipe()
    with folder.locked():
        async with chats.open() as talk:
            talk.type("/swarm<enter>")
            await talk.shown("waits for an answer")
            await talk.press("<enter>")
            await talk.shown("May one run this?")
            assert "bash make (why)" in talk.screen()
            await talk.press("a")
            await talk.until(folder.waiting)
    os.close(pipe)
    [name] = folder.waiting()
    assert folder.message(name) == {"answer": "always", "request": "permission-1", "message": ""}


async def test_commands_do_what_the_command_line_does(chats: Chats) -> None:
    folder = member("one", folder="/p", cwd="/none")
    pipe = folder.open_pipe()
    async with chats.open() as talk:
        for typed, said in (
            ("/swarm fly", "unknown verb of /swarm 'fly'"),
            ("/swarm kill", "/swarm kill needs the id of a member"),
            ("/swarm kill one", "one does not work; it is done"),
            ("/swarm resume one", "one is done; send it a message"),
            ("/swarm answer one maybe", "unknown answer 'maybe'"),
            ("/swarm answer one no not now", "one does not ask anything"),
            ("/swarm merge one", "one has no worktree"),
            ("/swarm send one hurry up", "sent to one"),
            ("/swarm remove one now", "takes --discard"),
        ):
            talk.type(f"{typed}<enter>")
            await talk.shown(said)
        assert [folder.message(name) for name in folder.waiting()] == [{"text": "hurry up"}]
        talk.type("/swarm logs one<enter>")
        await talk.shown("one: done")
        await talk.press("<esc>")
        talk.type("/swarm remove one<enter>")
        await talk.shown("removed one")
        talk.type("/swarm<enter>")
        await talk.shown("no agents in the swarm")
    os.close(pipe)


async def test_an_agent_starts_with_the_model_and_mode_of_the_conversation(
    chats: Chats, repository: Repository, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.chdir(repository.path)
    server.add(Turn(calls=[Call("bash", {"command": "echo ready; exec sleep 1000"})]), "On it.")
    async with chats.built(server, api_key="", permission_mode="yolo") as talk:
        talk.type("/swarm new wait for it<enter>")
        await talk.shown("wait-for-it works on the branch zot/wait-for-it")
        talk.type("/swarm<enter>")
        await talk.shown("› wait-for-it  wait for it")
        await talk.shown("working · ")
        await talk.press("<enter>")
        await talk.shown("wait-for-it: bash: echo ready")
        await talk.press("<esc>")
        await talk.shown("› wait-for-it")
        await talk.press("<ctrl+s>")
        await talk.shown("Message to wait-for-it")
        talk.type("hurry<enter>")
        await talk.shown("› wait-for-it")
        await talk.press("<ctrl+d>")
        await talk.shown("stop this agent?")
        await talk.press("<ctrl+d>")
        await talk.shown("stopped · ")
        await talk.press("<esc>")
        await talk.shown("wait-for-it: stopped")
        talk.type("/swarm resume wait<enter>")
        await talk.shown("wait-for-it: done: On it.")
    folder = MemberFolder(os.path.join(zot_home(), "swarm", "wait-for-it"), SwarmLimits())
    stored = folder.read()
    assert (stored.state, stored.options["model"], stored.options["permission_mode"]) == ("done", "scripted", "yolo")
    assert Path(stored.cwd).is_dir()


async def test_the_screen_says_what_the_agent_asks_that_it_has_started(
    chats: Chats, repository: Repository, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.chdir(repository.path)
    server.add(Turn(calls=[Call("bash", {"command": "touch made"})]), "Not made.")
    async with chats.built(server, api_key="", permission_mode="ask") as talk:
        talk.type("/swarm new make it<enter>")
        await talk.shown("make-it asks: bash touch made")
        talk.type("/swarm answer make no not now<enter>")
        await talk.shown("make-it: done: Not made.")
    assert "not now" in str(server.requests[1].body["messages"][-1])


def test_nothing_of_the_swarm_is_imported_for_the_list_of_commands() -> None:
    program = (
        "import sys, zot_agent.ui.commands.swarm\nprint([each for each in sys.modules if 'zot_agent.swarm' in each])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


async def test_a_key_of_the_command_line_is_not_passed_on(chats: Chats, server: ScriptedServer) -> None:
    async with chats.built(server) as talk:
        talk.type("/swarm new<enter>")
        await talk.shown("Task of a new agent")
        talk.type("look around<enter>")
        await talk.shown("cannot have the key of --api-key")
