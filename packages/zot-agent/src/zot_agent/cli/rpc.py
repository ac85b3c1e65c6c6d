"""The help of `zot rpc`, which is a mode: `zot_agent.modes.rpc`."""

from zot_agent.cli.parser import Parser


def build_parser() -> Parser:
    """The parser of the help alone: the flags are those of `zot`."""
    return Parser(
        prog="zot rpc",
        usage="zot rpc [options of zot]",
        description="Serve another program: commands on standard input, responses and events on standard output, a "
        "line of JSON each. The flags are those of zot on models, tools, extensions, skills and sessions (see zot "
        "--help); no session is written unless --continue or --session names one. $ZOTCORE_RPC_TOKEN is a secret that "
        "the client must know.",
        epilog="exit codes: 0 standard input has ended or the client is gone, 1 a wrong token or a client that reads "
        "nothing, 2 usage or missing key, 129 hung up, 130 Ctrl+C, 143 terminated",
    )
