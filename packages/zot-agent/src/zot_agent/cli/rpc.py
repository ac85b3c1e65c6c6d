"""`zot rpc`: another name of a mode, `zot_agent.rpc.process`."""

from zot_agent.cli.verb import Verb


def _rpc(*options: str) -> int:
    """Serve another program: commands on standard input, responses and events on standard output, as JSON lines. Takes
    the options of zot for models, tools, extensions, skills and sessions (see zot --help). No session is saved unless
    --continue or --session names one. If $ZOTCORE_RPC_TOKEN is set, the client must send this token.

    exit codes: 0 standard input has ended or the client has disconnected, 1 no or a wrong token, or the client has
    stopped reading, 2 usage or missing key, 129 terminal closed, 130 Ctrl+C, 143 terminated
    """
    from zot_agent.cli.main import run as run_mode  # noqa: PLC0415  it has imported this module for the help alone

    return run_mode(["--rpc", *options])


run = Verb("zot rpc", _rpc)
