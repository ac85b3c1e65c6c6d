"""Patterns of rules: over the words of a command, and over real paths. Matching takes linear time."""

import os
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase

from zot_core.machine.interface import expand_home
from zot_core.permissions.commands.meeting import Step, meet, pattern_steps
from zot_core.permissions.word import GAP, Word
from zot_core.tools.search.wildcards import ANY, FOLDERS, STAR, linear_expression

LENGTH = 2000
"""Most characters of a pattern."""

_BETWEEN = "\x1f"
"""Separates the words of a command while it is matched; a word that contains it is never readable."""

_COMMAND_TOKEN = re.compile(r"\*+|\?|\s+|'[^']*'|\"[^\"]*\"|\\.|[^\\]", re.DOTALL)
_PATH_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\\.|.", re.DOTALL)
_ALL_BELOW = re.compile(r"(?:/(?:\*\*)?)+\Z")
_WILD = re.compile(r"(?<!\\)[*?]")

_SHELL = re.compile(rf"[*?\[{GAP}]")
"""The signs in the shape of a word that a shell replaces."""

_UNKNOWN = Word(GAP)

_SYSTEM = re.compile(r"\A/(?:usr/)?(?:local/)?s?bin/(?=[^/\s*?])")
"""The beginning of a pattern that names a program by a folder of the system: its name alone starts the same."""


class CommandPattern:
    """Words as a shell writes them, in which an unquoted `*` stands for any text and `?` for one character.

    A `*` at the end also covers all further words, and a last word `*` also their absence, and so does `:*`, as Claude
    Code writes it; that also covers what follows the colon, as in `npm run test:unit`. A last word `**` in a pattern
    that is not `careful` does so only for paths in the project (`rest`). Before the end, `*` covers a
    part of one word; in a pattern that is `careful` (of an ask or a deny) it may also cover whole words, and `.*` as a
    word or behind a letter is any text, as in a regular expression, and not only what has a dot. ValueError if the
    pattern is empty or too long.
    """

    def __init__(self, text: str, *, careful: bool) -> None:
        self.text = text = _SYSTEM.sub("", _checked(text)) if careful else _checked(text)
        self.tokens = tokens = [each.group() for each in _COMMAND_TOKEN.finditer(text)]
        """The characters, quoted parts and gaps of the pattern as they are written, without what covers the rest."""
        if careful:
            self.tokens = tokens = _without_dots(tokens)
        rest = tokens[-1].startswith("*")
        self._paths = tokens[-1] == "**" and not careful
        if rest:
            tokens.pop()
        colon = tokens[-1:] == [":"] and rest
        bare = rest and bool(tokens) and (colon or tokens[-1].isspace())
        while bare and tokens and (tokens[-1].isspace() or tokens[-1] == ":"):
            tokens.pop()
        star = ANY if careful else STAR
        parts = [_command_token(each, star) for each in tokens]
        self.words = "".join(_literal(each) for each in tokens).split(_BETWEEN)
        """The words of the pattern with their wildcards left out."""
        fixed = next((at for at, each in enumerate(tokens) if each.startswith(("*", "?"))), len(tokens))
        ends = _BETWEEN if fixed == len(tokens) and (bare or not rest) and not colon else ""
        self.head = "".join(_literal(each) for each in tokens[:fixed]) + ends
        """The text before the first wildcard, with what separates words if a word ends there."""
        program = self.head.split(_BETWEEN)[0] if _BETWEEN in self.head else ""
        self.path = program if "/" in program else ""
        """The program, if it is named by a path without wildcards; else empty."""
        more = f"[{_BETWEEN}:]" if colon else _BETWEEN
        tail = rf"(?:{more}.*)?" if bare and tokens else ".*" if rest else ""
        self._match = re.compile(f"(?:{linear_expression(parts, f'[^{_BETWEEN}]')}){tail}", re.DOTALL).fullmatch

    def matches(self, words: Sequence[str]) -> bool:
        return self._match(_BETWEEN.join(words)) is not None

    def starts(self, program: str) -> bool:
        """Whether it is about a program of this name, and not about any program."""
        return bool(self.head) and bool(program) and self.may_match([program])

    def rest(self, words: Sequence[str]) -> Sequence[str]:
        """Return the words of a command that it matches which must be paths in the project, and no options."""
        return words[len(self.words) :] if self._paths else ()

    def may_match(self, words: Sequence[str], unknown: Word = _UNKNOWN) -> bool:
        """Whether it may match a command of which only the first `words` are known, and of the next one what is in
        `unknown`. For a path `./x`, a rule may have `x`."""
        known = _BETWEEN.join([*words, ""])
        if known.startswith(self.head) or not self.head.startswith(known):
            return known.startswith(self.head)
        rest = self.head[len(known) :]
        shape = unknown.shape.removeprefix("./")
        begun = _SHELL.split(shape)[0]
        if not (rest.startswith(begun) or begun.startswith(rest)) or (shape != unknown.shape and rest[0] == "-"):
            return False
        word, ended, _ = rest.partition(_BETWEEN)
        return not ended or GAP in shape or "[" in shape or fnmatchcase(word, shape)


def _without_dots(tokens: list[str]) -> list[str]:
    """Return tokens in which each `.*` is `*`, if it is a word or behind a letter."""
    around = ["", *tokens, " ", " "]
    return [
        token
        for at, token in enumerate(tokens)
        if not (token == "." and around[at + 2].startswith("*"))
        or not (around[at].isalnum() or (around[at].isspace() and around[at + 3].isspace()))
    ]


