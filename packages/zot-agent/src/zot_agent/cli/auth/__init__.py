"""`zot auth status|login|logout|move`: keys and sign-ins, without a screen."""

from collections.abc import Sequence

from zot_agent.cli.parser import Parser, subcommand
from zot_agent.config.paths import zot_home
from zot_agent.config.settings import load_settings
from zot_agent.host.build import open_registry, use_network
from zot_agent.host.extensions import open_providers
from zot_agent.standard_error import print_error


def build_parser() -> Parser:
    parser = Parser(
        prog="zot auth",
        description="Show, add and remove the keys and sign-ins that zot uses. A key in an environment variable, or "
        "given with --api-key, comes before a stored one.",
        epilog="exit codes: 0 done, 1 not signed in, nothing to remove, or failed, 2 usage",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="status|login|logout|move", required=True)
    status = verbs.add_parser("status", help="list the providers with a key, and where each key is")
    status.add_argument("--json", action="store_true", help="print one JSON object")
    status.add_argument("--all", action="store_true", help="list the providers without a key too")
    login = verbs.add_parser("login", help="store a key, or sign in with an account")
    login.add_argument("provider", nargs="?", default="", help="the provider (default: ask)")
    how = login.add_mutually_exclusive_group()
    how.add_argument(
        "--key",
        dest="method",
        action="store_const",
        const="key",
        help="ask for an API key here, or read standard input",
    )
    how.add_argument(
        "--page", dest="method", action="store_const", const="page", help="ask for an API key in the browser"
    )
    how.add_argument("--account", dest="method", action="store_const", const="account", help="sign in with an account")
    login.add_argument("--agree", action="store_true", help="agree to the terms that are shown, without a question")
    logout = verbs.add_parser("logout", help="delete the stored keys and tokens of a provider")
    logout.add_argument("provider", nargs="?", default="", help="the provider (default: the only stored one)")
    move = verbs.add_parser("move", help="move everything that is stored to the keyring, or to auth.json")
    move.add_argument("to", choices=("keyring", "file"))
    return parser


@subcommand(stopped="stopped; nothing was stored")
def run(arguments: Sequence[str]) -> int:
    """Run `zot auth` with `arguments` (those after `auth`) and return the exit code."""
    given = build_parser().parse_args(list(arguments))
    home = zot_home()
    settings = load_settings(home)
    use_network(settings)
    for problem in settings.problems:
        print_error(problem)
    registry = open_registry(home)
    served = open_providers(registry)
    if given.verb == "status":
        from zot_agent.cli.auth.status import print_status  # noqa: PLC0415  one verb needs one module

        return print_status(registry, home, as_json=given.json, every=given.all)
    if given.verb == "login":
        from zot_agent.cli.auth.login import log_in  # noqa: PLC0415  as above

        return log_in(registry, home, given.provider, given.method or "", agree=given.agree, served=served)
    from zot_agent.cli.auth.stored_keys import log_out, move_all  # noqa: PLC0415  as above

    return log_out(registry, home, given.provider) if given.verb == "logout" else move_all(home, given.to)
