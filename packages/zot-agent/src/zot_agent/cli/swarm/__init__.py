"""`zot swarm VERB`: agents that live on beside the conversation, in their own processes."""

from collections.abc import Sequence

from zot_agent.cli.parser import Parser, subcommand

_ID = "the id of a member, or the beginning of one"


def build_parser() -> Parser:
    parser = Parser(
        prog="zot swarm",
        description="Start agents that work on beside the conversation, each in its own git worktree, and see, "
        "steer and end them.",
        epilog="exit codes: 0 done, 1 failed, 2 usage, no such member, or work that would be lost, 130 Ctrl+C",
    )
    verbs = parser.add_subparsers(
        dest="verb", metavar="new|list|show|logs|send|answer|resume|kill|merge|remove", required=True
    )
    _new_flags(verbs.add_parser("new", help="start an agent on a task", allow_abbrev=False))
    listing = verbs.add_parser("list", help="list the members, and what is in their worktrees only")
    listing.add_argument("--json", action="store_true", help="print one JSON object")
    for name, about in (
        ("show", "show what a member does, has done and asks"),
        ("logs", "print the conversation of a member"),
        ("send", "send a member a message; it works again if it has ended"),
        ("answer", "answer the question that a member waits with"),
        ("resume", "continue the work of a member that was stopped, interrupted or has failed"),
        ("kill", "stop a member; what it has done stays"),
        ("merge", "commit what a member has done, and merge it into your branch"),
        ("remove", "remove a member and its worktree; its session and its branch stay"),
    ):
        verb = verbs.add_parser(name, help=about)
        verb.add_argument("id", metavar="ID", help=_ID)
        verb.set_defaults(answer=(), text=())
    verbs.choices["show"].add_argument("--json", action="store_true", help="print its state as JSON")
    verbs.choices["logs"].add_argument("-f", "--follow", action="store_true", help="print what comes, until it ends")
    verbs.choices["send"].add_argument("text", nargs="+", metavar="TEXT", help="the message")
    verbs.choices["resume"].add_argument("text", nargs="*", metavar="TEXT", help="a message for it")
    verbs.choices["answer"].add_argument(
        "answer", nargs=1, choices=("yes", "always", "no"), help="what becomes of the call"
    )
    verbs.choices["answer"].add_argument("text", nargs="*", metavar="WHY", help="with no: why, for the model")
    verbs.choices["remove"].add_argument(
        "--discard",
        dest="text",
        action="store_const",
        const=("--discard",),
        help="also drop its branch, and what cannot be committed",
    )
    return parser


def _new_flags(new: Parser) -> Parser:
    new.usage = "zot swarm new [options] [options of zot] TASK"
    new.description = (
        "Start an agent on a task, in a new git worktree with its own branch, and return. It takes the options of "
        "zot for models, tools, permissions and extensions (see zot --help)."
    )
    new.add_argument("--name", default="", metavar="ID", help="its id (default: the first words of the task)")
    new.add_argument("--here", action="store_true", help="work in this directory, without a worktree")
    return new


@subcommand()
def run(arguments: Sequence[str]) -> int:
    """Run `zot swarm` with `arguments` (those after `swarm`) and return the exit code."""
    words = list(arguments)
    if words[:1] == ["work"] and len(words) == 2:  # what zot itself starts
        from zot_agent.swarm.process import run as work  # noqa: PLC0415  it loads an agent

        return work(words[1])
    if words[:1] == ["new"]:
        from zot_agent.cli.swarm.new import start  # noqa: PLC0415  it loads the options of zot

        head, tail = words[1:], []
        if "--" in head:  # what follows is the task
            tail = head[head.index("--") :]
            head = head[: head.index("--")]
        own = _new_flags(Parser(prog="zot swarm new", allow_abbrev=False))
        given, rest = own.parse_known_args(head)
        return start([*rest, *tail], own, name=given.name, here=given.here)
    given = build_parser().parse_args(words or ["--help"])
    from zot_agent.cli.swarm.verbs import ACTIONS  # noqa: PLC0415  not for the help

    return ACTIONS[given.verb](given)
