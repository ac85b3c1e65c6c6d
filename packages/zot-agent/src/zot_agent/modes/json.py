"""`zot --json`: prints each event as one line of JSON, in the format of `zot_core.event_json`."""

from collections.abc import Sequence

from zot_agent.host.host import Host
from zot_agent.modes.oneshot import answer
from zot_agent.modes.output import Output
from zot_core.conversation.event_json import encode_conversation_event
from zot_core.conversation.events import ConversationEvent
from zot_core.events import TextDelta, TurnStart
from zot_provider.messages import ImageBlock


async def run(host: Host, prompt: str, images: Sequence[ImageBlock] = ()) -> int:
    """Answer `prompt` and print its events; the first `turn_start` names the mode and the sandbox, and the last line is
    always `done`. With `--hold-text`, text that an extension
    may still replace is left out."""
    host.conversation.front_end = "json"
    conversation, hold_text = host.conversation, host.options.hold_text
    named = False

    def show(output: Output, event: ConversationEvent) -> None:
        nonlocal named
        if type(event) is TurnStart and not named:
            named = True
            event = event.replace(mode=conversation.permissions.mode, sandbox=conversation.sandbox)
        if hold_text and conversation.text_deferred and type(event) is TextDelta:
            return
        for line in encode_conversation_event(event):
            output.write(line + "\n")

    return await answer(host, prompt, show, images=images, plain=True)
