"""`Bridge`: all servers as one extension: their tools, prompts and resources."""

from __future__ import annotations

import contextvars
import json
import os
import re

from zot_agent.mcp.config import read_servers
from zot_agent.mcp.listing import details, noted, prompt_arguments, summary
from zot_agent.mcp.names import names_of
from zot_ext import Extension, display, error, prompt, text_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from zot_agent.mcp.config import McpServerConfig
    from zot_agent.mcp.server import McpServer
    from zot_ext.answers import Response, Result
    from zot_ext.protocol.events.decisions import InputDecision, InputRequest
    from zot_ext.protocol.from_host import HelloAck
    from zot_ext.registrations import ToolOptions

SLOW_SECONDS = 10.0
"""After so long a line says which servers still start. The extension is ready when all are ready or have failed, in a
run of one prompt also when their `wait_for` is over; nothing of an unfinished start is remembered."""
CALL_SECONDS = 60.0
"""How long zot waits for a tool unless it is asked for more time."""
MOST_SECONDS = 600
"""How much more time zot gives, once."""
DIRECT_TOOLS = 10
"""A server with more tools has them behind a search, so that they do not fill the prompt."""
DESCRIPTION = 4096
"""The most characters of the description of a tool."""
ONCE = frozenset({"print", "stream", "json"})
"""The modes that end after one prompt."""
_GROUPS = ("commands", "tools", "tools2", "ui", "model", "cancel", "storage")
_MENTION = re.compile(r"(?<!\S)@([A-Za-z0-9_.-]+):(\S+)")
MENTIONS = 5
"""The most resources that a prompt can name with `@SERVER:URI`."""
_RESOURCE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "server": {"type": "string", "description": "the name of the server"},
        "uri": {"type": "string", "description": "the address of the resource"},
    },
    "required": ["server", "uri"],
}


