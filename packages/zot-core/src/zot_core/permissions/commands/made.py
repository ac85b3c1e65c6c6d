"""`made_and_run`: programs that a line makes before it runs them, which bear another name than what they are."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from zot_core.permissions.commands.forms import Form, read_forms
from zot_core.permissions.commands.hints import Hint, commands
from zot_core.permissions.commands.inline_code import may_start, names_starter
from zot_core.permissions.commands.programs import (
    RECIPES,
    REPOSITORY,
    SCRIPTED,
    STARTUP,
    as_program,
    is_interpreter,
    is_plain,
    recipes,
)
from zot_core.permissions.commands.readers import is_reader
from zot_core.permissions.commands.wrappers import wrapper
from zot_core.permissions.patterns import CommandPattern
from zot_core.permissions.shell_line import ShellLine
from zot_core.permissions.word import GAP

_COPIERS = frozenset(("cp", "dd", "install", "link", "ln", "mv", "rsync"))
"""Programs that give a file another name."""

_PRINTERS = frozenset(("cat", "head", "tac", "tail"))
"""Programs whose output may become a copy of a file."""

_VALUED = frozenset(
    ("-W", "-X", "-I", "-r", "-O", "-o", "+O", "+o", "--rcfile", "--init-file", "--require", "--import")
)
"""Options of interpreters and shells that have a value."""

_FILES = ("-f", "--file", "--makefile", "-x")
"""Options whose value is a script."""

_FILE_NAME = re.compile(r"[\w.+-]+")
"""A name in a text, which may be that of another file that runs: `include x.mk`."""
_NAME, _ENDINGS = re.compile(r"\w+"), (".py", ".js", ".rb", ".pl", "")
"""The name of a module in code, and how the names of its file may end."""

_OF_LANGUAGE = re.compile(r".*\.(?:py|pth|[cm]?[jt]sx?|rb|go|rs)|Rakefile|Gemfile")
"""Names of files whose text is no script of a shell."""
_HOOKS = re.compile(r"(?:.*/)?(?:\.git/hooks|\.husky)/*")
"""A folder of hooks, in which a copy has any name."""

_DOWNLOADERS = {"curl": ("-o", "--output"), "wget": ("-O", "--output-document")}
_ESCAPES, _OTHER_ESCAPE = re.compile(r"\\[uUx0-7]"), re.compile(r"\\[^nt]|\\\Z")
_HOOK = re.compile(
    r"(?:applypatch|commit|prepare-commit)-msg|(?:pre|post)-[a-z-]+|(?:pre|proc|post)?-?update|push-to-checkout"
    r"|reference-transaction|sendemail-validate|fsmonitor-watchman"
)
"""The names of hooks (githooks(5)): a setting may have git look for them in any folder."""
_VALUES = 500
"""The most values that are put into a format."""


def renames(line: ShellLine, forms: Sequence[Form], pattern: CommandPattern) -> str:
    """Return why the program of a pattern may get another name, empty if it does not."""
    names = {word.shape for form in forms for word in form[1:]}
    for form in forms:
        copies = form.name in _COPIERS
        for word in form[1:] if form.known and (copies or form.name in _PRINTERS) else ():
            folder, _, name = word.shape.rpartition("=")[2].rpartition("/")
            if (copies or folder) and pattern.starts(name):
                return f"{form.name} may give {name} another name"
            if GAP in word.shape and copies and any(pattern.starts(each) for each in names):
                return f"{form.name} may give a program another name"
    read = (each.path.rpartition("/") for each in line.redirections if not each.writes)
    found = next((name for folder, _, name in read if folder and pattern.starts(name)), "")
    return f"{found} may get another name" if found else ""


def _is_shell(form: Form) -> bool:
    """Whether a command is a shell, or a program that is given by its path, which one may have to run."""
    row = wrapper(form.name)
    return "/" in form[0].shape or (row is not None and row.kind == "shell")


def made_and_run(line: ShellLine, forms: Sequence[Form]) -> Iterator[Hint]:
    """Yield the commands that a line may write into a file and then run; None for any."""
    made, copied = _made(line, forms)
    run = {os.path.basename(name) for form in forms for name in _run(form)}
    shells = any((row := wrapper(form.name)) is not None and row.kind in ("shell", "adds") for form in forms)
    if shells:
        run.update(os.path.basename(each.path) for each in line.redirections if not each.writes)
    if any(form.name in REPOSITORY for form in forms):  # hooks, and settings
        run.update(os.path.basename(each.path) for each in line.redirections if ".git/" in each.path)
        run.update(name for name in made | copied if _HOOK.fullmatch(name))
    if any(not (is_reader(form.name) or is_plain(form.name)) or form.name in RECIPES for form in forms):
        run |= STARTUP
    patterns = [name for name in run if name.startswith("*.")]
    run.update(name for name in made for each in patterns if name.endswith(each[1:]))
    if not run.isdisjoint(copied):
        yield "it runs a program that it makes", None
    elif run.intersection(made):
        makers = [each.makers for each in line.redirections if each.writes and os.path.basename(each.path) in run]
        shown = [None if words is None else _shown(words) for each in makers for words in each or (None,)]
        if len(shown) > 1 and any(map(_ends_within, makers)):
            shown.append(None)
        coded = any(map(_OF_LANGUAGE.fullmatch, run.intersection(made)))
        written = [word.shape for form in forms if form.name == "echo" for word in form[1:]]
        others = [words for each in line.redirections if each.writes for words in each.makers or ()]
        texts = [*line.inputs, *shown, *written, " ".join(written), *filter(None, map(_shown, others))]
        if not copied.isdisjoint(name for text in filter(None, texts) for name in _FILE_NAME.findall(text)):
            yield "it runs a program that it makes", None
        for text in texts:
            code = text is None or GAP in text or (coded and names_starter(text)) or _is_code(text, forms)
            if code or text is None or _ESCAPES.search(text):
                yield "it runs what it writes", None
                break
            text = text.removeprefix("#!")
            yield from (("it runs what it writes", each) for each in commands(f"{text} ;"))


def _is_code(text: str, forms: Sequence[Form]) -> bool:
    """Whether a text is a script that starts programs which only a program of these knows."""
    if any(may_start(form.name, text) for form in forms):
        return True
    if not any(form.name in (".", "source") or _is_shell(form) for form in forms):
        return False
    return any(not each[0].known for each in read_forms(text))


def _shown(words: Sequence[str]) -> str | None:
    """Return the text that a command writes, empty if it is one of the here-documents of the line; None if the
    command does not show it."""
    name = words[0].rpartition("/")[2] if words else ""
    if name == "printf":
        return _printed([word for at, word in enumerate(words) if at > 1 or word != "--"][1:])
    if name in ("echo", "tee", "true", ":", "mkdir", "cd", "chmod") or (name == "cat" and words[1:] in ([], ["-"])):
        return ""
    return None


def _ends_within(makers: list[list[str]] | None) -> bool:
    """Whether what a command of these writes may end in the middle of a line, so that what comes next completes it."""
    for words in makers or ():
        name = words[0].rpartition("/")[2] if words else ""
        options = "".join(word for word in words[1:] if word.startswith("-"))
        if (name == "echo" and ("n" in options or "\\c" in words[-1])) or (
            name == "printf" and not (_shown(words) or "\n").endswith("\n")
        ):
            return True
    return False


def _printed(words: Sequence[str]) -> str | None:
    """Return what printf(1) makes of a format and its values; None if that is more than to put them in."""
    # `%%` prints a percent sign, and is another character until the rest of the format has been read.
    first, *parts = re.split("%s", words[0].replace("%%", "\1")) if words else [""]
    rounds = max(1, -(-len(words[1:]) // len(parts))) if parts else 1
    if any("%" in part or _OTHER_ESCAPE.search(part) for part in (first, *parts)) or rounds * len(parts) > _VALUES:
        return None
    values = iter(words[1:])
    text = "".join(first + "".join(next(values, "") + part for part in parts) for _ in range(rounds))
    return text.replace("\\n", "\n").replace("\\t", "\t").replace("\1", "%")


def _made(line: ShellLine, forms: Iterable[Form]) -> tuple[set[str], set[str]]:
    """Return the names of files that a line writes, and of those whose content it does not show."""
    made = {os.path.basename(each.path) for each in line.redirections if each.writes}
    copied: set[str] = set()
    for form in forms:
        words = [word.partition("=")[2] or word for word in form.shapes[1:] if not word.startswith("-")]
        if form.name == "tee":
            made.update(map(os.path.basename, words))
        elif form.name in _COPIERS:
            copied.update(os.path.basename(word.rstrip("/")) for word in words[1:])
            copied.update(("pre-commit",) if words and _HOOKS.fullmatch(words[-1]) else ())
        elif form.name == "patch" or (form.name == "sed" and "-i" in " ".join(form.shapes)):
            copied.update(map(os.path.basename, words))
        options = _DOWNLOADERS.get(form.name, ())
        pairs = zip(form.shapes, form.shapes[1:], strict=False)
        copied.update(os.path.basename(after) for word, after in pairs if word in options)
    return made, copied - {""}


def _run(form: Form) -> Iterator[str]:
    """Yield the names of files that a command runs: its program, its script, what it takes recipes from."""
    if form.known or "/" in form[0].shape:
        yield form.name
    row = wrapper(form.name)
    if is_interpreter(form.name) or form.name in (".", "source") or (row is not None and row.kind == "shell"):
        yield from _scripts(form.shapes[1:], code=is_interpreter(form.name))
    elif form.name in SCRIPTED:
        given = zip(form.shapes, form.shapes[1:], strict=False)
        yield from (word for before, word in given if before in _FILES)
        yield from (
            word.removeprefix(each).lstrip("=") for word in form.shapes[1:] for each in _FILES if word.startswith(each)
        )
    if form.name == "git" and not {"config", "-c"}.isdisjoint(form.shapes):
        yield from (word.rpartition("=")[2].removeprefix("!") for word in form.shapes[1:])
    yield from recipes(as_program(form.shapes), form.shapes)


def _scripts(words: Sequence[str], *, code: bool) -> Iterator[str]:
    """Yield what an interpreter may run: the values of options, modules that its code may load, its first operand."""
    before = ""
    for word in words:
        if before in ("-c", "-e", "-m"):
            yield from (f"{name}{end}" for name in _NAME.findall(word) for end in _ENDINGS if code)
            return
        yield from (f"{word}{end}" for end in _ENDINGS)
        if before not in _VALUED and not word.startswith(("-", "+")):
            return
        yield from (word[2:], word.partition("=")[2])
        before = word
