"""Files that arguments may name in a way that only their program knows: in options, in code, behind a sign."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from zot_core.permissions.commands.forms import Form
from zot_core.permissions.commands.hints import is_familiar
from zot_core.permissions.commands.programs import (
    CLIENTS,
    EXEC_FLAGS,
    KEEPERS,
    REPOSITORY,
    as_program,
    is_interpreter,
    writes,
)
from zot_core.permissions.commands.readers import read_files
from zot_core.permissions.commands.wrappers import wrapper
from zot_core.permissions.word import GAP, Word

_SIGNED, _LETTERS, _FILES = 8, 4, 200
"""Signs with all that follows them, letters of a bundle of options, and files of a script of sed that are looked at."""

_SIGN = re.compile(r"[=@<:,;]")
_TOKEN = re.compile(r"[^\s\"'`()\[\]{}=<>|,;:@!]+")
_CHANGES = re.compile(
    r"(?i:--(?:fix|write|in-?place|overwrite|replace)\b|-+(?:\w+-)*(?:out\w+|dest\w*|target|save|stderr|prefix)(?:=|\Z)).*"
)
_FORMATS = ("fmt", "format")
_OF_GIT = frozenset(("am", "apply", "bundle", "clean", "clone", "download", "init", "stash", "submodule", "worktree"))
"""Subcommands of git, and of programs for its servers, that change files; more of them are in `programs`."""
_NAMES = re.compile(r"-|-@|/dev/stdin|-\w*T-|--(?:batch|stdin|\S*from).*")
"""Arguments with which a program reads the names of files."""
_CODE = re.compile(r"-\w*[ceEmnpr]|--eval|--print")
"""Options of interpreters behind which is code, and no script."""
_EDITORS = ("awk", "gawk", "gsed", "mawk", "nawk", "sed")
"""Programs whose operands are code and files that they read."""
_OF_SED = re.compile(r"(?=(?<![A-Za-z])[gpiImMe\d]*[rRwW]\s*(\S[^\n]*))")
"""The file of a command `r` or `w` of sed(1), or of a flag `w`: the rest of a line."""


def unwrapped(form: Form) -> Form:
    """Return the program that wrappers start, if that can be seen, else the last wrapper."""
    return form.behind(len(form) - len(as_program(form.shapes[form.starts.at :])))


def may_change(form: Form, program: Form) -> Iterator[Word]:
    """Yield the words of a command that may be files which it changes, as far as is known; `program` is `unwrapped`."""
    program = form if _rewrites(form) else program
    if form.starts.sure or not _changes(program):  # a sure one is a form by itself
        return
    script = _script(program)
    for at, word in enumerate(program[1:], 1):
        if at != script and not re.search("[@<]", word.shape):
            yield word


def _rewrites(form: Form) -> bool:
    """Whether an argument says that files are changed, whatever the program is."""
    return any(map(_CHANGES.fullmatch, form.shapes[1:])) or (len(form) > 1 and form[1].shape in _FORMATS)


def _changes(form: Form) -> bool:
    """Whether a program may change files that its words name."""
    if form.name in REPOSITORY:
        return not _OF_GIT.isdisjoint(form.shapes[1:4])
    flags = [at for at, shape in enumerate(form.shapes) if len(shape) > 2 and shape in EXEC_FLAGS]
    parts = (form[start:end] for start, end in pairwise([0, *flags, len(form)]))
    programs = (Form(part[part[0].shape in EXEC_FLAGS :]) for part in parts if len(part) > 1)
    return any(
        each.name not in (*KEEPERS, *_EDITORS) and (_rewrites(each) or not is_familiar(each)) for each in programs
    )


def _script(form: Form) -> int:
    """Return which word of a command is a script that it runs; 0 for none."""
    row = wrapper(form.name)
    if not is_interpreter(form.name) and (row is None or row.kind != "shell"):
        return 0
    at = next((at for at, shape in enumerate(form.shapes) if at and not shape.startswith("-")), 0)
    return 0 if _CODE.fullmatch(form.shapes[at - 1]) else at


def reads_names(form: Form) -> bool:
    """Whether a program reads the names of files from its input."""
    return form.name in ("cpio", "pax") or any(map(_NAMES.fullmatch, form.shapes[1:]))


def shown_names(form: Form) -> Iterator[tuple[str, bool]]:
    """Yield what may be files in the words that a command shows, as `hinted` does."""
    texts = (part for shape in form.shapes[1:] for part in re.split(r"\s|\\n|\\0", shape))
    yield from ((part, False) for text in texts for part in (text, *_behind_signs(text)))


def hinted(form: Form, program: Form, inputs: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield parts of the arguments of a command, and of what is written in its line for it to read, that may be files;
    and whether it may change them. `program` is `unwrapped`."""
    loose, changes, coded = not is_familiar(program), _changes(program), is_interpreter(program.name)
    if form.starts.sure:  # which is a form by itself
        return
    rows = wrapper(form.name), wrapper(program.name)
    lines = rows[1] is not None or (rows[0] is not None and rows[0].kind.startswith("opens"))
    for shape in program.shapes[1:]:
        if GAP in shape:
            continue
        yield from ((part, False) for part in _behind_signs(shape))
        if program.name in _EDITORS:
            yield from ((part, True) for part in _of_editor(program.name, shape))
        elif loose and not (lines and " " in shape):  # which is a line of shell, and has been read as one
            for each in (each for each in _TOKEN.finditer(shape) if each[0] != shape):
                path = coded or re.search("[./]", each[0]) is not None
                yield each[0], changes and path and shape[each.start() - 1] not in "@<"
    if not form.fed:
        return
    if coded or program.name in CLIENTS:
        yield from ((token, True) for text in inputs for token in _TOKEN.findall(text))
    elif isinstance(read_files(program), str) and not writes(program.name, program.shapes):
        names = (line.strip() for text in inputs for line in text.split("\n"))
        yield from ((part, False) for name in names if " " not in name for part in (name, *_behind_signs(name)))


def _behind_signs(shape: str) -> Iterator[str]:
    """Yield the parts of a word behind signs, and values glued to a bundle of options of one letter."""
    parts = _SIGN.split(shape)
    yield from parts[1:]
    yield from (shape[found.end() :] for found in islice(_SIGN.finditer(shape), _SIGNED))
    if shape.startswith("-") and not shape.startswith("--"):
        yield from (shape[at:] for at in range(3, 2 + _LETTERS) if shape[1 : at - 1].isalpha())


def _of_editor(name: str, shape: str) -> Iterator[str]:
    if "sed" in name:
        yield from (found[1].rstrip() for found in islice(_OF_SED.finditer(shape), _FILES))
    else:
        yield from (token for token in _TOKEN.findall(shape) if token != shape)
