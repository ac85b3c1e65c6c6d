"""`zot trust list|forget`: the answers to the question whether what a folder brings may be used."""

import os

from zot_agent.cli.ext.terminal import print_line, print_table
from zot_agent.cli.verb import VerbTable
from zot_agent.config.folder_trust import FolderTrust
from zot_agent.config.paths import current_directory, zot_home
from zot_provider.errors import ConfigError


def _list() -> int:
    """List the folders with your answers."""
    rows = [
        ("yes" if each.allowed else "no", each.folder, "" if os.path.isdir(each.folder) else "the folder is gone")
        for each in FolderTrust(zot_home()).answers()
    ]
    if rows:
        print_table([("used", "folder", "note"), *rows])
    else:
        print_line("you have not been asked about any folder")
    return 0


def _forget(path: str = "") -> int:
    """Remove an answer, so that zot asks again.

    PATH: the folder (default: this one)
    """
    folder = os.path.realpath(os.path.expanduser(path) if path else current_directory())
    if not FolderTrust(zot_home()).forget(folder):
        raise ConfigError(f"there is no answer about {folder}; zot trust list shows all")
    print_line(f"forgotten: {folder}")
    return 0


run = VerbTable(
    "zot trust",
    "Show and remove your answers about what folders bring: extensions, skills, prompt templates, settings, "
    "instructions.",
    {"list": _list, "forget": _forget},
    "exit codes: 0 done, 2 usage, or there is no answer about the folder.",
    needed=True,
)
