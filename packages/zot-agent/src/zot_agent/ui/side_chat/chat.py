"""`SideChat`: side questions (`/btw`), answered from a copy of the conversation.

They are not part of the conversation, its session or its usage, and the agent can work meanwhile.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from zot_core.agent import user_message
from zot_core.clock import timestamp
from zot_core.errors import Busy
from zot_core.runtime.runtime import Runtime
from zot_provider.client.http import Client, HttpClient
from zot_provider.errors import StreamCut
from zot_provider.events import AutoRetryStart, StreamEnd, StreamEvent, TextDelta, UsageReport
from zot_provider.json_text import without_surrogates
from zot_provider.messages import Block, Message, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request
from zot_provider.usage import Usage

INSTRUCTIONS = """\
This is a side conversation. The user asks something about or beside the work shown above. Answer briefly, from what you
know and from what the conversation shows. You have no tools here and cannot look up, run or change anything; say so if
the answer would need it. Lines in square brackets say which tools were used in the work: do not write such lines
yourself."""


class SideChat:
    """Questions and answers about a conversation as it was when the side chat was created.

    Model, client and reasoning level are copied from the runtime at that time. `messages` are the side chat's own;
    `usage` is its own usage, with the cost at the model's price.
    """

    def __init__(self, runtime: Runtime) -> None:
        """`runtime` may be busy; it is only read."""
        agent = runtime.agent
        self.messages: list[Message] = []
        self.usage = Usage()
        self.model: Model = agent.model
        self._client: Client = agent.client
        self._reasoning = agent.reasoning
        system = agent.system if agent.system_prompt is None else agent.system_prompt
        self._system = "\n\n".join(filter(None, [system, INSTRUCTIONS]))
        self._context = without_tool_calls(runtime.messages)
        self._asking = False

    async def ask(self, text: str) -> AsyncGenerator[str | AutoRetryStart, None]:
        """Yield the answer to `text` piece by piece. An event says why it begins again: the pieces before are void.

        To stop, close the generator (`aclosing`) or cancel the task; a partial answer is kept for the next question, a
        question without any answer is dropped. Raises `Busy` during another answer, and the client's errors.
        """
        if self._asking:
            raise Busy("the side chat is answering another question; wait for it, or cancel it")
        self._asking = True
        question, answered = user_message(text), ""
        try:
            await self._name_model()
            async with aclosing(self._answer([*self._context, *self.messages, question])) as deltas:
                async for piece in deltas:
                    answered = "" if isinstance(piece, AutoRetryStart) else answered + piece
                    yield piece
        finally:
            self._asking = False
            if answered.strip():
                answer = Message("assistant", [TextBlock(without_surrogates(answered))], timestamp())
                self.messages += [question, answer]

    async def _answer(self, messages: list[Message]) -> AsyncGenerator[str | AutoRetryStart, None]:
        request = Request(self.model, messages, system=self._system, reasoning=self._reasoning)
        ended = False
        stream = self._client.stream(request)
        try:
            async for batch in stream:
                ended = self._count(batch) or ended
                delta = "".join(event.delta for event in batch if isinstance(event, TextDelta))
                if delta:
                    yield delta
                for event in batch:
                    if isinstance(event, AutoRetryStart):
                        yield event
        finally:
            await stream.aclose()
        if not ended:
            raise StreamCut("the answer was cut off; ask again")

    def _count(self, batch: Sequence[StreamEvent]) -> bool:
        """Add up the usage in a batch. Return whether the answer ends with it."""
        for event in batch:
            if isinstance(event, UsageReport):
                self.usage += event.usage.priced(self.model.price)
        return any(isinstance(event, StreamEnd) for event in batch)

    async def _name_model(self) -> None:
        """Choose the server's first model, as the runtime does before its first prompt."""
        if not self.model.id and isinstance(self._client, HttpClient):
            self.model = self.model.replace(id=(await self._client.models())[0])


def without_tool_calls(messages: Sequence[Message]) -> list[Message]:
    """Return a copy of a conversation with tool calls and results turned into text.

    The side chat has no tools, and some providers reject calls and results without them. Reasoning is left out, since
    it was signed for another request.
    """
    names = {call.id: call.name for message in messages for call in message.tool_calls}
    copy: list[Message] = []
    for message in messages:
        blocks: list[Block] = []
        for block in message.content:
            if isinstance(block, ToolCallBlock):
                blocks.append(TextBlock(f"[used the tool {block.name}: {block.arguments}]"))
            elif isinstance(block, ToolResultBlock):
                gave = "failed and gave" if block.is_error else "gave"
                blocks.append(TextBlock(f"[the tool {names.get(block.call_id, 'called before')} {gave}:]"))
                blocks += block.content
            elif block.type != "reasoning":
                blocks.append(block)
        if blocks:
            copy.append(Message("user" if message.role == "tool" else message.role, blocks, message.time))
    return copy
