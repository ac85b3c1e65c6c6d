"""Extensions: what asking one costs, what telling one costs, and how long many take to start."""

import json
import os
import statistics
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from environment import Environment, Figure
from tool_server import ToolServer

ASKED, EVENTS, MANY, SLEEP, STEPS = 2000, 50_000, 20, 0.5, 30

GUARD = """
@ext.intercept("tool_call")
def allow(call):
    return None
"""

CALLER = """
import time
@ext.command("calls")
def calls(_):
    times = []
    for number in range(1100):
        begin = time.perf_counter()
        ext.model.get()
        times.append(time.perf_counter() - begin)
    times = sorted(times[100:])
    return f"{times[500]} {times[990]}"
"""

REGISTERS = """
ext.command("c-%s", "a command")(lambda args: "x")
ext.tool(name="t_%s", description="a tool", schema={"type": "object"})(lambda args: "x")
ext.on("turn_start")(lambda event: None)
"""

GROUPS = (
    "ui", "messages", "session", "storage", "control", "model", "exec", "widgets", "cancel", "registration_result",
)  # fmt: skip

CONTEXT = """
from zot_ext import ContextDecision
@ext.intercept("context")
def keep(it):
    return ContextDecision(%s)
"""

PLAIN = """
import json, subprocess, sys, time
CHILD = '''
import json, sys
for line in sys.stdin.buffer:
    messages = json.loads(line)["messages"]
    back = {"messages": messages} if sys.argv[1] == "messages" else {"drop_ids": [messages[5]["id"]]}
    sys.stdout.buffer.write(json.dumps(back).encode() + bytes([10]))
    sys.stdout.buffer.flush()
'''
child = subprocess.Popen([sys.executable, "-c", CHILD, sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
taken = []
for number in range(7):
    messages, size, text = [], 0, 'def double(x): return "line" + str(x)\\n' * 250
    while size < 10_000_000:
        at = len(messages)
        call = {"type": "tool_call", "id": f"c{at}", "name": "read", "arguments": {"path": "a"}}
        result = {"type": "tool_result", "call_id": f"c{at}", "content": [{"type": "text", "text": text}]}
        ask = {"type": "text", "text": "continue " * 20}
        for role, block in (("user", ask), ("assistant", call), ("tool", result)):
            messages.append({"role": role, "content": [block], "id": f"{role}{at}"})
        size += len(text)
    begin = time.perf_counter()
    child.stdin.write(json.dumps({"type": "event_intercept", "messages": messages}).encode() + bytes([10]))
    child.stdin.flush()
    json.loads(child.stdout.readline())
    taken.append(time.perf_counter() - begin)
child.stdin.close()
print(json.dumps([sorted(taken)[3], child.wait()]))
"""
"""What `CONTEXT` does, with `json` and two pipes and nothing else."""

WATCH = """
import json, sys
def say(**frame): print(json.dumps(frame), flush=True)
say(type="hello", name="watch")
say(type="register_command", name="count")
say(type="subscribe", events=["tool_call"])
say(type="ready")
count = 0
for line in sys.stdin.buffer:
    if line.startswith(b'{"type":"event"'):
        count += 1
    elif line.startswith(b'{"type":"command_invoked"'):
        say(type="command_response", id=json.loads(line)["id"], action="display", display=str(count))
    elif line.startswith(b'{"type":"shutdown"'):
        break
"""

