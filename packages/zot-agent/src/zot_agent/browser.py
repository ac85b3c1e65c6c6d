"""`open_browser`: opens an address in the person's browser, if there is one on this machine."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping

_OPENERS = {"darwin": "open", "linux": "xdg-open"}


def open_browser(url: str, removed: Iterable[str] = (), environ: Mapping[str, str] | None = None) -> bool:
    """Open a URL of http or https and return at once; return whether a browser was probably found.

    The browser gets the environment without the `removed` variables, which may hold keys. Without a graphical session,
    or in a session of SSH, nothing is opened: a browser there would take the terminal, or be on another machine.
    """
    env = dict(os.environ if environ is None else environ)
    if not url.startswith(("http://", "https://")) or not _has_screen(env):
        return False
    if sys.platform == "win32":
        os.startfile(url)
        return True
    opener = shutil.which(_OPENERS.get(sys.platform, "xdg-open"), path=env.get("PATH"))
    if opener is None:
        return False
    for name in removed:
        env.pop(name, None)
    null = subprocess.DEVNULL
    try:
        # Whatever it prints would spoil the screen.
        opening = subprocess.Popen([opener, url], env=env, stdin=null, stdout=null, stderr=null, start_new_session=True)
    except OSError:
        return False
    # Some openers run as long as the browser. An opener that has ended is a zombie until it is waited for.
    threading.Thread(target=opening.wait, name="browser", daemon=True).start()
    return True


def _has_screen(environ: Mapping[str, str]) -> bool:
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        return False
    return sys.platform in ("darwin", "win32") or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))
