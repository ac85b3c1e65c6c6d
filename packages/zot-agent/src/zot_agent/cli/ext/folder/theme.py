"""The theme that an extension brings: whether there is one is told by its file, what is wrong with it by reading it as
the screen does."""

import os
from pathlib import Path

from zot_agent.extensions.discover import DiscoveredExtension
from zot_ext.manifest import THEME_FILES


def theme(found: DiscoveredExtension) -> str:
    """What to type on the screen to see the theme; empty without one."""
    return f"/theme {found.name}" if _file(found.directory) else ""


def theme_fault(directory: str) -> str:
    """Why the screen could not use the theme of an extension in this folder, in one line; empty if it can, and if there
    is none."""
    from zot_tui.theme import ThemeError, load_theme  # noqa: PLC0415  few extensions bring one

    path = _file(directory)
    try:
        for mode in ("dark", "light") if path else ():  # the parts for either kind of terminal
            load_theme(Path(path), mode)
    except ThemeError as error:
        return str(error)
    return ""


def theme_notes(directory: str) -> list[str]:
    """Entries of the theme that are left out, a line each; none of a theme that cannot be used."""
    from zot_tui.theme import ThemeError, load_theme  # noqa: PLC0415  see `theme_fault`

    path = _file(directory)
    try:
        found = [note for mode in ("dark", "light") if path for note in load_theme(Path(path), mode).notes]
    except ThemeError:
        return []
    return list(dict.fromkeys(found))


def _file(directory: str) -> str:
    """The theme's file, the one that the screen would take; empty without one."""
    paths = (os.path.join(directory, *name.split("/")) for name in THEME_FILES)
    return next((path for path in paths if os.path.isfile(path)), "")
