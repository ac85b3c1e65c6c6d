"""The stored sessions and the settings over HTTP."""

import json
import os
from pathlib import Path

import pytest
from extension_folder import write_extension
from served import Served, Serving

from zot_core.errors import SessionNotFound
from zot_core.sessions.store import SessionStore
from zot_provider.messages import Message, TextBlock


def keep(prompt: str, cwd: Path) -> str:
    """Store a session with one prompt and one answer; its id."""
    store = SessionStore(os.path.join(os.environ["ZOT_HOME"], "sessions"))
    session = store.create(str(cwd), "scripted", "openai", "1")
    session.append(Message("user", [TextBlock(prompt)]))
    session.append(Message("assistant", [TextBlock(f"You asked: {prompt}")]))
    session.close()
    return session.meta.id


async def listed(served: Served, **query: str) -> list[str]:
    answer = await served.http.get("/stored", params=query)
    assert answer.status_code == 200, answer.text
    return [each["id"] for each in answer.json()["sessions"]]


async def test_stored_sessions_are_listed_searched_shown_continued_and_deleted(serving: Serving, alone: Path) -> None:
    inner = alone / "inner"
    inner.mkdir()
    first, second = keep("Fix the parser.", alone), keep("Paint it blue.", inner)
    async with serving() as served:
        assert sorted(await listed(served)) == sorted([first, second])
        assert await listed(served, cwd="inner") == [second]
        assert await listed(served, query="parser FIX") == [first]
        shown = (await served.http.get(f"/stored/{first}")).json()
        assert (shown["title"], shown["last_answer"]) == ("Fix the parser", "You asked: Fix the parser.")
        opened = (await served.http.post("/sessions", json={"session": first})).json()
        assert (opened["session_id"], opened["title"]) == (first, "Fix the parser.")
        locked = await served.http.delete(f"/stored/{first}")
        assert (locked.status_code, "in use" in locked.json()["error"]) == (409, True)
        assert (await served.http.delete(f"/stored/{second}")).status_code == 204
        assert await listed(served) == [first]


async def test_what_is_outside_of_the_directories_that_are_served_does_not_exist(
    serving: Serving, alone: Path, tmp_path: Path
) -> None:
    hidden, mine = keep("A secret parser.", tmp_path), keep("My parser.", alone)
    async with serving(defaults={"no_session": False}) as served:
        assert await listed(served) == await listed(served, query="parser") == [mine]
        for method, path in (("GET", hidden), ("DELETE", hidden), ("GET", f"{hidden}/export"), ("GET", "..%2f..%2fx")):
            gone = await served.http.request(method, f"/stored/{path}")
            assert gone.status_code == 404, gone.text
        assert (await served.http.get("/stored", params={"cwd": ".."})).status_code == 403
        id = await served.open()

        async def refusal(command: str, **fields: str) -> str:
            answer = (await served.http.post(f"/sessions/{id}/commands", json={"type": command, **fields})).json()
            return f"{answer['code']}: {answer['error']}"

        for command in ("session.show", "session.open", "session.delete", "session.rename", "session.export"):
            error = await refusal(command, session=hidden, title="x", path="x.md")
            assert error == f"not_found: {SessionNotFound.named(hidden)}"
        everything = await served.command(id, "session.list", scope="all")
        assert [each["id"] for each in everything["data"]["sessions"]] == [mine]
        outside = "is outside the directories that are served"
        for refused in (
            await refusal("session.export", session=mine, path="../out.md"),
            await refusal("session.import", path="/etc/hosts"),
        ):
            assert refused.startswith("denied: ")
            assert refused.endswith(outside)


SWITCHER = """
@ext.command('open')
def open_session(id):
    try:
        return ext.session.open(id)['session_id']
    except HostError as error:
        return error.code
"""


async def test_an_extension_opens_no_session_that_clients_may_not_see(
    serving: Serving, alone: Path, tmp_path: Path
) -> None:
    hidden, mine = keep("A secret parser.", tmp_path), keep("My parser.", alone)
    folder = write_extension(tmp_path / "switcher", SWITCHER, more="capabilities=('session',)")
    async with serving(defaults={"no_session": False, "extensions": [str(folder)]}) as served:
        id = await served.open()
        async with served.socket(id) as socket:
            for session, shown in ((hidden, "not_found"), (mine, mine)):
                await socket.send("control.run", name="open", args=session)
                assert (await socket.until("ext_display"))[-1]["text"] == shown


async def test_a_session_goes_out_as_a_file_and_comes_in_again(serving: Serving, alone: Path) -> None:
    id = keep("Fix the <parser>.", alone)
    async with serving() as served:
        for kind, part in (("html", b"Fix the &lt;parser&gt;."), ("md", b"You asked"), ("zotsession", b'"meta"')):
            file = await served.http.get(f"/stored/{id}/export", params={"format": kind})
            assert (file.status_code, part in file.content) == (200, True)
            assert file.headers["content-disposition"].endswith(f'fix-the-parser.{kind}"')
        added = await served.http.post("/stored", content=file.content)
        assert added.status_code == 201, added.text
        assert (added.json()["title"], added.json()["cwd"]) == ("Fix the <parser>", str(alone))
        assert sorted(await listed(served)) == sorted([id, added.json()["id"]])


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "word"),
    [
        ("POST", "/stored", b"<html>", 400, "the file is not a session but an HTML page"),
        ("POST", "/stored", b"PK\x03\x04" + b"\0" * 5000, 400, "a ZIP archive"),
        ("POST", "/stored", b"", 400, "an empty file"),
        ("GET", "/stored?limit=0", b"", 400, "limit"),
        ("GET", "/stored?limit=9999999999999999999999", b"", 400, "limit"),
        ("GET", "/stored?limit=many", b"", 400, "limit"),
        ("GET", "/stored?after=x", b"", 400, "not a place"),
        ("GET", "/stored?query=%22%22", b"", 400, "no words"),
        ("GET", "/stored/deadbeef/export?format=pdf", b"", 400, "format"),
        ("PATCH", "/settings", b"{", 400, "not JSON"),
        ("PATCH", "/settings", b"[]", 400, "object"),
        ("PATCH", "/settings", b'{"project_trust": "on"}', 403, "only you"),
        ("PATCH", "/settings", b'{"mouse": true, "theme": 1}', 400, "theme"),
        ("PATCH", "/settings", b'{"provider": "nobody"}', 400, "nobody"),
    ],
)
async def test_what_is_wrong_is_refused_with_the_reason(
    serving: Serving, method: str, path: str, body: bytes, status: int, word: str
) -> None:
    async with serving() as served:
        answer = await served.http.request(method, path, content=body)
        assert answer.status_code == status, answer.text
        assert word in answer.json()["error"]
        assert answer.json()["code"] in ("invalid", "denied", "not_found")  # not `failed`: the caller can mend it
        assert not (Path(os.environ["ZOT_HOME"]) / "config.json").exists()


async def test_settings_are_listed_and_stored_for_new_sessions(serving: Serving) -> None:
    async with serving() as served:
        answer = await served.http.patch("/settings", json={"reasoning": "high", "mouse": True})
        assert answer.status_code == 200, answer.text
        rows = {each["key"]: each["value"] for each in answer.json()["settings"]}
        assert (rows["reasoning"], rows["mouse"], rows["no_yolo"]) == ("high", True, False)
        await served.http.patch("/settings", json={"mouse": None})
        stored = json.loads((Path(os.environ["ZOT_HOME"]) / "config.json").read_text())
        assert stored == {"reasoning": "high"}
        opened = (await served.http.post("/sessions", json={})).json()
        assert opened["reasoning"] == "high"
