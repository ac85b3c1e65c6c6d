"""`zot checkpoints list|prune`: the saved files behind `/undo`."""

import time

from zot_agent.cli.ext.terminal import print_line, print_table
from zot_agent.cli.verb import VerbTable
from zot_agent.config.paths import checkpoints_root
from zot_agent.standard_error import print_error
from zot_core.checkpoints.prune import list_checkpoints, prune
from zot_core.errors import CheckpointError
from zot_provider.errors import ConfigError


def _list() -> int:
    """List the folders with saved files."""
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


def _prune(*, days: float | None = None, all: bool = False) -> int:
    """Remove old saved files.

    --days DAYS: the age from which they are removed (default: 30)
    --all: remove everything, whatever its age
    """
    if all and days is not None:
        raise ConfigError("argument --all: not allowed with argument --days; see zot checkpoints prune --help")
    days = 0.0 if all else 30.0 if days is None else days
    if not (all or days > 0):
        raise ConfigError(f"--days must be greater than 0, got {days:g}; --all removes everything")
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


run = VerbTable(
    "zot checkpoints",
    "Show and remove the files that zot has saved before it changed them. Without them /undo cannot restore files; "
    "conversations stay.",
    {"list": _list, "prune": _prune},
    "exit codes: 0 done, 1 failed, 2 usage.",
    needed=True,
)
