"""Servers with the flaws that servers have, each a real process: one flaw costs one thing, and is named."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import flawed_mcp_server
import pytest
from flawed_mcp_server import FLAWS
from mcp_world import McpTalk, McpWorld
from waiting import PATIENCE, until

from zot_core.conversation.events import Notify
from zot_provider.testing import ScriptedServer

PROGRAM = str(flawed_mcp_server.__file__)


def add(mcp: McpWorld, *flaws: str, **fields: object) -> str:
    """Add a server with flaws, and return its name."""
    name = flaws[0] if flaws else "fine"
    mcp.add(name, command=sys.executable, args=["-S", PROGRAM, *flaws], deferred=False, **fields)
    return name


async def test_a_flaw_of_a_list_costs_one_thing_and_is_named(mcp: McpWorld) -> None:
    lists = {
        "templates-refused": "",
        "prompts-fail": "prompts/list was refused: no database",
        "no-type": "",
        "empty-schema": "",
        "no-schema": "",
        "one-of": "",
        "array-schema": "tool listed: its inputSchema has the type 'array'; arguments are an object",
        "deep-schema": "",
        "nameless": "tool 2: it has no name",
        "odd-fields": "",
        "task-required": "tool job: it only runs as a task",
        "no-version": "",
        "no-server-info": "",
        "no-capabilities": "",
        "ends-on-unknown": "",
        "other-protocol": "",
        "same-page": "tools/list: its pages repeat, and the rest is not read",
        "noise": "",
    }
    repaired = {
        "no-type": "untyped",
        "empty-schema": "empty",
        "no-schema": "bare",
        "deep-schema": "deep",
        "one-of": "either",
        "odd-fields": "odd",
    }
    for flaw in lists:
        add(mcp, flaw, startup_timeout=120_000)
    add(mcp, "many-tools")
    add(mcp, "same-names")
    async with mcp.running() as zot:
        for flaw, note in lists.items():
            await until(lambda flaw=flaw: f"mcp__{flaw}__plain" in zot.tools)
            assert await zot.call(f"mcp__{flaw}__plain") == "called plain", flaw
            await zot.until_shown(flaw, note or "ready")
            assert ("left out" in await zot.command("mcp", flaw)) == bool(note), flaw
        for flaw, tool in repaired.items():
            assert await zot.call(f"mcp__{flaw}__{tool}") == f"called {tool}"
        assert "mcp__array-schema__listed" not in zot.tools
        assert "flawed://one" in await zot.call("mcp_read_resource", server="prompts-fail", uri="flawed://one")
        await zot.until_shown("many-tools", "tools/list: only the first 1000 of more than 1100 are used")
        first, second = [name for name in zot.tools if name.startswith("mcp__same-names__a_b")]
        assert {await zot.call(first), await zot.call(second)} == {"called a.b", "called a_b"}


async def test_a_list_that_never_comes_costs_that_list(mcp: McpWorld) -> None:
    add(mcp, "resources-hang", startup_timeout=12_000)
    async with mcp.running() as zot:
        await until(lambda: "mcp__resources-hang__plain" in zot.tools)
        assert await zot.call("mcp__resources-hang__plain") == "called plain"
        await zot.until_shown("resources-hang", "it did not answer resources/list within 3 s")
        assert await zot.command("mcp__resources-hang__ask", "me") == "Ask me"


ANSWERS = {
    "unknown-content": 'before{"type": "chart", "points": [1, 2]}{"type": "text"}bare',
    "bad-image": "(image/png omitted: its data are not base64)(image omitted: it does not say of what type it is)"
    "<image/png>called plain",
    "svg-image": "called plain(an image of type image/svg+xml is not a PNG, JPEG, GIF or WebP image: it is SVG, "
    "convert it first)",
    "blob-image": "<image/png>",
    "batch": "called plain",
    "no-structured": '{"v": 1}',
    "wrong-structured": "called plain",
    "deep-structured": "called plain",
    "not-alone": "called plain",
    "lone-surrogate": "x\N{REPLACEMENT CHARACTER}y",
    "null-result": "ERROR the MCP server {}: its answer is null, not an object",
    "text-result": "ERROR the MCP server {}: its answer is a text, not an object",
    "error-text": "ERROR the MCP server {}: no disk",
    "error-code-text": "ERROR the MCP server {}: no disk",
    "error-in-data": 'ERROR the MCP server {}: "disk full"',
    "error-without-id": "ERROR the MCP server {}: cannot parse",
    "broken-json": "ERROR the MCP server {}: its answer cannot be read: it is not JSON: ",
    "many-parts": "x" * 1000 + "(299000 more parts omitted)",
    "bare-result": '{"answer": 42}',
}
"""What the model reads of a call; {} stands for the server."""


async def the_rest_of_an_answer_stays(zot: McpTalk, name: str, flaw: str) -> None:
    expected = ANSWERS[flaw].format(name) if "{}" in ANSWERS[flaw] else ANSWERS[flaw]
    found = await zot.call(f"mcp__{name}__plain")
    assert found.startswith(expected) if flaw == "broken-json" else found == expected, (flaw, found)


async def test_a_flaw_of_an_answer_leaves_the_rest_as_it_is_and_fails_at_once_if_nothing_is_left(mcp: McpWorld) -> None:
    for flaw in ANSWERS:
        add(mcp, flaw)
    for flaw in ("odd-prompt", "odd-resource", "changed-first", "ends-in-call"):
        add(mcp, flaw)
    async with mcp.running() as zot:
        for flaw in ANSWERS:
            await until(lambda flaw=flaw: f"mcp__{flaw}__plain" in zot.tools)
            await the_rest_of_an_answer_stays(zot, flaw, flaw)
        assert await zot.command("mcp__odd-prompt__ask", "me") == "Ask me"
        read = await zot.call("mcp_read_resource", server="odd-resource", uri="flawed://one")
        assert read == '<resource uri="flawed://one">\none\n</resource>'
        assert await zot.call("mcp__changed-first__plain") == "called plain"
        assert "mcp__changed-first__grown" in [each.name for each in zot.talk.client.requests[-1].tools]
        died = await zot.call("mcp__ends-in-call__plain")
        assert died == "ERROR the MCP server ends-in-call has ended with exit code 1: out of memory"


@pytest.fixture(params=["http", "events", "sse"])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def served() -> Iterator[list[subprocess.Popen[str]]]:
    programs: list[subprocess.Popen[str]] = []
    yield programs
    for each in programs:
        each.kill()
        each.communicate()


SERVERS = """
import sys
from flawed_mcp_server import FlawedServer, serve_http
ports = [serve_http(FlawedServer([flaw]), sys.argv[1]).server_address[1] for flaw in sys.argv[2:]]
print(*ports, flush=True)
sys.stdin.read()
"""


def start(served: list[subprocess.Popen[str]], transport: str, *flaws: str) -> dict[str, str]:
    """Start a server over HTTP for each of these flaws, all in one process; their addresses without a path."""
    command = [sys.executable, "-S", "-c", SERVERS, transport, *flaws]
    program = subprocess.Popen(
        command, env={"PYTHONPATH": str(Path(PROGRAM).parent)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    served.append(program)
    assert program.stdout is not None
    ports = program.stdout.readline().split()
    return {flaw: f"http://127.0.0.1:{port}" for flaw, port in zip(flaws, ports, strict=True)}


async def test_the_same_holds_over_http(mcp: McpWorld, transport: str, served: list[subprocess.Popen[str]]) -> None:
    flaws = [each for each in ANSWERS if each != "broken-json" or transport == "sse"] + ["no-type"]
    for flaw, place in start(served, transport, *flaws).items():
        kind = {"type": "sse"} if transport == "sse" and flaw == "no-type" else {}
        mcp.add(flaw, url=f"{place}/{'sse' if transport == 'sse' else 'mcp'}", deferred=False, **kind)
    async with mcp.running() as zot:
        for flaw in flaws:
            await until(lambda flaw=flaw: f"mcp__{flaw}__plain" in zot.tools)
            if flaw == "many-parts" and transport == "sse":  # whose events the package limits
                assert (
                    await zot.call("mcp__many-parts__plain")
                    == "ERROR the MCP server many-parts: its answer has more than 1 MiB"
                )
            elif flaw in ANSWERS:
                await the_rest_of_an_answer_stays(zot, flaw, flaw)
        assert await zot.call("mcp__no-type__untyped") == "called untyped"


async def test_flaws_of_http_itself_cost_nothing_or_are_said_in_the_words_of_the_server(
    mcp: McpWorld, served: list[subprocess.Popen[str]]
) -> None:
    expected = {
        "plain-type": "called plain",
        "accepted": "called plain",
        "redirects": "called plain",
        "busy": "ERROR the MCP server busy: HTTP 503 Service Unavailable: the queue is full",
        "forgets": "called plain",
    }
    for flaw, place in start(served, "http", *expected).items():
        mcp.add(flaw, url=f"{place}/mcp", deferred=False)
    mcp.add(
        "far-endpoint", type="sse", url=f"{start(served, 'sse', 'far-endpoint')['far-endpoint']}/sse", deferred=False
    )
    async with mcp.running() as zot:
        for flaw, answer in (expected | {"far-endpoint": "called plain"}).items():
            await until(lambda flaw=flaw: f"mcp__{flaw}__plain" in zot.tools)
            assert await zot.call(f"mcp__{flaw}__plain") == answer, flaw


async def test_a_slow_start_is_shown_and_waited_for_as_long_as_the_setting_says(mcp: McpWorld) -> None:
    add(mcp, "slow")
    add(mcp, "exit")
    (mcp.root / "project").mkdir()
    async with mcp.running(ready_total_seconds=0.0) as zot:
        await until(lambda: "mcp" in [each.name for each in zot.talk.extensions.commands])
        await zot.until_shown("slow", "starting: it has not answered ")
        await zot.until_shown("slow", "it last wrote: fetching 12 packages")
        await zot.until_shown("exit", "has ended with exit code 3: cannot open the database | is it running?")
        (zot.project / "go").touch()
        await until(lambda: "mcp__slow__plain" in zot.tools)
        assert await zot.call("mcp__slow__plain") == "called plain"


async def test_a_server_that_is_too_slow_is_not_started_again_by_itself(mcp: McpWorld) -> None:
    add(mcp, "slow", startup_timeout=1500)
    async with mcp.running() as zot:
        await zot.until_shown("slow", "failed: the server was not ready within 1.5 s (startup_timeout)")
        log = (mcp.root / "zot" / "logs" / "ext-mcp.log").read_text()
        # Once, if it came that far.
        assert log.count("fetching 12 packages") <= 1 + log.count("it last wrote: fetching")


class Printed:
    """`zot -p go` with the servers of a file, and the body of its first request."""

    def __init__(self, mcp: McpWorld, server: ScriptedServer) -> None:
        self._server, self._home, self._cwd = server, mcp.root / "zot", mcp.root / "project"
        (self._home / "mcp.json").write_text(json.dumps({"mcpServers": mcp.servers}))
        self._cwd.mkdir(exist_ok=True)

    async def __call__(self) -> tuple[list[str], list[str]]:
        """The lines on standard error, and the names of the tools."""
        self._server.add("done")
        flags = ["--provider", "openai", "--model", "scripted", "--base-url", self._server.base_url("openai-chat")]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "zot_agent", "-p", "go", *flags, cwd=self._cwd,
            env=os.environ | {"ZOT_HOME": str(self._home), "OPENAI_API_KEY": "k", "ZOT_EXT_PATIENCE": "20"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        async with asyncio.timeout(3 * PATIENCE):
            _, said = await process.communicate()
        lines = said.decode().splitlines()
        assert process.returncode == 0, lines
        tools = self._server.requests[-1].body.get("tools", [])
        return lines, [each["function"]["name"] for each in tools]


async def test_print_names_in_a_line_each_what_is_left_out_and_who_does_not_run(
    mcp: McpWorld, server: ScriptedServer
) -> None:
    add(mcp, "array-schema")
    add(mcp, "exit")
    lines, tools = await Printed(mcp, server)()
    assert "mcp__array-schema__plain" in tools
    why = "tool listed: its inputSchema has the type 'array'; arguments are an object"
    assert f"[mcp] warn: MCP server array-schema: left out: {why}" in lines
    ended = "the server has ended with exit code 3: cannot open the database | is it running?"
    assert lines.count(f"[mcp] warn: MCP server exit: {ended}") == 1


async def test_a_single_prompt_waits_for_a_server_as_long_as_wait_for_says(mcp: McpWorld) -> None:
    add(mcp, "slow", wait_for=500)
    (mcp.root / "project").mkdir()
    async with mcp.running(ready_total_seconds=0.0) as zot:
        await until(lambda: zot.talk.extensions.subscribers.interceptors("input"))
        zot.talk.conversation.front_end = "print"
        zot.talk.client.add("done")
        run = zot.talk.conversation.prompt("go")
        waiting = "waiting for the MCP server slow, 500 s at most"
        await until(lambda: waiting in [each.message for each in zot.talk.told if isinstance(each, Notify)])
        assert zot.talk.client.requests == []
        (zot.project / "go").touch()
        assert await run == "completed"
        assert "mcp__slow__plain" in [each.name for each in zot.talk.client.requests[-1].tools]


async def test_print_does_not_wait_longer_than_wait_for_says_and_names_who_is_missing(
    mcp: McpWorld, server: ScriptedServer
) -> None:
    add(mcp, "slow", wait_for=0.5)
    lines, tools = await Printed(mcp, server)()
    assert "mcp__slow__plain" not in tools
    (missing,) = [each for each in lines if "MCP server slow is not ready: it " in each]
    assert missing.endswith("the prompt is sent without its tools")
    assert not any("its tools come when it is ready" in each for each in lines), lines


async def test_a_form_shows_titles_and_formats_and_is_asked_again_until_it_fits(mcp: McpWorld) -> None:
    add(mcp, "asks")
    wrong = {"mail": "ada", "day": "2026-13-01", "size": "Large", "count": 9, "tags": "Alpha, Gamma"}
    right = {"mail": "ada@example.com", "day": "2026-11-28", "size": "Large", "count": 5, "tags": "Alpha, b"}
    async with mcp.running(wrong, right) as zot:
        answer = await zot.call("mcp__asks__plain")
        content = '{"count": 5, "day": "2026-11-28", "mail": "ada@example.com", "size": "l", "tags": ["a", "b"]}'
        assert answer == f'{{"action": "accept", "content": {content}}}'
    first, second = mcp.person.shown
    assert [each.description for each in first.fields] == [
        "E-mail: an e-mail address",
        "a date, such as 2026-11-28",
        "",
        "1 to 5",
        "any of Alpha, Beta, with commas between them",
    ]
    assert first.fields[2].choices == ("Small", "Large")
    assert second.message.splitlines()[2:] == [
        "mail: an e-mail address",
        "day: a date, such as 2026-11-28",
        "count: 1 to 5",
        "tags: Gamma: not one of Alpha, Beta",
    ]


async def test_the_doctor_shows_what_is_left_out_and_how_a_server_has_ended(mcp: McpWorld) -> None:
    add(mcp, "array-schema")
    add(mcp, "exit")
    (mcp.root / "zot" / "mcp.json").write_text(json.dumps({"mcpServers": mcp.servers}))
    code, shown = await mcp.doctor()
    assert code == 1
    why = "tool listed: its inputSchema has the type 'array'; arguments are an object"
    assert f"--  left out          {why}" in shown
    ended = "the server has ended with exit code 3: cannot open the database | is it running?"
    assert f"no  exit              {ended}" in shown


def test_each_flaw_has_words_and_an_unknown_one_is_refused() -> None:
    assert all(FLAWS.values())
    done = subprocess.run([sys.executable, "-S", PROGRAM, "no-such-flaw"], capture_output=True, text=True, check=False)
    assert "unknown flaws: no-such-flaw" in done.stderr
