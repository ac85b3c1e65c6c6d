"""`PromptAsSent`: the system prompt stays what it was in the first request of a session.

Providers cache a request by its prefix, which begins with the tools and the system prompt. So the date, the
instructions of files and the facts about the directory are stored in the session as they were first sent. What differs
later, in another process or on another day, becomes a message at its place in the conversation.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

from zot_core.clock import timestamp
from zot_core.hooks import Hooks
from zot_provider.messages import Message, TextBlock

SHORT = 800
"""Characters of a part that a message has whole; of a longer one it has the changes, if they are shorter."""


class PromptParts(Protocol):
    """The session: `sent` has the texts in the system prompt by their names, None before the first request; `known`
    the texts that the model knows by now. Only `tell` changes them, but for a compaction."""

    sent: dict[str, str] | None
    known: dict[str, str]

    def tell(self, parts: Mapping[str, str]) -> None: ...


class PromptPlace(Protocol):
    """The members of a `Workspace` in use here."""

    def system(self, sent: Mapping[str, str] | None = None) -> str: ...

    def machine_parts(self) -> dict[str, str]: ...


class PromptedAgent(Protocol):
    """The members of an agent in use here."""

    hooks: Hooks
    system: str

    def refresh(self) -> None: ...


class PromptAsSent:
    """Keeps the system prompt of one agent as it was first sent."""

    def __init__(
        self, agent: PromptedAgent, session: Callable[[], PromptParts], workspace: Callable[[], PromptPlace]
    ) -> None:
        self._agent, self._session, self._workspace = agent, session, workspace
        self._made = agent.system
        self._telling: Message | None = None

    def attach(self) -> None:
        """Begin. The session must have been connected with the agent before."""
        self._agent.hooks.extra_messages.add(self._on_step)
        self._agent.hooks.message.add(self._on_message)
        self.restore()

    def restore(self) -> None:
        """Use the parts as sent in the session, which may have changed. A prompt that somebody has set stays."""
        agent, workspace = self._agent, self._workspace()
        if agent.system == self._made or agent.system == workspace.system():
            self._made = workspace.system(self._session().sent)
            if agent.system != self._made:
                agent.system = self._made
                agent.refresh()

    def _on_step(self, _: int) -> list[Message]:
        self.restore()
        session, parts = self._session(), self._workspace().machine_parts()
        if session.sent is None:
            session.tell(parts)
            return []
        changed = {name: text for name, text in parts.items() if session.known.get(name, "") != text}
        if not changed:
            return []
        words = [_news(name, session.known.get(name, ""), text) for name, text in changed.items()]
        text = "\n\n".join(["This has changed since the conversation began:", *words])
        line = f"the model reads what has changed: {', '.join(changed)}"
        self._telling = Message("user", [TextBlock(text)], timestamp(), hidden=line)
        return [self._telling]

    def _on_message(self, message: Message) -> None:
        """Take note of what the model knows once the message is stored: a process may end before."""
        if message is self._telling:
            self._telling = None
            self._session().tell(self._workspace().machine_parts())


def _news(name: str, old: str, new: str) -> str:
    """Say what a part is now: the whole text, or the lines that differ."""
    if not new.strip():
        return f"There are no {name} any more."
    if not old or len(new) <= SHORT:
        return new.strip()
    from difflib import unified_diff  # noqa: PLC0415  long instructions seldom change

    lines = list(unified_diff(old.splitlines(), new.splitlines(), n=2, lineterm=""))[2:]
    changes = "\n".join(lines)
    return f"In the {name}, as a diff:\n\n{changes}" if len(changes) < len(new) else new.strip()