class Bridge:
    """The extension for the servers in `files`, of which the first ones take precedence."""

    def __init__(self, files: Sequence[str]) -> None:
        self.cwd = ""
        self.servers: dict[str, McpServer] = {}
        self._configs, self.problems = read_servers(files)
        self._ext = Extension("mcp", "1.0.0", capabilities=_GROUPS)
        self._tools: dict[str, tuple[str, Any]] = {}  # by the name that the model sees
        self._prompts: dict[str, tuple[str, Any]] = {}
        self._answers: Any = None
        self._running: Any = None
        self._resources = False
        self._shown: dict[str, str] = {}  # the last line for the person about a server
        self._ext.on_hello(self._start)
        if any(each.wait_for for each in self._configs):
            self._ext.intercept("input")(self._first_prompt)
        elif self._configs:
            self._ext.intercept("input", contains=[f"@{each.name}:" for each in self._configs][:200])(self._mention)
        about = "show MCP servers; /mcp NAME shows what one offers; also /mcp reconnect NAME, /mcp login NAME"
        self._ext.command("mcp", about)(self._command)

    def run(self) -> None:
        """Serve zot until it ends the extension."""
        self._ext.run()

    def log(self, text: str) -> None:
        self._ext.log(text)

    async def _start(self, host: HelloAck) -> bool:
        """Start all servers; the extension is ready later, when each of them is, or has failed."""
        import asyncio  # noqa: PLC0415  after the hello, so that zot need not wait for it

        import anyio  # noqa: PLC0415  as above

        from zot_agent.mcp.person import Answers  # noqa: PLC0415  as above
        from zot_agent.mcp.server import McpServer  # noqa: PLC0415  as above
        from zot_ext.protocol.from_extension import Ready  # noqa: PLC0415  as above

        self.cwd = host.cwd or os.getcwd()
        self._answers = Answers(self._ext)
        for problem in self.problems:
            self._ext.notify(problem, "warn")
        self.servers = {each.name: McpServer(each, self) for each in self._configs}

        async def run() -> None:
            async with anyio.create_task_group() as tasks:
                for server in self.servers.values():
                    tasks.start_soon(server.run)

        async def say_ready() -> None:
            servers = self.servers.values()
            with anyio.move_on_after(SLOW_SECONDS) as slow:
                await self._settle(servers, host.mode)
            if slow.cancelled_caught:
                self._name_missing(servers, "its tools come when it is ready")
                await self._settle(servers, host.mode)
            odd = [(each.name, each.problem or each.progress) for each in servers if each.state != "ready"]
            self._ext.send(Ready((*self._ext.missing, *(f"MCP server {name}: the server {why}" for name, why in odd))))

        loop = asyncio.get_running_loop()
        self._running = [asyncio.run_coroutine_threadsafe(each(), loop) for each in (run, say_ready)]
        return False

    async def _settle(self, servers: Iterable[McpServer], mode: str) -> None:
        for server in servers:
            await server.settle(once=mode in ONCE)

    def _name_missing(self, servers: Iterable[McpServer], then: str) -> None:
        for server in servers:
            if not server.settled.is_set():
                self._ext.notify(f"MCP server {server.name} is not ready: it {server.progress}; {then}", "warn")

    def auth(self, config: McpServerConfig) -> Any:
        """Return what gets tokens for a server, unless its headers have one."""
        if any(name.lower() == "authorization" for name, _ in config.headers):
            return None
        from zot_agent.mcp.oauth import ServerAuth  # noqa: PLC0415  after the hello

        return ServerAuth(config, self._ext)

    async def sample(self, server: McpServer, params: Any) -> Any:
        """Let a server ask a model."""
        return await self._answers.sample(server, params)

    async def elicit(self, server: McpServer, params: Any) -> Any:
        """Let a server ask the person."""
        return await self._answers.elicit(server, params)

    # What servers offer

    def changed(self, server: McpServer) -> None:
        """Register what a server offers now, and take back what it does not offer any more."""
        others = {name for name, (owner, _) in self._tools.items() if owner != server.name}
        names = names_of(server.name, [tool.name for tool in server.lists.offer.tools], others)
        offered = set(names.values())
        gone = [name for name, (owner, _) in self._tools.items() if owner == server.name and name not in offered]
        for name in gone if self._has_tools2 else ():
            del self._tools[name]
            self._ext.remove_tool(name)
        for tool in server.lists.offer.tools:
            name = names[tool.name]
            if self._tools.get(name) != (server.name, tool):
                self._tools[name] = server.name, tool
                self._register(name, tool, server)
        others = {name for name, (owner, _) in self._prompts.items() if owner != server.name}
        names = names_of(server.name, [each.name for each in server.lists.offer.prompts], others)
        for each in server.lists.offer.prompts:
            name = names[each.name]
            if self._prompts.get(name) != (server.name, each):
                self._prompts[name] = server.name, each
                self._register_prompt(name, each)
        if not self._resources and (server.lists.offer.resources or server.lists.offer.templates):
            self._resources = True
            self._register_resources()
        self._tell(server)

    def _tell(self, server: McpServer) -> None:
        """Show why a server is not there, or what of its offer is left out, unless that is known."""
        if server.state == "starting":
            return
        line = f"the server {server.problem}"
        if server.state == "ready":
            line = noted(server.lists.left_out) if server.lists.left_out else ""
        if line and line != self._shown.get(server.name):
            self._ext.notify(f"MCP server {server.name}: {line}", "warn")
        self._shown[server.name] = line or self._shown.get(server.name, "")

    @property
    def _has_tools2(self) -> bool:
        return "tools2" in self._ext.host.capabilities

    def _register(self, name: str, tool: Any, server: McpServer) -> None:
        async def call(arguments: dict[str, Any]) -> Result | Response:
            return await self._call(name, arguments)

        text = (tool.description or tool.title or tool.name)[:DESCRIPTION]
        schema = {"properties": {}, **tool.input_schema, "type": "object"}
        options: ToolOptions = {}
        if self._has_tools2:
            deferred = server.config.deferred
            options["deferred"] = len(server.lists.offer.tools) > DIRECT_TOOLS if deferred is None else deferred
            options["namespace"] = server.name[:60]
            options["seconds"] = min(server.config.timeout, MOST_SECONDS)
            options["parallel"] = options["read_only"] = bool(tool.annotations and tool.annotations.read_only_hint)
        self._ext.tool(name=name, description=text, schema=schema, **options)(call)

    def _register_prompt(self, name: str, offered: Any) -> None:
        async def run(arguments: str) -> Response:
            return await self._prompt(name, arguments)

        words = " ".join(each.name if each.required else f"[{each.name}]" for each in offered.arguments or ())
        text = " ".join(filter(None, [words, offered.description or offered.title or ""]))
        self._ext.command(name, text)(run)

    def _register_resources(self) -> None:
        async def listed(arguments: dict[str, Any]) -> Result:
            return self._list_resources(str(arguments.get("server") or ""))

        async def read(arguments: dict[str, Any]) -> Result | Response:
            return await self._read(str(arguments.get("server")), str(arguments.get("uri")))

        only = {
            "type": "object",
            "properties": {"server": {"type": "string", "description": "only resources of this server"}},
        }
        self._ext.tool(name="mcp_list_resources", description="List the resources of MCP servers.", schema=only)(listed)
        text = "Read a resource of an MCP server."
        self._ext.tool(name="mcp_read_resource", description=text, schema=_RESOURCE_SCHEMA)(read)

    # What is asked of servers

    async def _call(self, name: str, arguments: dict[str, Any]) -> Result | Response:
        from zot_agent.mcp.content import tool_result  # noqa: PLC0415  after the hello

        owner, tool = self._tools[name]
        server = self.servers[owner]
        if server.state == "ready" and tool.name not in {each.name for each in server.lists.offer.tools}:
            return error(f"the MCP server {owner} has no tool {tool.name} any more")
        context = contextvars.copy_context()

        async def progress(done: float, total: float | None, message: str | None) -> None:
            of = "" if total is None else f"/{total:g}"
            context.run(self._ext.tools.progress, " ".join(filter(None, [f"{done:g}{of}", message])) + "\n")

        shown = progress if self._has_tools2 else None
        answer = await self._asked(server, lambda: server.call_tool(tool.name, arguments, shown))
        return error(answer) if isinstance(answer, str) else tool_result(answer)

    async def _asked(self, server: McpServer, ask: Any) -> Any:
        """Return what a server answers, or a line about why it does not. A long call gets more time."""
        import anyio  # noqa: PLC0415  after the hello
        from mcp.shared.exceptions import MCPError  # noqa: PLC0415  as above

        from zot_agent.mcp.wire.stdio import ServerLost  # noqa: PLC0415  as above

        outcome: Any = None
        async with anyio.create_task_group() as tasks:
            if server.config.timeout > CALL_SECONDS and not self._has_tools2:
                tasks.start_soon(self._before_time_is_up)
            try:
                outcome = await ask()
            except ServerLost as lost:
                outcome = f"the MCP server {server.name} {lost}"
            except MCPError as failed:
                outcome = f"the MCP server {server.name}: {failed.message[:2000]}"
            except (RuntimeError, ValueError) as broken:  # an answer that no repair has made fit the protocol
                outcome = f"the MCP server {server.name} answered wrongly: {str(broken)[:2000]}"
            tasks.cancel_scope.cancel()
        self._answers.call_ended(server)
        return outcome

    async def _before_time_is_up(self) -> None:
        """Ask zot for more time before it gives the call up."""
        import anyio  # noqa: PLC0415  after the hello

        await anyio.sleep(CALL_SECONDS * 0.75)
        await self._more_time(MOST_SECONDS)

    async def _more_time(self, seconds: int) -> None:
        from zot_ext.errors import HostError, NotGranted  # noqa: PLC0415  after the hello

        try:
            await self._ext.soon(self._ext.more_time, min(seconds, MOST_SECONDS))
        except (HostError, NotGranted) as refused:
            self.log(f"no more time for a call: {refused}")

    async def _prompt(self, name: str, words: str) -> Response:
        from zot_agent.mcp.content import plain_text  # noqa: PLC0415  after the hello

        owner, offered = self._prompts[name]
        try:
            arguments = prompt_arguments(offered.arguments or (), words)
        except ValueError as wrong:
            return error(str(wrong))
        missing = [each for each in offered.arguments or () if each.required and each.name not in arguments]
        if missing and self._ext.host.capabilities and "ui" in self._ext.host.capabilities:
            fields = [{"name": each.name, "required": True, "description": each.description or ""} for each in missing]
            values = await self._ext.soon(self._ext.ui.form, f"/{name}", fields)
            if values is None:
                return error("not sent")
            arguments |= {key: str(value) for key, value in values.items()}
        server = self.servers[owner]
        answer = await self._asked(server, lambda: server.get_prompt(offered.name, arguments))
        if isinstance(answer, str):
            return error(answer)
        parts = [plain_text(each.content) for each in answer.messages]
        return prompt("\n\n".join(filter(None, parts)))

    def _list_resources(self, only: str) -> Result:
        found = []
        for server in self.servers.values():
            if only and server.name != only:
                continue
            for each in server.lists.offer.resources:
                entry = {"server": server.name, "uri": str(each.uri), "name": each.title or each.name}
                found.append(entry | ({"description": each.description} if each.description else {}))
            for each in server.lists.offer.templates:
                found.append(
                    {"server": server.name, "uri_template": each.uri_template, "name": each.title or each.name}
                )
        return text_result(
            "\n".join(json.dumps(each, ensure_ascii=False) for each in found) or "there are no resources"
        )

    async def _read(self, name: str, uri: str) -> Result | Response:
        from zot_agent.mcp.content import TEXT_CHARACTERS, resource_text  # noqa: PLC0415  after the hello

        server = self.servers.get(name)
        if server is None:
            return error(f"there is no MCP server {name!r}, only {', '.join(self.servers) or 'none'}")
        answer = await self._asked(server, lambda: server.read_resource(uri))
        if isinstance(answer, str):
            return error(answer)
        text = "\n\n".join(resource_text(each) for each in answer.contents)
        more = len(text) - TEXT_CHARACTERS
        return text_result(f"{text[:TEXT_CHARACTERS]}\n(cut: {more} more characters)" if more > 0 else text)

    async def _first_prompt(self, request: InputRequest) -> InputDecision | None:
        """Let a prompt that nothing follows wait for the servers whose `wait_for` wants that."""
        import anyio  # noqa: PLC0415  after the hello

        waited = [each for each in self.servers.values() if each.config.wait_for and not each.settled.is_set()]
        if waited and request.source in ONCE:
            longest = max(each.config.wait_for for each in waited)
            if any(anyio.current_time() < each.began + each.config.wait_for for each in waited):
                names = ", ".join(each.name for each in waited)
                self._ext.notify(f"waiting for the MCP server {names}, {longest:g} s at most")
            await self._more_time(int(longest) + 5)
            await self._settle(waited, request.source)
            self._name_missing(waited, "the prompt is sent without its tools")
        return await self._mention(request)

    async def _mention(self, request: InputRequest) -> InputDecision | None:
        """Add the resources that a prompt names as `@SERVER:URI`."""
        found = [(self.servers[name], uri) for name, uri in _MENTION.findall(request.text) if name in self.servers]
        if not found:
            return None
        from zot_agent.mcp.content import TEXT_CHARACTERS, resource_text  # noqa: PLC0415  after the hello
        from zot_ext.protocol.events.decisions import InputDecision  # noqa: PLC0415  as above

        starting = [server.config.startup_timeout for server, _ in found if not server.settled.is_set()]
        if starting:
            await self._more_time(int(max(starting)) + 1)
        if len(found) > MENTIONS:
            self._ext.notify(f"only the first {MENTIONS} of {len(found)} resources are read", "warn")
        texts = []
        for server, uri in found[:MENTIONS]:
            known = {str(each.uri) for each in server.lists.offer.resources}
            wanted = uri if uri in known else uri.rstrip(".,;:!?)")
            answer = await self._asked(server, lambda server=server, wanted=wanted: server.read_resource(wanted))
            if isinstance(answer, str):
                self._ext.notify(f"@{server.name}:{wanted}: {answer}", "warn")
            else:
                texts += [resource_text(each)[:TEXT_CHARACTERS] for each in answer.contents]
        return InputDecision(text="\n\n".join([request.text, *texts])) if texts else None

    # /mcp

    async def _command(self, words: str) -> Response:
        verb, _, name = words.partition(" ")
        if verb in ("reconnect", "login"):
            server = self.servers.get(name.strip())
            if server is None:
                return error(f"there is no MCP server {name.strip()!r}")
            if verb == "login":
                return await self._login(server)
            server.reconnect()
            return display(f"{server.name} connects again")
        if words:
            server = self.servers.get(words)
            return error(f"there is no MCP server {words!r}") if server is None else display(details(server))
        lines = [summary(each) for each in self.servers.values()]
        return display("\n".join([*lines, *self.problems]) or "no MCP server is configured; see zot mcp add --help")

    async def _login(self, server: McpServer) -> Response:
        from zot_agent.mcp.oauth import SignInProblem  # noqa: PLC0415  after the hello

        if server.auth is None:
            return error(f"{server.name} takes no sign-in: it is a program, or its headers have a token")
        try:
            await server.auth.sign_in()
        except SignInProblem as problem:
            return error(f"{server.name}: {problem}")
        server.reconnect()
        return display(f"signed in to {server.name}; it connects again")
