"""`ToolSearch`: the tool with which a model finds deferred tools, which are not in its requests until then.

What has been found follows from the conversation, so that it is right after going back, resuming and compacting: the
details of results name it (`activate_tools`), a call of a deferred tool counts too, and a summary keeps the names.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Protocol

from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import JsonSchema, Tool
from zot_core.tools.definition.tool_set import ToolSet
from zot_provider.messages import Message, TextBlock, ToolCallBlock, ToolResultBlock

NAME = "tool_search"
ACTIVATED = "activate_tools"
"""The member of a result's details with the names of tools that the model gets with its next request."""

USUAL, MOST = 5, 20
"""Tools that a search finds, by default and at most."""
RECENT = 1000
"""Messages of a resumed session in which found tools are looked for: reading all of a long session takes seconds."""
_SOURCES = 1000
"""Characters of the names of sources in the description."""
_LINE = 200
"""Characters of a tool's description in a result."""
_IN_NAME = 4.0
"""How much a word in the name of a tool counts."""
_WORD = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+"


class _History(Protocol):
    @property
    def messages(self) -> list[Message]: ...


class SearchedAgent(Protocol):
    """The members of an agent that a search uses: see `AgentState`."""

    @property
    def history(self) -> _History: ...

    @property
    def tools(self) -> ToolSet: ...


class ToolSearch(Tool):
    """A tool of an agent, and what it has found."""

    name = NAME
    parallel = repeatable = changes_nothing = True

    def __init__(self, agent: SearchedAgent) -> None:
        self.description = ""
        self._agent = agent
        self._found: set[str] = set()
        self._count = 0
        """How many messages have been read."""
        self._last: Message | None = None

    def update(self) -> None:
        """Describe the groups of the deferred tools, which are few; call it when the agent has other tools."""
        groups = Counter(tool.namespace or "others" for tool in self._deferred().values())
        names = ", ".join(f"{name} ({count})" for name, count in sorted(groups.items()))
        names = names if len(names) <= _SOURCES else f"{names[:_SOURCES].rpartition(', ')[0]} and others"
        self.description = (
            f"Find more tools by what they do: there are {groups.total()} that you cannot see yet, of {names}. "
            "Search before you say that you cannot do something. You can call what is found from your next answer on."
        )

    @property
    def schema(self) -> JsonSchema:
        properties = {
            "query": {"type": "string", "description": "Words for what the tool does, or exact names of tools"},
            "limit": {"type": "integer", "description": f"How many to find, {USUAL} by default, {MOST} at most"},
        }
        return {"type": "object", "properties": properties, "required": ["query"]}

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        query, limit = arguments.get("query"), arguments.get("limit") or USUAL
        if not isinstance(query, str) or not query.strip():
            raise ToolError("query is missing: words for what the tool does")
        if not isinstance(limit, int) or limit < 1:
            raise ToolError("limit must be a whole number from 1 on")
        tools = self._deferred()
        found = search(query, tools.values(), min(limit, MOST))
        if not found:
            return ToolResult.of(f"none of {len(tools)} tools matches {query[:_LINE]!r}; try other words")
        lines = [f"- {tool.name}: {_first_line(tool.description)}" for tool in found]
        text = "\n".join([f"{len(found)} of {len(tools)} tools, which you can call from your next answer on:", *lines])
        return ToolResult([TextBlock(text)], details={ACTIVATED: [tool.name for tool in found]}, kept=True)

    def found_tools(self) -> Sequence[str]:
        return sorted(self.found() & {*self._deferred()})

    def hidden(self) -> Collection[str]:
        """Return the names of the deferred tools that have not been found."""
        return {*self._deferred()} - self.found()

    def found(self) -> set[str]:
        """Return the names of all tools that have been found in the conversation, whether or not they are there now."""
        messages = self._agent.history.messages
        # The last message that was read is read again: results are added to it.
        if not self._count or self._count > len(messages) or not _same(messages[self._count - 1], self._last):
            self._found.clear()
            self._count = max(len(messages) - RECENT, 0) + 1
            self._read(messages[:1])
        self._read(messages[max(self._count - 1, 0) :])
        self._count, self._last = len(messages), messages[-1] if messages else None
        return self._found

    def _read(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self._found.update(message.found_tools)
            for block in message.content:
                if isinstance(block, ToolCallBlock):
                    self._found.add(block.name)
                elif isinstance(block, ToolResultBlock) and block.details is not None:
                    names = block.details.get(ACTIVATED)
                    self._found.update(map(str, names) if isinstance(names, list) else ())

    def _deferred(self) -> dict[str, Tool]:
        tools = self._agent.tools
        return {name: tool for name, tool in tools.items() if tool.deferred and name not in tools.inactive}


def _same(message: Message, last: Message | None) -> bool:
    """Whether a message was read last; results may have been added to it since."""
    return last is not None and (message is last or (bool(message.id) and message.id == last.id))


def search(query: str, tools: Iterable[Tool], limit: int) -> list[Tool]:
    """Return the tools that match a query best, the best first.

    A word counts most in the name of a tool, less in its group and the names of its parameters, and least in its
    description; and the more, the fewer tools have it.
    """
    known = [(tool, _weights(tool)) for tool in tools]
    exact = {each.casefold() for each in re.split(r"[\s,]+", query)}
    words = dict.fromkeys(words_of(query))
    having = {word: sum(bool(_weight(weights, word)) for _, weights in known) for word in words}
    rarity = {word: math.log(1 + len(known) / max(count, 1)) for word, count in having.items()}
    scored = []
    for tool, weights in known:
        score = sum(_weight(weights, word) * rarity[word] for word in words)
        score += 1000 * (tool.name.casefold() in exact)
        if score:
            scored.append((-score, tool.name, tool))
    return [tool for _, _, tool in sorted(scored, key=lambda each: each[:2])[:limit]]


def words_of(text: str) -> list[str]:
    """Split text into words, without case and plural: `createIssues` is `create`, `issue`."""
    found = [word.casefold() for word in re.findall(_WORD, text)]
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in found]


def _weights(tool: Tool) -> dict[str, float]:
    """Return the words of a tool with how much each counts."""
    parameters = " ".join(map(str, tool.schema.get("properties", {})))
    weights: dict[str, float] = {}
    texts = ((tool.description, 1.0), (parameters, 2.0), (tool.namespace, 2.0), (tool.name, _IN_NAME))
    for text, weight in texts:
        weights |= dict.fromkeys(words_of(text), weight)
    return weights


def _weight(weights: dict[str, float], word: str) -> float:
    """Return how much a word counts for a tool; the beginning of a word of the tool counts half. Words of one and two
    letters count in names only: in sentences they say nothing."""
    if len(word) < 3:
        return weights.get(word, 0.0) if weights.get(word) == _IN_NAME else 0.0
    if word in weights:
        return weights[word]
    return max((weight / 2 for each, weight in weights.items() if each.startswith(word)), default=0.0)


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0].strip()
    return line if len(line) <= _LINE else f"{line[: _LINE - 3]}..."
