"""`zot checkpoints list|prune`: the saved files behind `/undo`."""

import time
from collections.abc import Sequence

from zot_agent.cli.ext.terminal import print_line, print_table
from zot_agent.cli.parser import Parser, subcommand
from zot_agent.config.paths import checkpoints_root
from zot_agent.standard_error import print_error
from zot_core.checkpoints.prune import list_checkpoints, prune
from zot_core.errors import CheckpointError
from zot_provider.errors import ConfigError


def build_parser() -> Parser:
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


@subcommand()
def run(arguments: Sequence[str]) -> int:
    """Run `zot checkpoints` with `arguments` (those after `checkpoints`) and return the exit code."""
    given = build_parser().parse_args(list(arguments))
    if given.verb == "list":
        return _list()
    if not given.days > 0:
        raise ConfigError(f"--days must be greater than 0, got {given.days:g}; --all removes everything")
    return _prune(0.0 if given.all else given.days)


def _list() -> int:
    rows = [
        (time.strftime("%Y-%m-%d", time.localtime(each.last)) if each.last else "never", str(each.answers),
         _megabytes(each.bytes), each.folder)
        for each in list_checkpoints(checkpoints_root())
    ]  # fmt: skip
    if rows:
        print_table([("used", "answers", "size", "folder"), *rows])
    else:
        print_line("no saved files")
    return 0


def _prune(days: float) -> int:
    root, failed = checkpoints_root(), False
    stores = list_checkpoints(root)
    for each in stores:
        try:
            prune(each.path, days)
        except (CheckpointError, OSError) as error:
            failed = True
            reason = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)
            print_error(f"{each.folder}: {reason}")
    before, after = (sum(each.bytes for each in found) for found in (stores, list_checkpoints(root)))
    print_line(f"removed {_megabytes(before - after)} of {_megabytes(before)}")
    return int(failed)


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB"
