"""`zot -p`: prints the final text of an answer."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from zot_agent.host.host import Host
from zot_agent.modes.oneshot import answer, show_displayed
from zot_agent.modes.output import Output
from zot_agent.standard_error import print_error
from zot_core.conversation.events import ConversationEvent, Display
from zot_core.errors import InvalidOutput
from zot_core.events import AssistantMessage, Done, TurnStart
from zot_provider.messages import ImageBlock


async def run(host: Host, prompt: str, images: Sequence[ImageBlock] = ()) -> int:
    """Answer `prompt` and print the text of the last step; with `--json-schema`, the validated JSON value."""
    host.conversation.front_end = "print"
    if host.options.json_schema is not None:
        return await _run_structured(host, prompt, images, host.options.json_schema)
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

    return await answer(host, prompt, show, images=images, takes=(TurnStart, AssistantMessage, Done, Display))


async def _run_structured(host: Host, prompt: str, images: Sequence[ImageBlock], schema: Mapping[str, Any]) -> int:
    from zot_core.runtime.structured_answers import StructuredRun  # noqa: PLC0415  rarely wanted, and it loads a validator

    structured = await StructuredRun.prepare(host.runtime.agent, schema)
    problem = ""

    def show(output: Output, event: ConversationEvent) -> None:
        nonlocal problem
        if isinstance(event, Done) and event.reason == "completed":
            try:
                output.write(json.dumps(structured.value(), ensure_ascii=False) + "\n")
            except InvalidOutput as error:
                problem = str(error)

    code = await answer(host, structured.request(prompt), show, images=images, takes=(Done,))
    if problem:
        print_error(problem)
    return 1 if problem else code
