"""`LineRules`: judges a shell line by the rules for commands and for paths."""

import os
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from zot_core.machine.quiet_repository import follows_another
from zot_core.machine.repository import git_folders, is_foreign, repository_top
from zot_core.permissions.commands import programs
from zot_core.permissions.commands.doubts import doubt, guards
from zot_core.permissions.commands.forms import Form, see_through
from zot_core.permissions.commands.named_files import LinePlace, NamedFiles, named_files
from zot_core.permissions.commands.readers import reader_name
from zot_core.permissions.commands.reading import Reading
from zot_core.permissions.patterns import CommandPattern, PathPattern, is_below
from zot_core.permissions.rule import COMMANDS, FILES, READ, WRITES, Rule
from zot_core.permissions.shell_line import REDIRECTS, ShellLine, SimpleCommand, read_line
from zot_core.permissions.word import GAP, Word
from zot_provider.record import Record, field

GitUse: TypeAlias = Literal["", "reads", "writes"]
"""Whether a line runs git, or a program that runs it, and whether it may do more than read."""


class LineFinding(Record):
    """The answer of the rules about a line. `strict` is the deny or ask that counts, `covering` are the allows that
    cover all of it that does not only read, and `uncovered` says what nothing covers."""

    strict: Rule | None
    covering: list[Rule]
    uncovered: str = ""
    reason: str = ""
    """Why a line is asked about in every mode, empty if it is not."""
    doubt: str = ""
    """Why a line may do what `strict` would be about, empty if it does not."""
    reading: Reading = field(default_factory=Reading)
    """The files of commands that only read."""
    git: GitUse = ""


