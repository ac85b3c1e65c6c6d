import asyncio
import contextlib
import json
import stat
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE, until

from zot_agent.extensions.discover import discover
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.setup import ExtensionSetup
from zot_core.agent import Agent, user_message
from zot_core.conversation import events
from zot_core.conversation.commands import CommandAnswer, CommandError
from zot_core.conversation.events import ExtensionEvent, Panel
from zot_core.events import AgentEvent, AssistantMessage, Notice, ToolResultEvent, TurnEnd
from zot_core.testing import make_agent
from zot_core.tools import BUILTIN_TOOLS
from zot_core.tools.definition.tool import tool
from zot_ext.limits import ExtensionLimits
from zot_provider.messages import TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn


def limits(**named: float) -> ExtensionLimits:
    """Limits that a slow machine does not reach, but for those that are named."""
    long = ("hello_seconds", "ready_total_seconds", "ready_idle_seconds", "intercept_seconds", "shutdown_seconds")
    patient = dict.fromkeys(long, PATIENCE)
    return ExtensionLimits(**(patient | named))


PATIENT = limits()
UNCONFINED = {"read": True, "write": True, "network": True, "exec": True}
"""Permissions of a process that the system need not confine."""
IMPATIENT = {"shutdown_seconds": 0.3, "kill_seconds": 0.3}
"""For extensions that hang."""


@tool
async def echo(text: str) -> str:
    return text


class Scene:
    """Extensions in folders, an agent with the tool `echo`, and everything that was told."""

    def __init__(self, home: Path) -> None:
        self.home, self.folders = home, list[str]()
        self.told: list[ExtensionEvent] = []
        self.events: list[AgentEvent] = []

    def add(self, name: str, body: str, *, header: str = "", **manifest: Any) -> Path:
        """An extension whose program is `body`, between the imports and `ext.run()`, on the SDK."""
        source = f"{header}\nimport json, os, time\nfrom zot_ext import *\next = Extension({name!r}, '1')\n{body}\n"
        return self.add_raw(name, source + "ext.run()\n", **manifest)

    def add_raw(self, name: str, source: str, **manifest: Any) -> Path:
        """An extension whose program is `source`."""
        folder = self.home / name
        folder.mkdir(exist_ok=True)
        program = folder / "main.py"
        program.write_text(f"#!{sys.executable}\n{source}")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        (folder / "extension.json").write_text(json.dumps({"name": name, "exec": "./main.py"} | manifest))
        if str(folder) not in self.folders:
            self.folders.append(str(folder))
        return folder

    @contextlib.asynccontextmanager
    async def running(
        self, client: ScriptedClient | None = None, within: ExtensionLimits = PATIENT, **named: Any
    ) -> Any:
        """The extensions, started, and the agent."""
        agent = make_agent(client or ScriptedClient(), echo)
        agent.hooks.event.add(self.events.append)
        extensions = Extensions(
            lambda: discover(self.folders, str(self.home), str(self.home / "none")),
            lambda: AgentInfo("/proj", "scripted", agent.model.id, "session-1"),
            ExtensionSetup(str(self.home / "zot"), within, **named),
        )
        extensions.events.add(self.told.append)
        extensions.attach(agent)
        extensions.start()
        try:
            yield extensions, agent
        finally:
            await extensions.close()

    def outputs(self) -> list[tuple[str, bool]]:
        """Text and error flag of each tool result."""
        return [
            ("".join(block.text for block in event.content if isinstance(block, TextBlock)), event.is_error)
            for event in self.events
            if isinstance(event, ToolResultEvent)
        ]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    folder = tmp_path / "extensions"
    folder.mkdir()
    return Scene(folder)


def play(scene: Scene, client: ScriptedClient, within: ExtensionLimits = PATIENT, **named: Any) -> Agent:
    """The agent, after it has answered one prompt with the extensions running."""

    async def run() -> Agent:
        async with scene.running(client, within, **named) as (_, agent):
            await agent.run(user_message("hi"))
            return agent

    return asyncio.run(run())


def with_extensions(
    scene: Scene, act: Callable[[Extensions, Agent], Awaitable[None]], within: ExtensionLimits = PATIENT
) -> None:
    """Run `act` once all extensions are ready."""

    async def run() -> None:
        async with scene.running(None, within) as (extensions, agent):
            await extensions.ready()
            await act(extensions, agent)

    asyncio.run(run())


