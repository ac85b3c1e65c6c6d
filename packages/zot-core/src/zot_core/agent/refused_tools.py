"""`RefusedTools`: requests without the tools that a provider has refused.

A refused tool would make every later request of the conversation fail: its schema or its name is not what the provider
takes.
"""

import re
from collections.abc import Sequence

from zot_core.agent.state import AgentState
from zot_core.errors import error_line
from zot_core.events import Notice
from zot_core.hooks import ModelCallFailure
from zot_provider.errors import StatusError
from zot_provider.model import Model
from zot_provider.request import Request

STATUSES = (400, 422)
"""The errors of providers to a tool that they do not take."""
_PLACES = (
    # Gemini: tools[0].function_declarations[3]. Anthropic: tools.3.custom; Bedrock: tools.3; OpenAI: tools[3].function.
    r"(?i:function_?declarations\[(\d{1,4})\])",
    r"\btools(?:\.|\[)(\d{1,4})\b",
)
_ABOUT = r"(?i:schema|parameters|\btools?\b|function)"


def refused_tool(message: str, names: Sequence[str]) -> str:
    """Return the one of the tools of a request, in their order, that a provider's message is about; empty if it is
    about none of them."""
    for place in _PLACES:
        if found := re.search(place, message):
            return names[int(found[1])] if int(found[1]) < len(names) else ""
    if not re.search(_ABOUT, message):
        return ""
    quoted = [name for name in names if re.search(rf"['\"`]{re.escape(name)}['\"`]", message)]
    return quoted[0] if len(quoted) == 1 else ""


class RefusedTools:
    """The tools of one agent that its model's server has refused. Another model is offered them again."""

    def __init__(self, agent: AgentState) -> None:
        self._agent = agent
        self._model: Model | None = None
        self._refused: set[str] = set()
        self._offered: list[str] = []

    def attach(self) -> None:
        """Repeat a call of which a tool was refused without that tool, and do not offer it again."""
        self._agent.hooks.call_failed.add(self._on_call_failed)
        self._agent.hooks.request.add(self._on_request)

    def _on_call_failed(self, failure: ModelCallFailure) -> ModelCallFailure | None:
        error = failure.error
        if failure.retry or not isinstance(error, StatusError) or error.status not in STATUSES:
            return None
        name = refused_tool(error.message, self._offered)
        if not name:
            return None
        self._refused.add(name)
        text = f"the tool {name} was refused; the model continues without it: {error_line(error)}"
        self._agent.emit(Notice("warn", text))
        return failure.replace(retry=True)

    def _on_request(self, request: Request) -> Request | None:
        before, model = self._model, request.model
        if before is not None and (model.id, model.provider) != (before.id, before.provider):
            self._refused.clear()
        self._model = model
        kept = [tool for tool in request.tools if tool.name not in self._refused]
        self._offered = [tool.name for tool in kept]
        return request.replace(tools=kept) if len(kept) < len(request.tools) else None
