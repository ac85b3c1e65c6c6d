"""`starts_programs`: whether code in a line, written in another language than that of the shell, may start programs.

Where a rule denies or asks about commands, such code is asked about: which program it starts cannot be read from it.
What is not listed here goes unnoticed, as a script in a file does; only the sandbox confines code.
"""

import re
from collections.abc import Iterator, Sequence

from zot_core.permissions.commands.forms import Form
from zot_core.permissions.commands.wrappers import names
from zot_core.permissions.shell_line import ShellLine
from zot_core.permissions.word import GAP
from zot_provider.record import Record

_LONGEST = 4_000
"""Characters of code that is looked at; longer code is said to start programs."""

_ROWS = """
awk: -e --source operand=-f,--file,-E valued=-F,-v,-i,-l
bun: -e --eval -p
emacs: --eval --execute
expect: -c
gdb: -ex --ex --eval-command -iex
gnuplot: -e
guile: -c
julia: -e -E
lua: -e
node: -e --eval -p --print -r --require --import
octave: --eval
osascript: -e
perl: -e -E -n
php: -r
pypy: -c
python: -c
R: -e
Rscript: -e
ruby: -e -n
sed: -e --expression operand=-f,--file valued=-l
sqlite3: -cmd .
vim: -c --cmd +
"""
"""Programs and the options whose value is code, or which are code themselves; with `operand` their first argument is
code unless these options say otherwise, and the values of `valued` options are no code. The sources are the manual
pages."""

_SAME = {
    "deno": "node", "ex": "vim", "gawk": "awk", "gsed": "sed", "lldb": "gdb", "luajit": "lua", "mawk": "awk",
    "nawk": "awk", "nodejs": "node", "nvim": "vim", "vi": "vim", "view": "vim", "vimdiff": "vim",
}  # fmt: skip

_WORDS = names(
    """
    Function Open3 __builtins__ __class__ __dict__ __globals__ __import__ __loader__ __subclasses__ attrgetter binding
    builtins cffi child_process compile create_subprocess_exec create_subprocess_shell createRequire ctypes dlopen eval
    exec execFile execFileSync execSync execl execle execlp execlpe execute execv execve execvp execvpe ffi fork forkpty
    getattr getline globals import_module importlib instance_eval instance_exec locals marshal methodcaller modules
    multiprocessing passthru pcntl_exec pickle popen popen2 popen3 popen4 posix_spawn posix_spawnp proc_open
    pty public_send qx runpy shell_exec spawn spawnSync spawnl spawnle spawnlp spawnv spawnve spawnvp spawnvpe startfile
    subprocess syscall syscmd system system2 timeit vars
    """
)
"""Words by which languages start programs, or run text, or reach what does."""

_WORD = re.compile(r"\w+")
_HARMLESS = re.compile(r"\bre\.compile\b|\bplatform\.system\b|\b(?:cursor|cur|connection|conn|con|db)\.execute\b")
_SIGNS = {
    "R": r"\bpipe\b|\bshell\b",
    "awk": r"\bprintf?\b[^;}\n]*\||^\s*@|\|&",
    "emacs": r"process|shell|command|load",
    "expect": r"\|",
    "gdb": r"^\s*!|\||\b(?:shell|pipe|make|py\w*|guile|source|call|print|p)\b",
    "gnuplot": r"[!<|`]",
    "guile": r"open-\w*pipe|primitive-",
    "julia": r"`",
    "octave": r"\b(?:unix|dos)\b",
    "osascript": r"shell|script",
    "perl": r"`|\|\s*[\"']|[\"']\s*\||\bopen\b|\bdo\b|\brequire\b",
    "php": r"`",
    "ruby": r"`|%x|\bopen\b|\bIO\b|\bsend\b",
    "sqlite3": r"^\s*\.?(?:sh|shell|system|excel|once|output|import|load)\b",
    "vim": r"!|\b(?:exe\w*|sh(?:ell)?|ter\w*|py\w*|lua\w*|perl\w*|ruby\w*|tcl\w*|so\w*|normal|norm|job_\w*|term_\w*)\b",
}
"""Signs by which a language does so, beside the words."""

