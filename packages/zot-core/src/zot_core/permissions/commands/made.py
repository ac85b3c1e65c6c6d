"""`made_and_run`: programs that a line makes before it runs them, which bear another name than what they are."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from zot_core.permissions.commands.forms import Form
from zot_core.permissions.commands.hints import Hint, commands
from zot_core.permissions.commands.inline_code import may_start
from zot_core.permissions.commands.programs import as_program, is_interpreter, recipes
from zot_core.permissions.commands.wrappers import wrapper
from zot_core.permissions.patterns import CommandPattern
from zot_core.permissions.shell_line import ShellLine
from zot_core.permissions.word import GAP

_COPIERS = frozenset(("cp", "dd", "install", "link", "ln", "mv", "rsync"))
"""Programs that give a file another name."""

_PRINTERS = frozenset(("cat", "head", "tac", "tail"))
"""Programs whose output may become a copy of a file."""

_DECODERS = frozenset(("base32", "base64", "gunzip", "gzip", "openssl", "rev", "sed", "tr", "uudecode", "xxd", "zcat"))
"""Programs whose output does not show in their arguments."""

_DOWNLOADERS = {"curl": ("-o", "--output"), "wget": ("-O", "--output-document")}
_ESCAPES = re.compile(r"\\[x0-7]")


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


def made_and_run(line: ShellLine, forms: Sequence[Form]) -> Iterator[Hint]:
    """Yield the commands that a line may write into a file and then run; None for any."""
    made, copied = _made(line, forms)
    run = {name for form in forms for name in _run(form)}
    shells = any((row := wrapper(form.name)) is not None and row.kind in ("shell", "adds") for form in forms)
    if shells:
        run.update(os.path.basename(each.path) for each in line.redirections if not each.writes)
    if not run.isdisjoint(copied) or (run.intersection(made) and any(form.name in _DECODERS for form in forms)):
        yield "it runs a program that it makes", None
    elif run.intersection(made):
        written = [word.shape for form in forms if form.name in ("echo", "printf") for word in form[1:]]
        for text in [*line.inputs, *written, " ".join(written)]:
            if GAP in text or _ESCAPES.search(text) or any(may_start(form.name, text) for form in forms):
                yield "it runs what it writes", None
            yield from (("it runs what it writes", each) for each in commands(f"{text} ;"))


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
        elif form.name == "patch" or (form.name == "sed" and "-i" in " ".join(form.shapes)):
            copied.update(map(os.path.basename, words))
        options = _DOWNLOADERS.get(form.name, ())
        pairs = zip(form.shapes, form.shapes[1:], strict=False)
        copied.update(os.path.basename(after) for word, after in pairs if word in options)
    return made, copied


def _run(form: Form) -> Iterator[str]:
    """Yield the names of files that a command runs: its program, its script, what it takes recipes from."""
    if not form.known and "/" not in form[0].shape:
        return
    yield form.name
    row = wrapper(form.name)
    if is_interpreter(form.name) or form.name in (".", "source") or (row is not None and row.kind == "shell"):
        yield from (os.path.basename(word) for word in form.shapes[1:3] if not word.startswith("-"))
    yield from recipes(as_program(form.shapes), form.shapes)