def test_a_tool_of_an_extension_does_its_work_and_its_result_says_whose_it_is(scene: Scene) -> None:
    scene.add("weather", "@ext.tool\ndef weather(city: str) -> str:\n    'Weather.'\n    return f'{city}: fog'")
    client = ScriptedClient([Turn(calls=[Call("weather", {"city": "Berlin"})]), "ok"])

    play(scene, client)

    assert [spec.name for spec in client.requests[0].tools] == ["echo", "weather"]
    assert scene.outputs() == [("Berlin: fog", False)]
    (output,) = [event for event in scene.events if isinstance(event, ToolResultEvent)]
    assert output.details == {"extension": "weather"}


def test_arguments_reach_the_extension_as_the_model_wrote_them(scene: Scene) -> None:
    scene.add_raw(
        "raw",
        'import sys, json\nsay = lambda o: print(json.dumps(o), flush=True)\nsay({"type":"hello","name":"raw"})\n'
        'say({"type":"register_tool","name":"see","description":"","schema":{}})\nsay({"type":"ready"})\n'
        "for line in sys.stdin:\n"
        '    if json.loads(line)["type"] == "tool_call":\n'
        '        text = [{"type":"text","text":line.strip()}]\n'
        '        say({"type":"tool_result","id":json.loads(line)["id"],"content":text})\n'
        '    elif json.loads(line)["type"] == "shutdown":\n        break\n',
    )
    client = ScriptedClient([Turn(calls=[Call("see", '{ "n": 1e5, "m": 1.0 }')]), "ok"])

    play(scene, client)

    ((line, _),) = scene.outputs()
    assert line.endswith('"args":{ "n": 1e5, "m": 1.0 }}')


def test_interceptors_are_asked_in_load_order_and_each_sees_what_the_ones_before_made(scene: Scene) -> None:
    for name in "ab":
        scene.add(
            name,
            f"@ext.intercept('tool_call')\ndef edit(call):\n"
            f"    return ToolCallDecision(modified_args={{'text': call.args['text'] + {name!r}}})",
        )
    agent = play(scene, ScriptedClient([Turn(calls=[Call("echo", {"text": "-"})]), "ok"]))

    assert scene.outputs() == [("-ab", False)]
    assert agent.history.messages[1].tool_calls[0].arguments == '{"text": "-"}'


def test_the_first_block_wins_and_the_model_reads_why(scene: Scene) -> None:
    scene.add("a", "@ext.intercept('tool_call')\ndef no(call):\n    return ToolCallDecision(block=True, reason='no')")
    scene.add("b", "@ext.intercept('tool_call')\ndef see(call):\n    ext.notify('asked')")

    play(scene, ScriptedClient([Turn(calls=[Call("echo", {"text": "x"})]), "ok"]))

    assert scene.outputs() == [("no", True)]
    assert scene.told == []


def test_an_interceptor_is_asked_about_the_tools_of_its_permissions_alone(scene: Scene) -> None:
    guard = "@ext.intercept('tool_call')\ndef guard(call):\n    return block('no')"
    scene.add("of-bash", guard, permissions=UNCONFINED | {"intercept": ["bash"]})
    scene.add("of-none", guard, permissions=UNCONFINED | {"intercept": ["turn_start"]})

    play(scene, ScriptedClient([Turn(calls=[Call("echo", {"text": "x"})]), "ok"]))
    assert scene.outputs() == [("x", False)]

    scene.add("of-echo", guard, permissions=UNCONFINED | {"intercept": ["ec*"]})
    play(scene, ScriptedClient([Turn(calls=[Call("echo", {"text": "x"})]), "ok"]))
    assert scene.outputs()[1:] == [("no", True)]


def test_a_command_without_the_permission_to_submit_cannot_answer_with_a_prompt(scene: Scene) -> None:
    scene.add("x", COMMANDS, permissions=UNCONFINED | {"commands": ["say", "ask"]})

    async def act(extensions: Extensions, _: Agent) -> None:
        assert [command.name for command in extensions.commands] == ["ask", "say"]
        assert await extensions.run_command("say", "it") == CommandAnswer("x", "display", "said it")
        with pytest.raises(CommandError, match=r"^/ask: extension x may not submit prompts$"):
            await extensions.run_command("ask")

    with_extensions(scene, act)


