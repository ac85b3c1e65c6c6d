"""`PromptTemplate`: a Markdown file whose text is sent as a prompt, with optional front matter."""

from zot_core.printable import printable_line
from zot_core.skills.front_matter import FrontMatterError, Parts, read_fields, read_tools, split, text_of
from zot_core.skills.held_back import check_held_back
from zot_provider.files.regular_file import read_start
from zot_provider.record import Record, field

TEMPLATE_LIMIT = 64 * 1024
"""Maximum bytes of a template."""

LINE_LIMIT = 250
"""Maximum characters of a description, and of a hint for arguments."""


class PromptTemplate(Record):
    """A template without its text, which is read from the file when it is used.

    `name` is that of its slash command. `source` is "user", "project", "builtin" or the name of an
    extension.
    """

    name: str
    path: str
    source: str
    description: str = ""
    """One line: `description` of the front matter, else the first line of the text."""
    arguments: str = ""
    """One line that says which arguments it takes: `argument-hint` of the front matter."""
    fields: dict[str, object] = field(default_factory=dict)
    """The other fields of the front matter."""


class CommandPrompt(Record):
    """The prompt that a slash command sends. For the run that answers it a template may ask for a `model`, by a name as
    a person types it, and allow calls: `allowed_tools`, as in its front matter. `source` names the command in notes.
    `shown` is what the person sees in place of the text, if that is not empty."""

    text: str
    model: str = ""
    allowed_tools: list[str] = field(default_factory=list)
    source: str = ""
    shown: str = ""


def read_template(name: str, path: str, source: str) -> PromptTemplate:
    """Read the metadata of the template in the regular file `path`.

    Raises `FrontMatterError` with the number of the wrong line, and OSError.
    """
    parts = read_parts(path)
    fields = {} if parts.front is None else read_fields(parts.front)
    check_held_back(fields, narrowing=())
    description = _line(fields.pop("description", ""))
    if not description:
        description = _line(next(line for line in parts.body.splitlines() if line.strip()).lstrip("# "))
    return PromptTemplate(name, path, source, description, _line(fields.pop("argument-hint", "")), fields)


def read_parts(path: str) -> Parts:
    """Read a template's front matter and text. Raises `FrontMatterError` and OSError."""
    data = read_start(path, TEMPLATE_LIMIT + 1)
    if len(data) > TEMPLATE_LIMIT:
        raise FrontMatterError(f"it is longer than {TEMPLATE_LIMIT // 1024} KiB")
    parts = split(text_of(data))
    if not parts.body.strip():
        raise FrontMatterError("it has no text", parts.first_line)
    return parts


def read_prompt(path: str) -> CommandPrompt:
    """Read what the template in the regular file `path` sends, with placeholders in its text. Raises `FrontMatterError`
    and OSError."""
    parts = read_parts(path)
    fields = {} if parts.front is None else read_fields(parts.front)
    return CommandPrompt(parts.body, _line(fields.get("model", "")), read_tools(fields.get("allowed-tools", "")))


def _line(value: object) -> str:
    """Return a field as one line. YAML reads `[file]`, a usual hint, as a list."""
    if isinstance(value, list):
        value = f"[{', '.join(each for each in value if isinstance(each, str))}]"
    return printable_line(value)[:LINE_LIMIT] if isinstance(value, str) else ""
