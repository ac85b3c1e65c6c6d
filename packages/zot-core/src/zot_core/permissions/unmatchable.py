"""Finds rules that no call can match, so that nobody relies on a deny that never denies."""

import re
import unicodedata
from collections.abc import Iterable

from zot_core.machine.hosts import HostPattern
from zot_core.permissions.commands.programs import WRITERS
from zot_core.permissions.patterns import CommandPattern, PathPattern
from zot_core.tools import BUILTIN_TOOLS
from zot_provider.near_names import folded, nearest

_OPERATOR = re.compile(r"[&|]+.*|;.+|.+;|.+[&|]|[0-9&]*[<>].*|[^$]*[()].*")
"""A word with an operator of the shell that ends a command or opens a file, or with a parenthesis, as in two rules in
one text (`bash(rm *),bash(mv *)`). A `;` alone is the end of `find -exec`."""
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_JOINERS = "\u200c\u200d"
"""Cannot be seen either, and make one sign of several in file names."""
_LETTERS = re.compile(r"[^\W\d_]+")
_ALIKE = ("LATIN", "CYRILLIC", "ARMENIAN", "CHEROKEE")
_TYPESET = re.compile(r"[\u2018-\u201f\u2026\u2217\uff01-\uff5e]|(?<!\S)[\u2010-\u2015\u2212]")
"""The signs that typesetting programs put in place of quotes, dots, a star and hyphens, and full-width signs."""
_REGULAR = re.compile(
    r"\\[A-Za-z0-9]"
    r"|(?<![\\/\[])\[(?:[!^]?[^]\s]*\w-\w[^]\s]*\]|[^]\s/\[]+\](?=[\w*+?{]))|(?<![\\/\[\w])\[[^]\s/\[]+\]"
    r"|\A[^\s\\[]*\[[^]\s/\[]+\]|[^\s\\|]\|[^\s|]|\*\$\Z"
    r"|(?<!\S)-[\w-]+\.[*+](?!\S)|\.\+(?!\S)|\w\$\Z"
    r"|\A/[^/\s]+(?:\s.*)?/[a-z]?\Z"
    r"|\A[$%]\s|(?<!\S)\.\.\.(?!\S)|\A[^\s/]+\\\s|(?:\A\S+|(?<!\S))\\\*\Z"
)
"""Parts that are plain text to the shell, or mean little there, and much in a regular expression or a manual; in a
text without quoted parts."""
_REGULAR_PATH = re.compile(r"\\[A-Za-z0-9.]|[^\\]\$\Z|[^\\]\.\+")
_COLON = re.compile(r"\A[^\s:]+:(?:[^\s*]|\*+\s+\S)|:--?[A-Za-z]")
"""A colon as other programs write it between a program and its arguments."""
_KEY = re.compile(
    r"(?i:[a-z_]{2,}:\s|\w*(?:path|file(?:name)?|dir(?:ectory)?|folder|glob|command)s?[:=]|\w*(?:pattern|prefix|reg\w*):)"
)
"""A name of what follows, as other programs write it in a rule."""
_PLACEHOLDER = re.compile(
    r"\s\[?((?:ANY(?:THING)?|ARG(?:UMENT)?|BRANCH|CMD|COMMAND|DIR(?:ECTORY)?|FILE(?:NAME)?|FLAG|FOLDER|HOST|NAME|OPTION|PATH"
    r"|PATTERN|SOMETHING|TEXT|URL|VALUE|XX+)S?\d?)(?![\w.=-])"
)
"""A word that stands for others in a manual."""
_EXAMPLE = re.compile(r"/?path/to(?:/|\Z)")
_EXPANSION = re.compile(r"[$][A-Za-z_({]|`")
_ALTERNATIVES = re.compile(r"(?<!\\)\{[^{}\s'\":]*,[^{}\s'\":]*\}")
_SET = re.compile(r"(?<![/\\[])(?<!\A)\[[^][/]*\]|(?<![\\[])\[(?:[!^]?\w-\w[^][/]*\]|[^][/]+\](?=[\w*?+{]))")
"""Not `app/[id]/page.tsx`, which is how frameworks of web pages name files."""
_NO_PATH = re.compile(r"(?P<quote>['\"]).*(?P=quote)|[!^].*|[a-z]+://.*|.*[^\\](?:\||,\s).*", re.DOTALL)
_BLANK = re.compile(r"\s/|/\s|\s\.\*")
"""A blank that is in no name, but in rules as a formatter leaves them."""
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_OTHER_WORDS = {
    "bash": "cmd command execcommand program run sh shelltool subprocess",
    "edit": "deletefile edittool modify modifyfile replacetool",
    "fetch": "domain host http https internet network url web webfetchtool",
    "read": "file filepath files path paths readfiletool",
    "write": "writefiletool",
}
"""Words before a pattern, as `folded` returns them, that are no names of tools in other programs, or older ones."""
ALL = ("all", "any", "anything", "everything", "tool", "tools")
PROGRAMS = (WRITERS | frozenset(("doas", "su", "sudo"))) - {"install", "link", "patch"}
"""Programs whose names nobody gives to a tool."""
OF_OTHERS = ("lsp", "powershell", "repl")
"""Tools of other programs and of extensions that zot does not have: two have a name like a tool of zot by chance."""
_EXPRESSION = "looks like a regular expression or an example, which a rule is not: * is any text, ? one character"
_EACH = "write a rule for each, or a backslash before it if it is a part of a name"


