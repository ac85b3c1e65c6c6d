"""markdown-it's block rules, chosen by the first character of a line. Importing this module takes 60 ms.

Paragraphs and underlined headings have their own rule, which reads each line once instead of twice. The token of
a quote or item that begins with text has `meta["opening"]`: what is left of the text in its line.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from markdown_it import MarkdownIt
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.rules_block import StateBlock, blockquote, code, fence, heading, hr, html_block, list_block, table
from markdown_it.token import Token

DEPTH = 24  # most nested quotes, lists and items; deeper ones are text
COLUMNS = 64  # most columns of a table; a wider table is text

_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*")


def tokens(text: str) -> Sequence[Token]:
    """Return markdown-it's tokens of the text.

    A paragraph, and a heading above its underline, is one token (`paragraph`, `heading`), whose content is its lines
    without the spaces before them.
    """
    found: list[Token] = []
    _PARSER.block.parse(text, _PARSER, {}, found)
    return found


def _limited(rule: RuleFuncBlockType) -> RuleFuncBlockType:
    return lambda state, begin, end, silent: state.level < DEPTH and rule(state, begin, end, silent)


_QUOTE, _LIST = _limited(blockquote), _limited(list_block)
# The rules for a line that begins with a character, in the order in which markdown-it tries them.
_RULES: Mapping[str, Sequence[RuleFuncBlockType]] = {
    **{sign: [fence] for sign in "`~"},
    **{sign: [_LIST] for sign in "0123456789+"},
    **{sign: [hr, _LIST] for sign in "-*"},
    ">": [_QUOTE],
    "_": [hr],
    "<": [html_block],
    "#": [heading],
}


def _table(state: StateBlock, begin: int, end: int, silent: bool) -> bool:  # noqa: FBT001  as markdown-it calls it
    if begin + 1 >= end or state.src.find("|", state.bMarks[begin], state.eMarks[begin]) < 0:
        return False
    columns = state.src.count("|", state.bMarks[begin + 1], state.eMarks[begin + 1]) - 1
    return columns <= COLUMNS and table(state, begin, end, silent)


def _any(state: StateBlock, begin: int, end: int, silent: bool) -> bool:  # noqa: FBT001  as markdown-it calls it
    """Parse the block that begins with the line."""
    position = state.bMarks[begin] + state.tShift[begin]
    indented = state.is_code_block(begin)
    token = state.tokens[-1] if state.tokens else None
    if token is not None and token.nesting > 0 and token.map and token.map[0] == begin:
        opening = state.src[state.src.rfind("\n", 0, position) + 1 : position]
        token.meta["opening"] = opening.rstrip(" \t") + " " if indented else opening
    if indented:
        return code(state, begin, end, silent)
    if _table(state, begin, end, silent):
        return True
    for rule in _RULES.get(state.src[position], ()):
        if rule(state, begin, end, silent):
            return True
    _text(state, begin, end)
    return True


def _text(state: StateBlock, begin: int, end: int) -> None:
    """Parse a paragraph, or a heading above its underline; what markdown-it's `lheading` and `paragraph` do."""
    parent, state.parentType = state.parentType, "paragraph"
    lines: list[str] = []
    line, underline = begin, ""
    while True:
        lines.append(state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]])
        line += 1
        if line >= state.lineMax or state.isEmpty(line):
            break
        if state.sCount[line] - state.blkIndent > 3:
            continue
        position = state.bMarks[line] + state.tShift[line]
        sign = state.src[position]
        if (
            sign in "=-"
            and line < end
            and state.sCount[line] >= state.blkIndent
            and _UNDERLINE.fullmatch(state.src, position, state.eMarks[line])
        ):
            underline = sign
            break
        if state.sCount[line] < 0:  # of a quote, without its sign
            continue
        if _ends_leaf(state, line, state.lineMax, True) or _table(state, line, state.lineMax, True):
            break
    state.parentType = parent
    state.line = line + 1 if underline else line
    token = state.push(*{"": ("paragraph", "p"), "=": ("heading", "h1"), "-": ("heading", "h2")}[underline], 0)
    token.content = "\n".join(lines).rstrip(" \t")
    token.map = [begin, state.line]


def _ending(rules: Iterable[RuleFuncBlockType]) -> RuleFuncBlockType:
    """Return the rule that says whether a line begins a block of one of the `rules`."""
    chosen = {sign: [rule for rule in known if rule in rules] for sign, known in _RULES.items()}

    def ends(state: StateBlock, begin: int, end: int, silent: bool) -> bool:  # noqa: FBT001  as markdown-it calls it
        for rule in chosen.get(state.src[state.bMarks[begin] + state.tShift[begin]], ()):
            if rule(state, begin, end, silent):
                return True
        return False

    return ends


_ends_leaf = _ending([fence, _QUOTE, hr, _LIST, html_block, heading])


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": 4 * DEPTH})
    ruler = parser.block.ruler
    ruler.enableOnly("code")  # `_any` calls the rules; this one is asked for by name where a line is indented
    ruler.before("table", "any", _any)
    ruler.push("ends a quote or a table", _ends_leaf, {"alt": ["blockquote"]})
    ruler.push("ends an item", _ending([fence, _QUOTE, hr]), {"alt": ["list"]})
    return parser


_PARSER = _parser()