def test_a_block_without_a_reason_has_the_documented_words(scene: Scene) -> None:
    scene.add("a", "@ext.intercept('tool_call')\ndef no(call):\n    return ToolCallDecision(block=True)")
    play(scene, ScriptedClient([Turn(calls=[Call("echo", {"text": "x"})]), "ok"]))
    assert scene.outputs() == [("tool call refused by extension guard", True)]

    scene.add("a", "@ext.intercept('turn_start')\ndef no(turn):\n    return TurnStartDecision(block=True)")
    play(scene, ScriptedClient(["never asked"]))
    assert TurnEnd("error", "turn blocked by extension guard") in scene.events


def test_a_call_whose_arguments_no_guard_could_read_does_not_run(scene: Scene) -> None:
    tool = "@ext.tool\ndef grow(by: float) -> str:\n    'Grows.'\n    return 'grown'\n"
    scene.add("a", f"{tool}@ext.intercept('tool_call')\ndef see(call):\n    pass")

    play(scene, ScriptedClient([Turn(calls=[Call("grow", '{"by": NaN}')]), "ok"]))

    ((text, is_error),) = scene.outputs()
    assert is_error
    assert text.startswith("the arguments of grow cannot be shown to the guards: ")


RAW_GUARD = """
import json, sys
def say(line): print(line, flush=True)
say('{"type":"hello","name":"raw"}')
say('{"type":"subscribe","intercept":["tool_call"]}')
say('{"type":"ready"}')
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "event_intercept":
        say('{"type":"event_intercept_response","id":"%s","modified_args":VALUE}' % frame["id"])
    elif frame["type"] == "shutdown":
        break
"""


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ('{"text":"new"}', "new"),
        ('{ "text" : "x" }', "x"),  # says the same
        ("null", "x"),
        ("[1]", "x"),
        ('"new"', "x"),
        ("3", "x"),
        ("true", "x"),
    ],
)
def test_only_an_object_counts_as_other_arguments(scene: Scene, value: str, said: str) -> None:
    scene.add_raw("raw", RAW_GUARD.replace("VALUE", value))

    play(scene, ScriptedClient([Turn(calls=[Call("echo", {"text": "x"})]), "ok"]))

    assert scene.outputs() == [(said, False)]


def test_an_interceptor_that_does_not_answer_in_time_allows(scene: Scene) -> None:
    scene.add("slow", "@ext.intercept('tool_call')\ndef sleep(call):\n    time.sleep(60)")

    play(
        scene,
        ScriptedClient([Turn(calls=[Call("echo", {"text": "x"})]), "ok"]),
        limits(intercept_seconds=0.1, **IMPATIENT),
    )

    assert scene.outputs() == [("x", False)]
    assert "no answer to the intercept tool_call" in (scene.home / "zot/logs/ext-slow.log").read_text()


def test_an_interceptor_that_dies_allows_and_lines_say_so(scene: Scene) -> None:
    scene.add("dying", "@ext.intercept('tool_call')\ndef die(call):\n    os._exit(3)")

    play(scene, ScriptedClient([Turn(calls=[Call("echo", {"text": "x"})]), "ok"]))

    assert scene.outputs() == [("x", False)]
    notes = [each for each in scene.told if isinstance(each, events.Notify)]
    assert [(each.extension, each.level) for each in notes] == [("dying", "error"), ("dying", "warn")]
    assert "exited with code 3" in notes[0].message
    assert notes[1].message.endswith("extension 'dying' exited with code 3; the action continues")


def test_the_person_sees_the_replacement_and_the_model_keeps_its_own_words(scene: Scene) -> None:
    scene.add(
        "redact",
        "@ext.intercept('assistant_message')\ndef redact(message):\n"
        "    return AssistantMessageDecision(replace_text=message.text.replace('SECRET', '***'))",
    )
    agent = play(scene, ScriptedClient(["a SECRET"]))

    (shown,) = [event.message.text for event in scene.events if isinstance(event, AssistantMessage)]
    assert shown == "a ***"
    assert agent.history.messages[-1].text == "a SECRET"
    assert agent.history.messages[-1].display_text == "a ***"


