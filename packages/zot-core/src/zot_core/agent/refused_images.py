"""`RefusedImages`: words in the place of images that a provider has refused.

A refused image would make every later request of the conversation fail: the model has no vision, or the image is too
large or damaged.
"""

from collections.abc import Iterable

from zot_core.agent.state import AgentState
from zot_core.errors import error_line
from zot_core.events import Notice
from zot_core.hooks import ModelCallFailure
from zot_provider.messages import Block, ImageBlock, Message, TextBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request

REFUSED = "(image omitted: the model's server refused it)"
"""The text that the model reads in place of the image."""


class RefusedImages:
    """The images of one agent that its model's server has refused. The history keeps them, for another model."""

    def __init__(self, agent: AgentState) -> None:
        self._agent = agent
        self._model: Model | None = None
        self._images: dict[int, ImageBlock] = {}  # by `id`
        # By `id` of the message: the message and its copy. Each request needs the same copies, which are encoded once.
        self._copies: dict[int, tuple[Message, Message]] = {}

    def attach(self) -> None:
        """Repeat a call whose images were refused, once and without them, and send no such image again."""
        self._agent.hooks.call_failed.add(self._on_call_failed)
        self._agent.hooks.request.add(self._on_request)

    def _on_call_failed(self, failure: ModelCallFailure) -> ModelCallFailure | None:
        agent = self._agent
        if failure.retry or not failure.error.images_refused or not agent.model.images:
            return None
        self._forget_other_model()
        sent = [image for message in agent.history.messages for image in _images(message.content)]
        refused = {id(image): image for image in sent if id(image) not in self._images}
        if not refused:
            return None
        self._images |= refused
        self._copies.clear()
        what, it = ("an image was", "it") if len(refused) == 1 else (f"{len(refused)} images were", "them")
        why = error_line(failure.error)
        agent.emit(Notice("warn", f"{what} refused; the model reads words in place of {it}: {why}"))
        return failure.replace(retry=True)

    def _on_request(self, request: Request) -> Request | None:
        self._forget_other_model()
        if not self._images:
            return None
        return request.replace(messages=[self._copy(message) for message in request.messages])

    def _forget_other_model(self) -> None:
        model = self._agent.model
        if self._model is None or (model.id, model.provider) != (self._model.id, self._model.provider):
            self._model = model
            self._images.clear()
            self._copies.clear()

    def _copy(self, message: Message) -> Message:
        """Return the message without refused images: itself if it has none."""
        if not any(id(image) in self._images for image in _images(message.content)):
            return message
        if id(message) not in self._copies:
            copy = message.replace(content=[self._without(block) for block in message.content])
            self._copies[id(message)] = message, copy
        return self._copies[id(message)][1]

    def _without(self, block: Block) -> Block:
        if isinstance(block, ToolResultBlock):
            content = [TextBlock(REFUSED) if id(each) in self._images else each for each in block.content]
            return block.replace(content=content)
        return TextBlock(REFUSED) if id(block) in self._images else block


def _images(blocks: Iterable[Block]) -> list[ImageBlock]:
    """Return the images among blocks, and in the tool results among them."""
    found: list[ImageBlock] = []
    for block in blocks:
        if isinstance(block, ImageBlock):
            found.append(block)
        elif isinstance(block, ToolResultBlock):
            found += _images(block.content)
    return found
