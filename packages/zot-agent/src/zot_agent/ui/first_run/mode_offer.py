"""The first question of a new person who has a model: whether tools may run without asking."""

from zot_agent.config.settings import Settings
from zot_agent.ui.commands.base import Chat
from zot_core.permission_mode import PermissionMode
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice

_TEXT = (
    "The model reads files, changes them and runs commands, with all rights that you have. "
    "Shift+Tab and /permissions change the answer at any time."
)


async def offer_mode(chat: Chat) -> None:
    """Ask, and remember the answer in the settings, which have no permissions yet. A closed question is a yes."""
    choices: list[ConfirmChoice[PermissionMode]] = [
        ConfirmChoice("y", "yes, everything runs (yolo)", "yolo"),
        ConfirmChoice("n", "no, ask before a tool writes, runs something or reads elsewhere (ask)", "ask"),
        ConfirmChoice("e", "only changes of files in the working directory (accept-edits)", "accept-edits"),
    ]
    question = Confirm("May tools run without asking?", choices, _TEXT, note="esc means yes")
    mode = await chat.ask(question, behind=True) or "yolo"
    chat.host.conversation.permissions.mode = mode
    chat.choices.keep({Settings.permissions.key: {"mode": mode}})
    chat.refresh()
