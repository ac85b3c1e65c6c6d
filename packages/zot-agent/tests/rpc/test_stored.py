"""The commands on stored sessions and on settings."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from rpc_client import connect, events_of
from rpc_peer import Peer, StartPeer
from waiting import until

from zot_agent.client import RpcError
from zot_agent.config.settings import SETTINGS
from zot_agent.host.options import HostOptions
from zot_agent.operations.stored_sessions import StoredSessions
from zot_agent.runs.store import RunStore, change
from zot_core.runtime.run_rows import run_row
from zot_core.sessions.store import SessionStore
from zot_provider.messages import Message, TextBlock
from zot_provider.testing import Call, ScriptedServer, Turn


@pytest.fixture
def store(alone: Path) -> SessionStore:
    return SessionStore(os.path.join(os.environ["ZOT_HOME"], "sessions"))


Keep = Callable[..., str]


@pytest.fixture
def keep(store: SessionStore, alone: Path) -> Keep:
    """Stores a session with one prompt and one answer; returns its path."""
    used = iter(range(100))

    def add(prompt: str, cwd: Path = alone) -> str:
        session = store.create(str(cwd), "scripted", "openai", "1")
        for role, text in (("user", prompt), ("assistant", f"You asked: {prompt}")):
            session.append(Message("user" if role == "user" else "assistant", [TextBlock(text)]))
        session.close()
        number = 1.7e9 + next(used)
        os.utime(session.path, (number, number))
        return session.path

    return add


async def test_runs_are_listed_and_their_questions_answered(server: ScriptedServer, alone: Path) -> None:
    call = Turn(calls=[Call("bash", {"command": "echo hello > there"})])
    options = HostOptions(
        provider="openai", model="scripted", base_url=server.base_url("openai-chat"), permission_mode="ask", cwd="."
    )
    run = RunStore().create("fix", "do it", str(alone), options)[0]
    other = RunStore().create("other", "do that", "/", options.replace(cwd="/"))[0]
    async with connect(server) as client:
        listed = {each["id"]: each for each in (await client.runs_list())["runs"]}
        assert listed.keys() == {"fix", "other"}
        assert (listed["fix"]["state"], listed["fix"]["question"]) == ("interrupted", None)
        with pytest.raises(RpcError, match="run other asks nothing"):
            await client.runs_answer(other.id, "yes")
        asked = {"id": "a/c", "call": "bash echo", "reason": "it writes", "always": []}
        change(run, run_row({"state": "waiting", "question": asked}))
        [waiting] = [each for each in (await client.runs_list())["runs"] if each["id"] == "fix"]
        assert waiting["question"] == {"call": "bash echo", "reason": "it writes", "always": []}
        with pytest.raises(RpcError, match="answer must be one of yes, always, no"):
            await client.runs_answer("fix", "perhaps")
        server.add(call)
        assert (await client.runs_answer("fi", "yes"))["run"]["id"] == "fix"
        await until(lambda: RunStore().find("fix").state == "waiting" and not RunStore().find("fix").owned)
    assert not (alone / "there").exists()


async def test_a_client_of_some_directories_sees_no_run_of_others(alone: Path) -> None:
    run = RunStore().create("fix", "do it", "/", HostOptions(cwd="/"))[0]
    stored = StoredSessions(lambda path: path == str(alone))
    assert [stored.sees(each) for each in (str(alone), str(run.record.options["cwd"]))] == [True, False]


async def test_sessions_are_listed_in_pages_searched_and_shown(
    server: ScriptedServer, keep: Keep, tmp_path: Path
) -> None:
    paths = [keep("Fix the parser."), keep("Paint it blue."), keep("Fix the parser there.", tmp_path)]
    async with connect(server) as client:
        first = await client.session_list(limit=1)
        second = await client.session_list(limit=1, after=first["next"])
        assert [each["title"] for each in (*first["sessions"], *second["sessions"])] == [
            "Paint it blue",
            "Fix the parser",
        ]
        assert (bool(first["next"]), second["next"]) == (True, "")
        assert [each["path"] for each in (await client.session_list(scope="all"))["sessions"]] == paths[::-1]
        (here,) = (await client.session_search("PARSER fix"))["sessions"]
        assert (here["path"], here.get("excerpt"), here.get("role")) == (paths[0], "Fix the parser.", "user")
        assert len((await client.session_search('"fix the" parser', scope="all"))["sessions"]) == 2
        shown = await client.session_show(here["id"][:8])
        assert (shown.get("last_prompt"), shown.get("last_answer")) == (
            "Fix the parser.",
            "You asked: Fix the parser.",
        )
        for wrong in (0, 501):
            with pytest.raises(RpcError, match="limit must be a whole number from 1 to 500"):
                await client.session_list(limit=wrong)
        with pytest.raises(RpcError, match="not a place in a list"):
            await client.session_list(after="nowhere")
        with pytest.raises(RpcError, match="no session 'deadbeef'"):
            await client.session_show("deadbeef")
        with pytest.raises(RpcError, match="this conversation is not stored"):
            await client.session_show()
    async with connect(server, "--session", here["id"]) as client:
        await client.session_new()  # has no file before its first prompt
        with pytest.raises(RpcError, match="this conversation is not stored"):
            await client.session_show()


async def test_a_stored_session_is_continued_and_renamed(server: ScriptedServer, keep: Keep) -> None:
    server.add("As before.")
    path, other = keep("Fix the parser."), keep("Paint it blue.")
    async with connect(server) as client:
        assert (await client.session_open(path))["notes"] == []
        await events_of(client.prompt("And now?"))
        assert [each["content"][0]["text"] for each in (await client.prompts_messages())["messages"]] == [
            "Fix the parser.", "You asked: Fix the parser.", "And now?", "As before.",
        ]  # fmt: skip
        assert (await client.session_show()).get("last_answer") == "As before."
        assert await client.session_rename(" The ") == {"title": "The"}
        with pytest.raises(RpcError, match="title must be one line of text") as failed:
            await client.session_rename("The\n parser")
        assert failed.value.code == "invalid"
        with pytest.raises(RpcError, match="title has 201 characters; at most 200"):
            await client.session_rename("x" * 201)
        assert await client.session_rename("Blue", session=other) == {"title": "Blue"}
        assert sorted(each["title"] for each in (await client.session_list())["sessions"]) == ["Blue", "The"]
        for command in (client.session_open, client.session_delete):
            with pytest.raises(RpcError, match="the session of the conversation"):
                await command(path)
        await client.session_delete(other)
        assert not os.path.exists(other)


def test_a_session_that_another_process_has_open_is_not_touched(start: StartPeer, keep: Keep) -> None:
    path = keep("Fix the parser.")
    start("--session", path).data("get_state")
    peer = start()
    for command, fields in (("session.open", {}), ("session.delete", {}), ("session.rename", {"title": "Mine"})):
        refused = peer.call(command, session=path, **fields)
        assert (refused["success"], refused["code"]) == (False, "session_locked")
    assert peer.data("session.open", session=path, fork=True)["session_id"]
    assert peer.of("session_start")


async def test_sessions_are_exported_and_imported(server: ScriptedServer, keep: Keep, alone: Path) -> None:
    path = keep("Fix the parser.")
    async with connect(server) as client:
        for name in ("talk.zotsession", "talk.html", "talk.md"):
            assert await client.session_export(name, session=path) == {"path": str(alone / name)}
            with pytest.raises(RpcError, match="exists already"):
                await client.session_export(name, session=path)
        added = (await client.session_import("talk.zotsession"))["session"]
        assert (added["title"], added["cwd"], added["messages"]) == ("Fix the parser", str(alone), 2)
        assert added["path"] != path
        for file, why in (
            ("talk.html", "an HTML page"),
            ("gone.zotsession", "no file at"),
            (" ", "path must name a file"),
            ("a\0b", "path must name a file"),
        ):
            with pytest.raises(RpcError, match=why):
                await client.session_import(file)
        with pytest.raises(RpcError, match="no known suffix"):
            await client.session_export("talk.pdf", session=path)
        assert len((await client.session_list())["sessions"]) == 2


# Settings


def config() -> dict[str, object]:
    path = Path(os.environ["ZOT_HOME"]) / "config.json"
    found: dict[str, object] = json.loads(path.read_text()) if path.exists() else {}
    return found


async def test_settings_are_listed_and_stored_and_what_can_takes_effect_at_once(server: ScriptedServer) -> None:
    async with connect(server) as client:
        rows = {each["key"]: each for each in (await client.settings_list())["settings"]}
        assert (rows["reasoning"]["value"], rows["reasoning"]["source"]) == ("off", "")
        assert "high" in rows["reasoning"]["choices"]
        row = (await client.settings_set("reasoning", "high"))["setting"]
        assert (row["value"], row["source"]) == ("high", str(Path(os.environ["ZOT_HOME"]) / "config.json"))
        assert (await client.control_state())["reasoning"] == "high"
        await client.settings_set("bash_timeout", 5)
        await client.settings_set("favourite_models", ["a", "b"])
        assert config() == {"reasoning": "high", "bash_timeout": 5, "favourite_models": ["a", "b"]}
        assert (await client.settings_set("reasoning"))["setting"]["value"] == "off"
        assert (await client.control_state())["reasoning"] == "off"
        assert "reasoning" not in config()


def test_what_is_wrong_or_for_the_person_alone_is_refused(peer: Peer) -> None:
    wrong: list[tuple[str, object, str]] = [
        ("themes", "dark", "themes"),
        ("reasoning", "much", "reasoning: expected one of"),
        ("bash_timeout", {"a": []}, "bash_timeout: expected"),
        ("provider", "nobody", "nobody"),
        ("retry", {"tries": -1}, "config.json: retry: retries must be a number from 0, not -1"),
    ]
    for key, value, why in wrong:
        assert why in peer.error("settings.set", key=key, value=value)
    guards = [key for key, setting in SETTINGS.items() if setting.person_only]
    assert {"no_yolo", "permissions", "project_trust", "child_keys", "http_proxy", "ca_file"} <= set(guards)
    for key in guards:
        refused = peer.call("settings.set", key=key)
        assert (refused["code"], refused["error"].partition(", ")[0]) == ("denied", f"{key}: only you can change this")
    assert config() == {}


def test_a_file_of_settings_that_cannot_be_read_is_not_overwritten(peer: Peer) -> None:
    path = Path(os.environ["ZOT_HOME"]) / "config.json"
    path.parent.mkdir(exist_ok=True)
    peer.data("settings.list")  # it has started
    path.write_text("[1, 2]")
    assert peer.error("settings.set", key="mouse", value=True) == f"{path}: expected an object, got a list"
    assert path.read_text() == "[1, 2]"


def test_a_password_in_a_setting_is_not_shown(start: StartPeer) -> None:
    path = Path(os.environ["ZOT_HOME"]) / "config.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"http_proxy": "http://ada:s3cret@127.0.0.1:9"}')
    rows = start(no_proxy="*").data("settings.list")["settings"]
    assert "s3cret" not in json.dumps(rows)
    assert [each["value"] for each in rows if each["key"] == "http_proxy"] == ["http://127.0.0.1:9"]


def test_answers_about_what_is_stored_fit_the_schema(start: StartPeer, keep: Keep) -> None:
    path, peer = keep("Fix the parser."), start()
    settings = {each["key"]: each["value"] for each in peer.data("settings.list")["settings"] if each["changeable"]}
    for command, fields in (
        ("session.show", {"session": path}),
        ("session.search", {"query": "parser"}),
        ("session.export", {"session": path, "path": "copy.zotsession"}),
        ("session.import", {"path": "copy.zotsession"}),
        ("settings.set", {"key": "notify", "value": settings["notify"]}),
        ("runs.list", {}),
    ):
        assert peer.data(command, **fields), command  # the peer checks each line
    for command, fields in (("session.delete", {"session": path}), ("control.wait_idle", {})):
        assert peer.data(command, **fields) is None
