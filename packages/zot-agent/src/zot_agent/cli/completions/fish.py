"""The completion script for fish."""

from collections.abc import Iterator, Sequence

from zot_agent.cli.completions.tree import CommandNode, FlagNode

_START = """\
# Completion of zot for fish, written by: zot completions fish
function __zot_at
    set -l at zot
    set -l words (commandline -opc)
    for word in $words[2..]
        switch "$at $word"
"""
_END = """\
                set at "$at $word"
        end
    end
    test "$at" = "$argv"
end
"""
_KINDS = {"none": "", "file": " -r -F", "folder": " -x -a '(__fish_complete_directories)'", "text": " -x"}


def script(tree: Sequence[CommandNode]) -> str:
    paths = " ".join(_quote(node.path) for node in tree[1:])
    return f"{_START}            case {paths}\n{_END}" + "".join(line + "\n" for node in tree for line in _lines(node))


def _lines(node: CommandNode) -> Iterator[str]:
    at = f"complete -c zot -n {_quote(f'__zot_at {node.path}')}"
    if not node.files:
        yield f"{at} -f"
    for name, help in node.commands.items():
        yield f"{at} -a {_quote(name)} -d {_quote(help)}"
    if node.words:
        yield f"{at} -a {_quote(' '.join(node.words))}"
    for flag in node.flags:
        yield f"{at}{_names(flag)}{_KINDS.get(flag.value) or _words(flag)} -d {_quote(flag.help)}"


def _words(flag: FlagNode) -> str:
    return f" -x -a {_quote(' '.join(flag.words))}" if flag.words else ""


def _names(flag: FlagNode) -> str:
    kinds = ((name, "-l" if name.startswith("--") else "-s" if len(name) == 2 else "-o") for name in flag.names)
    return "".join(f" {kind} {_quote(name.lstrip('-'))}" for name, kind in kinds)


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