def test_a_hidden_answer_is_not_shown_and_the_reason_is(scene: Scene) -> None:
    scene.add(
        "hide",
        "@ext.intercept('assistant_message')\ndef hide(message):\n"
        "    return AssistantMessageDecision(block=True, reason='not for you')",
    )
    play(scene, ScriptedClient(["a SECRET"]))

    assert Notice("warn", "not for you") in scene.events
    assert not [event for event in scene.events if isinstance(event, AssistantMessage)]


def test_the_system_prompt_is_what_the_last_interceptor_made_of_it(scene: Scene) -> None:
    for name in "ab":
        scene.add(
            name,
            f"@ext.intercept('before_agent_start')\ndef add(start):\n"
            f"    return AgentStartDecision(start.system_prompt + {name!r} + start.model)",
        )
    client = ScriptedClient(["ok"])

    play(scene, client)

    assert client.requests[0].system == "ascriptedbscripted"


async def test_observers_are_told_in_order_of_everything_they_asked_for(scene: Scene) -> None:
    scene.add(
        "watch",
        "def see(event):\n"
        "    ext.notify(' '.join(filter(None, [event.event, event.tool_name, event.stop, event.text])))\n"
        "for name in ('session_start', 'turn_start', 'turn_end', 'tool_call', 'assistant_message'):\n"
        "    ext.on(name)(see)",
    )
    client = ScriptedClient([Turn("hm", calls=[Call("echo", {"text": "x"})]), "done"])
    async with scene.running(client) as (_, agent):
        await agent.run(user_message("hi"))
        await until(lambda: len(scene.told) == 8)

    assert [event.message for event in scene.told if isinstance(event, events.Notify)] == [
        "session_start",
        "turn_start",
        "assistant_message hm",
        "tool_call echo",
        "turn_end tool_use",
        "turn_start",
        "assistant_message done",
        "turn_end end_turn",
    ]


def test_a_tool_that_dies_with_its_extension_fails_at_once_and_is_gone_at_the_next_model_call(scene: Scene) -> None:
    scene.add("dying", "@ext.tool\ndef die() -> str:\n    'Dies.'\n    os._exit(3)")
    client = ScriptedClient([Turn(calls=[Call("die", {})]), "ok"])

    play(scene, client)

    ((text, is_error),) = scene.outputs()
    assert is_error
    assert text == "die cannot run: extension 'dying' exited with code 3"
    assert [[spec.name for spec in request.tools] for request in client.requests] == [["die", "echo"], ["echo"]]


def test_a_tool_that_gives_no_result_in_time_is_an_error_that_says_so(scene: Scene) -> None:
    scene.add("slow", "@ext.tool\ndef sleep() -> str:\n    'Sleeps.'\n    time.sleep(60)")

    play(
        scene,
        ScriptedClient([Turn(calls=[Call("sleep", {})]), "ok"]),
        limits(tool_seconds=0.1, **IMPATIENT),
    )

    assert scene.outputs() == [("sleep of extension slow gave no result within 0.1 s", True)]


def test_of_two_extensions_with_one_tool_the_first_does_the_work(scene: Scene) -> None:
    for name in "ab":
        scene.add(name, f"@ext.tool\ndef who() -> str:\n    '{name}'\n    return {name!r}")
    client = ScriptedClient([Turn(calls=[Call("who", {})]), "ok"])

    play(scene, client)

    assert [spec.description for spec in client.requests[0].tools if spec.name == "who"] == ["a"]
    assert scene.outputs() == [("a", False)]
    assert "shadowed by that of extension a" in (scene.home / "zot/logs/ext-b.log").read_text()


def test_the_tools_of_the_agent_cannot_be_replaced(scene: Scene) -> None:
    scene.add("sly", "@ext.tool\ndef echo(text: str) -> str:\n    'Mine.'\n    return 'sly'")

    play(scene, ScriptedClient([Turn(calls=[Call("echo", {"text": "x"})]), "ok"]))

    assert scene.outputs() == [("x", False)]


