"""Runtimes that save the files of a folder, and the calls with which a model changes them."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from zot_core import Runtime
from zot_core.checkpoints.store import CheckpointLimits
from zot_core.checkpoints.watch import Checkpoints
from zot_provider.testing import Call, ScriptedClient, Turn

Opens = Callable[..., AbstractAsyncContextManager[Runtime]]


def bash(command: str, **options: Any) -> Turn:
    return Turn(calls=[Call("bash", {"command": command, **options})])


def write(path: str, content: str) -> Turn:
    return Turn(calls=[Call("write", {"path": path, "content": content})])


def opens_in(work: Path, **usual: Any) -> Opens:
    """Opens a runtime in `work` whose model gives these answers, and whose checkpoints are beside the folder."""

    @asynccontextmanager
    async def opened(*answers: Any, limits: CheckpointLimits | None = None, **options: Any) -> AsyncIterator[Runtime]:
        checkpoints = partial(Checkpoints, str(work.parent / "checkpoints"), limits=limits)
        client = ScriptedClient(list(answers))
        async with Runtime("any-name", client=client, cwd=work, checkpoints=checkpoints, **usual, **options) as rt:
            yield rt

    return opened
