"""Use a skill: the tool `skill`, with which a model loads one, `expand`, which makes a prompt of `/skill:NAME`, and
`pinned_section`, which makes skills a part of the system prompt."""

import os
from collections.abc import Iterable
from typing import Annotated, Any

from zot_core.display import CodeDisplay
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.skills.discover import BUILTIN
from zot_core.skills.front_matter import FrontMatterError, split, text_of
from zot_core.skills.section import own_skill
from zot_core.skills.skill import HEAD_LIMIT, Skill
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.file_order import FileAccess
from zot_core.tools.definition.tool import FunctionTool
from zot_core.tools.text.paths import as_tool_error
from zot_core.tools.text.truncate import TextLimits, count_lines, head_lines
from zot_provider.errors import ConfigError
from zot_provider.files.regular_file import read_start
from zot_provider.messages import TextBlock
from zot_provider.record import Record

LIMITS = TextLimits()
"""Limits for the text of a skill that is loaded at once; the model can read the rest with the tool `read`."""

SKILL_TOOL = "skill"
"""The name of the tool that loads a skill."""

ARGUMENTS = "$ARGUMENTS"
"""Placeholder in a skill's text for the text after the slash command."""

_FILE_LIMIT = HEAD_LIMIT + 2 * LIMITS.bytes  # a Windows line end takes two bytes and counts as one

_DESCRIPTION = """Load a skill: the instructions for one kind of task.

The system prompt lists the skills and what they are for. Returns the text of a skill and its folder, to which paths \
in the text are relative."""

PINNED_LIMIT = 1 << 17
"""Maximum characters of all pinned skills together."""

_PINNED = """# Pinned skills

The instructions of these skills apply from the start. Their texts are complete; do not load them again."""

_SCHEMA = {
    "type": "object",
    "properties": {"name": {"description": "The name of the skill, as in the list", "type": "string"}},
    "required": ["name"],
}


class _SkillText(Record):
    """The text of a skill within the limits, which starts at `first_line` of the file, and a note if it was cut."""

    text: str
    first_line: int
    rest: str


def skill_tool(skills: Iterable[Skill]) -> FunctionTool[..., Any]:
    """Create the tool `skill`, which returns the current text of one of `skills`. If zot's own is the only one, its
    description names that, and a call needs no arguments.

    Files are read through the context of the call, files of the built-in skills from the installed program.
    """
    known = {skill.name: skill for skill in skills}
    only = own_skill(known.values())
    usual = "" if only is None else only.name

    async def run(name: Annotated[str, "The name of the skill, as in the list"], context: ToolContext) -> ToolResult:
        found = _find(name, known)
        try:
            # Skills are of this machine, also where tools use another one.
            own = found.path.startswith(BUILTIN + os.sep) or bool(context.home)
            data = read_start(found.path, _FILE_LIMIT) if own else await context.files.read(found.path, _FILE_LIMIT)
        except OSError as error:
            raise as_tool_error(error, found.path) from error
        text = _text(data, found.path)
        return ToolResult(
            [TextBlock(f"{_introduction(found)}\n\n{text.text}{text.rest}")],
            details={"name": found.name, "path": found.path, "truncated": bool(text.rest)},
            display=[CodeDisplay(found.path, text.text, text.first_line)],
        )

    async def run_only(context: ToolContext, name: str = usual) -> ToolResult:
        return await run(name, context)

    async def reads_skill(values: dict[str, Any], context: ToolContext) -> FileAccess:
        return FileAccess(await context.files.real(_find(values.get("name", usual), known).path))

    return FunctionTool(
        run if only is None else run_only,
        name=SKILL_TOOL,
        description=_DESCRIPTION if only is None else f"Instructions: {only.name}",
        parallel=True,
        repeatable=True,
        schema=_SCHEMA if only is None else {"type": "object", "properties": {}},
        file_access=reads_skill,
    )


