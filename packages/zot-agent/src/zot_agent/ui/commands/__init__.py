"""The registry of slash commands: a line each."""

from zot_agent.ui.commands import conversation, model, screen, sessions, skills
from zot_agent.ui.commands.base import Chat, SlashCommand


async def _help(chat: Chat, _: str) -> None:
    await screen.show_help(chat, COMMANDS)


COMMANDS = (
    SlashCommand("help", "", "keys and commands", "now", _help),
    SlashCommand("model", "[id]", "another model, of any vendor with a key", "cancel", model.model),
    SlashCommand("reasoning", "[level]", "think more, or less", "cancel", model.reasoning),
    SlashCommand("sessions", "", "open, rename and delete sessions", "cancel", sessions.sessions),
    SlashCommand("new", "", "begin a new session", "cancel", conversation.new),
    SlashCommand("clear", "", "forget the conversation", "cancel", conversation.clear),
    SlashCommand("compact", "[what matters]", "replace the conversation by a summary", "cancel", conversation.compact),
    SlashCommand("jump", "[text]", "scroll to a prompt", "now", conversation.jump),
    SlashCommand("btw", "[question]", "a question beside the work, which is not kept", "now", conversation.btw),
    SlashCommand("skills", "", "what the model can look up; /skill:NAME sends one", "now", skills.skills),
    SlashCommand("study", "", "have the project looked at and explained", "wait", conversation.study),
    SlashCommand("copy", "", "put the last answer on the clipboard", "now", conversation.copy),
    SlashCommand("theme", "[name]", "other colours", "now", screen.theme),
    SlashCommand("yolo", "", "ask before each call, or no longer", "now", screen.yolo),
    SlashCommand("reload-ext", "", "stop, read and start the extensions anew", "cancel", screen.reload_extensions),
    SlashCommand("exit", "", "leave", "now", screen.leave),
)
"""What `/` offers. Extensions cannot take these names."""

BY_NAME = {command.name: command for command in COMMANDS}
