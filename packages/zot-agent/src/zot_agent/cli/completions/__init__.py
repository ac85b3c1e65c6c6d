"""`zot completions bash|zsh|fish`: prints what makes a shell complete the words after `zot`."""

import sys
from collections.abc import Sequence
from importlib import import_module

from zot_agent.cli.parser import Parser, subcommand

SHELLS = ("bash", "zsh", "fish")


def build_parser() -> Parser:
    parser = Parser(
        prog="zot completions",
        description="Print a script with which a shell completes commands and flags of zot. In ~/.bashrc: "
        "source <(zot completions bash). In ~/.zshrc, after compinit: source <(zot completions zsh). For fish: "
        "zot completions fish > ~/.config/fish/completions/zot.fish",
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell")
    return parser


@subcommand()
def run(arguments: Sequence[str]) -> int:
    """Print the script for a shell and return the exit code."""
    shell = build_parser().parse_args(list(arguments)).shell
    from zot_agent.cli.completions.tree import read_tree  # noqa: PLC0415  not for a wrong word

    sys.stdout.write(import_module(f"zot_agent.cli.completions.{shell}").script(read_tree()))
    return 0
