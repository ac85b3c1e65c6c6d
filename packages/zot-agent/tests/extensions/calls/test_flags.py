"""Flags of extensions, as their programs get them."""

import json
from pathlib import Path

from calling_extension import RAW, World

from zot_agent.extensions.discover import discover

FLAGS = [{"name": "plan"}, {"name": "lang", "type": "string", "default": "en"}]

ACK = """
say(type="hello", name="raw", capabilities=GROUPS)
ack = until("hello_ack")
frame = command("NAME")
show(frame, [ack.get("flags"), ack.get("explicit_flags")])
"""


def raw(name: str, *groups: str) -> str:
    return RAW + ACK.replace("GROUPS", repr(groups)).replace("NAME", name)


async def test_an_extension_gets_the_values_of_its_own_flags(world: World) -> None:
    world.add_raw("one", raw("one", "flags"))
    world.add_raw("two", raw("two", "flags"))
    world.add_raw("old", raw("old", "commands"))
    for name in ("one", "old"):
        world.declare(name, flags=FLAGS)
    more = [{"name": "model"}, {"name": "n", "type": "integer"}]
    world.declare("two", flags=[{"name": "lang", "type": "string"}, *more])
    async with world.running(flags={"lang": "fr", "n": 3}) as talk:
        assert json.loads(await talk.command("one")) == [{"plan": False, "lang": "fr"}, ["lang"]]
        # A name that another extension or zot has keeps its default.
        assert json.loads(await talk.command("two")) == [{"lang": "", "model": False, "n": 3}, ["n"]]
        assert json.loads(await talk.command("old")) == [None, None]
        conflicts = [[each.why for each in member.registrations.conflicts] for member in talk.extensions.members]
        await talk.extensions.reload()
        assert json.loads(await talk.command("one")) == [{"plan": False, "lang": "fr"}, ["lang"]]
    assert conflicts == [
        [],
        [
            "the flag --lang is shadowed by that of extension one, which is loaded before",
            "the flag --model is shadowed by zot's own",
        ],
        [
            "the flag --plan is shadowed by that of extension one, which is loaded before",
            "the flag --lang is shadowed by that of extension one, which is loaded before",
        ],
    ]


async def test_a_flag_that_the_manifest_does_not_have_is_rejected(world: World) -> None:
    world.add("late", "ext.flag('plan')\next.flag('lang', default='en')", groups="registration_result")
    world.declare("late", flags=FLAGS[1:])
    async with world.running() as talk:
        pass
    assert "the flag --plan is not in the manifest; it can never be given" in talk.log("late")
    assert "the host: flag 'plan' is rejected: the flag --plan is not in the manifest" in talk.log("late")
    assert "--lang" not in talk.log("late")


async def test_a_manifest_with_a_wrong_flag_is_reported_and_no_program_is_started(world: World, tmp_path: Path) -> None:
    world.add("wrong", "")
    world.declare("wrong", flags=[{"name": "plan", "default": "yes"}])
    world.add("right", "")
    discovery = discover(world.folders, str(tmp_path), str(tmp_path / "none"))
    assert [each.name for each in discovery.active()] == ["right"]
    assert [each.message for each in discovery.problems] == [
        "extension.json: field 'flags[0].default' must be true or false, as its type says"
    ]