def _command_token(token: str, star: str) -> str:
    if token.startswith("*"):
        return star
    if token == "?":
        return f"[^{_BETWEEN}]"
    return re.escape(_literal(token))


def _literal(token: str) -> str:
    """Return the text that a token of a command pattern means."""
    if token.isspace():
        return _BETWEEN
    if token[0] in "'\"" and len(token) > 1:
        return token[1:-1]
    return "" if token in ("*", "?") else token[1:] if token[0] == "\\" else token


class PathPattern:
    """A path with `*` and `?` (not over a slash) and `**`; a backslash makes the next character plain.

    A relative pattern begins at the working directory, `~` is the home directory. `DIR/` and `DIR/**` are a folder with
    all that is in it; in a pattern that is `careful` (of an ask or a deny) every path is, case does not matter, and the
    links that the pattern names are followed. With the `home` folder of another machine its links are not known.
    ValueError if the pattern is empty or too long.
    """

    def __init__(self, text: str, *, careful: bool, home: str = "") -> None:
        self.text = unicodedata.normalize("NFC", _checked(text))
        self.careful, self._home = careful, home
        self.below = careful or self.text.endswith(("/", "/**")) or self.text == "**"
        wild = _WILD.search(self.text)
        start = len(self.text) if wild is None else wild.start()
        self.wild = wild is not None
        self._fixed = self.text[:start] if wild is None else self.text[: self.text.rfind("/", 0, start) + 1]
        """The part before the folder or name in which the first wildcard is, with its slash."""
        self._plain = re.sub(r"\\(.)", r"\1", self._fixed)
        self._compiled: dict[str, re.Pattern[str]] = {}

    def base(self, cwd: str) -> str:
        """Return the absolute path before the first wildcard; `cwd` is the real path of the working directory."""
        return os.path.normpath(os.path.join(cwd, expand_home(self._plain, self._home)))

    def matches(self, path: str, cwd: str) -> bool:
        return self.matches_any([path], cwd)

    def matches_any(self, paths: Collection[str], cwd: str) -> bool:
        if not paths:  # looking for links costs more
            return False
        expressions = [self._expression(base) for base in self._bases(cwd)]
        return any(each.fullmatch(_normal(path)) is not None for path in paths for each in expressions)

    def may_match(self, words: Iterable[Sequence[Step]], cwd: str) -> bool:
        """Whether it may match a word, given by its alternatives (see `word_steps`), that names an absolute path."""
        rest = self.text[len(self._fixed) :]
        texts = [
            literal_path(base).rstrip("/") + "/" + rest if rest else literal_path(base) for base in self._bases(cwd)
        ]
        return meet(words, [each for text in texts for each in pattern_steps(text, below=self.below)])

    def lies_in(self, folders: Collection[str], cwd: str) -> bool:
        """Whether the files that it may match, or their folder, are in one of these folders, which are real paths."""
        if not folders:
            return False
        there = [base for base in self._bases(cwd) if self._home or os.path.lexists(base)]
        return any(is_below(base, each) for base in there for each in folders)

    def reaches(self, folder: str, cwd: str) -> bool:
        """Whether the pattern may match something below `folder`."""
        for base in self._bases(cwd):
            if is_below(base, folder) and (self._home or os.path.lexists(base)):
                return True
            if self.wild and is_below(folder, base):
                return True
        return False

    def _bases(self, cwd: str) -> set[str]:
        base = self.base(cwd)
        if self._home:
            return {base}
        if not self.careful:  # a link in the project must not widen what is allowed
            return {base if is_below(base, cwd) else os.path.realpath(base)}
        return {base, os.path.realpath(base)}

    def _expression(self, base: str) -> re.Pattern[str]:
        found = self._compiled.get(base)
        if found is None:
            rest = _ALL_BELOW.sub("", self.text[len(self._fixed) :])
            rest = "" if rest == "**" else rest
            tokens = [re.escape(each) for each in unicodedata.normalize("NFC", base)]
            if rest:
                tokens += ["/"] if base != "/" else []
                tokens += map(_path_token, _PATH_TOKEN.findall(rest))
            whole = [tokens, [*tokens, "/", ANY]] if self.below else [tokens]
            if base == "/" and not rest:
                whole = [[ANY]] if self.below else [["/"]]
            flags = re.DOTALL | (re.IGNORECASE if self.careful else 0)
            expression = "|".join(linear_expression(each, "[^/]") for each in whole)
            if len(self._compiled) > 8:
                self._compiled.clear()
            found = self._compiled[base] = re.compile(expression, flags)
        return found


def _path_token(token: str) -> str:
    if token in (STAR, ANY, FOLDERS):
        return token
    return "[^/]" if token == "?" else re.escape(token[1:] if len(token) > 1 else token)


def _normal(path: str) -> str:
    return unicodedata.normalize("NFC", path)


def _checked(text: str) -> str:
    if not text.strip():
        raise ValueError("the pattern is empty")
    if len(text) > LENGTH:
        raise ValueError(f"the pattern has {len(text)} characters; use at most {LENGTH}")
    return text.strip()


def is_below(path: str, folder: str) -> bool:
    """Whether `path` is `folder` or in it; both are absolute and without `..`."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def literal_path(path: str) -> str:
    """Return the pattern that matches only `path`."""
    return re.sub(r"([*?\\])", r"\\\1", path)