async def test_a_built_in_tool_that_the_go_zot_does_not_have_gives_way_to_an_extension_s(scene: Scene) -> None:
    scene.add("mine", "@ext.tool\ndef todo(action: str) -> str:\n    'Mine.'\n    return action")
    client = ScriptedClient([Turn(calls=[Call("todo", {"action": "list"})]), "ok", "ok"])
    async with scene.running(client) as (extensions, agent):
        own = next(each for each in BUILTIN_TOOLS if each.name == "todo")
        agent.tools["todo"] = own
        await agent.run(user_message("hi"))
        scene.add("mine", "ext.command('y')(lambda args: noop())")
        await extensions.reload()
        await agent.run(user_message("again"))

    assert scene.outputs() == [("list", False)]
    descriptions = [{spec.name: spec.description for spec in request.tools}["todo"] for request in client.requests]
    assert descriptions == ["Mine.", "Mine.", own.description]


def test_a_tool_registered_late_is_there_at_the_next_model_call(scene: Scene) -> None:
    scene.add(
        "late",
        "@ext.tool\ndef more() -> str:\n    'More.'\n"
        "    ext.tool(lambda: 'new', name='new', description='n', schema={'type': 'object'})\n    return 'ok'",
    )
    client = ScriptedClient([Turn(calls=[Call("more", {})]), Turn(calls=[Call("new", {})]), "ok"])

    play(scene, client)

    assert [spec.name for spec in client.requests[1].tools] == ["echo", "more", "new"]


def test_without_their_tools_extensions_watch_and_guard_all_the_same(scene: Scene) -> None:
    scene.add(
        "both",
        "@ext.tool\ndef extra() -> str:\n    'Extra.'\n    return ''\n"
        "@ext.intercept('tool_call')\ndef no(call):\n    return ToolCallDecision(block=True, reason='no')",
    )
    client = ScriptedClient([Turn(calls=[Call("echo", {"text": "x"})]), "ok"])

    play(scene, client, use_tools=False)

    assert [spec.name for spec in client.requests[1].tools] == ["echo"]
    assert scene.outputs() == [("no", True)]


COMMANDS = """
ext.command('say', 'says it')(lambda args: display('said ' + args))
ext.command('ask')(lambda args: prompt('tell me'))
ext.command('put')(lambda args: insert('text'))
ext.command('quiet')(lambda args: noop())
ext.command('fail')(lambda args: error('it cannot'))
panel = ext.panel('list', title='List', footer='keys')
panel.on_render(lambda: ['one'])
ext.command('open')(lambda args: panel.open())
ext.command('die')(lambda args: os._exit(2))
ext.command('sleep')(lambda args: time.sleep(60))
"""


def test_a_command_does_what_it_answered(scene: Scene) -> None:
    scene.add("x", COMMANDS)

    async def act(extensions: Extensions, _: Agent) -> None:
        assert [command.name for command in extensions.commands] == sorted(
            ["say", "ask", "put", "quiet", "fail", "open", "die", "sleep"]
        )
        assert await extensions.run_command("say", "  it ") == CommandAnswer("x", "display", "said it")
        assert await extensions.run_command("/ASK") == CommandAnswer("x", "prompt", "tell me")
        assert await extensions.run_command("put") == CommandAnswer("x", "insert", "text")
        assert await extensions.run_command("quiet") == CommandAnswer("x", "noop")
        assert await extensions.run_command("open") == CommandAnswer("x", "open_panel")

    with_extensions(scene, act)

    assert scene.told[:1] == [events.PanelOpen("x", Panel("list", "List", ("one",), "keys"))]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("fail", "it cannot"),
        ("sleep", "/sleep: extension x did not answer in 0.3 s"),
        ("nothing", "there is no command /nothing"),
        ("die", "/die: extension 'x' exited with code 2"),
    ],
)
def test_a_command_that_cannot_be_run_says_why(scene: Scene, name: str, why: str) -> None:
    scene.add("x", COMMANDS)

    async def act(extensions: Extensions, _: Agent) -> None:
        with pytest.raises(CommandError) as caught:
            await extensions.run_command(name)
        assert str(caught.value).startswith(why)

    with_extensions(scene, act, limits(command_seconds=0.3 if name == "sleep" else 60, **IMPATIENT))


