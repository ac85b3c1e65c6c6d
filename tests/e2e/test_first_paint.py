"""What the chat screen imports before a person can type, and what afterwards."""

import sys
from pathlib import Path

from command import Zot
from pty_screen import PtyScreen

NEVER = {
    *("pydantic", "pydantic_core", "yaml", "keyring", "authlib", "PIL", "filelock"),
    *("rapidfuzz", "psutil", "pathspec", "platformdirs", "zot_ext"),
    *("httpx", "urwid.vterm", "urwid.event_loop", "urwid.widget.listbox", "zot_agent.extensions.host"),
}
HEAVY = ("pygments", "zot_tui.widgets.dialogs.picker", "zot_provider.transport.http", "importlib.metadata")


def test_the_first_screen_has_imported_what_it_draws_with_and_the_rest_comes_afterwards(zot: Zot) -> None:
    log = zot.cwd / "imports"
    command = ["sh", "-c", 'log="$1"; shift; exec "$@" 2>"$log"', "sh", str(log)]
    command += [sys.executable, "-X", "importtime", "-m", "zot_agent"]
    environment = zot.env | {"OPENAI_API_KEY": "key", "TERM": "xterm-256color"}
    with PtyScreen(command, environment=environment, cwd=str(zot.cwd)) as screen:
        screen.wait_for("commands")
        screen.wait_until(lambda: "pygments.lexers.python" in imports(log), what="the last module")
        screen.type("\x04")
        assert screen.wait_end() == 0
    order = imports(log)
    assert NEVER & set(order) == set()
    # What is imported first afterwards is markdown. The log has no line for a module that was imported by its name.
    begun = next(index for index, name in enumerate(order) if name.startswith("zot_tui.markdown"))
    assert order.index("zot_agent.ui.controller") < begun
    assert not [name for name in order[:begun] if name.startswith(HEAVY)]
    late = {"zot_provider.transport.pool", "zot_tui.widgets.dialogs.picker", "pygments.lexers.python"}
    assert late <= set(order[begun:])


def imports(log: Path) -> list[str]:
    """The modules that were imported, in the order they were ready."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")]
