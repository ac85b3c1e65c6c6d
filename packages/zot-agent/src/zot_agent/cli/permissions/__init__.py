"""`zot permissions list|test`: shows the rules for tool calls, and what they say of a command."""

import os
from collections.abc import Sequence

from zot_agent.cli.ext.terminal import print_line
from zot_agent.cli.parser import Parser, subcommand
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.host.extensions import ProjectChoice
from zot_agent.host.options import HostOptions
from zot_agent.host.permissions import PermissionFiles
from zot_agent.standard_error import print_error
from zot_core.confirm import Permissions
from zot_core.permission_mode import MODES
from zot_core.tools import BUILTIN_TOOLS

_CODES = {"allow": 0, "ask": 5, "deny": 5}


def build_parser() -> Parser:
    parser = Parser(
        prog="zot permissions",
        description="Show the rules for tool calls in this folder, or what they say of a command.",
        epilog="exit codes: 0 done, or the command is allowed, 2 usage or a wrong rule, 5 it is asked about or denied",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="list|test", required=True)
    parser.set_defaults(permission_mode=None)
    verbs.add_parser("list", help="list mode and rules with the files they come from, and built-in rules of the mode")
    test = verbs.add_parser("test", help="say whether a command is allowed, asked about or denied, and by which rule")
    test.add_argument("command", help="the command, as one argument")
    test.add_argument("--permission-mode", choices=MODES, metavar="MODE", help=f"one of {', '.join(MODES)}")
    return parser


@subcommand()
def run(arguments: Sequence[str]) -> int:
    """Run `zot permissions` with `arguments` (those after `permissions`) and return the exit code."""
    parsed = build_parser().parse_args(list(arguments))
    permissions = _permissions(parsed.permission_mode)
    return _list(permissions) if parsed.verb == "list" else _test(permissions, parsed.command)


def _permissions(mode: str | None) -> Permissions:
    home, cwd = zot_home(), os.getcwd()
    choice = ProjectChoice(HostOptions(), load_settings(home), cwd)
    choice.find()
    for note in choice.notes:
        print_error(note)
    chosen = next((each for each in MODES if each == mode), None)
    return PermissionFiles(home, cwd).open(HostOptions(permission_mode=chosen), choice.load())


def _list(permissions: Permissions) -> int:
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


def _test(permissions: Permissions, command: str) -> int:
    verdict = permissions.judge.judge_command(command, os.path.realpath(os.getcwd()))
    print_line(f"{verdict.action}: {verdict.reason}" if verdict.reason else verdict.action)
    return _CODES[verdict.action]
