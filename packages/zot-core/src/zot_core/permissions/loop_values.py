"""`read_loops`: the values that a line of shell itself gives a variable: `for f in a b; do cat "$f"; done`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from tree_sitter import Node

from zot_core.permissions.commands.wrappers import names
from zot_core.permissions.word import GAP, Word, read_word, read_words, text_of

_MOST = 16
"""The most values of a variable, and commands that one in nested loops may stand for."""
_PLAIN_KINDS = (
    "program list pipeline command command_name redirected_statement subshell negated_command comment word number"
    " string string_content raw_string concatenation file_redirect file_descriptor command_substitution"
    " process_substitution simple_expansion expansion variable_name special_variable_name for_statement do_group"
    " if_statement elif_clause else_clause while_statement compound_statement test_command unary_expression"
    " binary_expression test_operator"
    " case_statement case_item variable_assignment heredoc_redirect heredoc_start heredoc_body heredoc_end"
    " heredoc_content extglob_pattern regex"
)
_KINDS = frozenset(_PLAIN_KINDS.split())
"""Kinds that set no variable, except for the one whose name they show."""
_SETTERS = names(
    ". alias builtin command compgen coproc declare enable eval exec export getopts let local mapfile read readarray"
    " readonly select set shopt source time trap typeset unset wait"
)
"""Programs that may set a variable whose name no word of theirs shows."""
_FORMAT = re.compile(r"[^-\0%\\](?:[^\0%\\]|%s|\\n)*|(?:%s|\\n|[^-\0%\\])+")
"""A format with which printf only prints."""


class Loop(NamedTuple):
    """Between two bytes of a line a variable has one of these values."""

    start: int
    end: int
    name: str
    values: Sequence[Word]


def read_loops(root: Node, text: str) -> list[Loop]:
    """Return the loops of a line whose variables have only the values that it lists; none if it may set them in a way
    that is not known."""
    if not re.search(r"\bfor\b", text) or "IFS" in text:
        return []
    found: list[Loop] = []
    stack = [root]
    while stack:
        node = stack.pop()
        stack.extend(node.children)
        if node.is_named and node.type not in _KINDS:
            return []
        if (node.type == "command" and _may_set(node)) or _has_other_words(node):
            return []
        if node.type == "expansion" and text_of(node).startswith("${!"):  # with `=` it sets the variable that one names
            return []
        if node.type == "for_statement":
            found.append(_loop(node, text))
    alone = [each for each in found if not any(_meets(each, other) for other in found if other is not each)]
    return [each for each in alone if each.values]


def _loop(node: Node, text: str) -> Loop:
    """Return a loop, without values if they are not known."""
    name, body = node.child_by_field_name("variable"), node.child_by_field_name("body") or node
    values = [word for each in node.children_by_field_name("value") for word in read_words(each)]
    own = "" if name is None else re.escape(text_of(name))
    rest = re.sub(rf"\$\{{{own}\}}|\${own}\b|\bfor[ \t]+{own}\b|(?<!\S)-{own}(?!\S)", " ", text)
    known = (
        node.children[0].type == "for"
        and re.fullmatch("[a-z][a-z0-9_]*", own)  # others have a meaning for the shell, such as PWD
        and not re.search(rf"\b{own}\b", rest)
        and len(values) <= _MOST
        and not any(GAP in word.shape for word in values)
    )
    return Loop(body.start_byte, body.end_byte, own, values if known else ())


def _meets(one: Loop, other: Loop) -> bool:
    """Whether two loops of one variable are in one another."""
    return one.name == other.name and one.start < other.end and other.start < one.end


def _has_other_words(node: Node) -> bool:
    """Whether there may be a command among redirections, where the grammar sees none."""
    if node.type == "file_redirect":
        return sum(each.type != "file_descriptor" for each in node.named_children) > 1
    return node.type == "redirected_statement" and node.child_by_field_name("body") is None


def _may_set(command: Node) -> bool:
    parts = (each.children[0] if each.type == "command_name" else each for each in command.children)
    words = [read_word(each) for each in parts if each.type not in ("variable_assignment", "file_redirect")]
    if not words or not words[0].known:
        return True
    if words[0].shape == "printf":
        return len(words) < 2 or _FORMAT.fullmatch(words[1].shape) is None
    return words[0].shape in _SETTERS


def choices(loops: Sequence[Loop], node: Node) -> Iterator[Mapping[str, Word]]:
    """Yield the values of variables with which a command, or a redirection, runs."""
    around = [each for each in loops if each.start <= node.start_byte and node.end_byte <= each.end]
    used = [each for each in around if re.search(rf"\$\{{?{each.name}\b", text_of(node))]
    count = 1
    for each in used:
        count *= len(each.values)
    for values in product(*(each.values for each in used)) if count <= _MOST else [()]:
        yield {each.name: value for each, value in zip(used, values, strict=False)}
