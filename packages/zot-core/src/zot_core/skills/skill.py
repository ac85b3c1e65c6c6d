"""`Skill`: the metadata of a skill, from the front matter of its `SKILL.md`.

The format is the Agent Skills standard (agentskills.io/specification), read leniently: skills written for other agents
work unchanged, and unknown fields are kept and have no effect.
"""

import os
import re

from zot_core.printable import printable_line
from zot_core.skills.front_matter import FENCE, FrontMatterError, line_of, read_fields, read_tools, split, text_of
from zot_core.skills.held_back import check_held_back
from zot_provider.files.regular_file import read_start
from zot_provider.record import Record, field

NAME = "SKILL.md"

HEAD_LIMIT = 16 * 1024
"""The front matter must end within this many bytes of the file."""

_NAMES = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


class Skill(Record):
    """A skill without its text, which is read from the file when it is needed.

    `path` (of `SKILL.md`) and `folder` are absolute. `source` is "project", "user", "builtin" or the name of an
    extension; the `name` of an extension's skill begins with that and a colon.
    """

    name: str
    description: str
    """One line."""
    path: str
    folder: str
    source: str
    allowed_tools: list[str] = field(default_factory=list)
    """Calls that run without a question while a person's `/skill:NAME` is answered, as written, e.g. `Bash(git:*)`."""
    disable_model_invocation: bool = False
    """The model cannot load it; only the user can."""
    user_invocable: bool = True
    """Whether it is listed as a command for the user."""
    fields: dict[str, object] = field(default_factory=dict)
    """The other fields: text, lists and dictionaries of text."""


def read_skill(path: str, source: str, prefix: str = "") -> Skill:
    """Read the skill in the regular file `path`, at most `HEAD_LIMIT` bytes; `prefix` is put before its name.

    Raises `FrontMatterError` with the number of the wrong line, and OSError.
    """
    data = read_start(path, HEAD_LIMIT + 1)
    head, whole = data[:HEAD_LIMIT], len(data) <= HEAD_LIMIT
    text = text_of(head, whole=whole)
    try:
        front = split(text).front
    except FrontMatterError:
        if whole:
            raise
        raise FrontMatterError(f"the front matter is longer than {HEAD_LIMIT // 1024} KiB") from None
    if front is None:
        raise FrontMatterError(f"no front matter: begin with a line {FENCE}, then name: and description:, then {FENCE}")
    folder = os.path.dirname(path)
    return _build_skill(front, read_fields(front), path, folder, source, prefix)


def _build_skill(front: str, fields: dict[str, object], path: str, folder: str, source: str, prefix: str) -> Skill:
    name = _text(fields, "name", front)
    if not name or len(name.split()) > 1:  # a title, such as `Release notes`
        name = "-".join(os.path.basename(folder).split())
    if not _NAMES.fullmatch(name):
        text = f"the name {name[:80]!r} must be 1 to 64 letters, digits, hyphens, dots or underscores"
        raise FrontMatterError(text, line_of(front, "name"))
    description = printable_line(_text(fields, "description", front))
    if not description:
        line = line_of(front, "description")
        raise FrontMatterError("a description is missing: it tells the model when to use the skill", line)
    check_held_back(fields, narrowing=("disable-model-invocation",))
    return Skill(
        prefix + name,
        description,
        path,
        folder,
        source,
        allowed_tools=read_tools(fields.pop("allowed-tools", "")),
        disable_model_invocation=_is_true(fields, "disable-model-invocation", "false", front),
        user_invocable=_is_true(fields, "user-invocable", "true", front),
        fields=fields,
    )


def _text(fields: dict[str, object], name: str, front: str) -> str:
    value = fields.pop(name, "")
    if not isinstance(value, str):
        raise FrontMatterError(f"the {name} must be text", line_of(front, name))
    return value.strip()


def _is_true(fields: dict[str, object], name: str, usual: str, front: str) -> bool:
    value = fields.pop(name, usual)
    text = value.strip().lower() if isinstance(value, str) else ""
    if text not in (*_TRUE, *_FALSE):
        raise FrontMatterError(f"{name}: expected true or false, got {str(value)!r:.40}", line_of(front, name))
    return text in _TRUE
