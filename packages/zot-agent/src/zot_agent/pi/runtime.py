"""The bridge that runs extensions written for pi: its program, the modules that it needs, and its Node."""

import os
import shutil
import subprocess

from zot_provider.errors import ZotError
from zot_provider.files.regular_file import read_regular

FOLDER = os.path.dirname(os.path.abspath(__file__))
BRIDGE = os.path.join(FOLDER, "bridge", "main.mjs")
"""The program; its arguments are the files of extensions."""
NODE = "node"
MODULES_VARIABLE = "ZOT_PI_MODULES"
"""Tells the bridge the folder that has `node_modules`. Somebody who sets it brings the modules."""
CACHE_VARIABLE = "ZOT_PI_CACHE"
"""Tells the bridge the folder for compiled code and for what it remembers; empty: it keeps nothing."""
LOCK_FILES = ("package.json", "package-lock.json")
"""The list from which npm installs the modules."""
OLDEST_NODE, RECOMMENDED_NODE = (20, 0), (22, 19)
"""Most packages of pi ask for the second."""
_LARGEST_LOCK = 1 << 20
_VERSION_SECONDS = 20.0

_GET_NODE = "install Node 22.19 or newer from https://nodejs.org or with the system's packages"


class PiRuntimeError(ZotError):
    """Extensions written for pi cannot run. The message, one line, says what to install."""


def modules_folder(home: str) -> str:
    """Return the folder that has the `node_modules` of the bridge; `home` is zot's own folder."""
    return os.environ.get(MODULES_VARIABLE) or os.path.join(home, "pi")


def variables(home: str) -> dict[str, str]:
    """Return the variables that tell the bridge where its modules are, and where it keeps compiled code."""
    return {MODULES_VARIABLE: modules_folder(home), CACHE_VARIABLE: os.path.join(home, "pi-cache")}


def bridge_folders(home: str) -> list[str]:
    """Return the real paths of the folders that the bridge reads: its own, that of its modules, and that of Node."""
    node = shutil.which(NODE)
    folders = [
        FOLDER,
        modules_folder(home),
        *([os.path.dirname(os.path.dirname(os.path.realpath(node)))] if node else ()),
    ]
    return [each for each in map(os.path.realpath, folders) if each not in ("/", "/usr")]


def missing(home: str) -> str:
    """Return a line that says what to install before an extension written for pi can run; empty if nothing is missing.
    Starts nothing."""
    if shutil.which(NODE) is None:
        return f"extensions written for pi need Node, which is not on the PATH; {_GET_NODE}"
    if os.environ.get(MODULES_VARIABLE) or installed(home):
        return ""
    return "extensions written for pi need some modules of npm; fetch them with: zot ext install pi"


def installed(home: str) -> bool:
    """Whether zot's own folder has the modules that this zot needs."""
    folder = os.path.join(home, "pi")
    if not os.path.isdir(os.path.join(folder, "node_modules", "jiti")):
        return False
    try:
        name = LOCK_FILES[1]
        both = [read_regular(os.path.join(place, name), _LARGEST_LOCK) for place in (folder, FOLDER)]
    except OSError:
        return False
    return both[0] == both[1]


def node_problem(*, for_all: bool = True) -> str:
    """Ask Node for its version; return a line if it is missing or too old, else an empty text. With `for_all` it must
    be new enough for all extensions, else for the bridge."""
    path = shutil.which(NODE)
    if path is None:
        return f"Node is not on the PATH; {_GET_NODE}"
    try:
        text = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=_VERSION_SECONDS, check=True
        ).stdout.strip()
        major, minor = (int(each) for each in text.removeprefix("v").split(".")[:2])
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return f"{path} --version does not say its version ({error}); {_GET_NODE}"
    if (major, minor) < OLDEST_NODE:
        return f"{path} is Node {text}, which is too old; {_GET_NODE}"
    if for_all and (major, minor) < RECOMMENDED_NODE:
        return f"{path} is Node {text}; many extensions written for pi need more: {_GET_NODE}"
    return ""
