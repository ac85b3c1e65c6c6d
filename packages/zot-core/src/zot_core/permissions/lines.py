"""`LineRules`: judges a shell line by the rules for commands and for paths."""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from zot_core.machine.interface import expand_home
from zot_core.permissions import programs
from zot_core.permissions.patterns import CommandPattern, PathPattern, is_below
from zot_core.permissions.rule import COMMANDS, READ, WRITES, Rule
from zot_core.permissions.shell_line import ShellLine, SimpleCommand, read_line
from zot_provider.record import Record

_DEPTH, _OPTIONS, _BEHIND = 4, 8, 16
"""How deep commands inside commands are looked for, behind how many options of a program, words of a wrapper."""
_FORMS, _CHARACTERS, _PATHS, _FOLDERS = 300, 50_000, 400, 3
"""The most forms of commands that a line may have, characters of them, paths that it names, and changes of folder. A
line with more of them is unclear: what a model writes must not take the time of the event loop."""


class LineFinding(Record):
    """What rules say of a line. `strict` is the deny or ask that counts, `covering` are the allows that cover all of it
    together, none if they do not, and `uncovered` says what they do not cover."""

    strict: Rule | None
    covering: list[Rule]
    uncovered: str = ""
    reason: str = ""
    """Why a line is asked about in every mode, empty if it is not."""


class LineRules:
    """Rules for lines of shell in the directory `cwd`, a real path. `edited` are real paths that this session wrote.
    `home` is the home folder on another machine, where links are not known; empty on this one."""

    def __init__(self, rules: Iterable[Rule], cwd: str, edited: set[str], home: str = "") -> None:
        self._rules, self._cwd, self._edited, self._home = list(rules), cwd, edited, home

    def judge(self, text: str) -> LineFinding:
        """Judge a line."""
        line = read_line(text)
        forms = see_through(line)
        strict = self._strict(line, forms)
        covering, uncovered = self._covering(line)
        return LineFinding(strict, covering, uncovered, self._ruin(forms))

    # Deny and ask

    def _strict(self, line: ShellLine, forms: list[list[str]]) -> Rule | None:
        rules = [rule for rule in self._rules if rule.action != "allow"]
        commands = [rule for rule in rules if rule.tool.casefold() == COMMANDS]
        paths = [rule for rule in rules if isinstance(rule.pattern, PathPattern)]
        matched = [rule for rule in commands if rule.pattern is None]
        matched += [rule for rule in commands if any(_matches(rule, words) for words in forms)]
        if paths:
            read, written = self._named_paths(line, forms)
            for rule in paths:
                assert isinstance(rule.pattern, PathPattern)
                named = read | written if rule.tool.casefold() == READ else written
                if rule.pattern.matches_any(named, self._cwd):
                    matched.append(rule)
        denied = [rule for rule in matched if rule.action == "deny"]
        return next(iter(denied or matched), None)

    def _named_paths(self, line: ShellLine, forms: list[list[str]]) -> tuple[set[str], set[str]]:
        """Return the real paths that the line names, and those of them that it writes."""
        named: dict[str, bool] = {}
        folders = [self._cwd]
        for words in forms:
            name = words[0].rpartition("/")[2]
            if name in ("cd", "pushd") and len(words) > 1 and words[1] and len(folders) <= _FOLDERS:
                folders.append(self._real(words[1], folders[-1]))
            writes = name in programs.WRITERS or (name == "sed" and "-i" in " ".join(words))
            for part in (part for word in words[1:] for part in _parts(word)):
                named[part] = named.get(part, False) or writes
        for each in line.redirections:
            if each.path:
                named[each.path] = named.get(each.path, False) or each.writes
        if len(named) > _PATHS or len(folders) > _FOLDERS:
            line.unclear.append("it names too many files")
        some = list(named.items())[:_PATHS]
        found = [(self._real(part, folder), writes) for part, writes in some for folder in folders]
        return {path for path, writes in found if not writes}, {path for path, writes in found if writes}

    # Allow

    def _covering(self, line: ShellLine) -> tuple[list[Rule], str]:
        """Return the allows that cover all of a line, or none and what they do not cover."""
        if line.unclear:
            return [], line.unclear[0]
        if line.redirections:
            return [], "it redirects input or output"
        if not line.commands:
            return [], "it has no command"
        rules: list[Rule] = []
        for command in line.commands:
            found = self._allow_of(command)
            if isinstance(found, str):
                return [], found
            rules += [found] if found not in rules else []
        return rules, ""

    def _was_edited(self, program: str, recipes: Iterable[str]) -> bool:
        """Whether this session wrote a program, or in any folder one of its recipes: those of folders below count."""
        names = {os.path.basename(path) for path in self._edited}
        return not names.isdisjoint(recipes) or self._real(program, self._cwd) in self._edited

    def _allow_of(self, command: SimpleCommand) -> Rule | str:
        """Return the allow that covers a command, or why none does."""
        shown = command.source if len(command.source) <= 60 else command.source[:59] + "…"
        if not command.words or any(word.text is None for word in command.words) or command.words[0].glob:
            return f"the shell decides what {shown!r} is"
        words = command.readable
        name = words[0].rpartition("/")[2]
        if programs.runs_others(name):
            return f"{name} can run anything"
        if self._was_edited(words[0], programs.RECIPES.get(name, ())):
            return f"what {name} runs was changed in this session"
        globs = any(word.glob for word in command.words)
        if globs and (name in programs.RISKY or name == "tar" or self._guards_paths()):
            return f"the names that * stands for in {shown!r} are not known"
        covering = [rule for rule in self._rules if rule.action == "allow" and rule.tool.casefold() == COMMANDS]
        for rule in covering:
            pattern = rule.pattern
            if pattern is None and not programs.risky(words, []):
                return rule
            if isinstance(pattern, CommandPattern) and pattern.matches(words):
                if programs.risky(words, pattern.words):
                    continue
                return rule
        return f"no rule allows {shown!r}"

    def _guards_paths(self) -> bool:
        return any(rule.action != "allow" and isinstance(rule.pattern, PathPattern) for rule in self._rules)

    def _ruin(self, forms: list[list[str]]) -> str:
        """Return a reason to ask if the line removes the home directory, or a folder near the root."""
        home = self._home or os.path.realpath(os.path.expanduser("~"))
        for words in forms:
            if words[0].rpartition("/")[2] == "rm":
                given = [word for word in words[1:] if word and not word.startswith("-")]
                for path in (self._real(word, self._cwd) for word in given[:_PATHS]):
                    path = os.path.dirname(path) if os.path.basename(path) == "*" else path
                    if path.count("/") <= 1 or is_below(home, path):
                        return f"it removes {path}"
        return ""

    def _real(self, word: str, folder: str) -> str:
        path = os.path.join(folder, expand_home(word, self._home))
        if "\0" in path:
            return folder
        return os.path.normpath(path) if self._home else os.path.realpath(path)


