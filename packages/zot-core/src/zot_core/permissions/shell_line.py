"""`read_line`: the simple commands of a shell line, parsed by tree-sitter.

Every command is found: of pipelines, lists, substitutions, here-documents, functions. What could mean something else to
a shell than it seems to say is listed as `unclear`. Only node kinds that are named here are clear: a grammar that grows
makes lines unclear, never clear.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from zot_provider.record import Record, field

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LENGTH = 10_000
"""Most bytes of a line that is read; a longer one is unclear."""


class Word(Record):
    """A word of a command as the program gets it; `text` is None if it depends on what a shell does.

    `glob`: the shell replaces it by the names of files.
    """

    text: str | None
    glob: bool = False


class SimpleCommand(Record):
    """A program and its arguments, as they are written at `source`."""

    words: list[Word]
    source: str = ""

    @property
    def readable(self) -> list[str]:
        """The words; an empty text for each that is unknown."""
        return [word.text or "" for word in self.words]


class Redirection(Record):
    """A file that the shell opens for a command; `path` is None if unknown."""

    path: str | None
    writes: bool


class ShellLine(Record):
    """What a line runs and opens. `unclear` says why it may also do something else; `inputs` are texts of
    here-documents, which a program may take for commands."""

    commands: list[SimpleCommand] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)


_KINDS = (
    "program list pipeline command command_name redirected_statement subshell negated_command comment word number"
    " string string_content raw_string concatenation file_redirect file_descriptor command_substitution"
    " process_substitution simple_expansion expansion variable_name special_variable_name"
)
_CLEAR = frozenset(_KINDS.split())
_SIGNS = '; && || | |& & ( ) ! " $( ` <( >( < > >> >& &> &>> >| <& ${ } $'
_TOKENS = frozenset((*_SIGNS.split(), "\n"))
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff\ud800-\udfff]"
)
_JOINED = re.compile(r"[^ \t\\]\\\n|\\`")
_GAP = re.compile(rb"(?:[ \t]|\\\n)+")
_GLOB = re.compile(r"(?<!\\)[*?\[]")
_BRACES = re.compile(r"[{}]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_QUOTED_ESCAPE = re.compile(r'\\([$`"\\])')
_HARMLESS = "/dev/null"
_DESCRIPTORS = ("0", "1", "2")

_parser: "Parser | None" = None


def _get_parser() -> "Parser":
    global _parser
    if _parser is None:
        import tree_sitter  # noqa: PLC0415  30 ms, for the first command that is judged
        import tree_sitter_bash  # noqa: PLC0415  see above

        _parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    return _parser


def read_line(text: str) -> ShellLine:
    """Read a shell line."""
    line = ShellLine()
    data = text.encode("utf-8", "surrogateescape")
    if len(data) > LENGTH:
        line.unclear.append(f"it is longer than {LENGTH:,} bytes")
        data = data[:LENGTH]
    if _HIDDEN.search(text):
        line.unclear.append("it contains characters that cannot be seen")
    if _JOINED.search(text):
        line.unclear.append("it joins lines, or nests backticks")
    tree = _get_parser().parse(data)
    if tree.root_node.has_error:
        line.unclear.append("it cannot be parsed")
    for node in _walk(tree.root_node):
        _read(node, line, data)
    return line


def _walk(root: "Node") -> "Iterator[Node]":
    """Yield all nodes, in order, without recursion: a line may be nested deeply."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def _read(node: "Node", line: ShellLine, data: bytes) -> None:
    kind = node.type
    if kind == "command":
        line.commands.append(_command(node, line, data))
    elif kind == "file_redirect":
        _read_redirection(node, line)
    elif kind in ("heredoc_body", "herestring_redirect"):
        line.inputs.append(_text(node) if kind == "heredoc_body" else _word(node.children[-1]).text or "")
    elif kind in ("declaration_command", "unset_command"):
        line.commands.append(SimpleCommand([Word(_text(node.children[0])), Word(None)], _text(node)))
    if not (kind in _CLEAR if node.is_named else kind in _TOKENS or _in_command(node)):
        line.unclear.append(_REASONS.get(kind, f"it contains a {kind.replace('_', ' ')}"))


def _in_command(node: "Node") -> bool:
    return node.parent is not None and node.parent.type in (
        "variable_assignment",
        "heredoc_redirect",
        "declaration_command",
    )


_REASONS = {
    "variable_assignment": "it sets a variable",
    "heredoc_redirect": "it contains a here-document",
    "herestring_redirect": "it contains a here-document",
    "ERROR": "it cannot be parsed",
}


def _command(node: "Node", line: ShellLine, data: bytes) -> SimpleCommand:
    words = [
        _word(child.children[0] if child.type == "command_name" and child.child_count == 1 else child)
        for child in node.children
        if child.type not in ("variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect")
    ]
    for before, after in zip(node.children, node.children[1:], strict=False):
        if not _GAP.fullmatch(data[before.end_byte : after.start_byte]):
            line.unclear.append("its words are not separated")
    return SimpleCommand(words, _text(node))


def _word(node: "Node") -> Word:
    """Return the word that a shell makes of a node."""
    kind = node.type
    if kind in ("word", "number"):
        text = _text(node)
        if _BRACES.search(text):
            return Word(text if text == "{}" else None)
        return Word(_ESCAPE.sub(r"\1", text), glob=_GLOB.search(text) is not None)
    if kind == "raw_string":
        return Word(_text(node)[1:-1])
    if kind == "string":
        if all(child.type in ('"', "string_content") for child in node.children):
            return Word(_QUOTED_ESCAPE.sub(r"\1", _text(node)[1:-1]))
        return Word(None)
    if kind == "concatenation":
        if _text(node) == "{}":
            return Word("{}")
        parts = [_word(child) for child in node.children]
        known = [part.text for part in parts if part.text is not None]
        return Word("".join(known) if len(known) == len(parts) else None, any(part.glob for part in parts))
    return Word(None)


def _read_redirection(node: "Node", line: ShellLine) -> None:
    signs = [at for at, child in enumerate(node.children) if not child.is_named]
    given = node.children[signs[0] + 1 :] if signs else node.children
    if not given:
        line.unclear.append("it cannot be parsed")
        return
    target, *others = given
    if others:  # the grammar takes words after the file for files, but they are words of the command
        line.unclear.append("a redirection is before other words")
        line.commands.append(SimpleCommand([_word(each) for each in others], _text(node)))
    operator = next((child.type for child in node.children if not child.is_named), "")
    descriptor = next((_text(child) for child in node.children if child.type == "file_descriptor"), "1")
    path = _word(target).text
    if operator in (">&", "<&") and path in _DESCRIPTORS and descriptor in _DESCRIPTORS:
        return
    if path == _HARMLESS and operator in (">", ">>", "&>", "<"):
        return
    line.redirections.append(Redirection(path, writes=not operator.startswith("<")))


def _text(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape")
