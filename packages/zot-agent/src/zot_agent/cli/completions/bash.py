"""The completion script for bash, 3.2 and later."""

from collections.abc import Iterator, Sequence
from shlex import quote

from zot_agent.cli.completions.tree import CommandNode

_START = """\
# Completion of zot for bash, written by: zot completions bash
_zot() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} at=zot flags= words= i
    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$at ${COMP_WORDS[i]}" in
"""
_VALUES = """\
        esac
    done
    COMPREPLY=()
    case "$at $prev" in
"""
_WORDS = """\
    esac
    case $at in
"""
_END = """\
    esac
    if [[ $cur == -* ]]; then words=$flags; fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _zot zot
"""
_KINDS = {
    "file": "return",  # readline completes paths itself
    "folder": "compopt -o dirnames 2>/dev/null; return",
    "text": "compopt +o default 2>/dev/null; return",
}


def script(tree: Sequence[CommandNode]) -> str:
    paths = "".join(f'            {quote(node.path)}) at="$at ${{COMP_WORDS[i]}}" ;;\n' for node in tree[1:])
    return _START + paths + _VALUES + "".join(_values(tree)) + _WORDS + "".join(map(_words, tree)) + _END


def _values(tree: Sequence[CommandNode]) -> Iterator[str]:
    for node in tree:
        for flag in node.flags:
            if flag.value != "none":
                names = "|".join(quote(f"{node.path} {name}") for name in flag.names)
                words = quote(" ".join(flag.words))
                reply = _KINDS.get(flag.value) or f'COMPREPLY=($(compgen -W {words} -- "$cur")); return'
                yield f"        {names}) {reply} ;;\n"


def _words(node: CommandNode) -> str:
    flags = " ".join(name for flag in node.flags for name in flag.names)
    words = " ".join([*node.commands, *node.words])
    return f"        {quote(node.path)}) flags={quote(flags)} words={quote(words)} ;;\n"
