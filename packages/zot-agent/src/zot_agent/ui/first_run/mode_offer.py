"""The first question of a new person who has a model: whether tools may run without asking."""

from zot_agent.config.settings import Settings
from zot_agent.host.permissions import keep_mode_open
from zot_agent.ui.commands.base import Chat
from zot_core.permission_mode import PermissionMode
from zot_tui.widgets.dialogs.questions import Confirm, ConfirmChoice

_TEXT = (
    "The model reads files, changes them and runs commands, with all rights that you have. "
    "Shift+Tab and /permissions change the answer at any time."
)
_UNDECIDED: PermissionMode = "ask"


async def offer_mode(chat: Chat) -> None:
    """Ask, and remember the answer in the settings, which have no permissions yet. A closed question decides nothing:
    tools ask now, and the question comes again with the next start."""
    choices: list[ConfirmChoice[PermissionMode]] = [
        ConfirmChoice("n", "no, ask before a tool writes, runs something or reads elsewhere (ask)", "ask"),
        ConfirmChoice("e", "only changes of files in the working directory (accept-edits)", "accept-edits"),
        ConfirmChoice("y", "yes, everything runs (yolo)", "yolo"),
    ]
    permissions = chat.host.conversation.permissions
    permissions.mode = _UNDECIDED  # what runs before the answer asks
    keep_mode_open(still=True)
    note = "esc decides nothing: tools ask this time, and you are asked again at the next start"
    mode = await chat.ask(Confirm("May tools run without asking?", choices, _TEXT, note=note), behind=True)
    if mode is not None:
        permissions.mode = mode
        chat.choices.keep({Settings.permissions.key: {"mode": mode}})
        keep_mode_open(still=False)
    chat.refresh()
