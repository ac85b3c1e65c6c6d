"""Words of the status row and the card."""

import os

from zot_core.permission_mode import SandboxState

SANDBOXES: dict[SandboxState, str] = {
    "off": "no sandbox", "on": "sandbox", "strict": "strict sandbox", "lesser": "lesser sandbox",
}  # fmt: skip


def shown_folder(folder: str, home: str) -> str:
    """Return the path of a folder with `~` for the home directory, if that is not empty."""
    inside = home and (folder == home or folder.startswith(home + os.sep))
    return f"~{folder[len(home) :]}" if inside else folder