def expand(skill: Skill, args: str = "") -> str:
    """Return the prompt for `/skill:NAME args`: the skill's text, then `args`.

    If the text contains `$ARGUMENTS`, `args` replaces that instead. Raises `ConfigError` if the file cannot be read.
    """
    try:
        text = _text(read_start(skill.path, _FILE_LIMIT), skill.path)
    except (OSError, ToolError) as error:
        raise ConfigError(f"the skill {skill.name} cannot be read: {skill.path}: {_reason(error)}") from error
    body, args = text.text, args.strip()
    if ARGUMENTS in body:
        body, args = body.replace(ARGUMENTS, args), ""
    parts = [f"{_introduction(skill)} Do what it says.", f"<skill>\n{body.rstrip()}\n{text.rest}</skill>", args]
    return "\n\n".join(filter(None, parts))


def pinned_section(skills: Iterable[Skill], names: Iterable[str]) -> tuple[str, list[str]]:
    """Return the section of the system prompt with the texts of the skills called `names`, empty without any, and notes
    for the user about the unusable ones, one line each."""
    known, notes, texts = {skill.name: skill for skill in skills}, [], []
    left = PINNED_LIMIT
    for name in names:
        skill = known.get(name)
        if skill is None:
            notes.append(f"the pinned skill {name} was not found; it is left out")
            continue
        try:
            text = _text(read_start(skill.path, _FILE_LIMIT), skill.path)
        except (OSError, ToolError) as error:
            notes.append(f"the pinned skill {name} cannot be read: {_reason(error)}; it is left out")
            continue
        if len(text.text) > left:
            notes.append(f"the pinned skills have more than {PINNED_LIMIT:,} characters; {name} is left out")
            continue
        left -= len(text.text)
        texts.append(f"{_introduction(skill)}\n\n<skill>\n{text.text.rstrip()}\n{text.rest}</skill>")
    return "\n\n".join([_PINNED, *texts]) if texts else "", notes


def _reason(error: OSError | ToolError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _find(name: str, known: dict[str, Skill]) -> Skill:
    """Find a skill by the name a model gave. Raises `ToolError`, with similar names, if it does not exist or is not for
    models."""
    name = name.strip()
    found = known.get(name) or known.get(name.removeprefix("/").removeprefix("skill:"))
    if found is not None and not found.disable_model_invocation:
        return found
    if found is not None:
        raise ToolError(f"the skill {found.name} can only be used by the user, with /skill:{found.name}")
    import difflib  # noqa: PLC0415  only a mistake pays for it

    names = [skill.name for skill in known.values() if not skill.disable_model_invocation]
    near = difflib.get_close_matches(name, names, n=5, cutoff=0.4) or names[:20]
    raise ToolError(f"there is no skill {name!r}" + (f"; available: {', '.join(near)}" if near else ""))


def _introduction(skill: Skill) -> str:
    return f"The skill {skill.name}, from the folder {skill.folder}; relative paths in it refer to that folder."


def _text(data: bytes, path: str) -> _SkillText:
    try:
        whole = text_of(data, whole=len(data) < _FILE_LIMIT)
    except FrontMatterError:
        raise ToolError(f"{path} looks binary; it cannot be read as text") from None
    try:
        parts = split(whole)
        body, first = parts.body, parts.first_line
    except FrontMatterError:  # the file was edited since; the model can still use it
        body, first = whole, 1
    blank = len(body) - len(body.lstrip("\n"))
    head = head_lines(body[blank:].encode("utf-8", "replace"), LIMITS)
    first += blank
    rest = ""
    if head.lines_truncated or head.bytes_truncated or len(data) == _FILE_LIMIT:
        rest = f"... [truncated; continue with read, path {path}, offset {first + count_lines(head.data)}]\n"
    text = head.data.decode("utf-8", "replace")
    return _SkillText(text if text.endswith("\n") else text + "\n", first, rest)
