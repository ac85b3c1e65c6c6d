"""`read_servers`: the MCP servers that files name, in the form that agents share: `{"mcpServers": {"NAME": {...}}}`.

Of several servers of one name the first counts. `${NAME}` and `${NAME:-default}` in texts are variables.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from zot_agent.mcp.forms import KINDS, ordinary
from zot_agent.mcp.server_files import ConfigProblem, narrowing_mistake, read_file
from zot_ext.record import Record

LONGEST_WAIT = 590.0
"""The longest `wait_for`: an extension can hold up a prompt for ten minutes."""
PROGRESS = "progress: "
"""How the lines about slow servers begin, on the standard error of a report; `zot mcp doctor` shows them."""
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class McpServerConfig(Record):
    """A server: a program, or a URL."""

    name: str
    source: str
    """The file that names it."""
    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    cwd: str = ""
    url: str = ""
    transport: str = ""
    """For a URL: `sse` is the one of before 2025 alone; else streamable HTTP, and that one if it is refused."""
    headers: tuple[tuple[str, str], ...] = ()
    sampling: str = "ask"
    """Whether it may ask models: `ask` the person once, `allow`, `deny`."""
    deferred: bool | None = None
    """Whether the model must search for its tools; None decides by their number."""
    timeout: float = 600.0
    """Seconds for a call."""
    startup_timeout: float = 60.0
    """Seconds from its start to its list of tools."""
    wait_for: float = 0.0
    """Seconds for which the first prompt of a run of one prompt waits for it; 0 is as long as for any extension."""
    client_id: str = ""
    scope: str = ""
    """For a sign-in: as whom zot is known to the service, and what to ask for."""

    @property
    def what(self) -> str:
        """A description for a person; without headers and variables, which may be secrets."""
        return self.url or " ".join([self.command, *self.args])

    @property
    def token_key(self) -> str:
        """The name of its tokens among the secrets of the extension."""
        return f"oauth {self.name} {self.url}"[:200]


def read_servers(
    paths: Iterable[str], environ: Mapping[str, str] | None = None
) -> tuple[list[McpServerConfig], list[str]]:
    """Return the servers that are not disabled, and lines about what cannot be used."""
    found: dict[str, McpServerConfig] = {}
    taken: set[str] = set()
    problems = []
    for path in paths:
        try:
            servers = read_file(path)
        except ConfigProblem as error:
            problems.append(str(error))
            continue
        for name, written in servers.items():
            if name in taken:
                continue
            taken.add(name)
            if isinstance(written, dict) and ordinary(written)[0].get("disabled") is True:
                continue
            try:
                found[name] = read_server(name, written, path, os.environ if environ is None else environ)
            except ConfigProblem as error:
                problems.append(str(error))
    return list(found.values()), problems


def read_server(name: str, given: object, source: str, environ: Mapping[str, str]) -> McpServerConfig:
    """Read one server. Raises `ConfigProblem`."""
    reader = _Reader(f"{source}: server {name!r}", environ)
    if not _NAME.fullmatch(name):
        raise ConfigProblem(f"{source}: {name!r} is not a name: 1 to 64 letters, digits, '_', '-' and '.'")
    if not isinstance(given, dict):
        raise reader.problem("expected an object")
    if mistake := narrowing_mistake(given):
        raise reader.problem(mistake)
    given, _ = ordinary(given)
    kind, url, command = given.get("type"), reader.text(given, "url"), reader.text(given, "command")
    if kind is not None and kind not in KINDS.values():
        raise reader.problem(f"type {kind!r} is neither stdio nor http nor sse")
    if bool(url) == bool(command):
        raise reader.problem("expected either 'command' or 'url'")
    if url and not url.startswith(("http://", "https://")):
        raise reader.problem("'url' does not begin with http:// or https://")
    usual = McpServerConfig.__defaults__
    return McpServerConfig(
        name,
        source,
        command=command,
        args=reader.texts(given, "args"),
        env=reader.pairs(given, "env"),
        cwd=reader.text(given, "cwd"),
        url=url,
        transport=kind if url and isinstance(kind, str) else "",
        headers=reader.pairs(given, "headers"),
        sampling=reader.text(given, "sampling") or "ask",
        deferred=reader.flag(given, "deferred"),
        timeout=reader.seconds(given, "timeout", usual["timeout"]),
        startup_timeout=reader.seconds(given, "startup_timeout", usual["startup_timeout"]),
        wait_for=reader.wait(given, "wait_for"),
        client_id=reader.text(reader.group(given, "oauth"), "client_id"),
        scope=reader.text(reader.group(given, "oauth"), "scope"),
    )


class _Reader:
    def __init__(self, where: str, environ: Mapping[str, str]) -> None:
        self._where, self._environ = where, environ

    def problem(self, what: str) -> ConfigProblem:
        return ConfigProblem(f"{self._where}: {what}")

    def text(self, given: Mapping[str, Any], field: str) -> str:
        return self._text(given.get(field), field)

    def flag(self, given: Mapping[str, Any], field: str) -> bool | None:
        value = given.get(field)
        if value is not None and not isinstance(value, bool):
            raise self.problem(f"{field!r} is neither true nor false")
        return value

    def group(self, given: Mapping[str, Any], field: str) -> dict[str, Any]:
        value = given.get(field) or {}
        if not isinstance(value, dict):
            raise self.problem(f"{field!r} is not an object")
        return value

    def texts(self, given: Mapping[str, Any], field: str) -> tuple[str, ...]:
        value = given.get(field) or []
        if not isinstance(value, list):
            raise self.problem(f"{field!r} is not a list")
        return tuple(self._text(each, field) for each in value)

    def pairs(self, given: Mapping[str, Any], field: str) -> tuple[tuple[str, str], ...]:
        value = self.group(given, field)
        return tuple((name, self._text(each, f"{field}.{name}")) for name, each in value.items())

    def seconds(self, given: Mapping[str, Any], field: str, usual: object) -> float:
        """Read a time, in milliseconds as other agents write it."""
        value = given.get(field, usual)
        if value is usual:
            assert isinstance(usual, float)
            return usual
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 86_400_000:
            raise self.problem(f"{field!r} is not a time in milliseconds")
        return value / 1000

    def wait(self, given: Mapping[str, Any], field: str) -> float:
        """Read a time in seconds, in which people think about a wait."""
        value = given.get(field, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST_WAIT:
            raise self.problem(f"{field!r} is not a time of 0 to {LONGEST_WAIT:g} seconds")
        return float(value)

    def _text(self, value: object, field: str) -> str:
        if value is None:
            return ""
        if not isinstance(value, str) or "\0" in value:
            raise self.problem(f"{field!r} is not a text")
        return _VARIABLE.sub(lambda match: self._variable(match, field), value)

    def _variable(self, match: re.Match[str], field: str) -> str:
        name, usual = match.groups()
        value = self._environ.get(name)
        if value is None and usual is None:
            raise self.problem(f"{field!r} needs the variable {name}, which is not set")
        return value if value else usual or ""
