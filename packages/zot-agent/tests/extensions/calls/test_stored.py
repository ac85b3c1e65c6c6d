"""What extensions read of the session, and what they store."""

import asyncio
import json
import stat
from pathlib import Path

import pytest
from calling_extension import CALLER, World

from zot_provider.testing import ScriptedClient

WRITER = (
    "@ext.command('write')\ndef write(args):\n    first = ext.session.append('todo', {'text': args})\n"
    "    ext.session.label(first, 'here')\n    ext.session.rename(f'about {args}')\n    return first\n"
    "@ext.command('read')\ndef read(args):\n"
    "    return str([entry['data']['text'] for entry in ext.session.entries(custom_type='todo')])\n"
)


async def test_entries_have_their_place_in_the_conversation_and_are_there_after_a_restart(world: World) -> None:
    world.add("writer", WRITER)
    world.add("caller", CALLER)
    async with world.running(ScriptedClient(["one", "two"]), session=True) as talk:
        await talk.conversation.prompt("first")
        own = await talk.command("write", "milk")
        await talk.conversation.prompt("second")
        found = (await talk.call("session.entries"))["result"]
        kinds = [each["kind"] for each in found["entries"]]
        assert kinds == ["user", "assistant", "user", "assistant"]  # another extension's data is not shown
        assert [each["text"] for each in found["entries"]] == ["first", "one", "second", "two"]
        assert found["current"] == found["entries"][-1]["id"]
        answer = found["entries"][1]["id"]
        whole = (await talk.call("session.entry", entry=answer))["result"]
        assert whole["content"] == [{"type": "text", "text": "one"}]
        assert (await talk.call("session.entry", entry=own))["code"] == "denied"
        assert (await talk.call("session.info"))["result"]["title"] == "about milk"
        await talk.conversation.branches.go_to(answer)
        assert await talk.command("read") == "[]"
    async with world.running(session=True) as talk:
        tree = await talk.conversation.branches.tree()
        assert tree.labels[own] == "here"


async def test_long_lists_come_in_pages(world: World) -> None:
    world.add("caller", CALLER)
    async with world.running(session=True) as talk:
        ids = [(await talk.call("session.append", custom_type="n", data=n))["result"]["id"] for n in range(5)]
        first = (await talk.call("session.entries", limit=3))["result"]
        assert ([each["data"] for each in first["entries"]], first["more"]) == ([0, 1, 2], True)
        rest = (await talk.call("session.entries", limit=3, after=ids[2]))["result"]
        assert ([each["data"] for each in rest["entries"]], rest["more"]) == ([3, 4], False)
        assert (await talk.call("session.entries", after="no"))["code"] == "not_found"
        assert (await talk.call("session.entries", limit=100_000))["code"] == "invalid"
        assert (await talk.call("session.append", custom_type="n", data="x" * 70_000))["code"] == "too_large"
        for kinds, count in ((["user", "custom"], 5), (["user"], 0), ([], 5)):
            found = (await talk.call("session.entries", kinds=kinds, custom_type="n"))["result"]["entries"]
            assert len(found) == count, kinds


@pytest.mark.parametrize("scope", ["global", "project", "session", "process"])
async def test_values_are_kept_for_their_scope(world: World, scope: str) -> None:
    world.add("caller", CALLER)
    async with world.running(session=True, kv_bytes=100) as talk:
        assert (await talk.call("kv.get", key="a", scope=scope))["result"] == {"value": None}
        for key, value in (("b", [1, {"ü": None}]), ("a", "x"), ("a", "y")):
            assert "result" in await talk.call("kv.set", key=key, value=value, scope=scope)
        assert (await talk.call("kv.set", key="c", value="x" * 100, scope=scope))["code"] == "too_large"
        await talk.extensions.reload()
        await talk.extensions.ready()
        assert (await talk.call("kv.keys", scope=scope))["result"] == {"keys": ["a", "b"]}
        assert (await talk.call("kv.get", key="b", scope=scope))["result"] == {"value": [1, {"ü": None}]}
        await talk.call("kv.delete", key="b", scope=scope)
    async with world.running(session=True) as talk:
        kept = (await talk.call("kv.keys", scope=scope))["result"]["keys"]
        assert kept == ([] if scope == "process" else ["a"])


async def test_values_of_two_extensions_and_two_writers_do_not_mix(world: World) -> None:
    world.add("caller", CALLER)
    world.add("other", "@ext.command('other')\ndef other(_):\n    return str(ext.kv.keys())\n")
    async with world.running() as talk:
        await asyncio.gather(*(talk.call("kv.set", key=f"k{n}", value=n) for n in range(8)))
        assert len((await talk.call("kv.keys"))["result"]["keys"]) == 8
        assert await talk.command("other") == "[]"
        assert (await talk.call("kv.get", key="a", scope="session"))["code"] == "unavailable"


async def test_a_damaged_file_of_values_is_an_error_that_names_it(world: World) -> None:
    world.add("caller", CALLER)
    async with world.running() as talk:
        await talk.call("kv.set", key="a", value=1)
        (file,) = (world.root / "zot" / "kv").glob("*.json")
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        file.write_text("[")
        answer = await talk.call("kv.get", key="a")
        assert answer["code"] == "failed"
        assert str(file) in answer["error"]


async def test_secrets_are_where_the_keys_of_providers_are_and_belong_to_their_extension(world: World) -> None:
    home = world.root / "zot"
    home.mkdir()
    (home / "auth.json").write_text("{}")
    world.add("caller", CALLER)
    world.add("other", "@ext.command('other')\ndef other(_):\n    return str(ext.secrets.get('token'))\n")
    async with world.running() as talk:
        assert (await talk.call("secret.get", key="token"))["result"] == {"value": None}
        assert (await talk.call("secret.set", key="token", value=" "))["code"] == "invalid"
        await talk.call("secret.set", key="token", value="s3cret")
        assert (await talk.call("secret.get", key="token"))["result"] == {"value": "s3cret"}
        assert await talk.command("other") == "None"
        assert "s3cret" in json.dumps(json.loads((home / "auth.json").read_text()))
        await talk.call("secret.delete", key="token")
        assert (await talk.call("secret.get", key="token"))["result"] == {"value": None}
    assert "s3cret" not in Path(home / "auth.json").read_text()
