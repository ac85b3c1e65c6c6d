"""The registry of modes: how the user meets the agent."""

from typing import NamedTuple


class Mode(NamedTuple):
    """A mode: the module whose `run(host, prompt)` it is, its flags and its line in the help.

    A mode that `serves` reads standard input itself and goes on until that ends; it takes no prompt, and no session
    unless one is named. `welcome` is the module that asks a person who has no key; without one there is nobody to
    ask. `gives_json`: `--json-schema` may say what the answer is. `coalesce_seconds` is for how many seconds an
    answer may gather before more of it is shown.
    """

    name: str
    module: str
    flags: tuple[str, ...]
    help: str
    needs_prompt: bool = True
    serves: bool = False
    welcome: str = ""
    gives_json: bool = False
    coalesce_seconds: float = 0.0


MODES = {
    mode.name: mode
    for mode in (
        Mode(
            "print",
            "zot_agent.modes.print",
            ("-p", "--print"),
            "answer the prompt, print the final text",
            gives_json=True,
        ),
        Mode("stream", "zot_agent.modes.stream", ("--stream",), "answer the prompt, print the text as it comes"),
        Mode("json", "zot_agent.modes.json", ("--json",), "answer the prompt, print every event as a line of JSON"),
        Mode(
            "rpc",
            "zot_agent.modes.rpc",
            ("--rpc",),
            "serve another program: commands in, events out, as lines of JSON",
            needs_prompt=False,
            serves=True,
        ),
        Mode(
            "interactive",
            "zot_agent.modes.interactive",
            (),
            "the chat screen",
            needs_prompt=False,
            welcome="zot_agent.ui.first_run.welcome",
            coalesce_seconds=0.03,
        ),
    )
}

PIPED_MODE = "print"
"""The mode without a flag when text is piped in, or standard output is no terminal. Beside another flag it adds
nothing: `zot -p --json` is `zot --json`."""

SCREEN_MODE = "interactive"
"""The mode without a flag on a terminal."""

MODE_NAMES = {"text": "print", "json": "json", "rpc": "rpc"}
"""What `--mode` takes, in the words of the Go zot, and the modes that are meant."""
