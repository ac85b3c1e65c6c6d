"""Servers that misbehave, each a real process: the conversation continues, and a line says what is wrong."""

from mcp_world import McpTalk, McpWorld
from waiting import until

from zot_provider.testing import Call, Turn


async def test_servers_that_cannot_be_used_disturb_nobody(mcp: McpWorld) -> None:
    mcp.raw("good", "serve(lambda name, arguments: text('fine'))")
    mcp.raw("silent", "while True: read()", startup_timeout=1000)
    mcp.raw("dies", "sys.exit(3)")
    mcp.raw("babbles", "print('hello!', flush=True); print('{\"x\":', flush=True); serve(lambda n, a: text('babbled'))")
    mcp.raw("flood", "sys.stdout.write('x' * (17 << 20)); sys.stdout.flush(); time.sleep(60)")
    mcp.add("absent", command="/does/not/exist")
    mcp.add("unset", command="x", args=["${ZOT_NO_SUCH_VARIABLE}"])
    mcp.add("refused", url="http://127.0.0.1:9/mcp")
    async with mcp.running() as zot:
        assert await zot.call("mcp__good__go") == "fine"
        await until(lambda: "mcp__babbles__go" in zot.tools)
        assert await zot.call("mcp__babbles__go") == "babbled"
        why = {
            "silent": "failed: the server was not ready within 1 s (startup_timeout): it ",
            "dies": "the server has ended with exit code 3",
            "flood": "the server sent a line of more than 16 MiB",
            "absent": "failed: the server cannot be started: /does/not/exist: No such file or directory",
            "refused": "the server cannot be used: ",
        }
        for name, problem in why.items():
            await zot.until_shown(name, problem)
        assert "needs the variable ZOT_NO_SUCH_VARIABLE, which is not set" in await zot.command("mcp")


WEAK = "serve(lambda name, arguments: os._exit(1) if arguments else text(str(os.getpid())))"


async def a_server_that_dies_in_a_call_is_started_again(zot: McpTalk) -> None:
    first = await zot.call("mcp__weak__go")
    assert await zot.call("mcp__weak__go", die=True) == "ERROR the MCP server weak has ended with exit code 1"
    second = await zot.call("mcp__weak__go")
    assert first.isdigit()
    assert second.isdigit()
    assert first != second


MOODY = """
def go(name, arguments):
    if name == "go":
        tools[:] = [tool("other")]
        for _ in range(1000): say(method="notifications/tools/list_changed")
    return text(name)
serve(go)
"""


async def tools_that_change_during_a_call_are_there_for_the_next_one(zot: McpTalk) -> None:
    assert await zot.call("mcp__moody__go") == "go"
    await until(lambda: "mcp__moody__other" in zot.tools)
    assert await zot.call("mcp__moody__other") == "other"
    await until(lambda: "mcp__moody__go" not in zot.tools)


BIG = """
def go(name, arguments):
    if arguments:
        sys.stdout.write('{"jsonrpc": "2.0", "id": 1, "result": "')
        for _ in range(100): sys.stdout.write("x" * (1 << 20))
        sys.stdout.flush()
    return text("y" * 300_000)
serve(go)
"""


async def an_answer_of_a_hundred_megabytes_costs_the_server_its_connection_only(zot: McpTalk) -> None:
    long = await zot.call("mcp__big__go")
    assert long == "y" * 100_000 + "\n(cut: 200000 more characters)"
    answer = await zot.call("mcp__big__go", all=True)
    assert answer == "ERROR the MCP server big sent a line of more than 16 MiB"
    assert await zot.call("mcp__big__go") == long


SAMPLER = """
def go(name, arguments):
    said = []
    for number in range(arguments["times"]):
        message = {"role": "user", "content": {"type": "text", "text": f"question {number}"}}
        say(id=f"s{number}", method="sampling/createMessage", params={"messages": [message], "maxTokens": 100})
        while (answer := read()).get("id") != f"s{number}": pass
        said.append(answer["result"]["content"]["text"] if "result" in answer else answer["error"]["message"])
    return text("; ".join(said))
serve(go)
"""


