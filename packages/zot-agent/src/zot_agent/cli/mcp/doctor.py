"""`zot mcp doctor [NAME]`: connects to the servers once and shows what they offer, or why they do not."""

import asyncio
import os
import subprocess
from json import dumps, loads
from typing import Any

from zot_agent.cli.doctor_line import DoctorLine
from zot_agent.cli.ext.terminal import inline, print_line, print_text
from zot_agent.cli.mcp.servers import extension, named_servers, python, usable_files
from zot_agent.config.child_keys import removed_variables
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.event_loop import run_in_loop
from zot_agent.extensions.calls.methods.stored.secret import secret_name
from zot_agent.extensions.launch import environment
from zot_agent.host.build import open_registry
from zot_agent.mcp.config import PROGRESS, read_servers
from zot_agent.standard_error import print_error
from zot_core.machine.process_groups import kill_child
from zot_provider.auth.store import AccountStore
from zot_provider.errors import ConfigError, UnknownName
from zot_provider.record import Record

_LINE_BYTES = 1 << 20


class DoctorLimits(Record):
    """How long a look at all servers may take beyond the longest `startup_timeout` of one of them."""

    seconds: float = 60.0


def doctor(name: str = "", *, json: bool = False) -> int:
    """Connect to the MCP servers and show what they offer.

    NAME: only this server
    --json: print a JSON object for each server
    """
    found, _ = named_servers()
    names = dict.fromkeys(each.name for each in found)
    if name and name not in names:
        raise UnknownName.among("MCP server", name, names, "" if names else "(none is configured)")
    unused = [each for each in found if each.state != "on" and name in ("", each.name)]
    reports = [each for each in look() if name in ("", each.get("server"))]
    for report in reports:
        if (key := report.pop("token_key", "")) and run_in_loop(_is_stored(key)):
            report |= {"problem": "", "note": "you have signed in; only a conversation uses that, where /mcp shows it"}
    for report in reports:
        if json:
            print_line(dumps(report))
        else:
            _print(report)
    for each in unused if not json else ():
        print_text(DoctorLine("--", each.name, f"{each.state} in {each.path}").lines(10_000))
    if not reports and not unused:
        print_line("no MCP server is configured")
    return int(any(report.get("problem") for report in reports))


def look(limits: DoctorLimits | None = None) -> list[dict[str, Any]]:
    """Connect to all servers and return what became of it, an object for each; one with `problem` alone is about a
    file. Raises `ConfigError`."""
    files = usable_files()
    if not files:
        return []
    servers, _ = read_servers(files)
    seconds = (limits or DoctorLimits()).seconds + max((each.startup_timeout for each in servers), default=0)
    program = python()
    found = extension(files)
    removed = removed_variables(load_settings(zot_home()), open_registry(zot_home()).providers)
    arguments = [found.manifest.args[0], "doctor", *found.manifest.args[1:]]
    command = [program, os.path.join(found.directory, arguments[0]), *arguments[1:]]
    code, out, error = run_in_loop(_run(command, environment(removed=set(removed)), seconds))
    try:
        if code in (0, 1) and out:
            return [loads(line) for line in out.splitlines()]
        raise ValueError
    except ValueError:
        raise ConfigError(f"the servers could not be asked: {inline(error or 'no output')}") from None


async def _run(command: list[str], variables: dict[str, str], seconds: float) -> tuple[int | None, str, str]:
    """Run the report; return its exit code, its output and the last line of its standard error, of which those about
    progress are shown at once. Raises `ConfigError`."""
    process = await asyncio.create_subprocess_exec(
        *command, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        limit=_LINE_BYTES,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    last = ""

    async def hear(lines: asyncio.StreamReader) -> None:
        nonlocal last
        async for line in lines:
            text = line.decode(errors="replace").strip()
            last = text or last
            if text.startswith(PROGRESS):
                print_error(inline(text.removeprefix(PROGRESS)))

    try:
        async with asyncio.timeout(seconds):
            out, _ = await asyncio.gather(process.stdout.read(), hear(process.stderr))
            return await process.wait(), out.decode(errors="replace"), last
    except TimeoutError:
        raise ConfigError(f"the servers took longer than {seconds:g} s") from None
    finally:
        if process.returncode is None:
            kill_child(process)
            await process.wait()


async def _is_stored(key: str) -> bool:
    """Whether the extension has this secret. Raises `ConfigError`."""
    return await AccountStore(zot_home()).load(secret_name("mcp", key)) is not None


def _print(report: dict[str, Any]) -> None:
    name = str(report.get("server") or "file")
    if report.get("note"):
        lines = [DoctorLine("--", name, report["note"])]
    elif report["problem"]:
        lines = [DoctorLine("no", name, inline(report["problem"]))]
    else:
        lines = [DoctorLine("ok", name, inline(f"{report['title']} (protocol {report['protocol']})"))]
        for kind in ("tools", "prompts", "resources"):
            if report[kind]:
                lines.append(DoctorLine("ok", kind, inline(", ".join(report[kind]))))
        lines += [DoctorLine("--", "left out", inline(each)) for each in report["left_out"]]
    for line in lines:
        print_text(line.lines(10_000))
