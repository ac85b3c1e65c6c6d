"""`ends_where_seen`: whether shells end a here-document where the grammar does; `document_text`: what a program reads.

The grammar takes for its delimiter all text up to a blank, as `E;ls` in `cat <<E;ls`, joins no lines, and lets a
delimiter end in the middle of a line. What it takes for data could be commands.
"""

import re

from tree_sitter import Node

_DELIMITER = re.compile(rb"""[\w.:/@%+,-]+|'[^'\n]+'|"[^"\\$`\n]+"|\\\w+""")
_HEAD = re.compile(rb"(?:[^\n\\]|\\.)*\n", re.DOTALL)
"""The rest of the line in which a here-document begins."""
_CLOSED = re.compile(rb"""'[^'\n]*'|"[^"\\\n]*"|\\.""", re.DOTALL)
_OPENS = re.compile(rb"""['"`(]|<<""")
_LINE = re.compile(rb"[^\n]*(?:\n|\Z)")
_JOINED_LINE = re.compile(rb"(?:[^\n\\]|\\.)*(?:\\?\Z|\n)", re.DOTALL)
_PAIR = re.compile(rb"\\(.)", re.DOTALL)
_KEPT = re.compile(rb"\\([$`\\])")
"""A sign that a shell does not replace (bash(1), Here Documents)."""


def ends_where_seen(redirect: Node, data: bytes) -> bool:
    """Whether a `heredoc_redirect` in the line `data` ends where a shell ends it, as far as that can be said."""
    parts = {child.type: child for child in redirect.children}
    start, end = parts.get("heredoc_start"), parts.get("heredoc_end")
    if start is None or end is None:
        return False
    delimiter = data[start.start_byte : start.end_byte]
    head = _HEAD.match(data, start.end_byte)
    if head is None or not _DELIMITER.fullmatch(delimiter) or _OPENS.search(_CLOSED.sub(b"", head[0])):
        return False
    word, last = delimiter.strip(b"'\"\\"), end.end_byte
    indents = b"\t" if "<<-" in parts else b""
    if word == delimiter and _end(_JOINED_LINE, word, indents, data, head.end(), last) != last:
        return False  # it is not quoted, so a backslash joins lines
    return _end(_LINE, word, indents, data, head.end(), last) == last


def _end(lines: re.Pattern[bytes], word: bytes, indents: bytes, data: bytes, start: int, last: int) -> int:
    """Return the end of the first line that is a delimiter, without its line break; -1 if none begins until `last`."""
    for line in lines.finditer(data, start):
        if line.start() > last:
            break
        text = (
            _PAIR.sub(lambda pair: b"" if pair[1] == b"\n" else pair[0], line[0]) if lines is _JOINED_LINE else line[0]
        )
        if text.removesuffix(b"\n").lstrip(indents) == word:
            return line.end() - line[0].endswith(b"\n")
    return -1


def is_quoted(body: Node) -> bool:
    """Whether a shell replaces nothing in a `heredoc_body`."""
    start = next((each for each in body.parent.children if each.type == "heredoc_start"), None)  # type: ignore[union-attr]
    return start is not None and re.search(rb"['\"\\]", start.text or b"") is not None


def document_text(body: Node) -> str:
    """Return a `heredoc_body` as a program reads it, with `$_` for what the shell replaces: a shell as the program may
    set a variable of the same name."""
    text, parts, at = body.text or b"", [], 0
    for each in [child for child in body.children if child.type != "heredoc_content" and not is_quoted(body)]:
        parts.append(text[at : each.start_byte - body.start_byte])
        at = each.end_byte - body.start_byte
    parts.append(text[at:])
    shown = parts if is_quoted(body) else [_KEPT.sub(rb"\1", part) for part in parts]
    return b"$_".join(shown).decode("utf-8", "surrogateescape")