class LineRules:
    """Rules for lines of shell in the directory `cwd`, a real path. `edited` are real paths that this session wrote.
    `home` is the home folder on another machine, where links are not known; empty on this one. With `reads`, commands
    that only read are covered."""

    def __init__(
        self, rules: Iterable[Rule], cwd: str, edited: set[str], home: str = "", *, reads: bool = False
    ) -> None:
        self._rules, self._cwd, self._edited = list(rules), cwd, edited
        self._reads = reads and not home  # where links are not known, neither is which file is read
        self._place = LinePlace(cwd, home)

    def judge(self, text: str) -> LineFinding:
        line = read_line(text)
        forms = see_through(line)
        careful = guards(self._rules)
        paths = any(rule.tool.casefold() in FILES for rule in careful)
        files = named_files(line, forms, self._place) if paths else NamedFiles()
        finding = LineFinding(self._strict(forms, files), [], reason=self._ruin(forms))
        gits = [bool(reader_name(form.shapes)[0]) for form in forms if form.name in programs.REPOSITORY]
        finding.git = ("reads" if all(gits) else "writes") if gits else ""
        finding.doubt = doubt(line, forms, files, careful, self._cwd)
        finding.uncovered = self._cover(line, forms, finding)
        return finding

    # Deny and ask

    def _strict(self, forms: Sequence[Form], files: NamedFiles) -> Rule | None:
        rules = [rule for rule in self._rules if rule.action != "allow"]
        commands = [rule for rule in rules if rule.tool.casefold() == COMMANDS]
        matched = [rule for rule in commands if rule.pattern is None]
        folders = self._place.folders(forms) or [self._cwd]
        matched += [
            rule
            for rule in commands
            if isinstance(pattern := rule.pattern, CommandPattern)
            and any(self._matches(pattern, form.shapes, folders) for form in forms)
        ]
        for rule in rules:
            if rule.tool.casefold() in FILES:
                named = files.read | files.written if rule.tool.casefold() == READ else files.written
                pattern = rule.pattern
                if not isinstance(pattern, PathPattern):
                    matched += [rule] if named else []
                elif pattern.matches_any(named, self._cwd) or pattern.lies_in(files.taken, self._cwd):
                    matched.append(rule)
        denied = [rule for rule in matched if rule.action == "deny"]
        return next(iter(denied or matched), None)

    def _matches(self, pattern: CommandPattern, words: list[str], folders: Sequence[str]) -> bool:
        """Whether a pattern is about a command in one of these folders, also if it spells the path of the program in
        another way."""
        if pattern.matches(words):
            return True
        if not pattern.path or not pattern.matches([pattern.path, *words[1:]]):
            return False
        return any(self._entry(words[0], each) == self._entry(pattern.path, self._cwd) for each in folders)

    def _entry(self, word: str, folder: str) -> str:
        """Return the path of a program below a real path. A link is not followed: one program may be many."""
        head, _, name = word.rpartition("/")
        return os.path.join(self._place.real(f"{head}/" if head or word.startswith("/") else ".", folder), name)

    # Allow

    def _cover(self, line: ShellLine, forms: Sequence[Form], finding: LineFinding) -> str:
        """Find what covers the commands of a line. Return why something is not covered, empty if all is."""
        if line.unclear:
            return line.unclear[0]
        if not line.commands and not line.tests:
            return "it has no command"
        goes = any(form.name in ("cd", "pushd") for form in forms)
        rules: list[Rule] = []
        for command in (*line.commands, *line.tests):
            found = self._allow_of(command)
            if isinstance(found, str):
                unknown = not self._reads or any(GAP in word.shape for word in command.words)
                why = found if unknown else finding.reading.add(command, self._place)
                if why:
                    return why if reader_name(command.shapes)[0] else found
            elif found not in rules:
                rules.append(found)
        if rules and finding.reading.commands and goes:
            return "it changes the folder"
        inputs = [Word(each.path) for each in line.redirections if not each.writes]
        if inputs and (rules or not self._reads or not all(finding.reading.name(each, self._place) for each in inputs)):
            return REDIRECTS
        if finding.git and (self._leaves_repository(forms) or (rules and follows_another(self._cwd))):
            return "git would work in another repository"
        finding.covering = rules
        return ""

    def _leaves_repository(self, forms: Sequence[Form]) -> bool:
        folders = self._place.folders(forms)
        if folders is None:
            return True
        places = [
            each for form in forms if form.whole and form.name == "git" for each in programs.git_places(form.shapes)
        ]
        reached = [self._place.real(place, each) for place in places for each in folders]
        own = git_folders(top) if places and (top := repository_top(self._cwd)) else ()
        return any(is_foreign(each, self._cwd) for each in [*folders, *reached] if each not in own)

    def _was_edited(self, program: str, recipes: Iterable[str]) -> bool:
        """Whether this session wrote a program, or in any folder one of its recipes: recipes of folders below count."""
        names = {os.path.basename(path) for path in self._edited}
        return not names.isdisjoint(recipes) or self._place.real(program, self._cwd) in self._edited

    def _allow_of(self, command: SimpleCommand) -> Rule | str:
        """Return the allow that covers a command, or why none does."""
        shown = command.source if len(command.source) <= 60 else command.source[:59] + "…"
        if not command.words or any(GAP in word.shape for word in command.words) or command.words[0].glob:
            return f"the shell decides what {shown!r} is"
        words = programs.as_program(command.shapes)
        name = words[0].rpartition("/")[2]
        if programs.runs_others(name):
            return f"{name} can run anything"
        if self._was_edited(words[0], programs.recipes(words, command.shapes)):
            return f"what {name} runs was changed in this session"
        if any(word.glob for word in command.words) and (name in programs.RISKY or self._guards_paths()):
            return f"the names that * stands for in {shown!r} are not known"
        covering = [rule for rule in self._rules if rule.action == "allow" and rule.tool.casefold() == COMMANDS]
        for rule in covering:
            pattern = rule.pattern
            if pattern is None and not programs.risky(words, []) and words == command.shapes:
                return rule
            spelled = isinstance(pattern, CommandPattern) and (
                words == command.shapes or pattern.words[1:3] == ["-m", name]
            )
            if spelled and isinstance(pattern, CommandPattern) and pattern.matches(command.shapes):
                if programs.risky(words, pattern.words) or not self._in_project(pattern.rest(command.shapes)):
                    continue
                return rule
        return f"no rule allows {shown!r}"

    def _in_project(self, words: Sequence[str]) -> bool:
        """Whether words are paths in the project, and no options."""
        real = (self._place.real(word.partition("::")[0], self._cwd) for word in words)
        return not any(word.startswith(programs.OPTIONS) for word in words) and all(
            is_below(path, self._cwd) for path in real
        )

    def _guards_paths(self) -> bool:
        return any(rule.action != "allow" and rule.tool.casefold() in FILES for rule in self._rules)

    def _ruin(self, forms: Sequence[Form]) -> str:
        """Return a reason to ask if the line removes the home directory, or a folder near the root."""
        home = self._place.home or os.path.realpath(os.path.expanduser("~"))
        removed = dict.fromkeys(word for form in forms if form.name == "rm" for word in form.shapes[1:])
        for word in removed:
            if word and not word.startswith("-"):
                path = self._place.real(word, self._cwd)
                path = os.path.dirname(path) if os.path.basename(path) == "*" else path
                if path.count("/") <= 1 or is_below(home, path):
                    return f"it removes {path}"
        return ""


def path_rules(rules: Iterable[Rule], *, writes: bool) -> list[Rule]:
    """Return the rules about files that are read, or written."""
    names = WRITES if writes else (READ,)
    return [rule for rule in rules if rule.tool.casefold() in names]
