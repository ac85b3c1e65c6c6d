"""`AcpPermission`: asks the user of the editor before a tool runs."""

from collections.abc import Awaitable, Callable

from zot_agent.acp.calls import Json, plain
from zot_agent.acp.feed import UpdateFeed
from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.errors import ToolError, error_line
from zot_core.hooks import ToolRequest
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.paths import resolve
from zot_provider.errors import ZotError

MAX_OLD_CONTENT = 1_000_000
"""The largest file, in bytes, whose old content is shown beside the new content."""

_ONCE: Json = {"optionId": "once", "name": "Allow this call", "kind": "allow_once"}
_OUTSIDE: Json = {**_ONCE, "name": "Run it again outside the sandbox, which stopped it"}
_REJECT: Json = {"optionId": "reject", "name": "Reject", "kind": "reject_once"}


class AcpPermission:
    """An `AskPermission` of `zot_core.confirm`. It shows why it asks, and the rules that "always" adds.

    `context` returns what tools may use now. `ask` takes a call and choices and returns the id of the chosen one, or an
    empty string.
    """

    def __init__(
        self, feed: UpdateFeed, context: Callable[[], ToolContext], ask: Callable[[Json, list[Json]], Awaitable[str]]
    ) -> None:
        self._feed, self._context, self._ask = feed, context, ask

    async def __call__(self, question: PermissionQuestion) -> PermissionAnswer:
        call = question.call
        if call.agent_id:  # the client does not know the call, and ids of models may be the same in two conversations
            call = call.replace(id=f"agent-{call.agent_id}:{call.id}")
        await self.remember_old_content(call)
        fields = self._feed.description(call.name, call.arguments_json())
        if call.agent_id:
            fields["title"] = f"agent {call.agent_id}: {fields['title']}"
        block = self._feed.written_by(call.id, call.arguments)
        change = self._feed.overwriting(call.id, block) if block is not None else []
        if change:
            fields["content"] = change
        rules = ", ".join(map(plain, question.always))
        always = [{"optionId": "always", "name": f"Always allow {rules}", "kind": "allow_always"}] if rules else []
        try:
            once = _OUTSIDE if question.outside else _ONCE
            answer = await self._ask({"toolCallId": call.id, "status": "pending", **fields}, [once, *always, _REJECT])
            if call.agent_id:
                self._feed.answered(call.id, allowed=answer in ("once", "always"))
        except ZotError as error:
            return PermissionAnswer("no", f"the user could not be asked: {error_line(error)}", unanswered=True)
        return PermissionAnswer("always" if answer == "always" else "yes" if answer == "once" else "no")

    async def remember_old_content(self, call: ToolRequest) -> None:
        """Remember the content of a file that the call overwrites, to show the change."""
        block = self._feed.written_by(call.id, call.arguments)
        if block is None:
            return
        try:
            context = self._context()
            path = await resolve(block.path, context)
            data = await context.files.read(path, MAX_OLD_CONTENT + 1)
            if len(data) <= MAX_OLD_CONTENT:
                self._feed.remember(call.id, data.decode())
        except FileNotFoundError:
            self._feed.remember(call.id, None)
        except (OSError, ToolError, UnicodeDecodeError):
            return  # the tool reports the problem; such a file has no diff
