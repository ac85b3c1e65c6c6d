"""`zot checkpoints list|prune`: the saved files behind `/undo`."""

import sys
import time
from collections.abc import Sequence

from zot_agent.cli.parser import Parser
from zot_agent.config.paths import checkpoints_root
from zot_agent.standard_error import print_error
from zot_core.checkpoints.prune import list_checkpoints, prune
from zot_provider.errors import ZotError
from zot_tui.text.sanitize import sanitize_line


def build_parser() -> Parser:
    """Build the parser of `zot checkpoints`."""
    parser = Parser(
        prog="zot checkpoints",
        description="Show and remove the files that zot has saved before it changed them. Without them /undo cannot "
        "restore files; conversations stay.",
        epilog="exit codes: 0 done, 1 failed, 2 usage",
    )
    verbs = parser.add_subparsers(dest="verb", metavar="list|prune", required=True)
    verbs.add_parser("list", help="list the folders with saved files")
    remove = verbs.add_parser("prune", help="remove old saved files")
    which = remove.add_mutually_exclusive_group()
    which.add_argument("--days", type=float, default=30.0, help="the age from which they are removed (default: 30)")
    which.add_argument("--all", action="store_true", help="remove everything")
    return parser


def run(arguments: Sequence[str]) -> int:
    """Run `zot checkpoints` with `arguments` (those after `checkpoints`) and return the exit code."""
    try:
        given = build_parser().parse_args(list(arguments))
        return _list() if given.verb == "list" else _prune(0.0 if given.all else given.days)
    except SystemExit as stop:  # argparse, after --help
        return stop.code if isinstance(stop.code, int) else 0
    except ZotError as error:
        print_error(str(error))
        return error.exit_code
    except OSError as error:
        print_error(f"{error.filename or checkpoints_root()}: {error.strerror}")
        return 1


def _list() -> int:
    for each in list_checkpoints(checkpoints_root()):
        day = time.strftime("%Y-%m-%d", time.localtime(each.last)) if each.last else "never used"
        _print(f"{day}  {each.answers:>5} answers  {_megabytes(each.bytes):>9}  {each.folder}")
    return 0


def _prune(days: float) -> int:
    root = checkpoints_root()
    before = sum(each.bytes for each in list_checkpoints(root))
    for each in list_checkpoints(root):
        prune(each.path, days)
    after = sum(each.bytes for each in list_checkpoints(root))
    _print(f"removed {_megabytes(before - after)} of {_megabytes(before)}")
    return 0


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB"


def _print(line: str) -> None:
    sys.stdout.write(sanitize_line(line) + "\n")
