"""`context_split`: what fills the context window of a conversation."""

import json

from zot_core.compaction.size import estimate
from zot_core.compaction.tokens import text_tokens
from zot_core.runtime.runtime import Runtime
from zot_core.skills import skills_section
from zot_provider.messages import Message
from zot_provider.record import Record
from zot_provider.usage import Usage


class ContextPart(Record):
    """A part of a request: its `tokens` are an estimate. `kind` is system, skills, tools or message; `message` is the
    message as it is sent. `changed`: something in it is left out or shortened."""

    kind: str
    tokens: int
    message: Message | None = None
    changed: bool = False


class ContextSplit(Record):
    """The parts of the next request in order. `window` is the context window in tokens, 0 if unknown, and `guessed` if
    nobody has named it; `usage` is that of the session so far, whose `cache_read` are the tokens that providers read
    from their cache."""

    parts: list[ContextPart]
    window: int
    usage: Usage
    guessed: bool = False

    @property
    def tokens(self) -> int:
        """The sum of all parts."""
        return sum(part.tokens for part in self.parts)


def context_split(runtime: Runtime) -> ContextSplit:
    """Return the parts of the next request. Reads all messages of a long session: call it in a thread."""
    agent = runtime.agent
    system = agent.full_system if agent.system_prompt is None else agent.system_prompt
    skills = skills_section(runtime.skills)
    skills = skills if skills in system else ""  # an extension may have replaced the prompt
    tools = json.dumps([(tool.name, tool.description, tool.schema) for tool in agent.tools.next])
    texts = {"system": system.replace(skills, "") if skills else system, "skills": skills, "tools": tools}
    parts = [ContextPart(kind, int(text_tokens(text))) for kind, text in texts.items() if text]
    messages = agent.history.messages
    for own, message in zip(messages, runtime.sent.view(messages), strict=True):
        parts.append(ContextPart("message", estimate([message]), message, changed=message is not own))
    window = runtime.compactor.window.current
    return ContextSplit(parts, window.tokens, agent.usage, window.guessed)
