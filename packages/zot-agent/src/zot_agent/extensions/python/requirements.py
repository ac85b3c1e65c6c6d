"""`requirements`: the Python packages that an extension needs, from its manifest or from its program.

The manifest has them in `dependencies`; a program in Python may have them in a block of inline script metadata
(https://packaging.python.org/en/latest/specifications/inline-script-metadata/).
"""

import os
import re

from zot_ext.manifest import Manifest
from zot_provider.files.regular_file import read_start

_BYTES = 64 << 10
"""How much of a program is searched for a block."""
_REQUIREMENT = re.compile(r"[A-Za-z0-9][^\0\r\n]*")


class RequirementError(ValueError):
    """A text is not a requirement; `str()` is one line."""


def requirements(manifest: Manifest, directory: str) -> tuple[str, ...]:
    """Return the requirements of the extension in the folder `directory`, as in `pip install`; empty for none.

    Requirements of the manifest come before the program's. A program that uv starts gets its packages from uv. Raises
    `RequirementError`.
    """
    found = manifest.dependencies or _of_program(manifest, directory)
    for each in found:
        if not _REQUIREMENT.fullmatch(each):  # "-r file" and the like would be an option of the installer
            raise RequirementError(f"dependencies: {each!r} is not a requirement such as 'mcp>=2,<3'")
    return found


def _of_program(manifest: Manifest, directory: str) -> tuple[str, ...]:
    if os.path.basename(manifest.exec) in ("uv", "uvx"):
        return ()
    words = [manifest.exec, *manifest.args]
    script = next((word for word in words if word.endswith(".py") and "\0" not in word), "")
    if not script:
        return ()
    try:
        text = read_start(os.path.join(directory, script), _BYTES).decode("utf-8", "replace")
    except OSError:
        return ()  # the start reports it
    lines = text.splitlines()
    if lines and lines[0].startswith("#!") and re.search(r"\buv\b", lines[0]):
        return ()
    return _of_block(lines)


def _of_block(lines: list[str]) -> tuple[str, ...]:
    """Return the `dependencies` of the first block `script`."""
    if "# /// script" not in lines:
        return ()
    block = []
    for line in lines[lines.index("# /// script") + 1 :]:
        if line != "#" and not line.startswith("# "):
            break
        block.append(line[2:])
    if "///" not in block:
        return ()  # a block without an end is a comment
    end = len(block) - 1 - block[::-1].index("///")  # the last one ends the block
    import tomllib  # noqa: PLC0415  few programs have a block

    try:
        found = tomllib.loads("\n".join(block[:end])).get("dependencies", [])
    except tomllib.TOMLDecodeError as error:
        raise RequirementError(f"the block '# /// script' of its program is not TOML: {error}") from None
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise RequirementError("dependencies in the block '# /// script' of its program is not a list of texts")
    return tuple(found)
