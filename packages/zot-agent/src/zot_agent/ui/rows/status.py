"""`StatusRow`: the last row of the screen: directory, what may run, model, tokens and cost."""

import os
from collections.abc import Iterable, Sequence

from zot_agent.ui.format.amounts import percent, spent, tokens
from zot_agent.ui.format.status import SANDBOXES, shown_folder
from zot_agent.ui.screen import Screen
from zot_core.compaction.size import ContextSize
from zot_core.conversation.driver import Conversation
from zot_core.machine.branch import branch
from zot_core.sessions.totals import RunCounter
from zot_provider.wire.reasoning import nearest_level
from zot_tui.widgets.status import ALWAYS, Segment, StatusLine


class StatusRow:
    """Fills the status row of `view`. `run` says what the last prompt has changed."""

    def __init__(self, conversation: Conversation, view: Screen, run: RunCounter) -> None:
        self._conversation, self._view, self._run = conversation, view, run
        self._size = ContextSize(conversation.runtime.agent)
        self.read_branch()

    def read_branch(self) -> None:
        self._branch = branch(self._conversation.runtime.cwd)

    def update(self, extensions: Iterable[str]) -> None:
        """Say what is true now. `extensions` are the texts of extensions."""
        left = [*self._place(), *self._work(), *(Segment(text, "status", 2) for text in extensions)]
        self._view.status.lines = [StatusLine(left, [*self._spent(), *self._model()])]

    def _place(self) -> Sequence[Segment]:
        """Return where it works and what may run. That is a warning where everything runs without a question, and
        nothing confines it."""
        conversation = self._conversation
        mode, sandbox = conversation.permissions.mode, conversation.sandbox
        danger = "warning" if mode == "yolo" else "status"
        return (
            Segment(self._view.editor.mode.name, "accent", 7),
            Segment(mode, "warning" if mode == "yolo" else "accent", ALWAYS),
            Segment(SANDBOXES[sandbox], danger if sandbox == "off" else "accent", ALWAYS),
            Segment(shown_folder(conversation.runtime.cwd, os.path.expanduser("~")), "status", 3),
            Segment(self._branch, "status", 4),
        )

    def _work(self) -> Sequence[Segment]:
        """Return what can be taken back, and what waits or runs."""
        conversation = self._conversation
        undo = self._run.changes and not conversation.busy
        waiting, jobs = len(conversation.waiting), len(conversation.runtime.agent.context.jobs.running)
        return (
            Segment("/undo" if undo else "", "accent", 6),
            Segment("a question is waiting" if self._view.stack.waiting else "", "warning", 7),
            Segment(f"{waiting} queued" if waiting else "", "accent", 6),
            Segment(f"{jobs} job{'' if jobs == 1 else 's'}" if jobs else "", "accent", 5),
        )

    def _spent(self) -> Sequence[Segment]:
        """Return the tokens and the cost, sub-agents included, and the share of the context window in use."""
        runtime = self._conversation.runtime
        agent, shown = runtime.agent, list[Segment]()
        usage = agent.usage
        if usage.input or usage.output:
            read = usage.input + usage.cache_read + usage.cache_write
            shown.append(Segment(f"↑{tokens(read)} ↓{tokens(usage.output)}", "status", 2))
            shown.append(Segment(spent(usage, agent.model), "status", 7))
        window = runtime.compactor.window.current
        context = self._size.tokens(rough=True) if window.tokens and len(agent.history) else 0
        if context:
            guess = "~" if window.guessed else ""
            shown.append(Segment(f"{percent(context, window.tokens)} of {guess}{tokens(window.tokens)}", "status", 8))
        return shown

    def _model(self) -> Sequence[Segment]:
        agent = self._conversation.runtime.agent
        level = nearest_level(agent.model, agent.reasoning)
        return (
            Segment("" if level == "off" else level, "status", 1),
            Segment(agent.model.provider, "status", 0),
            Segment(agent.model.id or "the server's model", "status", 5),
        )
