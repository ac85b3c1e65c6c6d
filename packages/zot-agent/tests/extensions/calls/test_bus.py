"""Messages between extensions, each a real process."""

import asyncio
import json
from typing import Any

from calling_extension import CALLER, RAW, Talk, World

HEARER = """
seen = []
def hear(pattern):
    @ext.bus.on(pattern)
    def heard(message):
        seen.append([pattern, message.channel, message.data, message.sender])
for pattern in {patterns!r}:
    hear(pattern)
@ext.command("seen-{name}")
def show(_):
    import json
    return json.dumps(seen)
"""


def add_hearer(world: World, name: str, *patterns: str) -> None:
    world.add(name, HEARER.format(name=name, patterns=patterns), groups="")


async def seen(talk: Talk, name: str) -> Any:
    """What a hearer has heard. A message that was sent to it comes before its command."""
    return json.loads(await talk.command(f"seen-{name}"))


async def test_a_message_reaches_those_that_want_its_channel_but_not_its_sender(world: World) -> None:
    world.add("caller", CALLER + "\next.bus.on('*')(lambda message: ext.log('an echo'))", groups="bus")
    add_hearer(world, "one", "plan.*", "plan.done")
    add_hearer(world, "two", "plan.other", "*")
    add_hearer(world, "deaf")
    async with world.running() as talk:
        emitted = await talk.call("bus.emit", channel="plan.done", data={"n": [1, None]})
        assert emitted == {"result": {"receivers": 2}}
        assert await talk.call("bus.emit", channel="planet") == {"result": {"receivers": 1}}
        assert await talk.call("bus.emit", channel="plan.x", data=1, to="one") == {"result": {"receivers": 1}}
        assert await talk.call("bus.emit", channel="plan.x", to="nobody") == {"result": {"receivers": 0}}
        first = ["plan.done", {"n": [1, None]}, "caller"]
        assert await seen(talk, "one") == [["plan.*", *first], ["plan.done", *first], ["plan.*", "plan.x", 1, "caller"]]
        assert await seen(talk, "two") == [["*", *first], ["*", "planet", None, "caller"]]
        assert await seen(talk, "deaf") == []
        assert "an echo" not in talk.log("caller")


async def test_what_no_channel_can_carry_is_refused(world: World) -> None:
    world.add("caller", CALLER, groups="bus")
    async with world.running() as talk:
        for params, code in (
            ({}, "invalid"),
            ({"channel": 1}, "invalid"),
            ({"channel": ""}, "invalid"),
            ({"channel": "a b"}, "invalid"),
            ({"channel": "a.*"}, "invalid"),
            ({"channel": "x" * 201}, "invalid"),
            ({"channel": "a", "to": []}, "invalid"),
            ({"channel": "a", "data": "x" * 256 * 1024}, "too_large"),
        ):
            assert (await talk.call("bus.emit", **params))["code"] == code, params
        assert (await talk.call("bus.emit", channel="a", data="x" * 262_142))["result"] == {"receivers": 0}


async def test_a_pattern_that_covers_nothing_and_a_group_that_was_not_asked_for_bring_nothing(world: World) -> None:
    world.add("caller", CALLER, groups="bus")
    source = (
        "say(type='hello', name='raw', capabilities=[])\nuntil('hello_ack')\n"
        "say(type='subscribe', events=['bus:a*b', 'bus:', 'bus:a'])\n"
        "frame = command('raw')\nshow(frame, 'nothing came')\n"
    )
    world.add_raw("raw", RAW + source)
    async with world.running() as talk:
        assert await talk.call("bus.emit", channel="a") == {"result": {"receivers": 0}}
        assert await talk.command("raw") == "nothing came"
        assert "to observe bus:a*b is refused: a pattern must be a name without spaces" in talk.log("raw")
        assert "to observe bus: is refused" in talk.log("raw")


async def test_permissions_that_do_not_name_the_bus_keep_it_silent(world: World) -> None:
    world.add("caller", CALLER, groups="bus")
    add_hearer(world, "shy", "a")
    add_hearer(world, "open", "a")
    free = {"read": True, "write": True, "network": True, "exec": True, "commands": True}
    world.declare("shy", permissions=free)
    world.declare("open", permissions=free | {"calls": ["bus.*"]})
    async with world.running() as talk:
        assert await talk.call("bus.emit", channel="a") == {"result": {"receivers": 1}}
        assert await seen(talk, "shy") == []
        assert "to observe bus:a is refused: permissions.calls" in talk.log("shy")


async def test_a_flood_holds_nobody_and_the_log_of_the_flooded_says_what_it_lost(world: World) -> None:
    world.add(
        "flooder",
        "@ext.command('flood')\ndef flood(_):\n"
        "    for number in range(600):\n        ext.bus.emit('water', 'x' * 1000)\n    return 'done'\n",
        groups="bus",
    )
    # It reads its greeting and nothing else, until a line comes on no pipe of zot's.
    source = (
        "say(type='hello', name='stuck', capabilities=['bus'])\nuntil('hello_ack')\n"
        "say(type='subscribe', events=['bus:*'])\nsay(type='ready')\nimport time\ntime.sleep(600)\n"
    )
    world.add_raw("stuck", RAW + source)
    add_hearer(world, "well", "water")
    world.add("bystander", "@ext.command('ping')\ndef ping(_): return 'pong'", groups="")
    async with world.running(shutdown_seconds=0.2, kill_seconds=0.2, queue_frames=8) as talk:
        flood = asyncio.create_task(talk.command("flood"))
        assert await talk.command("ping") == "pong"
        assert await flood == "done"
        assert [message[1] for message in await seen(talk, "well")][:1] == ["water"]
        members = {member.name: member for member in talk.extensions.members}
        assert members["stuck"].running
    assert "events were dropped because the extension did not read" in talk.log("stuck")
