"""The completion script for zsh; it can also be a file `_zot` in a folder of `fpath`."""

from collections.abc import Iterator, Mapping, Sequence
from shlex import quote

from zot_agent.cli.completions.tree import CommandNode

_START = """\
#compdef zot
# Completion of zot for zsh, written by: zot completions zsh
_zot() {
    local at=zot i
    local -a found flags
    for ((i = 2; i < CURRENT; i++)); do
        case "$at $words[i]" in
"""
_VALUES = """\
        esac
    done
    case "$at $words[CURRENT-1]" in
"""
_WORDS = """\
    esac
    case $at in
"""
_END = """\
    esac
    if [[ $PREFIX == -* ]]; then
        _describe -o option flags
    else
        (( $#found )) && _describe command found
    fi
}
if [[ $funcstack[1] == _zot ]]; then _zot "$@"; else compdef _zot zot; fi
"""
_KINDS = {"file": "_files; return", "folder": "_files -/; return", "text": "return"}


def script(tree: Sequence[CommandNode]) -> str:
    paths = "".join(f'            {quote(node.path)}) at="$at $words[i]" ;;\n' for node in tree[1:])
    return _START + paths + _VALUES + "".join(_values(tree)) + _WORDS + "".join(map(_words, tree)) + _END


def _values(tree: Sequence[CommandNode]) -> Iterator[str]:
    for node in tree:
        for flag in node.flags:
            if flag.value != "none":
                names = "|".join(quote(f"{node.path} {name}") for name in flag.names)
                words = " ".join(map(quote, flag.words))
                reply = _KINDS.get(flag.value) or f"found=({words}); _describe value found; return"
                yield f"        {names}) {reply} ;;\n"


def _words(node: CommandNode) -> str:
    flags = _described({name: flag.help for flag in node.flags for name in flag.names})
    words = _described({**node.commands, **dict.fromkeys(node.words, "")})
    files = "_files" if node.files else ":"
    return f"        {quote(node.path)}) flags=({flags}) found=({words}); [[ $PREFIX == -* ]] || {files} ;;\n"


def _described(words: Mapping[str, str]) -> str:
    """Return words for `_describe`: a colon is between a word and its help."""
    return " ".join(quote(f"{word}:{help}" if help else word) for word, help in words.items())
