"""`ShellCommands`: runs the shell commands of the user, and keeps the output that the model has not read."""

from collections.abc import Callable

from zot_core.conversation.events import ConversationEvent, ShellEnd, ShellOutput, ShellStart
from zot_core.conversation.shell_command import ShellCommand, ShellResult, run_shell
from zot_core.events import RunEnd
from zot_core.runtime.runtime import Runtime


class ShellCommands:
    """The shell commands of the user in one conversation."""

    def __init__(self, runtime: Runtime, notify: Callable[[ConversationEvent], None]) -> None:
        self._runtime, self._notify = runtime, notify
        self._unread: list[ShellResult] = []

    async def run(self, command: ShellCommand) -> RunEnd:
        """Run a command, and report its start, its output and its end."""
        update_child_env(self._runtime)
        self._notify(ShellStart(command))
        result, end = await run_shell(command, self._runtime.agent, lambda text: self._notify(ShellOutput(text)))
        self._unread.append(result)
        self._notify(ShellEnd(result))
        return end

    def take(self) -> list[ShellResult]:
        """Return what the model has not read, once."""
        taken, self._unread = self._unread, []
        return taken


def update_child_env(runtime: Runtime) -> None:
    """Set the variables to the current model and session; the Go zot has the same names.

    Unknown values are empty: a zot inside another must not see the values of the outer one.
    """
    agent, session = runtime.agent, runtime.session
    agent.context.env.update(
        ZOT_PROVIDER=agent.model.provider,
        ZOT_MODEL=agent.model.id,
        ZOT_REASONING_LEVEL=agent.reasoning,
        ZOT_CHILD_SESSION="1",
        ZOT_SESSION_ID=session.meta.session_id if session else "",
        ZOT_SESSION_FILE=session.path if session else "",
    )