_SED = re.compile(
    r"""
    [\s;{}!,+~$0-9]+ | \#[^\n]*
    | /(?>\\[^\n]|\[\^?\]?[^]\n]*\]|[^/\\\n])*/[IM]*
    | \\([^\n\\])(?>\\[^\n]|(?!\1)[^\\\n])*\1[IM]*
    | s([^\n\\])(?>\\[^\n]|\[\^?\]?[^]\n]*\]|(?!\2)[^\\\n])*\2(?>\\[^\n]|(?!\2)[^\\\n])*\2(?:[gpimIM0-9]*|w[^\n]*)
    | y([^\n\\])(?>\\[^\n]|(?!\3)[^\\\n])*\3(?>\\[^\n]|(?!\3)[^\\\n])*\3
    | [aicrRwW][^\n]* | [btT:][^\n;}]* | [=dDgGhHnNpPxlqQzF]
    """,
    re.VERBOSE,
)
"""The commands of sed(1) that start nothing: all but `e`, as a command or as a flag of `s`."""


class _Language(Record):
    """A row."""

    options: frozenset[str]
    operand: frozenset[str] | None
    valued: frozenset[str]


def _row(text: str) -> _Language:
    words = text.split()
    said = {name: frozenset(values.split(",")) for name, _, values in (each.partition("=") for each in words) if values}
    options = frozenset(each for each in words if "=" not in each)
    return _Language(options, said.get("operand"), said.get("valued", frozenset()))


_LANGUAGES = {name: _row(text) for name, _, text in (row.partition(": ") for row in _ROWS.strip().split("\n"))}


def starts_programs(line: ShellLine, forms: Sequence[Form]) -> str:
    """Return why code in a line may start programs that it does not name as a shell would; empty if it may not."""
    for form in forms:
        name = _language(form.name)
        if not form.whole or name not in _LANGUAGES:
            continue
        code = list(_code(_LANGUAGES[name], form.shapes[1:]))
        if form.fed and name not in ("awk", "sed"):
            code += line.inputs
        if any(GAP in each or len(each) > _LONGEST or _starts(name, each) for each in code):
            return f"the code that {form.name} gets may start any program"
    return ""


def may_start(program: str, script: str) -> bool:
    """Whether a script of this program may start others that it does not name as a shell would."""
    name = _language(program)
    return name in _LANGUAGES and (len(script) > _LONGEST or _starts(name, script))


def names_starter(text: str) -> bool:
    """Whether code in a language that is not known may start programs."""
    return len(text) > _LONGEST or _starts("", text) or "process::Command" in text


def _language(program: str) -> str:
    name = program if program in _LANGUAGES else program.rstrip("0123456789.") or program
    return _SAME.get(name, name)


def only_edits(words: Sequence[str]) -> bool:
    """Whether a command is one of sed that starts nothing."""
    name = words[0].rpartition("/")[2]
    return _language(name) == "sed" and all(map(_is_edit, _code(_LANGUAGES["sed"], words[1:])))


def _code(language: _Language, words: Sequence[str]) -> Iterator[str]:
    """Yield the arguments that are code."""
    taken = given = False
    operand = ""
    for at, word in enumerate(words):
        after = words[at + 1] if at + 1 < len(words) else ""
        if taken:
            taken = False
        elif option := next((each for each in language.options if _has(word, each)), ""):
            given = True
            yield word.removeprefix(option)
            yield after
        elif word in language.valued:
            taken = True
        elif language.operand and any(_has(word, each) for each in language.operand):
            given = taken = True
        elif not word.startswith("-") and not operand:
            operand = word
    if language.operand is not None and not given:
        yield operand


def _has(word: str, option: str) -> bool:
    """Whether a word is an option, has its value behind it, or is a bundle of letters with it."""
    if option.startswith("--") or len(option) != 2:
        return word.startswith(option)
    return word.startswith("-") and not word.startswith("--") and option[1] in word


def _starts(name: str, code: str) -> bool:
    if name == "sed":
        return not _is_edit(code)
    words = _WORD.findall(_HARMLESS.sub(" ", code))
    return not _WORDS.isdisjoint(words) or (name in _SIGNS and re.search(_SIGNS[name], code, re.MULTILINE) is not None)


def _is_edit(script: str) -> bool:
    at = 0
    while at < len(script):
        found = _SED.match(script, at)
        if found is None:
            return False
        at = found.end()
    return True