RAW_COMMAND = """
import json, sys
def say(**frame): print(json.dumps(frame), flush=True)
say(type="hello", name="raw")
say(type="register_command", name="go")
say(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "command_invoked":
        say(type="command_response", id=frame["id"], **json.loads(frame["args"]))
    elif frame["type"] == "shutdown":
        break
"""


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"action": "display", "display": "no", "error": "both"}, "both"),
        ({"action": "dance"}, "/go: extension raw wants 'dance', which zot does not know"),
        ({"action": "open_panel"}, "/go: the answer of extension raw has no panel to open"),
        ({"action": 3}, "/go: extension raw: "),
    ],
)
def test_an_odd_answer_to_a_command_is_an_error_and_does_nothing(
    scene: Scene, answer: dict[str, Any], why: str
) -> None:
    scene.add_raw("raw", RAW_COMMAND)

    async def act(extensions: Extensions, _: Agent) -> None:
        with pytest.raises(CommandError) as caught:
            await extensions.run_command("go", json.dumps(answer))
        assert str(caught.value).startswith(why)

    with_extensions(scene, act)

    assert scene.told == []


def test_keys_of_the_open_panel_reach_its_extension_in_order(scene: Scene) -> None:
    scene.add(
        "x",
        "typed = []\npanel = ext.panel('p')\next.command('open')(lambda args: panel.open())\n"
        "panel.on_render(lambda: typed)\npanel.on_key(lambda key: typed.append(key.text or key.key))\n",
    )

    async def act(extensions: Extensions, _: Agent) -> None:
        await extensions.run_command("open")
        for letter in "typing fast":
            extensions.panels.press("rune", letter)
        extensions.panels.press("enter")
        await until(lambda: len(scene.told) == 13)
        extensions.panels.close()

    with_extensions(scene, act)

    assert scene.told[-2] == events.PanelRender("x", Panel("p", "", (*"typing fast", "enter")))
    assert scene.told[-1] == events.PanelClose("x", "p")


def test_notes_are_told_with_the_name_of_the_manifest_and_a_known_level(scene: Scene) -> None:
    scene.add_raw(
        "raw",
        RAW_COMMAND.replace('name="raw"', 'name="another"').replace(
            'say(type="ready")',
            'say(type="notify", level="warning", message="a")\nsay(type="notify", level="odd", message="b")\n'
            'say(type="clear_notes")\nsay(type="submit", text="go on")\nsay(type="ready")',
        ),
    )

    async def act(extensions: Extensions, _: Agent) -> None:
        await until(lambda: len(scene.told) == 4)

    with_extensions(scene, act)

    assert scene.told == [
        events.Notify("raw", "warn", "a"),
        events.Notify("raw", "info", "b"),
        events.ClearNotes("raw"),
        events.Submit("raw", "go on"),
    ]


def test_an_extension_that_cannot_be_started_is_told_of_and_the_others_run(scene: Scene) -> None:
    scene.add("lost", "", exec="./nothing")
    scene.add_raw("mute", "raise SystemExit('no')")
    scene.add("well", "@ext.tool\ndef well() -> str:\n    'Well.'\n    return 'well'")
    client = ScriptedClient([Turn(calls=[Call("well", {})]), "ok"])

    play(scene, client)

    assert scene.outputs() == [("well", False)]
    failed = {event.extension: event.message for event in scene.told if isinstance(event, events.Notify)}
    assert sorted(failed) == ["lost", "mute"]
    assert "./nothing" in failed["lost"]
    assert "zot ext logs mute" in failed["mute"]


