"""`ExtensionTool`: a tool of the agent that an extension runs; `AgentTools`: the tools that the agent has."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from zot_agent.extensions import frames
from zot_agent.extensions.connection import Connection, ExtensionEnded, TimedOut
from zot_agent.extensions.registry import ToolOffer
from zot_core.agent import Agent
from zot_core.display import DisplayBlock, ImageDisplay, MarkdownDisplay, TextDisplay
from zot_core.errors import Refused, ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.tool import JsonSchema, Tool
from zot_ext.limits import ExtensionLimits
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.raw import RawObject, dump
from zot_ext.protocol.values import Block
from zot_ext.protocol.values import ImageBlock as ImageValue
from zot_ext.protocol.values import TextBlock as TextValue
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock, TextBlock

if TYPE_CHECKING:
    from zot_core.tools.tool_search import ToolSearch

TOOL_SEARCH = "tool_search"
"""The name of the tool that finds deferred ones."""

NO_CONTENT = "(extension returned no content)"

_ids = itertools.count(1)


class ExtensionTool(Tool):
    """Sends each call to the extension, with the arguments as the model wrote them; the extension checks them.

    `original` is the tool of zot whose place it takes, None without one.
    """

    def __init__(
        self, connection: Connection, offer: ToolOffer, limits: ExtensionLimits, original: Tool | None = None
    ) -> None:
        self.name, self.description, self._offer = offer.name, offer.description, offer
        self.extension, self.original, self.deferred = connection.name, original, offer.deferred
        self.sampling = offer.sampling
        self.parallel, self.read_only, self.prompt_line = offer.parallel, offer.read_only, offer.prompt_line
        self.repeatable = offer.read_only
        self.namespace = offer.namespace or connection.name
        self._connection, self._limits = connection, limits

    @property
    def schema(self) -> JsonSchema:
        return self._offer.schema

    async def meant(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Return the arguments as the extension prepares them: unchanged, unless it wants to be asked. Raises
        `Refused` if it blocks the call."""
        if not self._offer.prepare or "tools2" not in self._connection.granted:
            return arguments, []
        answer: frames.EventInterceptResponse | None = None
        with suppress(TimedOut, ExtensionEnded, FrameError):
            args = RawObject.from_value(arguments)
            question = frames.EventIntercept(
                f"prepare-{next(_ids)}", frames.TOOL_PREPARE, tool_name=self.name, tool_args=args
            )
            answer = await self._connection.request(
                question, frames.EventInterceptResponse, self._limits.prepare_seconds
            )
        if answer is not None and answer.block:
            raise Refused(answer.reason or f"{self.name} of extension {self.extension} refused these arguments")
        if answer is None or answer.modified_args is None:
            return arguments, []
        return dict(answer.modified_args.value), []

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Return the extension's answer. Raises `ToolError` if it gives none."""
        from zot_agent.extensions.tool_calls.running_call import RunningCall  # noqa: PLC0415  not before the first request

        connection, id = self._connection, f"call-{next(_ids)}"
        seconds = self._offer.seconds or self._limits.tool_seconds
        running = connection.pending.tool_calls[id] = RunningCall(self.name, context, self._limits)
        try:
            call_id = context.call_id if "tools2" in connection.granted else ""
            call = frames.ToolCall(id, self.name, RawObject(context.arguments), call_id)
            answer = await connection.request(call, frames.ToolResult, seconds)
        except (TimedOut, asyncio.CancelledError) as error:
            if "tool_cancel" in connection.granted:
                connection.send(frames.ToolCancel(id))
            if isinstance(error, asyncio.CancelledError):
                raise
            raise ToolError(f"{self.name} of extension {self.extension} gave no result within {seconds:g} s") from None
        except ExtensionEnded as error:
            raise ToolError(f"{self.name} cannot run: {error}") from None
        except FrameError as error:
            raise ToolError(f"{self.name} of extension {self.extension}: {error}") from None
        finally:
            del connection.pending.tool_calls[id]
            running.progress.close()
        return self._result(answer)

    def _result(self, answer: frames.ToolResult) -> ToolResult:
        content = read_content(answer.content)
        structured, largest = answer.structured_content, self._limits.details_bytes
        if not answer.content and structured is not None:
            content = [TextBlock(structured.text)]
        details: dict[str, Any] = {} if answer.details is None else {**answer.details.value}
        if len(dump(details).encode("utf-8", "replace")) > largest:
            self._connection.log(f"details of {self.name} are dropped: they have more than {largest} bytes")
            details = {}
        if answer.activate_tools:
            details["activate_tools"] = [*answer.activate_tools]
        if structured is not None:
            details["structured_content"] = structured.value
        kept = bool(details) and len(dump(details).encode("utf-8", "replace")) <= 2 * largest
        details["extension"] = self.extension
        return ToolResult(
            content, answer.is_error, details, display=_display(answer.content), kept=kept, terminate=answer.terminate
        )


def read_content(blocks: Iterable[Block]) -> list[TextBlock | ImageBlock]:
    """Convert the content of an answer for the model. Blocks of unknown types become their JSON, an image in a format
    that models do not accept becomes words: the rest of the answer stays what it is.
    """
    content: list[TextBlock | ImageBlock] = []
    for block in blocks:
        if isinstance(block, TextValue):
            if block.text:
                content.append(TextBlock(block.text))
        elif isinstance(block, ImageValue):
            content.append(_image(block))
        else:
            content.append(TextBlock(dump(dict(block.raw))))
    return content or [TextBlock(NO_CONTENT)]


