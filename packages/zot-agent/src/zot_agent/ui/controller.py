"""`Controller`: turns keys and commands into actions of the host and the screen."""

import os
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TypeVar

from zot_agent.config.paths import zot_home
from zot_agent.host.host import Host
from zot_agent.ui.chat_keys import ChatKeys
from zot_agent.ui.dispatch import CommandDispatcher
from zot_agent.ui.extensions.extension_view import SHOWN, ExtensionView
from zot_agent.ui.format.titles import notification, terminal_title
from zot_agent.ui.input import prompts
from zot_agent.ui.input.prompt_input import PromptInput
from zot_agent.ui.latest_run import LatestRun
from zot_agent.ui.presenter import Presenter
from zot_agent.ui.questions.permission import PermissionPrompt
from zot_agent.ui.rows.activity import WorkingRow
from zot_agent.ui.rows.agenda import FOLLOW_UP, QUEUED, STEERING, Unread
from zot_agent.ui.rows.status import StatusRow
from zot_agent.ui.screen import Screen
from zot_agent.ui.settings.choices import StoredChoices
from zot_agent.ui.stop_keys import StopKeys
from zot_agent.ui.themes import Themes
from zot_core.confirm import preview
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import (
    Changed,
    ConversationEvent,
    Insert,
    SessionStart,
    SessionTreeMove,
    Submit,
    TodoUpdate,
    Undelivered,
)
from zot_core.conversation.shell_command import read_shell_command
from zot_core.events import Done, JobEnd, JobStart, RunEnd, TurnEnd, UsageEvent
from zot_provider.errors import ZotError
from zot_provider.messages import ImageBlock
from zot_tui.app import App
from zot_tui.keys.keymap import Keymap
from zot_tui.theme import Theme
from zot_tui.widgets.actions import Action
from zot_tui.widgets.dialogs.dialog import Dialog
from zot_tui.widgets.input.editor import EDITOR_ACTIONS
from zot_tui.widgets.transcript.cells import Level
from zot_tui.widgets.transcript.transcript import TRANSCRIPT_ACTIONS

V = TypeVar("V")

_FOLLOWED = (
    *(Changed, Done, Insert, JobEnd, JobStart, SessionStart, SessionTreeMove, Submit, TodoUpdate, TurnEnd),
    *(Undelivered, UsageEvent),
    *SHOWN,
)


