"""The registry of subcommands: `zot NAME ...` runs the `run(arguments)` of the module, which gives the exit code."""

from typing import NamedTuple


class Subcommand(NamedTuple):
    """A subcommand: where it is found, and its line in the help."""

    module: str
    help: str


SUBCOMMANDS = {
    "acp": Subcommand("zot_agent.cli.acp", "serve an editor that speaks the Agent Client Protocol"),
    "demo": Subcommand("zot_agent.cli.demo", "do the main job once with whatever model can be had"),
    "doctor": Subcommand("zot_agent.cli.doctor", "say what zot finds on this machine: keys, endpoints, paths"),
    "ext": Subcommand("zot_agent.cli.ext", "list, install, update, remove and examine extensions"),
    "local": Subcommand("zot_agent.cli.local", "set up the demo model that runs in this process"),
    "serve": Subcommand("zot_agent.cli.serve", "many agents over WebSocket and HTTP, with a page to talk to them"),
}
