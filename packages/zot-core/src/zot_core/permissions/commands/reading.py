"""`Reading`: what the commands of a line read that run without a question because they only read."""

import os

from zot_core.machine.programs import runs_outside
from zot_core.machine.repository import repository_top
from zot_core.permissions.commands.named_files import LinePlace
from zot_core.permissions.commands.readers import BUILTINS, read_files, reader_name
from zot_core.permissions.patterns import is_below
from zot_core.permissions.shell_line import SimpleCommand
from zot_core.permissions.word import Word
from zot_provider.record import Record, field

_ORDERS = {"git": ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH"), "rg": ("RIPGREP_CONFIG_PATH",)}
"""Variables that name files from which a program takes orders, such as which others it runs."""


class Reading(Record):
    """`paths` are the real paths of files that commands name, `deep` those in which they also read what they do not
    name, `git` whether one of them is git; `commands` counts them, and `folders` are those where they may run."""

    paths: list[str] = field(default_factory=list)
    deep: list[str] = field(default_factory=list)
    git: bool = False
    commands: int = 0
    folders: list[str] = field(default_factory=list)

    def add(self, command: SimpleCommand, place: LinePlace) -> str:
        """Add a command. Return why it may do more than read, empty if it does not."""
        name, length = reader_name(command.shapes)
        found = read_files(command.words)
        if isinstance(found, str):
            return found
        self.folders = self.folders or [place.cwd]
        if name == "cd":
            return self._go(found.words, place)
        if name not in BUILTINS and not runs_outside(command.shapes[0], [place.cwd, *self.folders]):
            return f"{command.shapes[0]} is a program of the project, or is not there"
        for variable in _ORDERS.get(command.shapes[0], ()):
            value = os.environ.get(variable)
            if value and is_below(place.real(value, place.cwd), place.cwd):
                return f"{variable} names a file of the project"
        git = length > 1
        if git and len(self.folders) > 1:
            return "git would run in another folder"
        start = len(self.paths)
        for word in found.words:
            if not self.name(word, place, inner=git):
                return f"the names that {word.shape!r} stands for are not known"
        if found.deep:
            folders = [path for path in self.paths[start:] if os.path.isdir(path)] if found.words else self.folders
            self.deep += [repository_top(place.cwd)] if git else folders
        self.git, self.commands = self.git or git, self.commands + 1
        return ""

    def _go(self, words: list[Word], place: LinePlace) -> str:
        """Go to another folder, which may fail: what comes later must be right in both."""
        if len(words) != 1 or not words[0].known or words[0].shape in ("", "-") or os.environ.get("CDPATH"):
            return "it is not known where cd goes"
        if self.commands:
            return "cd is not the first command"
        self.commands += 1
        word = words[0].shape
        reached = [place.real(word, place.cwd), place.real(os.path.normpath(os.path.join(place.cwd, word)), place.cwd)]
        self.paths += reached
        self.folders = list(dict.fromkeys([*self.folders, *reached]))
        return ""

    def name(self, word: Word, place: LinePlace, *, inner: bool = False) -> bool:
        """Add the files that a word stands for; with `inner` also a path behind a colon."""
        for folder in self.folders:
            if word.glob:
                found = place.expand(word.shape, folder)
                if found is None:
                    return False
                self.paths += found
                # Without such a file, the word is what the program gets.
            self.paths += [place.real(each, folder) for each in (word.shape, word.shape.lstrip("@"))]
            if inner and ":" in word.shape:  # a path behind a colon begins in the folder, or at the top
                parts = [part for part in word.shape.split(":")[1:] if part]
                self.paths += [place.real(part, each) for part in parts for each in (folder, repository_top(place.cwd))]
        return True