class Controller:
    """Implements `Chat` for the commands."""

    def __init__(
        self,
        host: Host,
        app: App,
        view: Screen,
        presenter: Presenter,
        keymap: Keymap,
        actions: "Iterable[Action[Controller]]",
    ) -> None:
        self.host, self.app, self.view, self.presenter = host, app, view, presenter
        self.transcript = view.transcript
        self.latest_run = LatestRun(host.conversation)
        self.dispatch = CommandDispatcher(self)
        self.stop_keys = StopKeys(self, view, self.dispatch)
        self.choices = StoredChoices(host, lambda text: self.note(text, "warning"))
        self.prompt_input = PromptInput(
            view.editor,
            view.suggest,
            home=zot_home(),
            cwd=host.runtime.cwd,
            commands=self.dispatch.offered,
            is_whole=self.dispatch.is_whole,
        )
        self.themes = Themes(zot_home(), lambda: host.choice.found.active() if host.choice is not None else [])
        permission = PermissionPrompt(self.ask, partial(preview, host.runtime.agent), presenter.style)
        self.extension_view = ExtensionView(self, view, presenter, permission.asking)
        self._status = StatusRow(host.conversation, view, presenter.run)
        functions = {
            **{action.name: partial(action.run, view.editor) for action in EDITOR_ACTIONS},
            **{action.name: partial(action.run, self.transcript) for action in TRANSCRIPT_ACTIONS},
            **{action.name: partial(action.run, self) for action in actions},
        }
        run = partial(self.run, keep=True)
        self.keys = view.stack.keys = ChatKeys(keymap, functions, run, self.prompt_input, self.extension_view)
        self._follow(host.conversation, permission)
        self._connect()

    def _follow(self, conversation: Conversation, permission: PermissionPrompt) -> None:
        self.view.todos.show(conversation.todos.items)
        conversation.front_end = "tui"
        conversation.events.add(self.presenter.show)
        working = WorkingRow(self.view.spinner, conversation, self.dispatch)
        conversation.events.add(self._event, *_FOLLOWED)
        permission.asking.connect(working.ask)
        permission.asking.connect(lambda asks: self._notify("a question is waiting") if asks else None)
        conversation.permissions.ask_with(permission)

    def _connect(self) -> None:
        self.dispatch.changed.connect(self.app.redraw)
        self.prompt_input.outdated.connect(self.app.redraw)
        self.themes.switched.connect(self._dress)
        self.themes.noted.connect(lambda text: self.note(text, "warning"))
        self.prompt_input.commands_wanted.connect(self.dispatch.list_templates)
        self.extension_view.registered.connect(self.prompt_input.commands_changed)
        self.app.window.focus_changed.connect(self.themes.focus)
        self.view.editor.mode_changed.connect(self.refresh)
        self.view.stack.changed.connect(self.refresh)

    # Events

    def _event(self, event: ConversationEvent) -> None:
        match event:
            case Done(end):
                self._ended(end)
            case Changed("queue"):
                self._queue_changed()
            case Changed("extensions"):
                self.extension_view.watch()
            case TodoUpdate(items):
                self.view.todos.show(items)
            case SessionStart() | SessionTreeMove():
                self._show_conversation()
            case Insert(_, text):
                self.insert(text)
            case Submit(_, _, refused) if not refused:
                self._show_end()
            case Undelivered(texts):
                self._give_back(texts)
            case _ if isinstance(event, SHOWN):
                self.extension_view.show(event)
            case _:
                self.refresh()
        self.app.redraw()

    def _queue_changed(self) -> None:
        conversation, inbox = self.host.conversation, self.host.runtime.agent.inbox
        self.view.queue.show(
            [
                *(Unread(STEERING, each.text) for each in inbox.steering),
                *(Unread(FOLLOW_UP, each.text) for each in inbox.follow_ups),
                *(Unread(QUEUED, each.typed) for each in conversation.waiting),
            ]
        )
        self.prompt_input.keep([*conversation.unread, *(each.text for each in conversation.waiting)])
        self.refresh()

    def _ended(self, end: RunEnd) -> None:
        self._status.read_branch()
        if (failure := self.latest_run.take_failure()) is not None:
            from zot_agent.ui.questions import rescue  # noqa: PLC0415  not for the first screen

            self.dispatch.begin(rescue.offer_rescue(self, failure, self.latest_run.prompt))
        if not self.host.conversation.waiting:
            self._notify(notification(self.latest_run.prompt, end))

    def _notify(self, text: str) -> None:
        self.app.window.notify(text, self.host.settings.notify)

    def _dress(self, theme: Theme) -> None:
        self.view.spinner.theme = theme.spinner
        self.presenter.style.frames = theme.spinner.frames or self.presenter.style.frames
        self.app.theme = theme
        self.extension_view.dress()

    def refresh(self) -> None:
        self._status.update(self.extension_view.status)
        self.app.screen.shape = self.view.editor.mode.shape
        folder, busy = os.path.basename(self.host.runtime.cwd), self.host.conversation.busy
        self.app.screen.title = self.extension_view.title or terminal_title(self.latest_run.prompt, folder, busy=busy)
        self.app.redraw()

    def note(self, text: str, level: Level = "info") -> None:
        self.presenter.note(text, level)

    def _show_conversation(self) -> None:
        if self.app.images is not None:
            self.app.images.clear()
        self.presenter.start_over(self.host.runtime.messages)
        self._status.read_branch()
        self.refresh()

    # Prompts

    def paste_image(self) -> None:
        """Paste the image or text on the clipboard, which also works where the terminal cannot paste."""
        from zot_agent.ui.input import external_input  # noqa: PLC0415  rarely used, and not for the first screen

        self.dispatch.begin(external_input.paste_from_clipboard(self, self.view.stack.paste))

    def submit(self) -> None:
        """Send what is in the editor, or take a suggestion that needs more text."""
        if not self.prompt_input.enter():
            return
        typed = self.prompt_input.text
        if typed.strip():
            self.run(typed)

    def run(self, typed: str, *, keep: bool = False) -> None:
        """Run a slash or shell command, or send a prompt, and clear the editor unless `keep` (a key's command)."""
        conversation = self.host.conversation
        try:
            command = read_shell_command(typed)
            if self.dispatch.start(typed):
                pass
            elif command is not None:
                self._show_end()
                conversation.shell(command, typed)
            else:
                sent = prompts.message(typed, self.view.editor.pastes, self.host.runtime.cwd)
                self._show_end()
                conversation.prompt(sent.text, sent.images, typed=typed, commands=False, attached=sent.attached)
        except ZotError as error:
            self.note(str(error), "error")
            return
        if not keep:
            self.prompt_input.sent(typed)
            self.view.stack.rest()

    def _show_end(self) -> None:
        self.presenter.clear_notes()
        self.transcript.to_end()

    def send(
        self, text: str, images: Sequence[ImageBlock] = (), attached: Sequence[str] = (), *, typed: str = ""
    ) -> None:
        self._show_end()
        self.host.conversation.prompt(text, images, typed=typed, attached=attached)

    def steer(self) -> None:
        """Send the text to the model while it works; with images or files it becomes a queued prompt."""
        typed, pastes, running = self.prompt_input.text, self.view.editor.pastes, self.host.conversation.running
        if not typed.strip():
            return
        attached = prompts.has_attachments(typed, pastes, self.host.runtime.cwd)
        if running is None or not running.steerable or attached:
            self.submit()
        else:
            self.host.conversation.steer(prompts.sent_text(typed, pastes))
            self.prompt_input.sent(typed)

    def stop(self) -> None:
        self._give_back(self.host.conversation.stop())

    def _give_back(self, texts: Sequence[str]) -> None:
        """Put texts that were not sent before what is in the editor."""
        if texts:
            self.prompt_input.set("\n\n".join(filter(None, [*texts, self.prompt_input.text])))

    def recall(self) -> None:
        """Put the queued prompt back into the editor."""
        taken = self.host.conversation.take_back()
        self._give_back([] if taken is None else [taken])

    def redraw(self) -> None:
        """Redraw the screen, images too."""
        if self.app.images is not None:
            self.app.images.resend()
        self.app.refresh()

    def edit(self) -> None:
        """Edit the prompt in the user's own editor."""
        from zot_agent.ui.input import external_input  # noqa: PLC0415  rarely used, and not for the first screen

        self.dispatch.begin(external_input.edit_in_program(self, self.view.stack.touch))

    async def ask(self, dialog: Dialog[V], *, behind: bool = False) -> V | None:
        return await self.view.stack.ask(dialog, behind=behind)

    def insert(self, text: str) -> None:
        (self.view.editor.paste if len(text) > 1000 else self.view.editor.insert)(text)

    async def close(self) -> None:
        """Stop all work and save the draft and the queue."""
        self.prompt_input.drafts.close()
        self.host.conversation.stop()
        self.dispatch.close()
        await self.prompt_input.close()
        await self.choices.close()
