"""`zot trust list|forget`: the answers to the question whether what a folder brings may be used."""

import os
from argparse import Namespace
from collections.abc import Sequence

from zot_agent.cli.ext.terminal import print_line, print_table
from zot_agent.cli.parser import Parser, subcommand
from zot_agent.config.folder_trust import FolderTrust
from zot_agent.config.paths import current_directory, zot_home
from zot_provider.errors import ConfigError


def build_parser() -> Parser:
    parser = Parser(
        prog="zot trust",
        description="Show and remove your answers about what folders bring: extensions, skills, prompt templates, "
        "settings, instructions.",
        epilog="exit codes: 0 done, 2 usage, or there is no answer about the folder",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="list|forget", required=True)
    verbs.add_parser("list", help="list the folders with your answers")
    forget = verbs.add_parser("forget", help="remove an answer, so that zot asks again")
    forget.add_argument("path", nargs="?", metavar="PATH", help="the folder (default: this one)")
    return parser


@subcommand()
def run(arguments: Sequence[str]) -> int:
    """Run `zot trust` with `arguments` (those after `trust`) and return the exit code."""
    given = build_parser().parse_args(list(arguments))
    {"list": _list, "forget": _forget}[given.verb](given)
    return 0


def _list(_: Namespace) -> None:
    rows = [
        ("yes" if each.allowed else "no", each.folder, "" if os.path.isdir(each.folder) else "the folder is gone")
        for each in FolderTrust(zot_home()).answers()
    ]
    if rows:
        print_table([("used", "folder", "note"), *rows])
    else:
        print_line("you have not been asked about any folder")


def _forget(given: Namespace) -> None:
    folder = os.path.realpath(os.path.expanduser(given.path) if given.path else current_directory())
    if not FolderTrust(zot_home()).forget(folder):
        raise ConfigError(f"there is no answer about {folder}; zot trust list shows all")
    print_line(f"forgotten: {folder}")
