"""`read_word`: a word of a line of shell as the program gets it."""

import re
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


def read_word(node: Node) -> Word:
    kind = node.type
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
        return Word(_quoted(node))
    if kind == "concatenation":
        if text_of(node) == "{}":
            return Word("{}")
        parts = [read_word(child) for child in node.children]
        return Word("".join(part.shape for part in parts), any(part.glob for part in parts))
    return Word(f"/dev/fd/{GAP}" if kind == "process_substitution" else GAP)


def _quoted(node: Node) -> str:
    """Return what is between two quotes, with a gap for each expansion."""
    text, shape, at = node.text or b"", [], node.start_byte + 1
    expansions = [child for child in node.children if child.is_named and child.type != "string_content"]
    for start, end in [*((each.start_byte, each.end_byte) for each in expansions), (node.end_byte - 1, -1)]:
        plain = text[at - node.start_byte : start - node.start_byte].decode("utf-8", "surrogateescape")
        shape += [_QUOTED_ESCAPE.sub(_escaped, plain), *([GAP] if end >= 0 else [])]
        at = end
    return "".join(shape)


def _escaped(found: re.Match[str]) -> str:
    return "" if found[0] == "\\\n" else found[1]


def text_of(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape")
