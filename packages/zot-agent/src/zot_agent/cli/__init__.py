"""The registry of subcommands: `zot NAME ...`."""

from zot_provider.record import Record


class Subcommand(Record):
    """A subcommand: its module, and its line in the help.

    The module's `run(arguments)` carries it out and returns the exit code. A subcommand with a `flag` is another name
    for that flag of `zot`, which selects a mode. `build_parser` of the module makes the parser of its own arguments,
    for the help and for completions; with `options`, it takes the options of `zot` too.
    """

    module: str
    help: str
    flag: str = ""
    options: bool = False


SUBCOMMANDS = {
    "acp": Subcommand("zot_agent.cli.acp", "serve an editor that speaks the Agent Client Protocol", options=True),
    "auth": Subcommand("zot_agent.cli.auth", "show, add and remove keys and sign-ins"),
    "checkpoints": Subcommand("zot_agent.cli.checkpoints", "show and remove the saved files behind /undo"),
    "completions": Subcommand("zot_agent.cli.completions", "print completions for bash, zsh or fish"),
    "config": Subcommand("zot_agent.cli.config", "show and change settings"),
    "demo": Subcommand("zot_agent.cli.local.demo", "try zot once, with any model that is available"),
    "doctor": Subcommand("zot_agent.cli.doctor", "check keys, servers, folders and programs on this machine"),
    "ext": Subcommand("zot_agent.cli.ext", "list, install, update, remove and check extensions"),
    "fleet": Subcommand("zot_agent.cli.fleet", "start a fleet on this machine, to try it"),
    "local": Subcommand("zot_agent.cli.local", "set up the demo model, which runs inside zot"),
    "mcp": Subcommand("zot_agent.cli.mcp", "list, add, remove and check MCP servers; serve zot as one"),
    "models": Subcommand("zot_agent.cli.models", "list the known models, or ask servers for their lists"),
    "permissions": Subcommand("zot_agent.cli.permissions", "show the rules for tool calls, or test a command"),
    "rpc": Subcommand(
        "zot_agent.cli.rpc", "serve another program: commands in, events out, as JSON lines", "--rpc", options=True
    ),
    "run": Subcommand("zot_agent.cli.runs.begin", "begin or continue a run that survives its process", options=True),
    "runs": Subcommand("zot_agent.cli.runs", "list, follow, cancel, answer and continue runs"),
    "serve": Subcommand(
        "zot_agent.cli.serve", "serve many sessions over WebSocket and HTTP, with a chat page", options=True
    ),
    "sessions": Subcommand("zot_agent.cli.sessions", "list, search, export, import and delete stored sessions"),
    "swarm": Subcommand("zot_agent.cli.swarm", "start, see, steer and merge agents that live on in worktrees"),
    "trust": Subcommand("zot_agent.cli.trust", "show and remove answers about what folders bring"),
    "update": Subcommand("zot_agent.cli.update", "install the newest version of zot, or say how"),
    "worker": Subcommand("zot_agent.cli.fleet.worker", "take runs from the queue of a fleet"),
}