async def test_one_that_says_hello_too_late_for_the_start_is_served_all_the_same(scene: Scene) -> None:
    gate = scene.home / "gate"
    scene.add(
        "late",
        "@ext.tool\ndef late() -> str:\n    'Late.'\n    return 'late'\n@ext.on('session_start')\n"
        "def begin(event):\n    ext.notify('began')",
        header=f"import os, time\nwhile not os.path.exists({str(gate)!r}): time.sleep(0.01)",
    )
    client = ScriptedClient(["first", Turn(calls=[Call("late", {})]), "ok"])
    async with scene.running(client, limits(ready_total_seconds=0.1)) as (_, agent):
        await agent.run(user_message("hi"))
        gate.touch()
        await until(lambda: len(scene.told) == 2)
        await agent.run(user_message("again"))

    assert [spec.name for spec in client.requests[0].tools] == ["echo"]
    assert scene.outputs() == [("late", False)]
    missing = "not ready yet; until it is, its commands, its tools and its guards are not there"
    assert scene.told == [events.Notify("late", "warn", missing), events.Notify("late", "info", "began")]
    read = [message.text for message in client.requests[-1].messages if message.text.startswith("[")]
    assert read == [
        "[the tools of extension late are not there]",
        "[the tools of extension late are there now]",
    ]


async def test_what_the_model_knows_of_missing_tools_is_what_its_conversation_says(scene: Scene) -> None:
    gone, back = (f"[the tools of extension mute are {where}]" for where in ("not there", "there now"))

    async def said(extensions: Extensions, agent: Agent) -> list[str]:
        await extensions.ready()
        await agent.run(user_message("hi"))
        return [each.text for each in agent.history.messages if each.hidden]

    scene.add_raw("mute", "raise SystemExit('no')")
    async with scene.running(ScriptedClient(["ok"], repeat=True)) as (extensions, agent):
        assert [await said(extensions, agent), await said(extensions, agent)] == [[gone], [gone]]
        messages = agent.history.messages
        agent.history.reset([])  # as a compaction does
        assert await said(extensions, agent) == [gone]
    scene.add("mute", "@ext.tool\ndef mute() -> str:\n    'Mute.'\n    return 'mute'")
    async with scene.running(ScriptedClient(["ok"], repeat=True)) as (extensions, agent):
        agent.history.reset(messages)
        assert await said(extensions, agent) == [gone, back]


async def test_a_reload_reads_everything_anew_and_swaps_the_tools_of_the_live_agent(scene: Scene) -> None:
    scene.add("x", "@ext.tool\ndef old() -> str:\n    'Old.'\n    return 'old'")
    client = ScriptedClient(["one", Turn(calls=[Call("new", {})]), "ok"])
    async with scene.running(client) as (extensions, agent):
        await agent.run(user_message("hi"))
        scene.add("x", "@ext.tool\ndef new() -> str:\n    'New.'\n    return 'new'")
        scene.add("y", "ext.command('y')(lambda args: noop())")
        scene.add("bad", "", exec="./nothing")
        stats = await extensions.reload()
        assert str(stats) == "reloaded: 1 stopped, 2 loaded (2 ready)"
        assert len(stats.errors) == 1
        assert [command.name for command in extensions.commands] == ["y"]
        await agent.run(user_message("again"))

    assert [[spec.name for spec in request.tools] for request in client.requests[:2]] == [
        ["echo", "old"],
        ["echo", "new"],
    ]
    assert scene.outputs() == [("new", False)]


async def test_a_reload_in_the_middle_of_a_call_fails_the_call_and_the_turn_goes_on(scene: Scene) -> None:
    scene.add(
        "x",
        "@ext.tool\ndef wait() -> str:\n    'Waits.'\n    ext.notify('waiting')\n    time.sleep(60)\n    return 'done'",
    )
    client = ScriptedClient([Turn(calls=[Call("wait", {})]), "ok"])
    async with scene.running(client, limits(**IMPATIENT)) as (extensions, agent):
        answering = agent.start(user_message("hi"))
        await until(lambda: bool(scene.told))
        await extensions.reload()
        assert await answering == "completed"

    ((text, is_error),) = scene.outputs()
    assert is_error
    assert text == "wait cannot run: extension 'x' was stopped"
    assert [spec.name for spec in client.requests[1].tools] == ["echo", "wait"]


def test_an_extension_without_a_program_is_never_started(scene: Scene) -> None:
    folder = scene.home / "theme"
    folder.mkdir()
    (folder / "extension.json").write_text('{"name":"theme"}')
    (folder / "theme.json").write_text("{}")
    scene.folders.append(str(folder))

    async def act(extensions: Extensions, _: Agent) -> None:
        assert (await extensions.reload()).loaded == 0

    with_extensions(scene, act)

    assert not (scene.home / "zot").exists()
