"""The code of each error that says to a person why something was not done."""

from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pkgutil import walk_packages

import zot_agent
import zot_core
import zot_provider
from zot_agent.operations.failures import failure_code
from zot_agent.operations.fields import OperationFailed
from zot_provider.errors import ProviderError, ZotError

FAILED = {
    *("SessionError", "CheckpointError", "CompactionError", "CommandError", "CommandRefused", "NotSummarised"),
    "NotStarted",
}
"""What an operation raises when the fault is not the caller's: of the disk, of a model, of an extension."""
ELSEWHERE = {
    *("RunFailed", "InvalidOutput", "RunWaits", "NothingToCompact", "GitMissing", "FolderTooLarge", "WorktreeError"),
    *("ExtensionEnded", "TimedOut", "LaunchError", "StoreAway", "TreeError", "PiRuntimeError", "CannotListen"),
    *("HttpError", "CannotAsk", "FilesEdited", "PromptFailed", "Disconnected", "RpcError"),
}
"""What no operation raises: errors of one mode, of clients, of start-up, or those that become another one before."""


def errors(base: type[ZotError] = ZotError) -> Iterator[type[ZotError]]:
    """The errors of the three packages, with their modules loaded as far as their extras are installed."""
    for each in base.__subclasses__():
        if each.__module__.startswith("zot_") and each is not ProviderError:  # a model failed, however it did
            yield each
            yield from errors(each)


def test_each_error_has_a_code_of_its_own_or_is_known_to_be_a_failure() -> None:
    for package in (zot_provider, zot_core, zot_agent):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                with suppress(ImportError):
                    import_module(module.name)
    found = [each for each in errors() if each is not OperationFailed and not each.__name__.startswith("_")]
    failed = {each.__name__ for each in found if failure_code(each.__new__(each)) == "failed"}
    assert failed - ELSEWHERE == FAILED
    assert failed >= ELSEWHERE - {"StoreAway", "TreeError", "HttpError"}  # of the extras `fleet` and `serve`
