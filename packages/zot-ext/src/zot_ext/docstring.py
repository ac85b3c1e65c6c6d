"""Docstrings of tools: the description, and the text for each parameter."""

from __future__ import annotations

_SECTIONS = ("args:", "arguments:", "parameters:")
_OTHER_SECTIONS = ("returns:", "return:", "yields:", "raises:", "example:", "examples:", "note:", "notes:")


def read_docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """Split a docstring into its description and its parameters.

    The description is everything before the first section. Parameters are read from an `Args:` section
    (`name: text` or `name (type): text`, further lines indented deeper) and from `:param name: text`.
    """
    description: list[str] = []
    parameters: dict[str, str] = {}
    section, name, depth = "", "", 0
    for line in _dedent(text or ""):
        stripped = line.strip()
        indent = len(line) - len(line.lstrip())
        lower = stripped.lower()
        if stripped.startswith(":param "):
            section = "fields"
            name, _, words = stripped.removeprefix(":param ").partition(":")
            name = name.split()[-1] if name.split() else ""
            parameters[name] = words.strip()
        elif indent == 0 and lower in _SECTIONS:
            section, name, depth = "args", "", 0
        elif (indent == 0 and lower in _OTHER_SECTIONS) or stripped.startswith((":return", ":rais", ":rtype")):
            section = "other"
        elif not section:
            description.append(line)
        elif section == "args" and stripped:
            depth = depth or indent
            first, colon, words = stripped.partition(":")
            if indent <= depth and colon:
                name = first.split("(")[0].strip()
                parameters[name] = words.strip()
            elif name in parameters:
                parameters[name] = f"{parameters[name]} {stripped}".strip()
        elif section == "fields" and stripped and name in parameters:
            parameters[name] = f"{parameters[name]} {stripped}".strip()
    return "\n".join(description).strip(), parameters


def _dedent(text: str) -> list[str]:
    # `inspect.cleandoc` does the same, and importing `inspect` takes longer than all else here together.
    first, *rest = text.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return [first.strip(), *(line[margin:].rstrip() for line in rest)]