async def a_server_may_ask_the_model_a_few_times_if_the_person_agrees(zot: McpTalk) -> None:
    zot.person.answers.append(True)
    zot.talk.client.add(Turn(calls=[Call("mcp__sampler__go", {"times": 12})]))
    zot.talk.client.add(*(f"answer {number}" for number in range(10)), "done")
    (answer,) = await zot.prompt()
    assert answer.split("; ") == [
        *(f"answer {number}" for number in range(10)),
        *["more than 10 samplings in one call"] * 2,
    ]
    shown = zot.person.shown.pop()
    assert shown.title == "Let the MCP server sampler ask your model in this session?"
    assert shown.message == "question 0"


async def a_server_may_not_ask_the_model_if_the_person_does_not_agree(zot: McpTalk) -> None:
    zot.person.answers.append(False)
    assert await zot.call("mcp__greedy__go", times=2) == "; ".join(["the user does not allow sampling"] * 2)
    zot.person.shown.pop()
    assert zot.person.shown == []


ASKS = """
def go(name, arguments):
    schema = {"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string", "title": "Your name"},
        "age": {"type": "integer"},
        "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
        "tags": {"type": "array", "items": {"type": "string"}},
    }}
    say(id="e", method="elicitation/create", params={"mode": "form", "message": "Who?", "requestedSchema": schema})
    while (answer := read()).get("id") != "e": pass
    return text(json.dumps(answer["result"]))
serve(go)
"""


async def a_server_may_ask_the_person(zot: McpTalk) -> None:
    zot.person.answers += [{"name": "Ada", "age": 36, "tags": "a, b"}, None]
    answer = await zot.call("mcp__asks__go")
    assert answer == '{"action": "accept", "content": {"name": "Ada", "age": 36, "tags": ["a", "b"]}}'
    assert await zot.call("mcp__asks__go") == '{"action": "cancel"}'
    shown = zot.person.shown[0]
    assert (shown.kind, shown.title, shown.message) == ("form", "MCP server asks", "Who?")
    assert [(each.name, each.kind, each.required) for each in shown.fields] == [
        ("name", "text", True), ("age", "integer", False), ("color", "select", False), ("tags", "text", False),
    ]  # fmt: skip
    assert shown.fields[2].choices == ("red", "blue")


SLOW = """
def go(name, arguments):
    open("waiting", "w")
    while (message := read()).get("method") != "notifications/cancelled": pass
    open("cancelled", "w")
    return text("late")
serve(go)
"""


async def a_call_that_is_stopped_is_cancelled_at_the_server(zot: McpTalk) -> None:
    zot.talk.client.add(Turn(calls=[Call("mcp__slow__go", {})]))
    run = zot.talk.conversation.prompt("go")
    await until(lambda: (zot.project / "waiting").exists())
    run.cancel()
    await until(lambda: (zot.project / "cancelled").exists())


MANY = "tools[:] = [tool(f'tool{number}') for number in range(200)]\nserve(lambda name, arguments: text(name))"


async def two_hundred_tools_do_not_fill_the_prompt(zot: McpTalk) -> None:
    assert await zot.call("mcp__weak__go")
    names = [each.name for each in zot.talk.client.requests[-1].tools]
    assert len([name for name in zot.tools if name.startswith("mcp__many__")]) == 200
    assert not [name for name in names if name.startswith("mcp__many__")]
    assert "tool_search" in names


async def test_servers_with_habits(mcp: McpWorld) -> None:
    """One extension for all of them: it takes a second of a processor to start."""
    programs = {
        "weak": WEAK,
        "moody": MOODY,
        "big": BIG,
        "sampler": SAMPLER,
        "greedy": SAMPLER,
        "asks": ASKS,
        "slow": SLOW,
        "many": MANY,
    }
    for name, source in programs.items():
        mcp.raw(name, source)
    async with mcp.running() as zot:
        await two_hundred_tools_do_not_fill_the_prompt(zot)
        await a_server_that_dies_in_a_call_is_started_again(zot)
        await tools_that_change_during_a_call_are_there_for_the_next_one(zot)
        await an_answer_of_a_hundred_megabytes_costs_the_server_its_connection_only(zot)
        await a_server_may_ask_the_model_a_few_times_if_the_person_agrees(zot)
        await a_server_may_not_ask_the_model_if_the_person_does_not_agree(zot)
        await a_server_may_ask_the_person(zot)
        await a_call_that_is_stopped_is_cancelled_at_the_server(zot)
