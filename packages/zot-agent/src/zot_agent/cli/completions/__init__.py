"""`zot completions bash|zsh|fish`: prints what makes a shell complete the words after `zot`."""

import sys
from importlib import import_module
from typing import Literal

from zot_agent.cli.verb import Verb


def _completions(shell: Literal["bash", "zsh", "fish"]) -> int:
    """Print a script with which a shell completes commands and flags of zot. In ~/.bashrc: source <(zot completions
    bash). In ~/.zshrc, after compinit: source <(zot completions zsh). For fish: zot completions fish >
    ~/.config/fish/completions/zot.fish

    SHELL: %(choices)s
    """
    from zot_agent.cli.completions.tree import read_tree  # noqa: PLC0415  not for a wrong word

    sys.stdout.write(import_module(f"zot_agent.cli.completions.{shell}").script(read_tree()))
    return 0


run = Verb("zot completions", _completions)
