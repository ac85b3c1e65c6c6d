"""`zot sessions list|show|search|export|import|prune`: the stored sessions, without a screen."""

from collections.abc import Sequence

from zot_agent.cli.parser import Parser, subcommand

_ID = "the beginning of a session's id or file name, or a path"


def build_parser() -> Parser:
    parser = Parser(
        prog="zot sessions",
        description="List, show, search, export, import and delete stored sessions.",
        epilog="exit codes: 0 done, 1 nothing found, declined, or failed, 2 usage or no such session",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="list|show|search|export|import|prune", required=True)
    listing = verbs.add_parser("list", help="list the sessions of this directory, last used first")
    search = verbs.add_parser(
        "search",
        help="find sessions by words of titles, prompts and answers",
        description="Find the sessions of all directories that have all words in their title, prompts and answers, "
        "without regard to case. A word with blanks, in quotes, must occur as it is.",
    )
    search.add_argument("words", nargs="+", metavar="WORDS")
    search.add_argument("--here", action="store_true", help="only the sessions of this directory")
    listing.add_argument("--all", action="store_true", help="list the sessions of all directories")
    for each, limit in ((listing, 50), (search, 20)):
        each.add_argument(
            "--limit", type=int, default=limit, metavar="N", help=f"at most N sessions (default: {limit})"
        )
        each.add_argument("--json", action="store_true", help="print one JSON object")
    show = verbs.add_parser("show", help="show what a session is about: its last prompt and answer, its tokens")
    show.add_argument("id", metavar="ID", help=_ID)
    show.add_argument("--json", action="store_true", help="print one JSON object")
    export = verbs.add_parser(
        "export",
        help="write a session to a file",
        description="Write a session to a file. Its suffix chooses the format: .zotsession, which zot sessions import "
        "reads, .html or .md. The file holds everything that the model has read, also files and output of commands.",
    )
    export.add_argument("id", metavar="ID", help=_ID)
    export.add_argument(
        "path", nargs="?", default="", metavar="PATH", help="the file, or a directory (default: ~/Downloads)"
    )
    imports = verbs.add_parser("import", help="add the session in a .zotsession file to this directory")
    imports.add_argument("path", metavar="PATH")
    _prune_flags(verbs.add_parser("prune", help="delete old sessions, and sessions of directories that are gone"))
    return parser


def _prune_flags(prune: Parser) -> None:
    prune.description = (
        "Delete the sessions whose directory no longer exists, or, with --older-than, those not used for some time. "
        "zot lists them by directory and asks which to delete. A directory on a disk that is not mounted looks as if "
        "it did not exist. What cannot be read, and what a zot has open, is kept."
    )
    prune.add_argument("--dry-run", action="store_true", help="list them and delete nothing")
    prune.add_argument(
        "--older-than", default="", metavar="AGE", help="not used for so long: 90m, 12h, 30d, 8w, 6mo, 1y"
    )
    prune.add_argument("--cwd", default="", metavar="DIR", help="with --older-than: only the sessions of DIR")
    prune.add_argument("--all", action="store_true", help="choose all directories, without asking which")
    prune.add_argument("-y", "--yes", action="store_true", help="with --all: delete without a question")


@subcommand()
def run(arguments: Sequence[str]) -> int:
    """Run `zot sessions` with `arguments` (those after `sessions`) and return the exit code."""
    given = build_parser().parse_args(list(arguments) or ["--help"])
    if given.verb == "prune":
        from zot_agent.cli.sessions.prune import print_prune  # noqa: PLC0415  one verb needs one module

        return print_prune(given)
    if given.verb in ("export", "import"):
        from zot_agent.cli.sessions.exchange import print_export, print_import  # noqa: PLC0415  as above

        return print_export(given.id, given.path) if given.verb == "export" else print_import(given.path)
    from zot_agent.cli.sessions.listing import print_found, print_list, print_session  # noqa: PLC0415  as above

    if given.verb == "show":
        return print_session(given.id, as_json=given.json)
    if given.verb == "search":
        return print_found(given.words, here=given.here, limit=given.limit, as_json=given.json)
    return print_list(everywhere=given.all, limit=given.limit, as_json=given.json)
