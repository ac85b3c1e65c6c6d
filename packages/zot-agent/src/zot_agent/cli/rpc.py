"""The help of `zot rpc`, which is a mode: `zot_agent.rpc.process`."""

from zot_agent.cli.parser import Parser


def build_parser() -> Parser:
    """Build the parser of the help; `zot rpc` takes the flags of `zot`."""
    return Parser(
        prog="zot rpc",
        usage="zot rpc [options of zot]",
        description="Serve another program: commands on standard input, responses and events on standard output, as "
        "JSON lines. Takes the options of zot for models, tools, extensions, skills and sessions (see zot --help). No "
        "session is saved unless --continue or --session names one. If $ZOTCORE_RPC_TOKEN is set, the client must "
        "send this token.",
        epilog="exit codes: 0 standard input has ended or the client has disconnected, 1 no or a wrong token, or the "
        "client has stopped reading, 2 usage or missing key, 129 terminal closed, 130 Ctrl+C, 143 terminated",
    )
