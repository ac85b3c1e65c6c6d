"""`RefusedImages`: words in the place of images that a provider has refused.

A refused image would make every later request of the conversation fail: the model has no vision, or the image is too
large or damaged.
"""

from zot_core.agent.sent import SentHistory, parts
from zot_core.agent.state import AgentState
from zot_core.errors import error_line
from zot_core.events import Notice
from zot_core.hooks import ModelCallFailure
from zot_provider.messages import ImageBlock, TextBlock
from zot_provider.model import Model
from zot_provider.request import Request

REFUSED = "(image omitted: the model's server refused it)"
"""The text that the model reads in place of the image."""


class RefusedImages:
    """The images of one agent that its model's server has refused. The history keeps them, for another model."""

    def __init__(self, agent: AgentState, sent: SentHistory) -> None:
        self._agent, self._sent = agent, sent
        self._model: Model | None = None
        self._images: list[ImageBlock] = []

    def attach(self) -> None:
        """Repeat a call whose images were refused, once and without them, and send no such image again."""
        self._agent.hooks.call_failed.add(self._on_call_failed)
        self._agent.hooks.request.add(self._on_request)

    def _on_call_failed(self, failure: ModelCallFailure) -> ModelCallFailure | None:
        agent = self._agent
        if failure.retry or not failure.error.images_refused or not agent.model.images:
            return None
        blocks = (block for message in agent.history.messages for block in parts(message.content))
        refused = [block for block in blocks if isinstance(block, ImageBlock) and self._sent.current(block) is block]
        if not refused:
            return None
        self._model, self._images = agent.model, self._images + refused
        for image in refused:
            self._sent.replace(image, TextBlock(REFUSED))
        what, it = ("an image was", "it") if len(refused) == 1 else (f"{len(refused)} images were", "them")
        why = error_line(failure.error)
        agent.emit(Notice("warn", f"{what} refused; the model reads words in place of {it}: {why}"))
        return failure.replace(retry=True)

    def _on_request(self, request: Request) -> None:
        before, model = self._model, request.model
        if before is not None and (model.id, model.provider) != (before.id, before.provider):
            self._sent.restore(self._images)
            self._model, self._images = None, []