def near_tool(tool: str, known: Iterable[str]) -> str:
    """Return the tool of zot that a name is a misspelling of, one of `known` or of the built-in ones; empty if it is
    one of them, or like none: extensions and servers have tools, too."""
    names = {*known, *(each.name for each in BUILTIN_TOOLS)}
    if tool.casefold() in OF_OTHERS:
        return ""
    return "" if tool.casefold() in names else (near := nearest(tool, sorted(names))) and (other_tool(tool) or near)


def other_tool(name: str) -> str:
    """Return the tool of zot that other programs call so; empty if none is."""
    plain = folded(name)
    return next((each.name for each in BUILTIN_TOOLS if plain in map(folded, each.other_names)), "")


def other_word(name: str) -> str:
    """Return the tool of zot that a word is about; empty if it is about none. Behind it is a pattern, which is for such
    a tool, and not for one of an extension."""
    words = (each for each, text in _OTHER_WORDS.items() if folded(name) in text.split())
    return other_tool(name) or next(words, "")


def unmatchable(pattern: CommandPattern | PathPattern | HostPattern | None, *, commands: bool) -> str:
    """Return why no call matches a pattern, which is about `commands` or about something else; empty if one may."""
    text = (
        pattern.text if isinstance(pattern, PathPattern | HostPattern) else "".join(pattern.tokens if pattern else ())
    )
    if any(unicodedata.category(each) == "Cf" and (commands or each not in _JOINERS) for each in text):
        return "it has characters that cannot be seen"
    if mixed := next(filter(_mixes, _LETTERS.findall(text)), ""):
        return f"{mixed!r} has letters of two alphabets that look alike"
    if isinstance(pattern, PathPattern):
        return _path(text)
    return _command(pattern) if commands and isinstance(pattern, CommandPattern) else ""


def _mixes(letters: str) -> bool:
    return len({name for each in letters if (name := unicodedata.name(each, "").partition(" ")[0]) in _ALIKE}) > 1


def _command(pattern: CommandPattern) -> str:
    """Return why no words match: a rule is about the words of one command, which the shell has made of a line."""
    tokens = pattern.tokens
    plain = "".join(token if token.isspace() or len(token) == 1 else "x" for token in tokens)
    words = plain.split()
    for word in words[:-1] if words[-1:] == [";"] else words:
        if word == ";" or _OPERATOR.fullmatch(word):
            return f"a rule is about one command, and {word!r:.20} ends it or opens a file; quote it if it is a word"
    if words and _ASSIGNMENT.match(words[0]):
        return "a rule begins with the program, without assignments"
    if found := _TYPESET.search(plain):
        return f"{found.group()!r} is no character of the shell, but looks like one; quote it if it is a part of a word"
    if plain.startswith(("^", ".*", "!", "#")):
        return "a rule is no regular expression: it begins with the program, and * stands for any text"
    text = _QUOTED.sub("x", pattern.text)
    if (found := _KEY.match(text)) and text[found.end() :].strip("* "):
        return f"leave out {found.group().strip()!r:.40}: a rule has nothing but the words of a command"
    if found := _REGULAR.search(text):
        return f"{found.group().strip()!r:.40} {_EXPRESSION}; quote it if it is a part of a word"
    if _COLON.search(text):
        meant = pattern.text.replace(":", " ", 1)
        return f"between a program and its arguments is a blank, as in {meant!r:.60}; only ':*' at the end is known"
    quoted, program = re.search(r"\S\s+\S", tokens[0]) if tokens else None, words[0] if words else ""
    if quoted or re.search(r"[|;&<>,]|/\Z", program) or "*," in words:
        return "it begins with one program, and quotes make one word of all that is in them"
    if found := _PLACEHOLDER.search(text):
        return f"{found[1]!r} {_EXPRESSION}; quote it if it is a part of a word"
    if found := _ALTERNATIVES.search(plain):
        return f"the shell makes several words of {found.group()!r:.40}; write a rule for each, or quote it"
    if _EXPANSION.search(plain):
        return "the shell replaces what $ and ` begin before a rule is compared; quote it if it is part of a word"
    return ""


def _path(text: str) -> str:
    """Return why no real path matches."""
    if text.startswith("$") or re.match("~[^/]", text):
        return "expected a path; ~/ is your home directory, and variables are not replaced"
    if found := _KEY.match(text):
        return f"leave out {found.group().strip()!r:.40}, or write a backslash before it if it is a part of a name"
    if "\0" in text:
        return "a path has no NUL"
    if found := _ALTERNATIVES.search(text) or _SET.search(text):
        return f"{found.group()!r:.40} is plain text here; {_EACH}"
    if _BLANK.search(text):
        return "no name begins or ends with a blank as this one has it; write the path without"
    if found := _REGULAR_PATH.search(text) or _EXAMPLE.match(text):
        return f"{found.group()!r:.40} {_EXPRESSION} of a name"
    if _NO_PATH.fullmatch(text):
        return f"expected one path, without quotes, in which * stands for a part of a name; {_EACH}"
    first = re.search(r"(?<!\\)[*?]", text)
    behind = text[first.start() :].partition("/")[2].rstrip("/").split("/") if first else []
    if {".", ".."} & {*behind} or "" in behind[:-1]:
        return "no real path has '.', '..' or nothing between slashes, as this one has behind its first * or ?"
    return ""
