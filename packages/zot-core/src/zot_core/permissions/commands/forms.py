"""`see_through`: the commands of a line in all the forms in which a rule may name them."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from zot_core.permissions.commands.programs import begins_command
from zot_core.permissions.commands.started import StartedProgram, starts
from zot_core.permissions.commands.wrappers import wrapper
from zot_core.permissions.shell_line import ShellLine, ordered, read_line
from zot_core.permissions.word import GAP, Word

_DEPTH, _OPTIONS, _BEHIND = 4, 8, 16
"""How deep commands inside commands are looked for, behind how many options of a program, words of a wrapper."""
_FORMS, _CHARACTERS = 300, 50_000
"""The most forms of commands that a line may have, and characters of them. A line with more of them is opaque: what a
model writes must not take the time of the event loop."""

_LINE_FOLLOWS = re.compile(r"-\w*c|--command|trap")
"""Before a word that is a line of shell, also if it is a program without arguments."""
_ANY_PATHS = ("--", "-f", GAP)
"""How arguments begin with which find may give a path that begins with a hyphen."""
_SHOWS = re.compile(r"-p*[vV][pvV]*")
"""Options with which the builtin `command` says what a program is, and runs none."""
_SEPARATOR, _OPERATOR = re.compile(r"[\s;]"), re.compile(r"[\s;&|<>]")
"""Signs of more than one word in an argument: of any wrapper, and of a wrapper that takes it for a line."""


class Form(list[Word]):
    """The words of a command, the program first. `known`: a shell runs it; otherwise its words may be options of a
    wrapper. `fed`: its input is written in the line, or the shell does not read it. `whole`: no options are left
    out. `shapes` has the shape of each word, `name` is the program without its folder."""

    def __init__(self, words: Sequence[Word], *, known: bool = True, fed: bool = False, whole: bool = True) -> None:
        super().__init__(words)
        self.known, self.fed, self.whole = known, fed, whole
        self.shapes = [word.shape for word in words]
        self.name = self.shapes[0].rpartition("/")[2] if self.shapes else ""

    @cached_property
    def starts(self) -> StartedProgram:
        return starts(self.shapes)

    @property
    def own(self) -> list[Word]:
        """Its words, up to the program that it surely starts, which is a form by itself."""
        return self[: self.starts.at + 1] if self.starts.sure else self

    def behind(self, at: int, *, known: bool = False) -> "Form":
        """Return the command that begins with the word at `at`."""
        return Form(self[at:], known=known, fed=self.fed)


def see_through(line: ShellLine) -> list[Form]:
    """Return the commands of a line: as written, without the folder of the program, without options before a
    subcommand, and what wrappers run."""
    waiting: deque[tuple[Form, int]] = deque()
    forms: dict[tuple[Word, ...], Form] = {}
    queued: dict[tuple[Word, ...], Form] = {}
    characters = read = 0

    def queue(found: Iterable[Form], depth: int) -> None:
        nonlocal characters
        for form in found:
            if characters <= _CHARACTERS and (same := queued.setdefault(tuple(form), form)) is not form:
                same.known = same.known or form.known
            elif characters <= _CHARACTERS:
                characters += sum(map(len, form.shapes))
                waiting.append((form, depth))
            else:
                return

    queue(_forms_of(line), 0)
    while True:
        while not waiting and read < len(line.inputs) and any(wrapper(form.name) for form in forms.values()):
            queue(read_forms(line.inputs[read], line), 0)
            read += 1
        if not waiting:
            break
        form, depth = waiting.popleft()
        if len(forms) >= _FORMS or characters > _CHARACTERS:
            line.hide("it runs too many commands")
            break
        if (key := tuple(form)) in forms:
            continue
        forms[key] = form
        if form.name != form[0].shape:
            queue([Form([Word(form.name, form[0].glob), *form[1:]], known=form.known, fed=form.fed)], depth)
        for each in _without_options(form):
            forms.setdefault(tuple(each), each)
        if depth < _DEPTH:
            queue(_inside(form, line), depth + 1)
    return list(forms.values())


def _forms_of(line: ShellLine) -> list[Form]:
    return [Form(command.words, fed=command.fed) for command in line.commands if command.words]


def read_forms(text: str, line: ShellLine | None = None, shell: str = "bash") -> list[Form]:
    """Return the commands of a text that is a line of `shell`; all else that it does, `line` does."""
    inner = read_line(text)
    if line is not None:
        if inner.of_bash and (row := wrapper(shell)) is not None and not row.of_bash:
            inner.opaque.append(f"{shell} may read it otherwise than bash")
        line.take(inner)
    return _forms_of(inner)


def _inside(form: Form, line: ShellLine) -> Iterator[Form]:
    """Yield the commands that a command runs by its arguments."""
    if form.name == "command" and _SHOWS.fullmatch(" ".join(form.shapes[1:2])):
        return
    row = wrapper(form.name)
    for at, word in enumerate(form.own[1:], 1):
        programs = [form.name] if form.known else form.shapes[: at - 1]
        shape, after_flag = word.shape, begins_command(programs, form[at - 1].shape)
        sure = form.starts == (at, True)
        if (row is not None and at <= _BEHIND) or after_flag or sure:
            given = form.starts.sure and not sure and wrapper(shape.rpartition("/")[2]) is None  # to a wrapper
            if not shape.startswith("-") and not given:
                inner = form.behind(at, known=after_flag or (sure and form.known))
                adds = after_flag or (row is not None and row.kind == "adds")
                yield _filled(inner, _given(form)) if adds else inner
            if _LINE_FOLLOWS.fullmatch(form[at - 1].shape):  # the words behind a line are no part of it
                yield Form([word], known=False, fed=form.fed)
            for text in _lines_in(shape, _OPERATOR if row is not None and row.text else _SEPARATOR):
                yield from read_forms(text, line, form.name)
        if row is not None and "=" in shape:
            yield from (Form(each.words, fed=each.fed) for each in ordered(shape))
        if form.name == "alias" or "=!" in shape:  # an alias of the shell, or of git
            yield from read_forms(re.split("=!?", shape, maxsplit=1)[-1], line)


def _given(form: Form) -> str:
    """Return the shape of what a command puts in place of `{}`: a path that find gives begins as the folder does in
    which it looks, which is no option."""
    sure = form.name == "find" and not any(each.startswith(_ANY_PATHS) for each in form.shapes)
    return f"./{GAP}" if sure else GAP


def _filled(form: Form, path: str) -> Form:
    """Return a command that gets more words, or words such as `path` in place of `{}`."""
    words = [Word(word.shape.replace("{}", path), word.glob) for word in form]
    if words == form:
        words.append(Word(GAP))
    return Form(words, known=form.known, fed=form.fed)


def _lines_in(shape: str, sign: re.Pattern[str]) -> Iterator[str]:
    """Yield the lines of shell with this sign that an argument may be: itself, the value of an option."""
    texts = [shape]
    if shape.startswith("--"):
        texts = [shape.partition("=")[2]]
    elif shape.startswith("-"):
        texts = [shape[at:] for at in range(2, min(len(shape), 5))]
    for text in [*texts, *(text.partition(":")[2] for text in texts)]:
        if sign.search(text):
            yield text.lstrip()


def _without_options(form: Form) -> Iterator[Form]:
    """Yield a command without the options before its subcommand; each of them may have a value."""
    for at in range(1, min(len(form), _OPTIONS)):
        if not form[at].shape.startswith("-") and not (at > 1 and form[at - 1].shape.startswith("-")):
            return
        if at + 1 < len(form):
            words = [Word(form.name, form[0].glob), *form[at + 1 :]]
            yield Form(words, known=form.known, fed=form.fed, whole=False)
