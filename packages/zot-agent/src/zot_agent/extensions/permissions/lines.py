"""`permission_lines`: what an extension may do, in words for a person."""

from typing import TYPE_CHECKING

from zot_ext.manifest import Manifest
from zot_ext.protocol.permissions import ExtensionPermissions, is_tool

if TYPE_CHECKING:
    from zot_ext.protocol.permissions import Choice

EVERYTHING = "do everything that you can: use your files, programs and network, see and change what zot does"

NOTHING = "do nothing but answer"
"""The line in place of none."""

_HERE = {".": "the project", "./": "the project", "./**": "the project"}

_POINTS = {
    "turn_start": "stop turns",
    "assistant_message": "read, change and hide answers",
    "before_agent_start": "read and change the system prompt",
    "input": "read, change and stop your prompts",
    "context": "read and change what the model gets of the conversation",
    "before_provider_request": "read and change requests to providers",
    "before_provider_headers": "change the headers of requests to providers",
    "message_end": "read and change messages before they are stored",
    "user_bash": "read, change and answer your own shell commands",
    "bash_spawn": "read and change commands before they start",
    "before_stop": "read answers, and keep the agent at work",
    "before_exit": "have more answered, where one prompt is answered",
    "project_trust": "allow and refuse what projects bring",
    "session_before_switch": "stop changes to another session",
    "session_before_fork": "stop copies of a session",
    "session_before_compact": "stop compactions, and write their summaries",
    "session_before_tree": "stop ways back in a session",
}


def permission_lines(manifest: Manifest) -> list[str]:
    """Return what the program of an extension may do, a line each, which completes "it may"; the texts in them are the
    extension's own."""
    permissions = manifest.permissions
    lines = [EVERYTHING] if permissions is None else [*_about_system(permissions), *_about_agent(permissions)]
    if manifest.providers is not None and (names := ", ".join(manifest.providers.value)):
        lines.append(
            f"serve the models of {names}: it gets what you send to them, and their key, and says what they do"
        )
    return lines + ([f"have the keys {', '.join(manifest.env)}"] if manifest.env else [])


def permission_summary(manifest: Manifest) -> str:
    """Return the same in a few words, for a list."""
    permissions = manifest.permissions
    if permissions is None or not manifest.exec:
        return "everything" if manifest.exec else "nothing"
    words = []
    for name in permissions.__fields__:
        choice = getattr(permissions, name)
        if choice:
            words.append(name if choice is True else f"{name} {','.join(choice)}")
    if manifest.providers is not None and manifest.providers.value:
        words.append(f"models of {','.join(manifest.providers.value)}")
    return "; ".join(words) or "nothing"


def _about_system(permissions: ExtensionPermissions) -> list[str]:
    lines = [
        _line("write", permissions.write, "all your files"),
        _line("read", permissions.read, "all your files"),
        _line("connect to", permissions.network, "any host"),
        _line("run", permissions.exec, "programs, which may do no more than it may"),
    ]
    return [line for line in lines if line]


def _about_agent(permissions: ExtensionPermissions) -> list[str]:
    asked = permissions.intercept
    everything = asked is True
    names = () if isinstance(asked, bool) else asked
    tools = tuple(filter(is_tool, names))
    lines = [
        "read the conversation, with the calls of tools" if permissions.conversation else "",
        _line("see, refuse and change calls of", everything or tools, "every tool"),
        *(words for name, words in _POINTS.items() if everything or name in names),
        "send prompts in your name" if permissions.submit else "",
        "undo and redo what zot changed in files, and stop commands in the background" if permissions.restore else "",
        "let zot's own tools use the files and commands of another machine, and see all of it"
        if permissions.tool_ops
        else "",
        _line("ask zot for", permissions.calls, "anything"),
        _line("add tools:", permissions.tools, "any"),
        _line("add commands:", permissions.commands, "any"),
    ]
    return [line for line in lines if line]


def _line(verb: str, choice: "Choice", everything: str) -> str:
    if isinstance(choice, bool):
        return f"{verb} {everything}" if choice else ""
    return f"{verb} {', '.join(_HERE.get(each, each) for each in choice)}" if choice else ""
