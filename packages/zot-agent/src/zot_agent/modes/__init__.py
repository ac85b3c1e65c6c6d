"""The registry of modes: how the user meets the agent."""

from typing import NamedTuple


class Mode(NamedTuple):
    """A mode: the module whose `run(host, prompt)` it is, its flags and its line in the help.

    `missing` says, in one line for the person, why a mode cannot be had; empty for those that can.
    """

    name: str
    module: str
    flags: tuple[str, ...]
    help: str
    needs_prompt: bool = True
    missing: str = ""


_NO_SCREEN = 'the chat screen is not built yet; ask one question with zot -p "..."'

MODES = {
    mode.name: mode
    for mode in (
        Mode("print", "zot_agent.modes.print", ("-p", "--print"), "answer the prompt, print the final text"),
        Mode("stream", "zot_agent.modes.stream", ("--stream",), "answer the prompt, print the text as it comes"),
        Mode("json", "zot_agent.modes.json", ("--json",), "answer the prompt, print every event as a line of JSON"),
        Mode("interactive", "", (), "the chat screen", needs_prompt=False, missing=_NO_SCREEN),
    )
}

PIPED_MODE = "print"
"""The mode without a flag when text is piped in, or standard output is no terminal. Beside another flag it adds
nothing: `zot -p --json` is `zot --json`."""

SCREEN_MODE = "interactive"
"""The mode without a flag on a terminal."""
