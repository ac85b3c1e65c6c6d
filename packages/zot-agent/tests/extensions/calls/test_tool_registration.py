"""How extensions register tools: lines for the prompt, parallel calls, time, overriding, taking back, choosing."""

from pathlib import Path

import pytest
from calling_extension import CALLER, RAW, World
from waiting import until

from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.events import ToolResultEvent
from zot_provider.messages import TextBlock
from zot_provider.request import Sampling
from zot_provider.testing import Call, ScriptedClient, Turn


def texts(events: list[object]) -> list[tuple[str, bool]]:
    """Text and error flag of each result."""
    results = [each for each in events if isinstance(each, ToolResultEvent)]
    return [
        ("".join(block.text for block in each.content if isinstance(block, TextBlock)), each.is_error)
        for each in results
    ]


async def test_the_line_of_a_tool_is_in_the_system_prompt_while_the_model_has_the_tool(world: World) -> None:
    world.add(
        "lines",
        "@ext.tool(snippet='Ask `oracle`  first.\\nAlways.')\ndef oracle():\n"
        "    'O.'\n    ext.remove_tool('oracle')\n    return 'x'\n",
        "",
    )
    client = ScriptedClient([Turn(calls=[Call("oracle", {})]), "done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
    first, second = client.requests
    assert "Ask `oracle` first. Always." in first.system
    assert "oracle" in [each.name for each in first.tools]
    assert "oracle" not in second.system
    assert "oracle" not in [each.name for each in second.tools]


async def test_the_first_request_has_the_tools_that_are_registered_or_chosen_when_the_prompt_begins(
    world: World,
) -> None:
    world.add(
        "late",
        "@ext.intercept('before_agent_start', cadence='prompt')\ndef start(it):\n"
        "    @ext.tool(snippet='Ask `oracle` first.')\n    def oracle():\n        'O.'\n"
        "    if it.prompt == 'look':\n        ext.tools.set_active(['oracle', 'read'])\n",
        "intercepts2 tools2",
    )
    client = ScriptedClient(["one", "two"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        await talk.conversation.prompt("look")
    first, second = client.requests
    assert {"oracle", "bash"} < {each.name for each in first.tools}
    assert first.system.count("Ask `oracle` first.") == 1
    assert [each.name for each in second.tools] == ["oracle", "read"]


async def test_parallel_tools_of_a_batch_run_at_the_same_time(world: World) -> None:
    world.add(
        "pair",
        "import threading\nboth = threading.Barrier(2, timeout=60)\n"
        "@ext.tool(parallel=True)\ndef meet(name: str) -> str:\n    'M.'\n    both.wait()\n    return name\n",
        "",
    )
    client = ScriptedClient([Turn(calls=[Call("meet", {"name": "a"}), Call("meet", {"name": "b"})]), "done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        assert texts(talk.told) == [("a", False), ("b", False)]


async def test_a_tool_has_the_time_that_it_asks_for(world: World) -> None:
    world.add(
        "slow",
        "@ext.tool(seconds=0.05)\ndef nap():\n    'N.'\n    import time\n    time.sleep(30)\n"
        "@ext.tool(seconds=600)\ndef long():\n    'L.'\n    return 'long'\n",
        "",
    )
    client = ScriptedClient([Turn(calls=[Call("nap", {}), Call("long", {})]), "done"])
    async with world.running(client, tool_seconds=0.01, shutdown_seconds=0.2, kill_seconds=0.2) as talk:
        await talk.conversation.prompt("go")
        assert texts(talk.told) == [("nap of extension slow gave no result within 0.05 s", True), ("long", False)]


@pytest.mark.parametrize(
    ("field", "why"),
    [({"execution_mode": "fast"}, "unknown execution_mode 'fast'"), ({"exposure": "x"}, "unknown exposure 'x'")],
)
async def test_a_tool_with_an_unknown_mode_is_refused(world: World, field: dict[str, str], why: str) -> None:
    source = RAW + "say(type='hello', name='odd', capabilities=['tools2'])\n"
    source += f"say(type='register_tool', name='odd', description='', schema={{}}, **{field!r})\ncommand('x')\n"
    world.add_raw("odd", source)
    async with world.running() as talk:
        assert [each.name for each in talk.extensions.tools] == []
        assert why in talk.log("odd")


async def test_of_two_overriders_of_one_tool_the_first_wins_and_the_other_is_told(world: World) -> None:
    for name in "ab":
        world.add(
            name,
            f"@ext.tool(override=True)\ndef read(path: str) -> str:\n    'Of {name}.'\n    return {name!r} + path\n",
            "registration_result",
        )
    client = ScriptedClient([Turn(calls=[Call("read", {"path": "x"})]), "done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        assert texts(talk.told) == [("ax", False)]
        conflicts = [
            [each.why for each in member.registrations.conflicts if not each.own] for member in talk.extensions.members
        ]
        assert "the tool read takes the place of zot's own" in conflicts[0]
        assert "the tool read is shadowed by that of extension a, which is loaded before" in conflicts[1]
        await until(lambda: "tool 'read' is shadowed" in talk.log("b"))


async def test_zot_s_own_tool_comes_back_when_the_one_in_its_place_ends(world: World) -> None:
    world.add(
        "gone", "@ext.tool(override=True)\ndef read(path: str) -> str:\n    'G.'\n    import os\n    os._exit(1)\n", ""
    )
    calls = [Turn(calls=[Call("read", {"path": "x.txt"})]) for _ in range(2)]
    client = ScriptedClient([*calls, "done"])
    async with world.running(client) as talk:
        (Path(talk.runtime.cwd) / "x.txt").write_text("of zot")
        await talk.conversation.prompt("go")
        (_, failed), again = texts(talk.told)
    assert failed
    assert again == ("of zot\n", False)


async def test_without_override_zot_s_own_tool_stays(world: World) -> None:
    world.add("sly", "@ext.tool\ndef read(path: str) -> str:\n    'S.'\n    return 'sly'\n", "")
    async with world.running() as talk:
        assert talk.extensions.tools == []


async def test_rules_judge_a_tool_in_the_place_of_zot_s_own_as_that(world: World) -> None:
    from zot_core.permissions.rule import parse_rule

    world.add("sly", "@ext.tool(override=True)\ndef read(path: str) -> str:\n    'S.'\n    return 'sly'\n", "")
    client = ScriptedClient([Turn(calls=[Call("read", {"path": "secret/x"})]), "done"])
    async with world.running(client) as talk:
        talk.conversation.permissions.rules = [parse_rule("deny", "read(secret/**)")]
        await talk.conversation.prompt("go")
        [(text, failed)] = texts(talk.told)
    assert failed
    assert "denies this call" in text


async def test_the_mode_plan_asks_about_a_tool_that_says_that_it_only_reads(world: World) -> None:
    world.add(
        "two",
        "@ext.tool(read_only=True)\ndef look():\n    'L.'\n    return 'looked'\n"
        "@ext.tool\ndef act():\n    'A.'\n    return 'acted'\n",
        "",
    )
    asked: list[PermissionQuestion] = []

    async def ask(question: PermissionQuestion) -> PermissionAnswer:
        asked.append(question)
        return PermissionAnswer("yes")

    client = ScriptedClient([Turn(calls=[Call("look", {}), Call("act", {})]), "done"])
    async with world.running(client) as talk:
        talk.conversation.permissions.mode = "plan"
        talk.conversation.permissions.ask_with(ask)
        await talk.conversation.prompt("go")
        looked, acted = texts(talk.told)
    assert looked == ("looked", False)
    assert acted[1]
    assert [question.call.name for question in asked] == ["look"]


PREPARED = """
def fix(args):
    if args.get("n") == "crash": raise ValueError("no")
    return {"n": int(args["n"])} if "n" in args else None
@ext.tool(prepare=fix)
def double(n: int) -> str:
    'D.'
    return str(n * 2)
"""


async def test_a_tool_prepares_its_arguments_before_they_are_checked_and_before_guards_see_them(world: World) -> None:
    world.add("double", PREPARED, "")
    seen: list[object] = []
    calls = [Call("double", {"n": "4"}), Call("double", {"n": "crash"}), Call("double", {})]
    client = ScriptedClient([Turn(calls=calls), "done"])
    async with world.running(client) as talk:
        talk.runtime.hooks.tool_call.add(lambda call: seen.append(call.arguments))
        await talk.conversation.prompt("go")
        first, second, third = texts(talk.told)
    assert first == ("8", False)
    assert "must be of type integer" in second[0]
    assert "is missing" in third[0]
    assert seen == [{"n": 4}, {"n": "crash"}, {}]


async def test_an_extension_chooses_the_tools_of_the_model_until_it_ends(world: World) -> None:
    world.add("caller", CALLER + "\n@ext.tool\ndef mine():\n    'M.'\n    return 'mine'\n", "tools2")
    client = ScriptedClient(["one", Turn(calls=[Call("bash", {"command": "true"})]), "two", "three"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
        everything = (await talk.call("tools.active"))["result"]["names"]
        assert {"mine", "read", "bash"} <= {*everything}
        listed = {each["name"]: each for each in (await talk.call("tools.list"))["result"]["tools"]}
        assert listed["mine"]["source"] == "caller"
        assert listed["read"] | {"schema": {}, "description": ""} == {
            "name": "read", "description": "", "schema": {}, "source": "zot", "active": True, "deferred": False,
        }  # fmt: skip
        assert (await talk.call("tools.set_active", names=["mine", "read"]))["result"]["names"] == ["mine", "read"]
        named = (await talk.call("tools.set_active", names=["mine", "read", "ls"]))["result"]["names"]
        assert named == ["ls", "mine", "read"]
        assert (await talk.call("tools.set_active", names=["reed"]))["code"] == "not_found"
        await talk.conversation.prompt("go")
        await talk.extensions.reload()
        await talk.conversation.prompt("go")
        [(text, failed)] = texts(talk.told)
    first, second, _, last = ([spec.name for spec in request.tools] for request in client.requests)
    assert first == last == everything
    assert "ls" not in first  # on demand: offered to who names it
    assert second == ["ls", "mine", "read"]
    assert failed
    assert text.startswith('unknown tool "bash"')


async def test_an_extension_that_sets_the_active_tools_back_switches_off_none(world: World) -> None:
    world.add("caller", CALLER, "tools2")
    call = Turn(calls=[Call("ls", {})])
    async with world.running(ScriptedClient(["one", call, "two", call, "three", call, "four"])) as talk:
        await talk.conversation.prompt("go")
        everything = (await talk.call("tools.active"))["result"]["names"]
        assert (await talk.call("tools.set_active", names=everything))["result"]["names"] == everything
        await talk.conversation.prompt("go")
        without = [name for name in everything if name != "bash"]
        assert (await talk.call("tools.set_active", names=without))["result"]["names"] == without
        await talk.conversation.prompt("go")
        assert (await talk.call("tools.set_active", names=everything))["result"]["names"] == everything
        await talk.conversation.prompt("go")
        failed = [failed for _, failed in texts(talk.told)]
    assert failed == [False, True, False]  # who leaves a tool out means the others, and no more


async def test_a_reload_while_a_tool_runs_fails_the_call_and_the_tools_are_there_again(world: World) -> None:
    world.add(
        "slow",
        "@ext.tool(parallel=True, snippet='Wait.')\ndef wait():\n    'W.'\n    import time\n"
        "    ext.tools.progress('began')\n    time.sleep(60)\n",
        "",
    )
    client = ScriptedClient([Turn(calls=[Call("wait", {})]), "done"])
    async with world.running(client, shutdown_seconds=0.2, kill_seconds=0.2) as talk:
        run = talk.conversation.prompt("go")
        await until(lambda: any(getattr(each, "text", "") == "began" for each in talk.told))
        await talk.extensions.reload()
        await run
        [(text, failed)] = texts(talk.told)
    assert failed
    assert "wait cannot run" in text
    assert "wait" in [spec.name for spec in client.requests[1].tools]


MANY = """
def add(n):
    ext.tool(lambda args: f'{n} ran', name=f'cell_{n}', description=f'Paint cell {n}.', schema={'type': 'object'},
             deferred=True, namespace='canvas', snippet='Never seen.')
for n in range(200): add(n)
ext.tool(lambda args: Result((TextBlock('see cell_7'),), activate_tools=('cell_7',)), name='hint', description='H.',
         schema={'type': 'object'})
"""


async def test_deferred_tools_are_found_with_a_search_and_named_by_results(world: World) -> None:
    world.add("many", MANY, "")
    source = RAW + (
        "say(type='hello', name='old')\n"
        "say(type='register_tool', name='dug', description='Dig.', schema={}, exposure='deferred')\ncommand('x')\n"
    )
    world.add_raw("old", source)
    client = ScriptedClient(
        [
            Turn(calls=[Call("tool_search", {"query": "paint 150"})]),
            "found",
            Turn(calls=[Call("cell_150", {}), Call("hint", {})]),
            "done",
            "again",
        ]
    )
    async with world.running(client, session=True) as talk:
        talk.conversation.permissions.mode = "plan"
        await talk.conversation.prompt("go")
        (found, failed), *_ = texts(talk.told)
        assert not failed
        assert found.startswith("5 of 201 tools")
        talk.conversation.permissions.mode = "yolo"
        await talk.conversation.prompt("go on")
        await talk.extensions.reload()
        await talk.conversation.prompt("again")
    names = [[each.name for each in request.tools] for request in client.requests]
    assert not any(name.startswith("cell_") or name == "dug" for name in names[0])
    assert "cell_150" in names[1]
    assert "cell_7" not in names[2]
    assert {"cell_150", "cell_7"} <= {*names[3]}
    assert names[3] == names[4]
    added = [each for each in client.requests[0].tools if each.name == "tool_search"]
    assert sum(len(each.description) + len(str(each.schema)) for each in added) < 2000
    assert "canvas (200), old (1)" in added[0].description
    assert "Never seen" not in client.requests[0].system


async def test_without_deferred_tools_there_is_no_search(world: World) -> None:
    body = "@ext.tool(deferred=True)\ndef dig() -> str:\n    'D.'\n    ext.remove_tool('dig')\n    return 'dug'\n"
    world.add("digger", body, "")
    client = ScriptedClient([Turn(calls=[Call("dig", {})]), "done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
    names = [[each.name for each in request.tools] for request in client.requests]
    assert ["tool_search" in each for each in names] == [True, False]


async def test_what_a_model_may_write_reaches_the_request(world: World) -> None:
    world.add(
        "written",
        "@ext.tool(lark='start: /a+/')\ndef patch(input: str) -> str:\n    'P.'\n    return input\n"
        "@ext.tool(strict=True)\ndef alter(path: str) -> str:\n    'A.'\n    return path\n",
        "",
    )
    client = ScriptedClient(["done"])
    async with world.running(client) as talk:
        await talk.conversation.prompt("go")
    found = {each.name: each.sampling for each in client.requests[0].tools}
    assert (found["patch"], found["alter"]) == (Sampling("lark", "start: /a+/"), Sampling("json_schema"))
    assert found["bash"] is None


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"type": "moon"}, "constrained_sampling of the unknown type 'moon'"),
        ({"type": "lark"}, "the grammar of the tool odd must have 1 to"),
        ({"type": "regex", "grammar": 5}, "the grammar of the tool odd must have 1 to"),
        ({"type": "regex", "grammar": "a"}, "its only parameter must be the text input"),
    ],
)
async def test_a_grammar_that_cannot_be_used_refuses_the_tool(
    world: World, fields: dict[str, object], problem: str
) -> None:
    tool = {"name": "odd", "description": "", "schema": {"type": "object"}, "constrained_sampling": fields}
    steps = ("say(type='hello', name='raw')", f"say(type='register_tool', **{tool!r})", "say(type='ready')")
    world.add_raw("raw", RAW + "\n".join((*steps, "until('shutdown')\n")))
    async with world.running() as talk:
        assert talk.extensions.tools == []
        assert problem in talk.log("raw")
