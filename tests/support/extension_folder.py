"""Folders of extensions: a program and its manifest."""

import json
import sys
from pathlib import Path


def write_extension(folder: Path, body: str, *, name: str = "", imports: str = "", more: str = "") -> Path:
    """Write an extension on the SDK into a new folder, and return the folder. `body` is the program between the imports
    and `ext.run()`; the name is that of the folder if none is given; `more` are further arguments of `Extension`."""
    name = name or folder.name
    head = f"{imports}\nfrom zot_ext import *\next = Extension({name!r}, {more})"
    return write_program(folder, f"{head}\n{body}\next.run()\n", name=name)


def write_program(folder: Path, source: str, *, name: str = "") -> Path:
    """Write an extension whose whole program is `source` in Python, as `write_extension` does."""
    folder.mkdir(parents=True)
    program = folder / "main.py"
    program.write_text(f"#!{sys.executable}\n{source}")
    program.chmod(0o755)
    (folder / "extension.json").write_text(json.dumps({"name": name or folder.name, "exec": "./main.py"}))
    return folder
