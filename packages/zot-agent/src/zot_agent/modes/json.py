"""`zot --json`: every event as one line of JSON, the schema of `zot_core.event_json`."""

from collections.abc import Sequence

from zot_agent.host import Host
from zot_agent.modes.held import HeldText
from zot_agent.modes.oneshot import answer
from zot_agent.modes.output import Output
from zot_core.event_json import encode_event
from zot_core.events import AgentEvent
from zot_provider.messages import ImageBlock


async def run(host: Host, prompt: str, images: Sequence[ImageBlock] = ()) -> int:
    """Answer `prompt` and print its events; `done` is the last line, whatever happened."""
    text = HeldText(host)

    def show(output: Output, event: AgentEvent) -> None:
        if not (text.holds(event) and host.hold_text):
            output.write(encode_event(event) + "\n")

    return await answer(host, prompt, show, images=images, plain=True)
