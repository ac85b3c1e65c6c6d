"""The directories in which a session may begin, over HTTP."""

import os
from pathlib import Path

from served import Serving

from zot_core.sessions.store import SessionStore
from zot_provider.messages import Message, TextBlock


def worked_in(folder: Path) -> None:
    store = SessionStore(os.path.join(os.environ["ZOT_HOME"], "sessions"))
    session = store.create(str(folder), "scripted", "openai", "1")
    session.append(Message("user", [TextBlock("hello")]))
    session.close()


async def test_roots_and_the_last_directories_are_listed_and_what_is_outside_is_not(
    serving: Serving, alone: Path, tmp_path: Path
) -> None:
    shop, gone = alone / "shop", alone / "gone"
    for folder in (tmp_path, gone, alone, shop):
        folder.mkdir(exist_ok=True)
        worked_in(folder)
    gone.rmdir()
    async with serving() as served:
        found = (await served.http.get("/folders")).json()
    root = str(alone.resolve())
    assert found["base"] == root
    assert found["roots"] == [root]
    assert sorted(found["recent"]) == [root, str(shop.resolve())]


async def test_the_directories_in_one_are_listed_without_hidden_ones_and_links_to_the_outside(
    serving: Serving, alone: Path, tmp_path: Path
) -> None:
    for name in ("b/inner", "A", ".hidden"):
        (alone / name).mkdir(parents=True)
    (alone / "file").write_text("")
    (alone / "away").symlink_to(tmp_path)
    (alone / "same").symlink_to(alone / "A")
    async with serving() as served:
        top = (await served.http.get("/folders", params={"path": str(alone)})).json()
        below = (await served.http.get("/folders", params={"path": "b"})).json()
        refused = await served.http.get("/folders", params={"path": ".."})
        missing = await served.http.get("/folders", params={"path": "none"})
    root = str(alone.resolve())
    assert top == {"path": root, "parent": None, "folders": ["A", "b", "same"], "more": False}
    assert below == {"path": f"{root}/b", "parent": root, "folders": ["inner"], "more": False}
    assert (refused.status_code, missing.status_code) == (403, 400)


async def test_a_directory_that_cannot_be_read_has_none(serving: Serving, alone: Path) -> None:
    (alone / "shut").mkdir(mode=0)
    async with serving() as served:
        found = await served.http.get("/folders", params={"path": "shut"})
    assert (found.status_code, found.json()["more"]) == (200, False)
