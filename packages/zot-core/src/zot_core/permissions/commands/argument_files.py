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
    git_changes,
    is_interpreter,
    writes,
)
from zot_core.permissions.commands.readers import read_files
from zot_core.permissions.commands.wrappers import names, wrapper
from zot_core.permissions.word import GAP, Word

_SIGNED, _LETTERS, _FILES = 8, 4, 200
"""Signs with all that follows them, letters of a bundle of options, and files of a script of sed that are looked at."""

_SIGN = re.compile(r"[=@<:,;]")
_TOKEN = re.compile(r"[^\s\"'`()\[\]{}=<>|,;:@!]+")
_CHANGES = re.compile(
    r"(?i:--(?:add-noqa|fix|write|in-?place|overwrite|replace)\b|-+(?:\w+-)*(?:out\w+|dest\w*|target|save|stderr|prefix)(?:=|\Z)).*"
)
_MAKES = names("create dump fix fmt format generate init new setup vendor venv")
"""First arguments with which a program that may do more than read makes, or changes, files that others name."""
_MAKERS = names("7z 7za gmake make meson ninja tsc")
"""Programs that are known to start nothing that their words name, but that make files of these names."""
_CHECKERS, _CHECKS = ("ruff", "tsc"), re.compile(r"--(?:check|diff|noEmit)")
"""Programs beside `cargo fmt` that change nothing that they check with one of these options; reports are files too."""
_OPTION = re.compile(r"--?(?!no-)([A-Za-z][\w.-]+)")
_OUTPUT = re.compile(
    r"""
    out(?!line) | dest | \btar | save | stderr | pref | log(?!in) | report(?!er) | dump | export | write | create
    | (?:cov(?:er)?|cpu|mem|block|mutex)profile | (?:cache|trace|profile)-?(?:dir|file|folder|location|path|to) | junit
    | coverage-?(?:dir|file|path) | \AM[FJ]\Z
    | html | \bxml | json-?file | libcurl | hsts | warc | jar | graphviz | dist(?!inct) | pid-?file | history | record
    | results? | snapshot | artifact | lock-?file | keyout | serial | rand
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Names of options whose value is a file, or a folder, that is written, whatever else they say."""
_INPUT = re.compile(
    r"conf|cfg|include|exclude|ignore|input|from|source|paths?\b|project|workspace|manifest|requir|constraint|filter"
    r"|match|pattern|select|test|cov|root-?dir|rootdir|template|cert|key|script|settings|env|editable|cwd|data|upload"
    r"|post|body|types|import|plugin|preset|load|package|module|glob|\bfiles?\b",
    re.IGNORECASE,
)
"""Names of options whose value is read. What is behind the `=` of another option may be written."""
_FOLDER = re.compile(r"build|directory|\bdir\b|root|install", re.IGNORECASE)
"""Names of options whose value is a folder in which files are made, also if it is another word."""
_OUTPUT_LETTER = re.compile(r"-[BCPdtw]")
"""Options of one letter whose value is one: `pip -t`, `cmake -B`, `ninja -C`, `wget -P`."""
_OPERAND = re.compile(r"-[aFfi]|--(?:arg-|env-)?file")
"""Options of wrappers behind which is a file that they read."""
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


def only_reads(form: Form) -> bool:
    """Whether a command is known to write no file that it names, with these arguments."""
    return not isinstance(read_files(form), str)


def _checks(form: Form) -> bool:
    known = "fmt" in form.shapes[1:3] if form.name == "cargo" else form.name in _CHECKERS
    return known and any(map(_CHECKS.fullmatch, form.shapes[1:]))


def may_change(form: Form, program: Form) -> Iterator[Word]:
    """Yield the words of a command that may be files which it changes, as far as is known; `program` is `unwrapped`."""
    row = wrapper(form.name)
    if row is not None and row.kind != "shell":
        for at, (before, word) in enumerate(pairwise(form[: form.starts.at + 1]), 1):
            valued = before.shape.startswith("-") and not form.starts.sure
            if (at < form.starts.at or valued) and not _OPERAND.fullmatch(before.shape):
                yield word
    if form.starts.sure or only_reads(program):  # a sure one is a form by itself
        return
    program = form if _rewrites(form) else program
    if _checks(program) or not _changes(program):
        yield from _outputs(program)
        return
    script = _script(program)
    for at, word in enumerate(program[1:], 1):
        if at != script and not re.search("[@<]", word.shape):
            yield word


def _rewrites(form: Form) -> bool:
    """Whether an argument says that files are changed, whatever the program is."""
    return any(map(_CHANGES.fullmatch, form.shapes[1:])) or (len(form) > 1 and not _MAKES.isdisjoint(form.shapes[1:3]))


def _changes(form: Form) -> bool:
    """Whether a program may change files that its words name."""
    if form.name in REPOSITORY:
        return git_changes(form.shapes) is None
    flags = [at for at, shape in enumerate(form.shapes) if len(shape) > 2 and shape in EXEC_FLAGS]
    parts = (form[start:end] for start, end in pairwise([0, *flags, len(form)]))
    programs = (Form(part[part[0].shape in EXEC_FLAGS :]) for part in parts if len(part) > 1)
    return any(
        each.name not in (*KEEPERS, *_EDITORS) and (each.name in _MAKERS or _rewrites(each) or not is_familiar(each))
        for each in programs
    )


def _outputs(form: Form) -> Iterator[Word]:
    """Yield the words in which an option of a program has a file that it may write."""
    if form.name in (*KEEPERS, *_EDITORS):
        return
    lettered = form.name not in REPOSITORY  # whose letters mean other things
    for before, word in pairwise(form):
        name = _OPTION.match(word.shape)
        if name is not None and "=" in word.shape:
            if _OUTPUT.search(name[1]) or not _INPUT.search(name[1]):
                yield word
        elif word.shape.startswith("-"):
            if lettered and _OUTPUT_LETTER.match(word.shape):
                yield word
        elif (lettered and _OUTPUT_LETTER.fullmatch(before.shape)) or (
            (name := _OPTION.fullmatch(before.shape))
            and (_OUTPUT.search(name[1]) or (_FOLDER.search(name[1]) and not _INPUT.search(name[1])))
        ):
            yield word


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