def see_through(line: ShellLine) -> list[list[str]]:
    """Return the commands of a line in the forms in which a rule may name them: as written, without the folder of the
    program, without options before a subcommand, and what wrappers run."""
    waiting = deque((words, 0) for words in _commands(line))
    forms: dict[tuple[str, ...], list[str]] = {}
    characters = 0
    while waiting:
        words, depth = waiting.popleft()
        if tuple(words) in forms:
            continue
        characters += sum(map(len, words))
        if len(forms) >= _FORMS or characters > _CHARACTERS:
            line.unclear.append("it runs too many commands")
            break
        forms[tuple(words)] = words
        name = words[0].rpartition("/")[2]
        if name != words[0]:
            waiting.append(([name, *words[1:]], depth))
        forms.update((tuple(each), each) for each in _without_options(words))
        if depth < _DEPTH:
            waiting.extend((each, depth + 1) for each in _inside(name, words))
    return list(forms.values())


def _commands(line: ShellLine) -> list[list[str]]:
    found = [command.readable for command in line.commands if command.words and command.words[0].text]
    if line.inputs and any(words[0].rpartition("/")[2] in programs.WRAPPERS for words in found):
        found += [words for text in line.inputs for words in _read(text)]
    return found


def _read(text: str) -> list[list[str]]:
    return [command.readable for command in read_line(text).commands if command.words and command.words[0].text]


def _inside(name: str, words: Sequence[str]) -> Iterator[list[str]]:
    """Yield the commands that a command runs by its arguments."""
    launches = name in programs.LAUNCHERS
    for at, word in enumerate(words[1:], 1):
        after_flag = words[at - 1] in programs.EXEC_FLAGS
        if (launches and at <= _BEHIND) or after_flag:
            if word and not word.startswith("-"):
                yield list(words[at:])
            if len(word.split()) > 1 or ";" in word:
                yield from _read(word.removeprefix("-S").lstrip())
        if "=!" in word:  # an alias of git
            yield from _read(word.partition("=!")[2])


def _without_options(words: list[str]) -> Iterator[list[str]]:
    """Yield a command without the options before its subcommand; each of them may have a value."""
    for at in range(1, min(len(words), _OPTIONS)):
        if not words[at].startswith("-") and not (at > 1 and words[at - 1].startswith("-")):
            return
        if at + 1 < len(words):
            yield [words[0].rpartition("/")[2], *words[at + 1 :]]


def _matches(rule: Rule, words: list[str]) -> bool:
    return isinstance(rule.pattern, CommandPattern) and rule.pattern.matches(words)


def _parts(word: str) -> Iterator[str]:
    """Yield the paths that a word may name: itself, a value after `=`, a value glued to a short option."""
    if not word:
        return
    if "=" in word:
        yield word.partition("=")[2]
    if word.startswith("-"):
        if len(word) > 2 and word[1] != "-":
            yield word[2:]
    else:
        yield word.lstrip("@")


def path_rules(rules: Iterable[Rule], *, writes: bool) -> list[Rule]:
    """Return the rules about files that are read, or written."""
    names = WRITES if writes else (READ,)
    return [rule for rule in rules if rule.tool.casefold() in names]
