"""`ExtensionHooks`: handlers of the agent's `Hooks` that notify and ask extensions."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from zot_agent.extensions.calls.intercept_options import USUAL, InterceptOptions
from zot_agent.extensions.hooks.questions import Asking, next_id
from zot_core.agent.sent_history import binds_thinking
from zot_core.errors import Refused
from zot_core.hooks import Refusal, SessionChange, ToolRequest, UserInput
from zot_provider.messages import Message, TextBlock
from zot_provider.request import Request

if TYPE_CHECKING:
    from zot_agent.extensions.hooks.context import ContextCopies
    from zot_agent.extensions.hooks.interceptor import Interceptor
    from zot_agent.extensions.hooks.intercepts import ProjectQuestion
    from zot_agent.extensions.hooks.outgoing import Outgoing
    from zot_agent.extensions.hooks.reports import Reports
    from zot_agent.extensions.hooks.subscribers import Subscribers
    from zot_agent.extensions.setup import AgentInfo
    from zot_core.agent import Agent
    from zot_core.conversation.driver import Conversation
    from zot_core.conversation.events import Changed, ConversationEvent
    from zot_core.events import AgentEvent

T = TypeVar("T")

_ON_THE_WIRE = ("before_provider_request", "before_provider_headers")
"""Events that are about what the client sends."""


class ExtensionHooks:
    def __init__(
        self,
        extensions: "Subscribers",
        agent_info: "Callable[[], AgentInfo]",
        conversation: "Conversation | None" = None,
    ) -> None:
        """The events of `conversation` are reported too."""
        self._extensions, self._agent_info, self._conversation = extensions, agent_info, conversation
        self._prompts: dict[Interceptor, tuple[str, str]] = {}
        self._same_session = False
        self._asking = Asking(extensions)
        self._agent: Agent | None = None
        self._messages: list[Message] = []  # of extensions, before the next answer
        self._copies: ContextCopies | None = None
        self._continued = 0  # how often the run was kept from its end
        self._made_reports: Reports | None = None
        if conversation is not None:
            conversation.events.add(self._on_conversation_event)
            conversation.permissions.asked.add(self.tell)
            conversation.permissions.decided.add(self.tell)

    def attach(self, agent: "Agent") -> None:
        self._agent, hooks = agent, agent.hooks
        hooks.event.add(self.notify_observers)
        hooks.message.add(self._on_message)
        hooks.entry.add(lambda entry: self.send("entry_appended", {"entry": entry.id, "kind": "custom"}))
        hooks.system_prompt.add(self.before_agent_start)
        hooks.before_model_call.add(self.turn_start)
        hooks.assistant_message.add(
            self.assistant_message, lambda: bool(self._extensions.interceptors("assistant_message"))
        )
        hooks.tool_call.add(self.tool_call)
        hooks.input.add(self.input)
        hooks.user_message.add(self._all("message_end"))
        hooks.answer.add(self._all("message_end"), lambda: bool(self._extensions.interceptors("message_end")))
        hooks.extra_messages.add(self.extra_messages)
        hooks.request.add(self.request)
        hooks.before_stop.add(self.before_stop)
        hooks.tool_result.add(self._all("tool_result"))
        hooks.user_command.add(self._all("user_bash"))
        hooks.spawn.add(self._all("bash_spawn"))
        hooks.compaction.add(self._all("session_before_compact"))
        hooks.tree_move.add(self._all("session_before_tree"))
        hooks.session_change.add(
            self.session_change, lambda: self._extensions.ask_about("session_before_switch", "session_before_fork")
        )

    def _all(self, event: str) -> Callable[[T], Awaitable[T]]:
        async def changed(value: T) -> T:
            found: T = await self._asking.all(event, value)
            return found

        return changed

    async def input(self, given: UserInput) -> UserInput:
        """Return a prompt as the interceptors change it."""
        asked = given.replace(front_end=self._conversation.front_end if self._conversation is not None else "")
        found: UserInput = await self._asking.all("input", asked)
        return given if found is asked else found

    async def project_trust(self, question: "ProjectQuestion") -> "ProjectQuestion":
        """Return the question as the interceptors answer it. Raises `Refused` if one says no."""
        answered: ProjectQuestion = await self._asking.all("project_trust", question)
        return answered

    async def session_change(self, change: SessionChange) -> None:
        """Ask whether the conversation may continue in another session. Raises `Refused`."""
        fork = change.kind == "fork"
        await self._asking.all("session_before_fork" if fork else "session_before_switch", change)

    async def request(self, request: Request) -> Request | None:
        """Return a request with the messages that the extensions want, and with a watcher if they want to see it."""
        changed = request
        if self._extensions.interceptors("context"):
            from zot_agent.extensions.hooks.context import ContextCopies, SentMessages  # noqa: PLC0415  few extensions ask

            self._copies = self._copies or ContextCopies()
            sent = SentMessages(request.messages, self._copies, binds_thinking(request.model))
            found: SentMessages = await self._asking.all("context", sent)
            if found is not sent:
                changed = request.replace(messages=found.messages)
        asked = [each for each in _ON_THE_WIRE if self._extensions.interceptors(each)]
        if asked or self._extensions.observers("after_provider_response"):
            from zot_agent.extensions.hooks.outgoing import Watcher  # noqa: PLC0415  as above

            changed = changed.replace(watcher=Watcher(request.model, self._outgoing, self.tell))
        return None if changed is request else changed

    async def _outgoing(self, outgoing: "Outgoing") -> "Outgoing":
        found: Outgoing = await self._asking.all("before_provider_request", outgoing)
        changed: Outgoing = await self._asking.all("before_provider_headers", found)
        return changed

    async def extra_messages(self, step: int) -> list[Message]:
        """Return what extensions say before the answer: they are asked about the system prompt for that."""
        agent = self._agent
        asked = any("intercepts2" in each.granted for each in self._extensions.interceptors("before_agent_start"))
        if asked and step == 1 and agent is not None and agent.system_prompt is None:
            agent.system_prompt = await agent.hooks.system_prompt.apply(agent.full_system)
        messages, self._messages = self._messages, []
        return messages

    async def before_stop(self, step: int) -> list[Message]:
        """Return what the model reads if the run is to continue, at most so often in one run."""
        if self._agent is None or self._continued >= self._extensions.limits.continuations:
            return []
        await self._extensions.ready()
        if not self._extensions.interceptors("before_stop"):
            return []
        from zot_agent.extensions.hooks.intercepts import Stop  # noqa: PLC0415  as above

        text = next((each.text for each in reversed(self._agent.history.messages) if each.role == "assistant"), "")
        try:
            await self._asking.all("before_stop", Stop(step, text, self._continued))
        except Refused as refused:
            self._continued += 1
            return [Message("user", [TextBlock(str(refused))])]
        return []

    async def before_exit(self, turns: int) -> None:
        """Return once extensions have sent what is to be answered too, after the only prompt of this process and
        `turns` more."""
        with suppress(Refused):  # it ends all the same
            await self._asking.all("before_exit", turns)

    @property
    def _reports(self) -> "Reports | None":
        """The reporter to the observers; None as long as there have been none."""
        if self._made_reports is None and self._extensions.observed:
            from zot_agent.extensions.hooks.reports import Reports  # noqa: PLC0415  not before a first request

            self._made_reports = Reports(self._extensions, self._conversation)
        return self._made_reports

    def subscribed(self) -> None:
        """Begin to follow the conversation, if there are observers."""
        _ = self._reports

    def notify_observers(self, event: "AgentEvent | Changed") -> None:
        if (reports := self._reports) is not None:
            reports.notify(event)

    def tell(self, value: object) -> None:
        if (reports := self._reports) is not None:
            reports.tell(value)

    def send(self, name: str, members: Mapping[str, Any]) -> None:
        if (reports := self._reports) is not None:
            reports.send(name, members)

    def _on_message(self, message: Message) -> None:
        if (reports := self._reports) is not None:
            reports.message(message)

    def _on_conversation_event(self, event: "ConversationEvent") -> None:
        if (reports := self._reports) is not None:
            reports.conversation_event(event)

    async def turn_start(self, step: int) -> Refusal | None:
        if step == 1:
            self._continued = 0
            self._asking.begin_run()
        try:
            await self._asking.all("turn_start", step)
        except Refused as refused:
            return Refusal(str(refused))
        return None

    def ask_again(self) -> bool:
        """Return whether an extension wants to be asked for the system prompt for each prompt. The next question about
        it goes to those alone."""
        interceptors = self._extensions.interceptors("before_agent_start")
        self._same_session = any(_options(each).each_prompt for each in interceptors)
        return self._same_session

    async def before_agent_start(self, prompt: str) -> str:
        """Return the system prompt, as the extensions change it."""
        interceptors = self._extensions.interceptors("before_agent_start")
        before, self._prompts = (self._prompts if self._same_session else {}), {}
        self._same_session = False
        if not interceptors:
            return prompt
        from zot_agent.extensions.hooks.intercepts import AgentStart  # noqa: PLC0415  as above

        agent = self._agent_info()
        about = {
            "session_id": agent.session_id,
            "agent_run_id": f"run-{next_id()}",
            "cwd": agent.cwd,
            "provider": agent.provider,
            "model": agent.model,
        }
        start = AgentStart(prompt, about, self._extensions.limits.system_prompt_bytes)
        more = about | {"prompt": self._prompt()}
        for each in interceptors:
            given, known = start.system_prompt, before.get(each)
            if known is not None and known[0] == given and not _options(each).each_prompt:
                start = start.replace(system_prompt=known[1])
            else:
                start = start.replace(about=more if "intercepts2" in each.granted else about, messages=[])
                start = await self._asking.one(each, "before_agent_start", start)
                for message in start.messages:
                    message.changed_by = each.name
                self._messages += start.messages
            self._prompts[each] = given, start.system_prompt
        return start.system_prompt

    def _prompt(self) -> str:
        messages = [] if self._agent is None else self._agent.history.messages
        return next((each.shown_text for each in reversed(messages) if each.is_prompt), "")

    async def assistant_message(self, text: str) -> str:
        """Return the text that the user sees in place of `text`. Raises `Refused` if an extension hides it."""
        changed: str = await self._asking.all("assistant_message", text)
        return changed

    async def tool_call(self, call: ToolRequest) -> ToolRequest:
        """Return the call with the arguments for the tool. Raises `Refused` if an extension blocks the call, or if the
        arguments cannot be sent to an interceptor."""
        changed: ToolRequest = await self._asking.all("tool_call", call)
        return changed


def _options(interceptor: "Interceptor") -> InterceptOptions:
    return interceptor.intercept_options.get("before_agent_start", USUAL)
