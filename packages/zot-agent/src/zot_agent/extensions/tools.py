"""`ExtensionTool`: a tool of the agent that an extension runs."""

import itertools
from collections.abc import Iterable
from typing import Any

from zot_agent.extensions.connection import Connection, ExtensionEnded, TimedOut
from zot_agent.extensions.registry import ToolOffer
from zot_core.errors import ToolError
from zot_core.images import image_from_base64
from zot_core.result import ToolResult
from zot_core.tools.definition.context import ToolContext
from zot_ext.protocol.errors import FrameError
from zot_ext.protocol.from_extension import ToolResult as ResultFrame
from zot_ext.protocol.from_host import ToolCall
from zot_ext.protocol.raw import RawObject, dump
from zot_ext.protocol.values import Block
from zot_ext.protocol.values import ImageBlock as ImageValue
from zot_ext.protocol.values import TextBlock as TextValue
from zot_provider.errors import ConfigError
from zot_provider.messages import ImageBlock, TextBlock

NO_CONTENT = "(extension returned no content)"

_ids = itertools.count(1)


class ExtensionTool:
    """Sends each call to the extension, with the arguments as the model wrote them; the extension checks them."""

    parallel = False

    def __init__(self, connection: Connection, offer: ToolOffer, seconds: float) -> None:
        """`seconds`: how long an answer may take."""
        self.name, self.description, self.schema = offer.name, offer.description, offer.schema
        self._connection, self._seconds = connection, seconds

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        """Return the extension's answer. Raises `ToolError` if it gives none."""
        extension = self._connection.name
        try:
            call = ToolCall(f"call-{next(_ids)}", self.name, RawObject(context.arguments))
            answer = await self._connection.request(call, ResultFrame, self._seconds)
        except TimedOut:
            raise ToolError(f"{self.name} of extension {extension} gave no result within {self._seconds:g} s") from None
        except ExtensionEnded as error:
            raise ToolError(f"{self.name} cannot run: {error}") from None
        except FrameError as error:
            raise ToolError(f"{self.name} of extension {extension}: {error}") from None
        content, broken = read_content(answer.content)
        return ToolResult(content, answer.is_error or broken, {"extension": extension})


def read_content(blocks: Iterable[Block]) -> tuple[list[TextBlock | ImageBlock], bool]:
    """Convert the content of an answer for the model; also returns whether a part of it could not be used.

    Blocks of unknown types become their JSON. An image in a format that models do not accept is an error.
    """
    content: list[TextBlock | ImageBlock] = []
    broken = False
    for block in blocks:
        if isinstance(block, TextValue):
            if block.text:
                content.append(TextBlock(block.text))
        elif isinstance(block, ImageValue):
            image, problem = _image(block)
            content.append(image)
            broken = broken or problem
        else:
            content.append(TextBlock(dump(dict(block.raw))))
    return content or [TextBlock(NO_CONTENT)], broken


def _image(block: ImageValue) -> tuple[TextBlock | ImageBlock, bool]:
    try:
        return image_from_base64(block.data, f"an image of type {block.mime_type}"), False
    except ConfigError as error:
        return TextBlock(f"({error})"), True