PROGRAM = """
import asyncio, json, os, resource, sys, time
from zot_agent.extensions.discover import discover
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.setup import ExtensionOwner, ExtensionSetup
from zot_core.events import ToolCall
from zot_core.hooks import ToolRequest
from zot_core.testing import make_agent
from zot_provider.testing import ScriptedClient

scenario, home, *folders = sys.argv[1:]
ASKED, EVENTS = %d, %d

async def ask(extensions, agent):
    call = ToolRequest("c1", "bash", {"command": "true"}, '{"command":"true"}')
    times = []
    for number in range(ASKED + 100):
        begin = time.perf_counter()
        await agent.hooks.tool_call.apply(call)
        times.append(time.perf_counter() - begin)
    times = sorted(times[100:])
    spaced = []
    for number in range(200):  # as calls of a model come: caches and processes have gone cold in between
        await asyncio.sleep(0.01)
        begin = time.perf_counter()
        await agent.hooks.tool_call.apply(call)
        spaced.append(time.perf_counter() - begin)
    return [times[len(times) // 2], times[len(times) * 99 // 100], sorted(spaced)[100]]

async def tell(extensions, agent):
    event = ToolCall("c1", "bash", '{"command":"true"}')
    begin = time.process_time()
    for number in range(EVENTS):
        agent.hooks.event.notify(event)
        if number %% 200 == 199:  # events that an extension cannot take in time are dropped
            await extensions.run_command("count")
    spent = time.process_time() - begin
    shown = (await extensions.run_command("count")).text
    assert shown == str(EVENTS), shown
    return spent / EVENTS

async def calls(extensions, agent):
    from zot_core import Runtime
    from zot_core.conversation.driver import Conversation
    async with Conversation(Runtime("m", client=ScriptedClient(), cwd=home)) as conversation:
        extensions.owner = ExtensionOwner(conversation)
        return [float(each) for each in (await extensions.run_command("calls")).text.split()]

async def context(extensions, agent):
    from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock
    from zot_provider.request import Request
    taken = []
    for number in range(7):
        messages, size, text = [], 0, 'def double(x): return "line" + str(x)\\n' * 250
        while size < 10_000_000:
            at = len(messages)
            call = ToolCallBlock(f"c{at}", "read", '{"path":"a"}')
            result = ToolResultBlock(f"c{at}", [TextBlock(text)])
            for role, block in (("user", TextBlock("continue " * 20)), ("assistant", call), ("tool", result)):
                messages.append(Message(role, [block], id=f"{role}{at}"))
            size += len(text)
        begin, on_loop = time.perf_counter(), time.thread_time()
        await agent.hooks.request.apply(Request(agent.model, messages))
        taken.append((time.perf_counter() - begin, time.thread_time() - on_loop))
    return [sorted(each)[3] for each in zip(*taken)]

async def idle(extensions, agent):
    await asyncio.sleep(0.5)
    begin = time.process_time()
    await asyncio.sleep(2)
    return (time.process_time() - begin) / 2

async def start(extensions, agent):
    return time.perf_counter() - BEGIN

async def main():
    global BEGIN
    agent = make_agent(ScriptedClient())
    setup = ExtensionSetup(home)
    extensions = Extensions(lambda: discover(folders, home, home), lambda: AgentInfo(home, "p", "m", ""), setup)
    extensions.attach(agent)
    BEGIN = time.perf_counter()
    extensions.start()
    await extensions.ready()
    figure = await globals()[scenario](extensions, agent)
    await extensions.close()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps([figure, children.ru_utime + children.ru_stime]))

asyncio.run(main())
""" % (ASKED, EVENTS)  # noqa: UP031  the program is full of braces


def measure(environment: Environment) -> Iterator[Figure]:
    """Wall times of questions and starts, CPU of the host for events."""
    guards = [extension(environment, f"guard{number}", GUARD) for number in range(10)]
    watch = _program(environment, "watch", WATCH)
    pairs = [(_run(environment, "ask", guards[0])[0], _run(environment, "ask", *guards)[0]) for _ in range(3)]
    median, slowest = (statistics.median(one[at] for one, _ in pairs) for at in (0, 1))
    busy, paused = (statistics.median(chain[at] / one[at] for one, chain in pairs) for at in (0, 2))
    yield Figure("intercept through one extension, p50", median * 1000, "ms", 0.5)
    yield Figure("intercept through one extension, p99", slowest * 1000, "ms", 3)
    yield Figure("ten interceptors in a chain over one", paused, "x", 10, "asked every 10 ms")
    yield Figure("ten interceptors in a chain over one, without a pause", busy, "x")
    caller = extension(environment, "caller", CALLER, groups=("model",))
    median, slowest = _run(environment, "calls", caller)[0]
    yield Figure("a call of an extension to the host, p50", median * 1000, "ms", 0.4)
    yield Figure("a call of an extension to the host, p99", slowest * 1000, "ms")
    yield from _contexts(environment)
    event = statistics.median(_run(environment, "tell", watch)[0] for _ in range(3))
    yield Figure(f"{EVENTS} events to one extension, an event", event * environment.scale * 1e6, "us CPU", 12)
    yield Figure("an idle extension", _run(environment, "idle", watch)[0] * 100, "% of a core", 0.1)
    yield from _steps(environment, watch)
    yield from _starts(environment)
    yield from _groups(environment)
    yield _remembered(environment)


def _contexts(environment: Environment) -> Iterator[Figure]:
    """A conversation of 10 MB, over the same bytes as plain JSON: copying memory is what differs between machines."""
    for what, answer, budget in (
        ("drop_ids", "drop_ids=[it.messages[5]['id']]", 140 / 105),
        ("messages", "messages=it.messages", 220 / 155),
    ):
        folder = extension(environment, what, CONTEXT % answer)
        pairs = [(_run(environment, "context", folder)[0], _plain(environment, what)) for _ in range(5)]
        whole, on_loop = (statistics.median(asked[at] for asked, _ in pairs) for at in (0, 1))
        ratio = statistics.median(asked[0] / plain for asked, plain in pairs)
        yield Figure(f"context of 10 MB, answered with {what}, p50", whole * 1000, "ms")
        yield Figure("the same, over plain JSON through two pipes", ratio, "x", budget)
        yield Figure("the same, on the loop of the host", on_loop * environment.scale * 1000, "ms CPU", 15)


def _plain(environment: Environment, what: str) -> float:
    done = environment.run([environment.python, "-c", PLAIN, what])
    assert done.returncode == 0, done.stderr.decode()
    seconds: float = json.loads(done.stdout)[0]
    return seconds


