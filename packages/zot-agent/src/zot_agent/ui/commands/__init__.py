"""The registry of slash commands: a line each."""

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from zot_agent.ui.commands.base import Chat, SlashCommand


def _in(module: str, name: str) -> Callable[[Chat, str], Awaitable[Any]]:
    """The function of a module of this package, which is loaded with the first command of its own: none of them has to
    be there for the screen to be drawn."""

    async def run(chat: Chat, arguments: str) -> None:
        await getattr(import_module(f"{__name__}.{module}"), name)(chat, arguments)

    return run


COMMANDS = (
    SlashCommand("help", "", "keys and commands", "now", _in("screen", "help")),
    SlashCommand("model", "[id]", "another model, of any provider with a key", "cancel", _in("model", "model")),
    SlashCommand("reasoning", "[level]", "think more, or less", "cancel", _in("model", "reasoning")),
    SlashCommand("sessions", "", "open, rename and delete sessions", "cancel", _in("sessions", "sessions")),
    SlashCommand("new", "", "begin a new session", "cancel", _in("conversation", "new")),
    SlashCommand("clear", "", "forget the conversation", "cancel", _in("conversation", "clear")),
    SlashCommand(
        "compact", "[what matters]", "replace the conversation by a summary", "cancel", _in("conversation", "compact")
    ),
    SlashCommand("jump", "[text]", "scroll to a prompt", "now", _in("conversation", "jump")),
    SlashCommand(
        "btw", "[question]", "a question beside the work, which is not kept", "now", _in("conversation", "btw")
    ),
    SlashCommand("skills", "", "what the model can look up; /skill:NAME sends one", "now", _in("skills", "skills")),
    SlashCommand("study", "", "have the project looked at and explained", "wait", _in("conversation", "study")),
    SlashCommand("copy", "", "put the last answer on the clipboard", "now", _in("conversation", "copy")),
    SlashCommand("theme", "[name]", "other colours", "now", _in("screen", "theme")),
    SlashCommand("vi", "", "edit as in vi, or no longer", "now", _in("screen", "vi")),
    SlashCommand("yolo", "", "ask before each call, or no longer", "now", _in("screen", "yolo")),
    SlashCommand(
        "reload-ext", "", "stop, read and start the extensions anew", "cancel", _in("screen", "reload_extensions")
    ),
    SlashCommand("exit", "", "leave", "now", _in("screen", "leave")),
)
"""What `/` offers. Extensions cannot take these names."""

BY_NAME = {command.name: command for command in COMMANDS}
