"""`read_line`: the simple commands of a shell line, parsed by tree-sitter.

Every command is found: of pipelines, lists, substitutions, here-documents, functions. What could mean something else to
a shell than it seems to say is listed as `unclear`, and what may hide a command as `opaque`. Only node kinds that are
named here are neither: a grammar that grows makes lines unclear and opaque, never clear.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from tree_sitter import Node, Parser

from zot_core.permissions.commands.programs import is_interpreter
from zot_core.permissions.commands.wrappers import wrapper
from zot_core.permissions.here_document import document_text, ends_where_seen, is_quoted
from zot_core.permissions.loop_values import Loop, choices, read_loops
from zot_core.permissions.word import GAP, NO_VALUES, Word, quoted_text, read_word, read_words, shares_number, text_of
from zot_provider.record import Record, field

LENGTH = 10_000
"""Most bytes of a line that is read; a longer one is unclear."""


class SimpleCommand(Record):
    """A program and its arguments, as they are written at `source`. `fed`: its standard input is written in the line,
    or is a file that the line names."""

    words: list[Word]
    source: str = ""
    fed: bool = False

    @property
    def shapes(self) -> list[str]:
        return [word.shape for word in self.words]


class Redirection(Record):
    """A file that the shell opens for a command; `path` is the shape of a word. `makers` are the words of the commands
    whose output a file gets; None if they are too many."""

    path: str
    writes: bool
    makers: list[list[str]] | None = field(default_factory=list)


class ShellLine(Record):
    """The commands and files of a line. `unclear` says why it may also do something else, `opaque` why it may run a
    command that was not found; `inputs` are texts of here-documents, which a program may take for commands, and `texts`
    are others that a shell may come to take for commands. `tests` are the plain ones in brackets. `of_bash`: other
    shells may find other commands."""

    commands: list[SimpleCommand] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)
    opaque: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    tests: list[SimpleCommand] = field(default_factory=list)
    of_bash: bool = False

    def hide(self, why: str) -> None:
        """Note that the line may run a command that was not found."""
        self.unclear.append(why)
        self.opaque.append(why)

    def take(self, inner: "ShellLine") -> None:
        """Note all that another line does, which a command of this one runs."""
        self.redirections += (each for each in inner.redirections if each not in self.redirections)
        self.inputs += (each for each in inner.inputs if each not in self.inputs)
        self.texts += (each for each in inner.texts if each not in self.texts)
        self.opaque += inner.opaque
        self.of_bash = self.of_bash or inner.of_bash


_KINDS = (
    "program list pipeline command command_name redirected_statement subshell negated_command comment word number"
    " string string_content raw_string concatenation file_redirect file_descriptor command_substitution"
    " process_substitution simple_expansion expansion variable_name special_variable_name if_statement elif_clause"
    " else_clause"
)
_CLEAR = frozenset(_KINDS.split())
_MORE_KINDS = (
    "ERROR ansi_c_string arithmetic_expansion array binary_expression brace_expression c_style_for_statement case_item"
    " case_statement compound_statement declaration_command do_group extglob_pattern"
    " for_statement function_definition heredoc_body heredoc_content heredoc_end heredoc_redirect heredoc_start"
    " herestring_redirect parenthesized_expression postfix_expression regex subscript test_command"
    " test_operator translated_string unary_expression unset_command variable_assignment variable_assignments"
    " while_statement"
)
_FOUND = _CLEAR | frozenset(_MORE_KINDS.split())
"""Kinds in which every command is found; in an ERROR they are not, and it is noted apart."""
_SIGNS = 'if then elif else fi ; && || | |& & ( ) ! " $( ` <( >( < > >> >& &> &>> >| <& ${ } $'
_TOKENS = frozenset(_SIGNS.split())
_OF_BASH = frozenset(("[[", "((", "&>", "&>>", "ansi_c_string", "translated_string"))
"""To dash the first is a program, the second begins two subshells, and the others end a command or a text earlier."""
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff\ud800-\udfff]"
)
_JOINED = re.compile(r"[^ \t\\]\\\n|\\`")
_BETWEEN = re.compile(rb"(?:[ \t]|\\\n)+")
_BEHIND_CLOSING = re.compile(rb"[ \t\n;&|<>)`]|\\\n|\Z")
"""The end of a `>&-`: in bash a word may follow, and in other shells that is the rest of the name of a file."""
_BLANKS = re.compile(rb"(?:[ \t\n]|\\\n|-(?=[ \t\n<]))*")
"""The text that the grammar leaves out of its tree: blanks, and a `-` before a here-document."""
_WHOLE = ("string", "translated_string", "heredoc_body", "regex")
"""Kinds whose text is read as a whole, with the blanks in it."""
_ENDING = ("list", "negated_command", "pipeline")
"""Kinds whose last command gets the redirections behind them."""
_DECLARING = ("declaration_command", "unset_command")
_SUBSTITUTES = re.compile(r"[$<>]\(|`")
_NUMBERED = re.compile(r"\\[xuUc0-7]")
REDIRECTS = "it redirects input or output"
_HARMLESS = "/dev/null"
_MAKING = 200
"""The most parts of a statement in which commands are looked for whose output it writes."""
_ORDERS: dict[str, list[str]] = {
    "BASH_ENV": ["."], "ENV": ["."], "GIT_CONFIG_PARAMETERS": ["git", "-c"], "MAKEFILES": ["make", "-f"],
    "NODE_OPTIONS": ["node"], "PERL5DB": ["perl", "-e"], "PERL5OPT": ["perl"], "PYTHONSTARTUP": ["python3"],
    "RUBYOPT": ["ruby"],
}  # fmt: skip
"""Variables from which programs take what a command has as arguments: files and code that run, and options."""
_RUN = """
    BROWSER CC CXX EDITOR GIT_ASKPASS GIT_EDITOR GIT_EXTERNAL_DIFF GIT_PAGER GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND
    LD_PRELOAD LESSOPEN MANPAGER PAGER PROMPT_COMMAND RUSTC RUSTC_WRAPPER SSH_ASKPASS VISUAL
    """
_COMMANDS = frozenset(_RUN.split())
"""Variables whose value is a command that programs run, or a library that they load."""
_DESCRIPTORS = ("0", "1", "2")

_TEST = re.compile(r"\[ (-[bdefhLnprswxzS]) ([\w./-]+) \]")
"""A test in brackets that has the same words for every shell."""

_parser: Parser | None = None


def _get_parser() -> Parser:
    global _parser
    if _parser is None:
        import tree_sitter  # noqa: PLC0415  30 ms, for the first command that is judged
        import tree_sitter_bash  # noqa: PLC0415  see above

        _parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    return _parser


def read_line(text: str) -> ShellLine:
    line = ShellLine()
    data = text.encode("utf-8", "surrogateescape")
    if len(data) > LENGTH:
        line.hide(f"it is longer than {LENGTH:,} bytes")
        data = data[:LENGTH]
    if _HIDDEN.search(text):
        line.hide("it contains characters that cannot be seen")
    if _JOINED.search(text):
        line.hide("it joins lines, or nests backticks")
    tree = _get_parser().parse(data)
    if tree.root_node.has_error:
        line.hide("it cannot be parsed")
    root = tree.root_node  # another one each time, whose children are made again
    if not _is_whole(root, data):
        line.hide("it has characters that belong to no word")
    loops = read_loops(root, text)
    stack = [root]
    while stack:  # no recursion: a line may be nested deeply
        node = stack.pop()
        if node.type == "test_command" and (test := _TEST.fullmatch(text_of(node))):
            line.tests.append(SimpleCommand([Word("test"), Word(test[1]), Word(test[2])], test[0]))
            continue
        _read(node, line, data, loops)
        if _changes_wildcards(node):
            line.hide("it changes which files a wildcard stands for")
        stack.extend(reversed(node.children))
    return line


def _is_whole(root: Node, data: bytes) -> bool:
    """Whether there are only blanks between the parts of a line: the grammar leaves out some words, such as `\\ `."""
    end = 0
    stack = [root]
    while stack:
        node = stack.pop()
        if node.children and node.type not in _WHOLE:
            stack.extend(reversed(node.children))
            continue
        if node.start_byte > end and not _BLANKS.fullmatch(data, end, node.start_byte):
            return False
        end = max(end, node.end_byte)
    return _BLANKS.fullmatch(data, end) is not None


def _read(node: Node, line: ShellLine, data: bytes, loops: Sequence[Loop]) -> None:
    kind = node.type
    if kind == "command":
        for values in choices(loops, node):
            line.commands.append(_command(node, values))
            line.redirections += _of_tee(node, line.commands[-1].shapes)
    elif kind == "redirected_statement" and _last_command(node) is None and (words := _words_of(node)):
        line.commands.append(SimpleCommand([read_word(each) for each in words], text_of(node)))
    elif kind == "file_redirect":
        _read_redirection(node, line, data, loops)
    elif kind in ("heredoc_body", "herestring_redirect"):
        line.inputs.append(document_text(node) if kind == "heredoc_body" else read_word(node.children[-1]).shape)
    elif kind in _DECLARING:
        line.commands.append(SimpleCommand([Word(text_of(node.children[0])), Word(GAP)], text_of(node)))
    elif kind == "variable_assignment":
        line.texts.append(read_word(node.children[-1]).shape)
        line.commands += ordered(f"{text_of(node.children[0])}={line.texts[-1]}")
    elif kind == "heredoc_redirect" and not ends_where_seen(node, data):
        line.hide("it is not clear where a here-document ends")
    _check_words(node, line, data)
    line.of_bash = line.of_bash or kind in _OF_BASH
    _read_text(node, line)
    if kind not in (_CLEAR if node.is_named else _TOKENS):
        line.unclear.append(_REASONS.get(kind, f"it contains a {kind.replace('_', ' ')}"))
    if node.is_named and kind not in _FOUND:
        line.opaque.append(f"it contains a {kind.replace('_', ' ')}")


def _check_words(node: Node, line: ShellLine, data: bytes) -> None:
    """Note where a shell may see other words than the grammar."""
    if node.type == "word" and b"\n" in (node.text or b""):
        line.hide("a word of it has a line break")
    if any(after.type == "file_redirect" and shares_number(before, after) for before, after in pairwise(node.children)):
        line.hide("a number may belong to a redirection")
    if any(not _BETWEEN.fullmatch(data, a.end_byte, b.start_byte) for a, b in pairwise(_separate(node))):
        line.hide("its words are not separated")


def _changes_wildcards(node: Node) -> bool:
    """Whether `*` comes to stand for names that begin with a dot, too, here or in a shell that this one starts."""
    if node.type == "variable_assignment":
        return text_of(node.children[0]) in ("BASHOPTS", "GLOBIGNORE")
    shapes = _command(node).shapes if node.type == "command" else []
    return "dotglob" in shapes or (shapes[:1] == ["shopt"] and GAP in "".join(shapes))


def _read_text(node: Node, line: ShellLine) -> None:
    """Note text that is data here, but that a builtin may run as an index of an array, or a prompt."""
    kind = node.type
    if kind in ("raw_string", "string", "word") and _SUBSTITUTES.search(text_of(node)):
        line.texts.append(quoted_text(node, documents=False) if kind == "string" else read_word(node).shape)
    elif kind == "ansi_c_string" and _NUMBERED.search(text_of(node)):
        line.opaque.append("it spells characters by numbers")
    elif kind == "heredoc_body" and not is_quoted(node) and _SUBSTITUTES.search(text_of(node)):
        line.opaque.append("a here-document contains a substitution")


_REASONS = {
    "variable_assignment": "it sets a variable",
    "heredoc_redirect": "it contains a here-document",
    "herestring_redirect": "it contains a here-document",
}


def _separate(node: Node) -> list[Node]:
    """Return the parts of a node that are words of a command, or redirections: between them is a blank."""
    if node.type != "file_redirect":
        return node.children if node.type == "command" else []
    file, words = _parts(node)
    return words if file is None else [file, *words]


def _command(node: Node, values: Mapping[str, Word] = NO_VALUES) -> SimpleCommand:
    words = [
        word
        for child in (*node.children, *_words_behind(node))
        if child.type not in ("variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect")
        for word in read_words(
            child.children[0] if child.type == "command_name" and child.child_count == 1 else child, values
        )
    ]
    return SimpleCommand(words, text_of(node), _is_fed(node))


def _words_behind(node: Node) -> list[Node]:
    """Return the words of a command behind a redirection: the grammar takes them for parts of it."""
    found: list[Node] = []
    while (parent := node.parent) is not None:
        if parent.type == "redirected_statement":
            found += _words_of(parent)
        elif parent.type not in _ENDING or node.end_byte < parent.end_byte:
            break
        node = parent
    return found


def _words_of(statement: Node) -> list[Node]:
    """Return the words behind the redirections of a statement."""
    found: list[Node] = []
    for each in statement.children_by_field_name("redirect"):
        redirects = [part for part in (each, *each.children) if part.type == "file_redirect"]
        found += each.children_by_field_name("argument")
        found += [word for redirect in redirects for word in _parts(redirect)[1]]
    return found


def _last_command(statement: Node) -> Node | None:
    """Return the command to which the words behind the redirections of a statement belong. Without one they are a
    command: the grammar takes the words of `>a 2>b ls >c` for more files."""
    node: Node | None = statement
    while node is not None and node.type in ("redirected_statement", *_ENDING):
        node = node.child_by_field_name("body") if node.type == "redirected_statement" else node.children[-1]
    return node if node is not None and node.type in ("command", *_DECLARING) else None


def _is_fed(node: Node) -> bool:
    if any(child.type == "herestring_redirect" for child in node.children):
        return True
    parent = node.parent
    if parent is None or parent.type != "redirected_statement":
        return False
    return any(
        child.type == "heredoc_redirect"
        or (child.type == "file_redirect" and child.children[0].type == "<" and _is_file(read_word(child.children[-1])))
        for child in parent.children
    )


def _is_file(word: Word) -> bool:
    return word.known and not word.shape.startswith(("/dev/", "/proc/"))


def _read_redirection(node: Node, line: ShellLine, data: bytes, loops: Sequence[Loop]) -> None:
    file, words = _parts(node)
    if words:
        line.unclear.append("a redirection is before other words")
    descriptor = next((text_of(child) for child in node.children if child.type == "file_descriptor"), "1")
    line.of_bash = line.of_bash or len(descriptor) > 1  # others take `12>` for the word 12
    sign = next((child for child in node.children if not child.is_named), node)
    operator, path = sign.type, "" if file is None else read_word(file).shape
    joined = file is None and not _BEHIND_CLOSING.match(data, sign.end_byte)
    joined = joined or (operator in (">&", "<&") and path.startswith("-") and path != "-")
    if joined or not descriptor.isdecimal():
        line.hide("a redirection has words that may belong to the command")
    if file is None:  # it closes a stream, which the sign says; or the line cannot be parsed, which is noted apart
        return
    if operator in (">&", "<&") and path in _DESCRIPTORS and descriptor in _DESCRIPTORS:
        return
    if path == _HARMLESS and operator in (">", ">>", "&>", "<"):
        return
    writes = not operator.startswith("<")
    if operator != "<" or descriptor != "1" or not _is_file(read_word(file)):
        line.unclear.append(REDIRECTS)
    for values in choices(loops, node):
        line.redirections.append(Redirection(read_word(file, values).shape, writes, _makers(node) if writes else []))


def _of_tee(node: Node, words: list[str]) -> list[Redirection]:
    files = [each for each in words[1:] if not each.startswith("-")] if words[:1] == ["tee"] else []
    return [Redirection(each, writes=True, makers=_makers(node)) for each in files]


def ordered(assignment: str) -> list[SimpleCommand]:
    """Return the command that does what a variable makes programs do."""
    variable, _, value = assignment.partition("=")
    orders = _ORDERS.get(variable, [])
    values = [value] if len(orders) > 1 else value.lstrip("|").split()
    runs = variable in _COMMANDS and bool(values) and GAP not in value
    words = [Word(each) for each in (*orders, *values)] if orders or runs else []
    name = values[0].rpartition("/")[2] if runs else ""
    row = wrapper(name)
    script = is_interpreter(name) or (row is not None and row.kind == "shell")  # as which it takes what it gets
    return [SimpleCommand(words, assignment.replace(GAP, "…"), fed=runs and not script)] if words else []


def _makers(node: Node) -> list[list[str]] | None:
    """Return the words of the commands of a statement whose output a redirection, or `tee`, writes."""
    kinds = ("redirected_statement", "heredoc_redirect", "pipeline")
    while node.parent is not None and node.parent.type in kinds and not _is_behind(node):
        node = node.parent
    body = node.child_by_field_name("body") if node.type == "redirected_statement" else None
    stack = [body.children[-1], *node.children[1:]] if body is not None and body.type == "list" else [node]
    found: list[list[str]] = []
    for _ in range(_MAKING):
        if not stack:
            return found
        each = stack.pop()
        stack.extend(child for child in each.children if not _is_behind(child))
        if each.type == "command":
            found.append(_command(each).shapes)
    return None


def _is_behind(node: Node) -> bool:
    """Whether a node is the command behind a `&&` or `||` that follows a here-document: the grammar has it in that."""
    parent = node.parent
    return parent is not None and parent.type == "heredoc_redirect" and parent.child_by_field_name("right") == node


def _parts(node: Node) -> tuple[Node | None, list[Node]]:
    """Return what is behind the sign of a redirection: a file, unless the sign closes one, and words of the command."""
    sign = next((at for at, child in enumerate(node.children) if not child.is_named), -1)
    given = node.children[sign + 1 :]
    closes = sign >= 0 and node.children[sign].type.endswith("-")
    return (None, given) if closes or not given else (given[0], given[1:])
