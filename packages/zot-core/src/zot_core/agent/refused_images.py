"""`RefusedImages`: words in the place of images that a provider has refused.

A refused image would make every later request of the conversation fail: the model has no vision, or the image is too
large or damaged. Servers say so in any words, and proxies in none. So a request that is refused is sent once without
the images that were new in it. The answer without them says in the session which were refused, so that another process
does not send them again.
"""

from collections.abc import Iterable, Sequence

from zot_core.agent.history import NewMessages
from zot_core.agent.sent_history import SentHistory, parts
from zot_core.agent.state import AgentState
from zot_core.errors import error_line
from zot_core.events import Notice
from zot_core.hooks import ModelCallFailure
from zot_provider.errors import ProviderError, StatusError
from zot_provider.messages import ImageBlock, Message, TextBlock
from zot_provider.model import Model
from zot_provider.request import Request

REFUSED = "(image omitted: the model's server refused it)"
"""The text that the model reads in place of the image."""

FIELD = "refused_images"
"""The member of `meta` of an answer: the SHA-256 (16 digits) of each image refused before it, and the model."""

_REFUSALS = (400, 413, 415, 422)
"""Statuses of a request whose content is at fault."""


class RefusedImages:
    """The images of one agent that its model's server has refused. The history keeps them, for another model."""

    def __init__(self, agent: AgentState, sent: SentHistory) -> None:
        self._agent, self._sent = agent, sent
        self._model: Model | None = None
        self._images: list[ImageBlock] = []
        self._trial: list[ImageBlock] = []  # left out of the request that is being sent, perhaps without need
        self._unsaid: list[ImageBlock] = []  # refused since the last answer
        self._taken: dict[int, ImageBlock] = {}  # by `id`: the server has answered a request with it
        self._asked: list[ImageBlock] = []  # in the last request
        self._count = 0  # messages of the history when it was made
        self._found: list[ImageBlock] = []  # the images in them
        self._new = NewMessages(agent.history)
        self._recalled = ""  # the model that the messages were read for
        self._repeats = False  # whether the next request repeats the last one

    def attach(self) -> None:
        """Repeat a call whose images were refused, once and without them, and send no such image again. The answer is
        marked before handlers of `message` that are added later see it."""
        self._agent.hooks.call_failed.add(self._on_call_failed)
        self._agent.hooks.request.add(self._on_request)
        self._agent.hooks.message.add(self._on_message)

    def _on_call_failed(self, failure: ModelCallFailure) -> ModelCallFailure | None:
        agent, error = self._agent, failure.error
        if failure.retry or self._repeats or not agent.model.images:
            return None
        sent = self._sent_images()
        new = [block for block in sent if id(block) not in self._taken]
        refused = (new or sent) if error.images_refused else []
        if not refused and _blames_content(error):
            refused = self._since_the_last_answer(new) or new
        if not refused:
            return None
        self._leave_out(refused)
        self._unsaid = self._unsaid + refused
        self._trial = [] if error.images_refused else refused
        what, it = ("an image was", "it") if len(refused) == 1 else (f"{len(refused)} images were", "them")
        why = error_line(error)
        if self._trial:
            what = f"a request was refused in which {what} new, and is sent once without {it}"
        else:
            what += " refused"
        self._repeats = True
        agent.emit(Notice("warn", f"{what}; the model reads words in place of {it}: {why}"))
        return failure.replace(retry=True)

    def _leave_out(self, images: list[ImageBlock]) -> None:
        self._model, self._images = self._agent.model, self._images + images
        for image in images:
            self._sent.replace(image, TextBlock(REFUSED))

    def _sent_images(self, messages: Sequence[Message] | None = None) -> list[ImageBlock]:
        messages = self._agent.history.messages if messages is None else messages
        blocks = (block for message in messages for block in parts(message.content))
        return self._current(block for block in blocks if isinstance(block, ImageBlock))

    def _current(self, images: Iterable[ImageBlock]) -> list[ImageBlock]:
        return [image for image in images if self._sent.current(image) is image]

    def _since_the_last_answer(self, images: list[ImageBlock]) -> list[ImageBlock]:
        messages = self._agent.history.messages
        last = max((index for index, message in enumerate(messages) if message.role == "assistant"), default=-1)
        answered = {id(image) for image in self._sent_images(messages[: last + 1])}
        return _without(images, answered)

    def _on_message(self, message: Message) -> None:
        if self._unsaid and message.role == "assistant":
            message.extra[FIELD] = f"{','.join(map(_digest, self._unsaid))} {_name(self._agent.model)}"
            self._unsaid = []

    def _on_request(self, request: Request) -> None:
        before, model = self._model, request.model
        if before is not None and (model.id, model.provider) != (before.id, before.provider):
            self._sent.restore(self._images)
            self._model, self._images, self._trial, self._taken, self._unsaid = None, [], [], {}, []
        elif not self._repeats:
            self._settle()
        self._repeats = False
        self._recall(_name(model))
        self._asked, self._count = self._current(self._found), len(self._agent.history)

    def _recall(self, model: str) -> None:
        """Leave out what this model has refused, as the answers in the history say."""
        before = len(self._images)
        if model != self._recalled:
            self._new, self._recalled, self._found = NewMessages(self._agent.history), model, []
        messages, again = self._new.read()
        if again:
            self._found = []
        for message in messages:
            refused, _, refuser = message.extra.get(FIELD, "").partition(" ")
            if refused and refuser == model:
                unknown = [image for image in self._current(self._found) if id(image) not in self._taken]
                self._leave_out([image for image in unknown if _digest(image) in refused.split(",")])
            self._found += [block for block in parts(message.content) if isinstance(block, ImageBlock)]
        if len(self._images) > before:
            self._agent.emit(Notice("info", f"{model} has refused images of this conversation: it reads words instead"))

    def _settle(self) -> None:
        """Learn from the last request whether the images that were sent, or left out, were at fault."""
        if any(message.role == "assistant" for message in self._agent.history.messages[self._count :]):
            self._taken |= {id(image): image for image in self._asked}
        elif self._trial:  # it was refused without them too
            tried = {id(image) for image in self._trial}
            self._sent.restore(self._trial)
            self._images = _without(self._images, tried)
            self._unsaid = _without(self._unsaid, tried)
        self._trial = []


def _blames_content(error: ProviderError) -> bool:
    """Whether a server has refused what is in a request, and not who sends it or how often."""
    return isinstance(error, StatusError) and error.status in _REFUSALS and not (error.auth or error.spent)


def _without(images: Iterable[ImageBlock], ids: set[int]) -> list[ImageBlock]:
    return [image for image in images if id(image) not in ids]


def _digest(image: ImageBlock) -> str:
    import hashlib  # noqa: PLC0415  few images are refused

    return hashlib.sha256(image.data.encode()).hexdigest()[:16]


def _name(model: Model) -> str:
    return f"{model.provider}/{model.id}"
