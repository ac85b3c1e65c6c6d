"""The registry of the words that may come first: `zot NAME ...`."""

from typing import NamedTuple


class Subcommand(NamedTuple):
    """A subcommand: its module, and its line in the help.

    The module's `run(arguments)` does it and gives the exit code. A word that stands for a `flag` of zot is a mode; of
    its module only `build_parser` is used, for the help.
    """

    module: str
    help: str
    flag: str = ""


SUBCOMMANDS = {
    "acp": Subcommand("zot_agent.cli.acp", "serve an editor that speaks the Agent Client Protocol"),
    "demo": Subcommand("zot_agent.cli.demo", "do the main job once with whatever model can be had"),
    "doctor": Subcommand("zot_agent.cli.doctor", "say what zot finds on this machine: keys, endpoints, paths"),
    "ext": Subcommand("zot_agent.cli.ext", "list, install, update, remove and examine extensions"),
    "local": Subcommand("zot_agent.cli.local", "set up the demo model that runs in this process"),
    "rpc": Subcommand("zot_agent.cli.rpc", "serve another program: commands in, events out, as lines of JSON", "--rpc"),
    "serve": Subcommand("zot_agent.cli.serve", "many agents over WebSocket and HTTP, with a page to talk to them"),
}
