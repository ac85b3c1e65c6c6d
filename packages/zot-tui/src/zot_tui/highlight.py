"""Code as styled rows, coloured by pygments, which is imported when the first language is named.

Code that arrives in pieces is lexed piece by piece, each once: a lexer built from regular expressions by state (nearly
all of pygments') passes its states on to the next piece. The price is a token that is matched as a whole and crosses
the border of two pieces, such as a C comment: its second half is coloured as code. Lexers of other kinds, and lexers
that revisit their tokens, start from scratch with every piece.

Lexers are bounded in time (see `lexing_time`); code is plain if its lexer takes too long.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from zot_tui.lexing_time import LEXING_TIME, can_limit
from zot_tui.text.runs import Row, join

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

LEXED_SIZE = 64 * 1024  # longest text that is coloured, in characters
LEXED_LINE = 500  # longest line that is coloured; some expressions take quadratic time
TIMEOUTS = 2  # after so many, the code of a language stays plain

PLAIN = "syntax.text"

# The theme token for a pygments token type; a type that is missing uses its parent.
_STYLES = {
    "Token": PLAIN,
    "Token.Keyword": "syntax.keyword",
    "Token.Keyword.Constant": "syntax.keyword_constant",
    "Token.Keyword.Declaration": "syntax.keyword_declaration",
    "Token.Keyword.Namespace": "syntax.keyword_namespace",
    "Token.Keyword.Reserved": "syntax.keyword_reserved",
    "Token.Keyword.Type": "syntax.keyword_type",
    "Token.Name.Builtin": "syntax.name_builtin",
    "Token.Name.Function": "syntax.name_function",
    "Token.Name.Class": "syntax.name_class",
    "Token.Name.Tag": "syntax.keyword",
    "Token.Name.Attribute": "syntax.name_function",
    "Token.Name.Decorator": "syntax.name_decorator",
    "Token.Literal.String": "syntax.literal_string",
    "Token.Literal.String.Escape": "syntax.literal_string_escape",
    "Token.Literal.String.Interpol": "syntax.literal_string_escape",
    "Token.Literal.Number": "syntax.literal_number",
    "Token.Comment": "syntax.comment",
    "Token.Comment.Preproc": "syntax.comment_preproc",
    "Token.Comment.PreprocFile": "syntax.comment_preproc",
    "Token.Operator": "syntax.operator",
    "Token.Operator.Word": "syntax.keyword",
    "Token.Punctuation": "syntax.punctuation",
    "Token.Generic.Inserted": "diff.added",
    "Token.Generic.Deleted": "diff.removed",
    "Token.Generic.Heading": "diff.header",
    "Token.Generic.Subheading": "diff.header",
    "Token.Generic.Prompt": "syntax.name_decorator",
}
_PATH = re.compile(r"[/\\.]")
_WILD = re.compile(r"[*?\[]")

_timeouts: Counter[str] = Counter()  # by the name of the lexer


@dataclass(slots=True)
class LexedLines:
    """Coloured lines, and what the next piece needs: the lexer's states (empty if it starts from scratch) and the
    number of characters so far.

    `postponed` lines are plain because there is no time to lex them in this turn of the event loop.
    """

    rows: list[Row[str]]
    states: tuple[str, ...] = ()
    size: int = 0
    postponed: bool = False


def highlight(code: str, language: str) -> list[Row[str]]:
    """Return the lines of `code` in tokens `syntax.*`.

    `language` is a name that pygments knows (`python`, `ts`), or the name or path of a file. For any other language,
    and for code that is too long to lex, the lines have one colour.
    """
    return lex(code.split("\n"), language).rows


def lex(lines: Sequence[str], language: str, before: LexedLines | None = None) -> LexedLines:
    """Lex a piece of code that continues where `before` ends. The lines contain no line breaks."""
    size = sum(map(len, lines)) + len(lines) + (before.size if before else 0)
    plain = LexedLines([[(PLAIN, line)] if line else [] for line in lines], (), size)
    if not language or size > LEXED_SIZE or any(len(line) > LEXED_LINE for line in lines) or not can_limit():
        return plain
    import pygments.lexers  # noqa: F401, PLC0415  only when code is shown; this once its time is not counted

    plain.postponed = not LEXING_TIME.begins()
    if plain.postponed:
        return plain
    with LEXING_TIME.measured():
        lexer = find_lexer(language)
    if lexer is None or _timeouts[lexer.name] >= TIMEOUTS:
        return plain
    plain.postponed = not LEXING_TIME.begins(2)  # it took long to load the lexer
    if plain.postponed:
        return plain
    states = [*before.states] if before and before.states else ["root"]
    text = "".join(f"{line}\n" for line in lines)
    try:
        rows = LEXING_TIME.limited(lambda: _rows(_tokens(lexer, text, states)))
    except TimeoutError:
        _timeouts[lexer.name] += 1
        return plain
    if [sum(len(part) for _, part in row) for row in rows] != [len(line) for line in lines]:
        return plain  # a lexer that lost or changed characters
    return LexedLines(rows, tuple(states), size)


def _rows(tokens: "Iterator[tuple[_TokenType, str]]") -> list[Row[str]]:
    rows: list[Row[str]] = [[]]
    for kind, value in tokens:
        first, *others = value.split("\n")
        style = _style(kind)
        rows[-1].append((style, first))
        rows += [[(style, other)] for other in others]
    return [join(row) for row in rows[:-1]]


@cache
def _style(kind: "_TokenType") -> str:
    name = str(kind)
    while name not in _STYLES:
        name = name.rpartition(".")[0]
    return _STYLES[name]


@lru_cache(maxsize=64)
def find_lexer(language: str) -> "Lexer | None":
    """Return the lexer for a language or file, or None. Plug-ins of pygments are ignored."""
    from pygments.lexers import find_lexer_class, get_all_lexers  # noqa: PLC0415  only when code is shown

    wanted = language.lower().strip("{}.") if not _PATH.search(language.strip("{}.")) else ""
    file = re.split(r"[/\\]", language)[-1]
    known = list(get_all_lexers(plugins=False))
    for name, aliases, _, _ in known:
        if wanted and wanted in aliases and (found := find_lexer_class(name)) is not None:
            return found()
    fitting = (name for name, _, patterns, _ in known if any(_fits(file, pattern) for pattern in patterns))
    named = [found for name in fitting if (found := find_lexer_class(name)) is not None]
    return max(named, key=lambda each: each.priority)() if named else None


def _fits(file: str, pattern: str) -> bool:
    """Match like `fnmatchcase`, but without a regular expression for the common patterns: `*` and an ending."""
    ending = pattern[1:]
    if pattern[:1] == "*" and not _WILD.search(ending):
        return file.endswith(ending)
    return fnmatchcase(file, pattern)


def _tokens(lexer: "Lexer", text: str, states: list[str]) -> "Iterator[tuple[_TokenType, str]]":
    """Yield the tokens of `text`. `states` is where the lexer starts, and is updated to where it ends."""
    from pygments.lexer import ExtendedRegexLexer, RegexLexer  # noqa: PLC0415  see above

    regular = type(lexer).get_tokens_unprocessed is RegexLexer.get_tokens_unprocessed
    if not regular or isinstance(lexer, ExtendedRegexLexer):
        states.clear()
        yield from ((kind, value) for _, kind, value in lexer.get_tokens_unprocessed(text))
        return
    yield from _run(lexer, text, states)


def _run(lexer: Any, text: str, states: list[str]) -> "Iterator[tuple[_TokenType, str]]":
    """Do what `RegexLexer.get_tokens_unprocessed` (pygments 2) does, but keep the states at the end."""
    from pygments.token import Error, Whitespace, _TokenType  # noqa: PLC0415  see above

    definitions = lexer._tokens
    position = 0
    while position < len(text):
        for match, action, change in definitions[states[-1]]:
            found = match(text, position)
            if not found:
                continue
            if type(action) is _TokenType:
                yield action, found.group()
            elif action is not None:
                yield from ((kind, value) for _, kind, value in action(lexer, found))
            position = found.end()
            _change(states, change)
            break
        else:
            broken = text[position] == "\n"
            if broken:
                states[:] = ["root"]
            yield (Whitespace if broken else Error), text[position]
            position += 1


def _change(states: list[str], change: Any) -> None:
    """Change the states as a lexer rule says: names, `#pop`, `#push`, or a negative number of states to leave."""
    if change is None:
        return
    if isinstance(change, int):
        del states[1 if abs(change) >= len(states) else change :]
        return
    for state in change if isinstance(change, tuple) else (change,):
        if state == "#pop":
            if len(states) > 1:
                states.pop()
        else:
            states.append(states[-1] if state == "#push" else state)
