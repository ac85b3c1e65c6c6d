"""`zot --stream`: prints the text as it arrives."""

from collections.abc import Sequence

from zot_agent.host.host import Host
from zot_agent.modes.oneshot import answer, show_displayed
from zot_agent.modes.output import Output
from zot_core.conversation.events import ConversationEvent
from zot_core.events import AssistantMessage, AutoRetryStart, TextDelta, ToolCall, TurnEnd
from zot_provider.messages import ImageBlock


async def run(host: Host, prompt: str, images: Sequence[ImageBlock] = ()) -> int:
    """Answer `prompt` and print each piece of text as it arrives; the text of each step ends with a line break.

    If an answer breaks off and begins again, that is on a new line too, and standard error says so. Text that an
    extension may replace is printed when the extension has decided.
    """
    host.conversation.front_end = "stream"
    conversation = host.conversation

    def show(output: Output, event: ConversationEvent) -> None:
        if isinstance(event, TextDelta):
            if not conversation.text_deferred:
                output.write(event.delta)
        elif isinstance(event, AssistantMessage):
            if conversation.text_deferred:
                output.write(event.message.text)
        elif isinstance(event, TurnEnd | ToolCall | AutoRetryStart):
            output.end_line()
        else:
            show_displayed(output, event)

    return await answer(host, prompt, show, images=images)
