"""`read_word`: a word of a line of shell as the program gets it."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from tree_sitter import Node

GAP = "\0"
"""In place of text that only the shell knows; no argument of a program can contain it."""


class Word(NamedTuple):
    """A word of a command as the program gets it, with a `GAP` for each part that depends on what a shell does.

    `glob`: the shell replaces it by the names of files.
    """

    shape: str
    glob: bool = False

    @property
    def known(self) -> bool:
        """Whether it is exactly what the program gets."""
        return not self.glob and GAP not in self.shape


NO_VALUES: Mapping[str, Word] = {}
_SAFE = re.compile(r"[\w./,@%+=:-]+")
"""A value that is one word without quotes, too."""
_ASSIGNED_TILDE = re.compile(r"(?<=[=:])~")
_ASSIGNS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
"""Text that looks like an assignment: bash expands a tilde behind `=` and `:` in it, also where it is an argument."""
_GLOB = re.compile(r"(?:^|[^\\])(?:\\\\)*[*?\[]")
_BRACES = re.compile(r"[{}]")
_PLAIN = re.compile(r"[^{}~\\*?\[]*")
"""A word that means what it says."""
_OTHER_TILDE = re.compile(r"(?:^|(?<=[=:]))~(?:[+-]|[+-]?[0-9]+)(?=[/:]|$)")
"""A folder that only the shell knows: that of before, or of its stack (bash(1), Tilde Expansion)."""
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_QUOTED_ESCAPE = re.compile(r'\\([$`"\\])|\\\n')


_ALTERNATIVES = re.compile(r"\{([^{},]*(?:,[^{},]*)+)\}")
_BRACED = re.compile(r"(?:[\w./,@%+=:-]|\{(?![^{},]*\.\.[^{},]*\})[\w./,@%+=:-]*\})*")
"""A word whose braces are closed, not in one another, and no sequence, without anything else that a shell replaces."""
_MOST = 64
"""The most words that braces in one may stand for."""
_DOCUMENT = re.compile(r"\$\(\s*cat\s*<<\s*(['\"])(\w+)\1[ \t]*\n((?:.*\n)?)\2\n\s*\)", re.DOTALL)
"""A here-document as an argument, in which nothing is replaced."""


def read_words(node: Node, values: Mapping[str, Word] = NO_VALUES) -> list[Word]:
    """Return a word of a line as the words that the program gets: with alternatives in braces they are several.
    `values` holds what variables are known to have."""
    text = text_of(node)
    if node.type not in ("word", "concatenation") or "{" not in text or not _BRACED.fullmatch(text):
        return [read_word(node, values)]
    shapes = [text]
    while found := next(filter(None, map(_ALTERNATIVES.search, shapes)), None):
        at, word = shapes.index(found.string), found.string
        shapes[at : at + 1] = [word[: found.start()] + each + word[found.end() :] for each in found[1].split(",")]
        if len(shapes) > _MOST:
            return [Word(GAP)]
    return [Word(each) for each in shapes if each]


def read_word(node: Node, values: Mapping[str, Word] = NO_VALUES) -> Word:
    kind = node.type
    if values and kind == "string":
        names = [text_of(each).strip("${}") for each in node.named_children if each.type.endswith("expansion")]
        if len(names) == 1 and text_of(node) in (f'"${names[0]}"', f'"${{{names[0]}}}"') and names[0] in values:
            return values[names[0]]
    if kind in ("simple_expansion", "expansion") and (value := values.get(text_of(node).strip("${}"))) is not None:
        return value if not value.glob and _SAFE.fullmatch(value.shape) else Word(GAP)
    if kind in ("word", "number"):
        text = text_of(node)
        if _PLAIN.fullmatch(text):
            return Word(text)
        if _BRACES.search(text):
            return Word(text if text == "{}" else GAP)
        shape = _OTHER_TILDE.sub(GAP, text)
        shape = _ESCAPE.sub(_escaped, _ASSIGNED_TILDE.sub(GAP, shape) if _ASSIGNS.match(text) else shape)
        return Word(shape, glob=_GLOB.search(text) is not None)
    if kind == "raw_string":
        return Word(text_of(node)[1:-1])
    if kind == "string":
        return Word(quoted_text(node, values))
    if kind == "concatenation":
        if text_of(node) == "{}":
            return Word("{}")
        fixed = {name: value for name, value in values.items() if not _is_replaced(value)}
        parts = [read_word(child, fixed) for child in node.children]
        return Word("".join(part.shape for part in parts), any(part.glob for part in parts))
    return Word(f"/dev/fd/{GAP}" if kind == "process_substitution" else GAP)


def quoted_text(node: Node, values: Mapping[str, Word] = NO_VALUES, *, documents: bool = True) -> str:
    """Return what is between two quotes, with a gap for each expansion, with `documents` except here-documents."""
    text, shape, at = node.text or b"", [], node.start_byte + 1
    expansions = [child for child in node.children if child.is_named and child.type != "string_content"]
    for each in [*expansions, None]:
        end = node.end_byte - 1 if each is None else each.start_byte
        plain = text[at - node.start_byte : end - node.start_byte].decode("utf-8", "surrogateescape")
        shape += [
            _QUOTED_ESCAPE.sub(_escaped, plain),
            "" if each is None else _text(each, values) if documents else GAP,
        ]
        at = end if each is None else each.end_byte
    return "".join(shape)


def _text(expansion: Node, values: Mapping[str, Word]) -> str:
    """Return what an expansion in quotes stands for, or a gap."""
    text = text_of(expansion)
    value = values.get(text.strip("${}")) if expansion.type in ("simple_expansion", "expansion") else None
    return _document(text) if value is None else GAP if _is_replaced(value) else value.shape


def _is_replaced(value: Word) -> bool:
    """Whether a shell has put other text in place of a value: names of files, or that of a home folder."""
    return value.glob or value.shape.startswith("~")


def _document(expansion: str) -> str:
    """Return what an expansion stands for in quotes: the text of a here-document, or a gap."""
    found = _DOCUMENT.fullmatch(expansion)
    if found is None or found[2] in found[3].split("\n"):
        return GAP
    return found[3].rstrip("\n")


def _escaped(found: re.Match[str]) -> str:
    return "" if found[0] == "\\\n" else found[1]


def text_of(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape")


def shares_number(before: Node, redirect: Node) -> bool:
    """Whether a number is between a node and the sign of a redirection, without a blank on both sides: whose it is, the
    grammar and shells see differently."""
    if before.end_byte < redirect.start_byte:
        return False
    last = before
    while last.children:
        last = last.children[-1]
    return last.type == "number" or redirect.children[0].type == "file_descriptor"
