"""The theme that an extension brings. Whether there is one is told by its file; the screen reads it."""

import os

from zot_agent.extensions.discover import Found
from zot_ext.manifest import THEME_FILES


def theme(found: Found) -> str:
    """What to type on the screen to see the theme; empty without one."""
    there = any(os.path.isfile(os.path.join(found.directory, *name.split("/"))) for name in THEME_FILES)
    return f"/theme {found.name}" if there else ""
