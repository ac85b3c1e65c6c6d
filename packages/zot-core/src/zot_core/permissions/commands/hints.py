"""Commands that may come to run, although no shell is seen to run them: in arguments, in texts, in inline code."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from zot_core.permissions.commands.forms import Form, read_forms
from zot_core.permissions.commands.inline_code import only_edits
from zot_core.permissions.commands.programs import is_interpreter, is_plain, risky, runs_others
from zot_core.permissions.commands.readers import is_reader
from zot_core.permissions.patterns import CommandPattern
from zot_core.permissions.shell_line import ShellLine
from zot_core.permissions.word import GAP

_WORDS, _CHARACTERS = 64, 100_000
"""Words of a program behind which another one is looked for, and characters that are looked at on the way."""

_STARTS = 8
"""Words of a text in place of which a command may begin: a line of crontab(5) has five words before it."""

_QUOTES = re.compile(r"[\"'`(){}\[\]=!|]+")
_ADDRESS = re.compile(r"\w+://\S*")
_QUOTING = re.compile(r"[\"'\\]")
_TOKEN = re.compile(r"[\w.+/~-]+")

Hint: TypeAlias = tuple[str, list[str] | None]
"""Why a command may come to run, and its words; None stands for any command."""


def is_familiar(form: Form) -> bool:
    """Whether it is known that the program does with these arguments what its name says."""
    return _is_familiar(tuple(form.shapes))


@lru_cache(64)
def _is_familiar(words: tuple[str, ...]) -> bool:  # asked five times of each command
    name = words[0].rpartition("/")[2]
    plain = is_plain(name) or (is_reader(name) and not runs_others(name)) or only_edits(words)
    return plain and not risky(words, ())


def is_unknown(form: Form) -> bool:
    """Whether the program may run what its arguments say, as far as is known."""
    return form.known and form.whole and not form.starts.sure and not is_familiar(form)


def hints(line: ShellLine, unknown: Sequence[Form]) -> Iterator[Hint]:
    """Yield commands that may come to run: words of unknown programs (`is_unknown`), and texts."""
    left = _CHARACTERS
    for form in unknown:
        for text in line.inputs if form.fed else ():
            yield from ((f"it is not known whether {form.name} runs what it reads", each) for each in commands(text))
        why = f"it is not known whether {form.name} runs what its words say"
        for at in range(1, min(len(form), _WORDS)):
            left -= sum(len(word.shape) for word in form[at:]) + 4 * len(form[at].shape)
            if left < 0:
                yield "it has too many words", None
                return
            yield from ((why, each) for each in commands(form[at].shape))
            if not _ADDRESS.match(form[at].shape):
                yield from ((why, each) for each in _spellings(form.behind(at)))
    for text in line.texts:
        inner = read_forms(text)
        why = f"a shell may come to run {text.replace(GAP, '…')[:60]!r}"
        yield from ((why, each) for found in inner for each in _spellings(found))


def commands(argument: str) -> Iterator[list[str]]:
    """Yield the commands that may be in an argument, or in a text that a program reads."""
    for text in _texts(argument):
        for found in read_forms(text):
            for start in range(min(len(found), _STARTS)):
                yield from _spellings(found.behind(start))


def _texts(argument: str) -> Iterator[str]:
    """Yield the lines of shell that may be in an argument: all of it, a value, a text in quotes in a script."""
    if "!" in argument:  # a command of an editor
        yield argument.rpartition("!")[2]
    if len(argument.split()) < 2:
        return
    yield argument
    if argument.startswith("-"):  # the value of an option of one letter
        yield argument[2:]
    for text in _QUOTES.split(argument)[:_WORDS]:
        if len(text.split()) > 1:
            yield text


def _spellings(form: Form) -> Iterator[list[str]]:
    yield form.shapes
    if form.name != form[0].shape:
        yield [form.name, *form.shapes[1:]]


def names_program(line: ShellLine, unknown: Sequence[Form], pattern: CommandPattern) -> str:
    """Return why an unknown program (`is_unknown`) may run the program of a pattern, because a part of an argument
    names it: `-wrapper rm,x`, `["rm", "x"]`; empty if no part does."""
    for form in unknown:
        texts = [*form.shapes[1:], *(line.inputs if form.fed else ())]
        coded = is_interpreter(form.name) or form.fed
        if any(_has_program(text, pattern, coded=coded) for text in texts):
            return f"it is not known whether {form.name} runs what its words say"
    for text in line.texts:
        if (text.startswith(("-", "!")) or " " not in text) and _has_program(text, pattern, coded=False):
            return f"a program may come to run {text.replace(GAP, '…')[:60]!r}"
    return ""


def _has_program(text: str, pattern: CommandPattern, *, coded: bool) -> bool:
    """Whether a part of a text is the program of a pattern, with the words behind it, or at its end. `coded`: spaces
    separate no arguments."""
    short = [text[2:]] if text.startswith("-") and text[1:2] != "-" else []
    for each in (text, *short, _QUOTING.sub("", text)):  # another program may take quotes as a shell does
        tokens = [token.lstrip("-") for token in _TOKEN.findall(_ADDRESS.sub(" ", each))]
        if each == text and tokens == [text]:  # a word, which is looked at as a word
            continue
        names = [token.rpartition("/")[2] for token in tokens]
        for at, name in enumerate(names):
            if pattern.starts(name) or pattern.starts(tokens[at]):
                ends = at == len(names) - 1 and (coded or " " not in text)
                rest = tokens[at + 1 : at + _WORDS]
                if ends or pattern.matches([name, *rest]) or pattern.matches([tokens[at], *rest]):
                    return True
    return False