def _steps(environment: Environment, watch: Path) -> Iterator[Figure]:
    server = ToolServer("bash", lambda _: {"command": "true"}, STEPS)
    pairs = environment.samples(lambda: (_zot(environment, server, "--ext", str(watch)), _zot(environment, server)), 7)
    ratio = statistics.median(_per_step(watched) / _per_step(alone) for watched, alone in pairs)
    yield Figure("a step with an extension that observes every call", ratio, "x", 1.15, "over one without")


def _starts(environment: Environment) -> Iterator[Figure]:
    noop = extension(environment, "noop", "")
    sleepy = [
        extension(environment, f"sleepy{number}", "", f"import time; time.sleep({SLEEP})") for number in range(MANY)
    ]
    bare = environment.wall([environment.python, "-I", "-c", "pass"])
    ready = statistics.median(_run(environment, "start", noop)[0] for _ in range(7))
    yield Figure("one extension that does nothing: ready", ready / bare, "x", 4, "over `python -I -c pass`")
    one = statistics.median(_run(environment, "start", sleepy[0])[1] for _ in range(3))
    budget = SLEEP + 1.3 * MANY * one / (os.cpu_count() or 1)
    all_ready = statistics.median(_run(environment, "start", *sleepy)[0] for _ in range(3))
    yield Figure(f"{MANY} extensions that sleep {SLEEP} s before hello: ready", all_ready, "s", budget)
    server = ToolServer("bash", lambda _: {"command": "true"}, 0)
    flags = [flag for folder in sleepy for flag in ("--ext", str(folder))]
    _zot(environment, server, *flags, "--no-ext-tools")
    ended = _first(environment, server, *flags, "--no-ext-tools")
    yield Figure("first request of a run that wants none of their tools", ended, "s", SLEEP)


def _groups(environment: Environment) -> Iterator[Figure]:
    """The price of asking for groups, for a run that waits for all tools."""
    plain, asking = (
        [
            flag
            for number in range(MANY)
            for flag in (
                "--ext",
                str(extension(environment, f"{name}{number}", REGISTERS.replace("%s", str(number)), groups=groups)),
            )
        ]
        for name, groups in (("plain", ()), ("asking", GROUPS))
    )
    server = ToolServer("bash", lambda _: {"command": "true"}, 0)
    pairs = environment.samples(lambda: (_first(environment, server, *asking), _first(environment, server, *plain)), 5)
    ratio = statistics.median(one / other for one, other in pairs)
    yield Figure(f"first request with {MANY} extensions of {len(GROUPS)} groups each", ratio, "x", 1.15, "over none")


def _remembered(environment: Environment) -> Figure:
    """The first request where zot knows what extensions registered in the run before."""
    server, flags = ToolServer("bash", lambda _: {"command": "true"}, 0), []
    for number in range(MANY):
        folder = extension(environment, f"known{number}", REGISTERS.replace("%s", str(number)))
        manifest = json.loads((folder / "extension.json").read_text())
        (folder / "extension.json").write_text(json.dumps(manifest | {"remember": True}))
        flags += ["--ext", str(folder)]
    pairs = environment.samples(lambda: (_first(environment, server, *flags), _first(environment, server)), 9)
    ratio = statistics.median(one / other for one, other in pairs)
    return Figure(f"first request with {MANY} remembered extensions", ratio, "x", 1.3, "over one without extensions")


def _first(environment: Environment, server: ToolServer, *flags: str) -> float:
    """Seconds from the start of zot to its first request."""
    begin = time.monotonic()
    return _zot(environment, server, *flags)[0] - begin


def _per_step(arrivals: list[float]) -> float:
    return statistics.median(after - before for before, after in pairwise(arrivals[2:]))


def _zot(environment: Environment, server: ToolServer, *flags: str) -> list[float]:
    """When the requests of a run came."""
    command = [environment.zot, "-p", "go", "--no-session", "--provider", "openai", "--model", "m"]
    server.arrivals.clear()
    done = environment.run([*command, "--base-url", server.base_url, *flags])
    assert done.returncode == 0, done.stderr.decode()
    return [time for time, _ in server.arrivals]


def _run(environment: Environment, scenario: str, *folders: Path) -> tuple[Any, float]:
    home = str(environment.folder / "home")
    done = environment.run([environment.python, "-c", PROGRAM, scenario, home, *map(str, folders)])
    assert done.returncode == 0, done.stderr.decode()
    figure, children = json.loads(done.stdout)
    return figure, children


def extension(environment: Environment, name: str, body: str, first: str = "", groups: tuple[str, ...] = ()) -> Path:
    """An extension on the SDK that asks for these groups."""
    made = f"ext = Extension({name!r}, capabilities={groups!r})"
    lines = (first, "from zot_ext import Extension", made, body, "ext.run()", "")
    return _program(environment, name, "\n".join(lines))


def _program(environment: Environment, name: str, source: str) -> Path:
    folder = environment.folder / "extensions" / name
    folder.mkdir(parents=True)
    program = folder / "main.py"
    program.write_text(source)
    manifest = {"name": name, "exec": environment.python, "args": [str(program)]}
    (folder / "extension.json").write_text(json.dumps(manifest))
    return folder