def _display(blocks: Iterable[Block]) -> list[DisplayBlock]:
    """Return what the person sees of an answer with Markdown; empty for one without, whose content is shown."""
    texts = [block for block in blocks if isinstance(block, TextValue) and block.text]
    if not any(block.format == "markdown" for block in texts):
        return []
    shown: list[DisplayBlock] = []
    for block in read_content(blocks):
        if isinstance(block, ImageBlock):
            shown.append(ImageDisplay(block.mime_type, block.data))
        else:
            formatted = any(each.text == block.text and each.format == "markdown" for each in texts)
            shown.append(MarkdownDisplay(block.text) if formatted else TextDisplay(block.text))
    return shown


def _image(block: ImageValue) -> TextBlock | ImageBlock:
    from zot_core.images import image_from_base64  # noqa: PLC0415  few tools return images

    try:
        return image_from_base64(block.data, f"an image of type {block.mime_type}")
    except ConfigError as error:
        return TextBlock(f"({error})")


class AgentTools:
    """The tools of an agent, and what extensions offer."""

    def __init__(self, reserved: Iterable[str] = (), agent: Agent | None = None) -> None:
        self.agent = agent
        self.reserved = {*reserved, TOOL_SEARCH}
        """Names that extensions cannot have, unless they override them."""
        self.outdated = False
        """Whether `update` must be called."""
        self._search: ToolSearch | None = None
        self._replaced: dict[str, Tool] = {}
        """The agent's own tools that have given way to one of an extension."""
        self._off: dict[str, set[str]] = {}
        """The names that extensions have taken from the model, by extension."""
        self._named: dict[str, set[str]] = {}
        """The names that extensions have chosen for it, by extension."""

    def attach(self, agent: Agent) -> None:
        """Add the tools to the ones of `agent`."""
        self.agent = agent
        self.reserved.update(name for name, tool in agent.tools.items() if not tool.replaceable)
        self.outdated = True

    def update(self, offers: Mapping[str, tuple[Connection, ToolOffer]], limits: ExtensionLimits) -> None:
        """Give the agent the tools that extensions offer now. Call it between two model calls."""
        agent, self.outdated = self.agent, False
        if agent is None:
            return
        system = agent.full_system
        now = agent.tools.items()
        own = self._replaced | {name: tool for name, tool in now if not isinstance(tool, ExtensionTool)}
        given_way = {name for name in offers.keys() & own.keys() if offers[name][1].override or own[name].replaceable}
        self._replaced = {name: tool for name, tool in own.items() if name in given_way}
        own.pop(TOOL_SEARCH, None)
        if any(offer.deferred for _, offer in offers.values()):
            self._search = self._search or _tool_search(agent)
            own[TOOL_SEARCH] = self._search
        else:
            self._search = None
        of_extensions = {
            name: ExtensionTool(connection, offer, limits, self._replaced.get(name))
            for name, (connection, offer) in offers.items()
        }
        agent.tools.become(of_extensions | {name: tool for name, tool in own.items() if name not in self._replaced})
        agent.tools.inactive, agent.tools.named_for_now = self._inactive(), self._chosen()
        if self._search is not None:
            self._search.update()
        if agent.full_system != system:
            agent.refresh()  # a tool has brought a line for the system prompt, or taken it away

    def find(self, name: str, *, builtin: bool = False) -> Tool | None:
        """Return a tool that the model may call; with `builtin` zot's own tool, also if another has its place."""
        tool = None if self.agent is None else self.agent.tools.active.get(name)
        if not builtin:
            return tool
        tool = tool if tool is None else tool.original or tool
        return None if isinstance(tool, ExtensionTool) else tool

    def active(self) -> list[str]:
        """Name the tools that the model has, as of its next request."""
        if self.agent is None:
            return []
        left_out = self._inactive() | (self.agent.tools.on_demand - self._chosen())
        return [name for name in sorted(self.agent.tools) if name not in left_out]

    def choose(self, extension: str, names: Iterable[str]) -> None:
        """Leave only these tools to the model, from its next request on, in place of what the extension chose
        before. Tools on demand that are not named stay as they are while no other tool is left out, so that `active`
        can be set back."""
        chosen = {*names}
        self._named.pop(extension, None)
        known = set[str]() if self.agent is None else {*self.agent.tools}
        hidden = set[str]() if self.agent is None else self.agent.tools.on_demand - self._chosen()
        self._off[extension] = known - chosen if known - hidden - chosen else set()
        self._named[extension], self.outdated = chosen, True

    def ended(self, extension: str) -> None:
        """Give back what an extension has taken from the model, and take what it has chosen."""
        self._named.pop(extension, None)
        self.outdated = self._off.pop(extension, None) is not None or self.outdated

    def _inactive(self) -> set[str]:
        return set[str]().union(*self._off.values())

    def _chosen(self) -> set[str]:
        return set[str]().union(*self._named.values())


def _tool_search(agent: Agent) -> ToolSearch:
    from zot_core.tools.tool_search import ToolSearch  # noqa: PLC0415  few extensions have deferred tools

    return ToolSearch(agent)
