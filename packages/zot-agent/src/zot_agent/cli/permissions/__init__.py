"""`zot permissions list|test`: shows the rules for tool calls, and what they say of a command."""

import os

from zot_agent.cli.ext.terminal import print_line
from zot_agent.cli.verb import VerbTable
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.host.extensions import ProjectChoice
from zot_agent.host.options import HostOptions
from zot_agent.host.permissions import PermissionFiles
from zot_agent.standard_error import print_error
from zot_core.confirm import Permissions
from zot_core.permission_mode import PermissionMode
from zot_core.tools import BUILTIN_TOOLS

_CODES = {"allow": 0, "ask": 5, "deny": 5}


def _permissions(mode: PermissionMode | None = None) -> Permissions:
    home, cwd = zot_home(), os.getcwd()
    choice = ProjectChoice(HostOptions(), load_settings(home), cwd)
    choice.find()
    for note in choice.notes:
        print_error(note)
    return PermissionFiles(home, cwd).open(HostOptions(permission_mode=mode), choice.load())


def _list() -> int:
    """List mode and rules with the files they come from, and built-in rules of the mode."""
    permissions = _permissions()
    print_line(f"mode {permissions.mode}")
    for action in ("deny", "ask", "allow"):
        for rule in permissions.rules:
            if rule.action == action:
                print_line(f"{action} {rule.text}  ({rule.source})")
    if permissions.mode != "yolo":
        from zot_core.permissions.commands.readers import shown_rows  # noqa: PLC0415  not in the mode yolo

        for row in shown_rows():
            print_line(f"allow {row}  (built in: it only reads)")
    if permissions.rules:
        for line in permissions.judge.unknown_tools([each.name for each in BUILTIN_TOOLS], similar=True):
            print_error(line)
    return 0


def _test(command: str, *, permission_mode: PermissionMode | None = None) -> int:
    """Say whether a command is allowed, asked about or denied, and by which rule.

    COMMAND: the command, as one argument
    --permission-mode MODE: one of %(choices)s
    """
    permissions = _permissions(permission_mode)
    verdict = permissions.judge.judge_command(command, os.path.realpath(os.getcwd()))
    print_line(f"{verdict.action}: {verdict.reason}" if verdict.reason else verdict.action)
    return _CODES[verdict.action]


run = VerbTable(
    "zot permissions",
    "Show the rules for tool calls in this folder, or what they say of a command.",
    {"list": _list, "test": _test},
    "exit codes: 0 done, or the command is allowed, 2 usage or a wrong rule, 5 it is asked about or denied.",
    needed=True,
)
