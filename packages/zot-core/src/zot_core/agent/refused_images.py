"""`RefusedImages`: words in the place of images that a provider has refused.

A refused image would make every later request of the conversation fail: the model has no vision, or the image is too
large or damaged. Servers say so in any words, and proxies in none. So a request that is refused is sent once without
the images that were new in it.
"""

from zot_core.agent.sent import SentHistory, parts
from zot_core.agent.state import AgentState
from zot_core.errors import error_line
from zot_core.events import Notice
from zot_core.hooks import ModelCallFailure
from zot_provider.errors import ProviderError, StatusError
from zot_provider.messages import ImageBlock, TextBlock
from zot_provider.model import Model
from zot_provider.request import Request

REFUSED = "(image omitted: the model's server refused it)"
"""The text that the model reads in place of the image."""

_REFUSALS = (400, 413, 415, 422)
"""Statuses of a request whose content is at fault."""


class RefusedImages:
    """The images of one agent that its model's server has refused. The history keeps them, for another model."""

    def __init__(self, agent: AgentState, sent: SentHistory) -> None:
        self._agent, self._sent = agent, sent
        self._model: Model | None = None
        self._images: list[ImageBlock] = []
        self._trial: list[ImageBlock] = []  # left out of the request that is being sent, perhaps without need
        self._taken: dict[int, ImageBlock] = {}  # by `id`: the server has answered a request with it
        self._asked: list[ImageBlock] = []  # in the last request
        self._count = 0  # messages of the history when it was made
        self._repeats = False  # whether the next request repeats the last one

    def attach(self) -> None:
        """Repeat a call whose images were refused, once and without them, and send no such image again."""
        self._agent.hooks.call_failed.add(self._on_call_failed)
        self._agent.hooks.request.add(self._on_request)

    def _on_call_failed(self, failure: ModelCallFailure) -> ModelCallFailure | None:
        agent, error = self._agent, failure.error
        if failure.retry or self._repeats or not agent.model.images:
            return None
        sent = self._sent_images()
        new = [block for block in sent if id(block) not in self._taken]
        refused = (new or sent) if error.images_refused else new if _blames_content(error) else []
        if not refused:
            return None
        self._model, self._images = agent.model, self._images + refused
        self._trial = [] if error.images_refused else refused
        for image in refused:
            self._sent.replace(image, TextBlock(REFUSED))
        what, it = ("an image was", "it") if len(refused) == 1 else (f"{len(refused)} images were", "them")
        why = error_line(error)
        if self._trial:
            what = f"a request was refused in which {what} new, and is sent once without {it}"
        else:
            what += " refused"
        self._repeats = True
        agent.emit(Notice("warn", f"{what}; the model reads words in place of {it}: {why}"))
        return failure.replace(retry=True)

    def _sent_images(self) -> list[ImageBlock]:
        blocks = (block for message in self._agent.history.messages for block in parts(message.content))
        return [block for block in blocks if isinstance(block, ImageBlock) and self._sent.current(block) is block]

    def _on_request(self, request: Request) -> None:
        before, model = self._model, request.model
        if before is not None and (model.id, model.provider) != (before.id, before.provider):
            self._sent.restore(self._images)
            self._model, self._images, self._trial, self._taken = None, [], [], {}
        elif not self._repeats:
            self._settle()
        self._repeats = False
        self._asked, self._count = self._sent_images(), len(self._agent.history.messages)

    def _settle(self) -> None:
        """Learn from the last request whether the images that were sent, or left out, were at fault."""
        if any(message.role == "assistant" for message in self._agent.history.messages[self._count :]):
            self._taken |= {id(image): image for image in self._asked}
        elif self._trial:  # it was refused without them too
            tried = {id(image) for image in self._trial}
            self._sent.restore(self._trial)
            self._images = [image for image in self._images if id(image) not in tried]
        self._trial = []


def _blames_content(error: ProviderError) -> bool:
    """Whether a server has refused what is in a request, and not who sends it or how often."""
    return isinstance(error, StatusError) and error.status in _REFUSALS and not (error.auth or error.spent)
