"""Calls of an extension whose manifest has `permissions`."""

import json

from calling_extension import CALLER, RAW, World

FREE = {"read": True, "write": True, "network": True, "exec": True, "commands": True}
"""What the system need not keep it to."""


def permit(world: World, name: str, **permissions: object) -> None:
    path = world.root / "extensions" / name / "extension.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"permissions": FREE | permissions}))


async def test_a_call_that_its_permissions_do_not_name_is_denied(world: World) -> None:
    world.add("caller", CALLER)
    permit(world, "caller", calls=["model.get", "session.*", "messages.*"])
    async with world.running() as talk:
        assert (await talk.call("model.get"))["result"]["model"] == "scripted"
        for method in ("model.complete", "session.entries", "messages.send", "kv.get"):
            answer = await talk.call(method, prompt="x", key="k", text="t")
            assert answer == {
                "code": "denied",
                "error": f"the call {method!r} is refused: the permissions of its manifest do not have it",
            }
        assert "the call 'session.entries' is refused" in talk.log("caller")


async def test_an_extension_that_asks_for_results_is_sent_each_refusal(world: World) -> None:
    source = (
        "say(type='hello', name='raw', capabilities=['registration_result'])\nuntil('hello_ack')\n"
        "say(type='register_tool', name='bash', description='', schema={'type': 'object'})\n"
        "say(type='subscribe', events=['tool_call'], intercept=['tool_call'])\n"
        "found = [until('registration_result') for _ in range(3)]\n"
        "frame = command('raw')\nshow(frame, [(each['kind'], each['status'], each['reason']) for each in found])\n"
    )
    world.add_raw("raw", RAW + source)
    permit(world, "raw")
    async with world.running() as talk:
        found = json.loads(await talk.command("raw"))
    why = "is refused: permissions.{} of its manifest does not have it"
    assert found == [
        ["tool", "rejected", "the tool 'bash' " + why.format("tools")],
        ["event", "rejected", "to observe tool_call " + why.format("conversation")],
        ["intercept", "rejected", "to intercept tool_call " + why.format("intercept")],
    ]
