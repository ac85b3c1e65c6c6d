"""`SentHistory`: what a model gets in place of blocks of the history that it cannot take. The history keeps them."""

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from zot_core.agent.state import AgentState
from zot_core.clock import timestamp
from zot_core.hooks import CutText
from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.record import Record
from zot_provider.request import Request


class CutTexts(Protocol):
    """A session: `cuts` are the texts that are cut in requests, to which `cut` adds one."""

    cuts: list[CutText]

    def cut(self, cut: CutText) -> None: ...


class _Replaced(Record):
    """A block, its replacement, and when it was replaced."""

    block: TextBlock | ImageBlock
    replacement: TextBlock
    time: str


class SentHistory:
    """Replaces blocks in the requests of one agent.

    Thinking that a model signed may be bound to the conversation before it, and is refused if that has changed. So the
    signed thinking of answers that are older than a change is left out behind the changed place, for models that decide
    themselves how long they think. A compaction is such a change, too.
    """

    def __init__(self, agent: AgentState, session: Callable[[], CutTexts | None] = lambda: None) -> None:
        """`session` keeps the texts that are cut."""
        self._agent, self._session = agent, session
        self._recalled: CutTexts | None = None
        self._replaced: dict[int, _Replaced] = {}  # by `id` of the block
        # By `id` of the message and whether thinking is left out: the message and its copy. Each request needs the same
        # copies, which are encoded once. Another thread may be adding some, so the dictionary is never cleared but
        # replaced.
        self._copies: dict[tuple[int, bool], tuple[Message, Message]] = {}

    def attach(self) -> None:
        """Change all requests from now on. Handlers of requests that replace blocks must have been added before."""
        self._agent.hooks.request.add(self._on_request)

    def replace(self, block: TextBlock | ImageBlock, replacement: TextBlock) -> None:
        """Send `replacement` from now on in place of `block`, a block of a message or of a tool result in it."""
        self._replaced[id(block)] = _Replaced(block, replacement, timestamp())
        self._copies = {}

    def cut(self, message: Message, block: TextBlock, text: str, file: str) -> None:
        """Send `text` from now on in place of `block`, in other processes too; `file` has all of it."""
        self.replace(block, TextBlock(text))
        session = self._session()
        if session is not None:
            part = next(number for number, each in enumerate(parts(message.content)) if each is block)
            session.cut(CutText(message.id, part, text, file, self._replaced[id(block)].time))

    def _recall(self) -> None:
        """Cut the texts that are cut in the session, if it is another one than before."""
        session = self._session()
        if session is None or session is self._recalled:
            return
        self._recalled = session
        if not session.cuts:
            return
        messages = {message.id: message for message in self._agent.history.messages}
        for cut in session.cuts:
            blocks = parts(messages[cut.entry].content) if cut.entry in messages else []
            block = blocks[cut.part] if cut.part < len(blocks) else None
            if block is not None:
                lost = cut.file and not os.path.exists(cut.file)
                text = cut.text.replace(f"; all of it: {cut.file}", "") if lost else cut.text
                self._replaced[id(block)] = _Replaced(block, TextBlock(text), cut.time)
        self._copies = {}

    def restore(self, blocks: Iterable[TextBlock | ImageBlock]) -> None:
        for block in blocks:
            self._replaced.pop(id(block), None)
        self._copies = {}

    def current(self, block: TextBlock | ImageBlock) -> TextBlock | ImageBlock:
        """Return what is sent in place of the block: itself if it is not replaced."""
        found = self._replaced.get(id(block))
        return block if found is None else found.replacement

    def view(self, messages: Sequence[Message]) -> Sequence[Message]:
        self._recall()
        changed = ""  # the time of the last change before or in a message
        if messages and messages[0].summarized_tokens is not None:
            changed = messages[0].time
        if not changed and not self._replaced:
            return messages
        sent, bound = [], binds_thinking(self._agent.model)
        for message in messages:
            times = [found.time for block in parts(message.content) if (found := self._replaced.get(id(block)))]
            own = max([changed, *times])
            stale = bound and message.role == "assistant" and message.time <= own and _is_signed(message)
            sent.append(self._copy(message, changed=bool(times), stale=stale))
            changed = own
        return sent

    def _on_request(self, request: Request) -> Request | None:
        messages = self.view(request.messages)
        return None if messages is request.messages else request.replace(messages=list(messages))

    def _copy(self, message: Message, *, changed: bool, stale: bool) -> Message:
        """Return the message as it is sent; itself if nothing in it is replaced or left out."""
        if not stale and not changed:
            return message
        key, copies = (id(message), stale), self._copies
        if key not in copies:
            content = [self._sent(block) for block in message.content if not (stale and _signature(block))]
            copies[key] = message, message.replace(content=content)
        return copies[key][1]

    def _sent(self, block: Block) -> Block:
        if isinstance(block, ToolResultBlock):
            return block.replace(content=[self.current(each) for each in block.content])
        return self.current(block) if isinstance(block, TextBlock | ImageBlock) else block


def binds_thinking(model: Model) -> bool:
    """Whether the thinking that a model signs is bound to the conversation before it."""
    from zot_provider.wire.reasoning import thinking  # noqa: PLC0415  few conversations have changed

    how = thinking(model)
    return how is not None and how.way == "adaptive"


def without_signed(message: Message) -> Message:
    """Return a message without the thinking that a model has signed; itself if it has none."""
    kept = [block for block in message.content if not _signature(block)]
    return message if len(kept) == len(message.content) else message.replace(content=kept)


def parts(blocks: Iterable[Block]) -> list[TextBlock | ImageBlock]:
    """Return the texts and images among blocks, and in the tool results among them."""
    found: list[TextBlock | ImageBlock] = []
    for block in blocks:
        if isinstance(block, TextBlock | ImageBlock):
            found.append(block)
        elif isinstance(block, ToolResultBlock):
            found += block.content
    return found


def _is_signed(message: Message) -> bool:
    return any(_signature(block) for block in message.content)


def _signature(block: Block) -> str:
    return block.signature if isinstance(block, ReasoningBlock) else ""
