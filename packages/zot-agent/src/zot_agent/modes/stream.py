"""`zot --stream`: the text as it comes."""

from collections.abc import Sequence

from zot_agent.host import Host
from zot_agent.modes.held import HeldText
from zot_agent.modes.oneshot import answer
from zot_agent.modes.output import Output
from zot_core.events import AgentEvent, AssistantMessage, TextDelta, ToolCall, TurnEnd
from zot_provider.messages import ImageBlock


async def run(host: Host, prompt: str, images: Sequence[ImageBlock] = ()) -> int:
    """Answer `prompt` and print every piece of text at once; each step's text ends with a line break.

    Where an extension may replace the text of an answer, it is printed once that has happened.
    """
    text = HeldText(host)

    def show(output: Output, event: AgentEvent) -> None:
        if text.holds(event):
            return
        if isinstance(event, TextDelta):
            output.write(event.delta)
        elif isinstance(event, AssistantMessage) and text.held:
            output.write(event.message.text)
        elif isinstance(event, TurnEnd | ToolCall):
            output.end_line()

    return await answer(host, prompt, show, images=images)
