"""`zot -p`: the final text, when it is there."""

from collections.abc import Sequence

from zot_agent.host import Host
from zot_agent.modes.oneshot import answer, show_displayed
from zot_agent.modes.output import Output
from zot_core.conversation.events import ConversationEvent
from zot_core.events import AssistantMessage, Done, TurnStart
from zot_provider.messages import ImageBlock


async def run(host: Host, prompt: str, images: Sequence[ImageBlock] = ()) -> int:
    """Answer `prompt` and print the text of the last step."""
    text = ""

    def show(output: Output, event: ConversationEvent) -> None:
        nonlocal text
        if isinstance(event, TurnStart):
            text = ""
        elif isinstance(event, AssistantMessage):
            text = event.message.text
        elif isinstance(event, Done) and text:
            output.write(text if text.endswith("\n") else text + "\n")
            text = ""
        else:
            show_displayed(output, event)

    return await answer(host, prompt, show, images=images)
