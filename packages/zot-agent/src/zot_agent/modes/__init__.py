"""The registry of modes: the ways to run the agent."""

from zot_provider.record import Record


class Mode(Record):
    """A mode: the module with its `run(host, prompt, images)`, its flags and its line in the help.

    A mode that `serves` reads standard input itself until it ends; it takes no prompt, and keeps no session unless one
    is named. A mode that `draws` can ask a person. It builds the host itself, once its screen is drawn, in
    `run(open_host, options, prompt, images)`. `gives_json`: the mode accepts `--json-schema`. `coalesce_seconds`:
    streamed text is collected for that long before it is shown; the screen draws as often.
    """

    name: str
    module: str
    flags: tuple[str, ...]
    help: str
    needs_prompt: bool = True
    serves: bool = False
    draws: bool = False
    gives_json: bool = False
    coalesce_seconds: float = 0.0


MODES = {
    mode.name: mode
    for mode in (
        Mode(
            "print",
            "zot_agent.modes.print",
            ("-p", "--print"),
            "answer the prompt and print the final text",
            gives_json=True,
        ),
        Mode("stream", "zot_agent.modes.stream", ("--stream",), "answer the prompt and print the text as it arrives"),
        Mode("json", "zot_agent.modes.json", ("--json",), "answer the prompt and print each event as a JSON line"),
        Mode(
            "rpc",
            "zot_agent.rpc.process",
            ("--rpc",),
            "serve another program: commands in, events out, as JSON lines",
            needs_prompt=False,
            serves=True,
        ),
        Mode(
            "interactive",
            "zot_agent.modes.interactive",
            (),
            "the chat screen",
            needs_prompt=False,
            draws=True,
            coalesce_seconds=0.06,
        ),
    )
}

PIPED_MODE = "print"
"""The default mode when text is piped in, or standard output is not a terminal. Its flag has no effect beside that of
another mode: `zot -p --json` is `zot --json`."""

SCREEN_MODE = "interactive"
"""The default mode on a terminal."""

MODE_NAMES = {"text": "print", "json": "json", "rpc": "rpc"}
"""The values of `--mode`, the same as in the Go zot, and the mode of each."""
