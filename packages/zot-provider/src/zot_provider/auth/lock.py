"""`locked`: a lock between processes, and between tasks of one process."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from zot_provider.errors import ConfigError
from zot_provider.files.private_folder import make_private

LIMIT = 60.0
"""Seconds to wait for another process. A refresh takes less, see `OAuthLimits`."""

STORE_LOCK = "auth.lock"
"""The lock file, in the folder of the store, of short changes."""

_PAUSE = 0.02
"""Seconds between two attempts."""


@asynccontextmanager
async def locked(path: str, limit: float = LIMIT) -> AsyncIterator[None]:
    """Hold the lock file at `path`, whose folder is created for its owner alone.

    Raises `ConfigError` if it cannot be had within `limit` seconds, or the file cannot be written.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415  takes 50 ms; only needed to change something

    try:
        make_private(os.path.dirname(path))
        lock = FileLock(path, mode=0o600, thread_local=False)
        end = asyncio.get_running_loop().time() + limit
        while True:
            try:
                lock.acquire(blocking=False)
                break
            except Timeout:
                if asyncio.get_running_loop().time() > end:
                    raise ConfigError(f"another process has held {path} for {limit:g} s; try again") from None
            await asyncio.sleep(_PAUSE)
    except (OSError, NotImplementedError) as error:
        raise ConfigError(f"cannot lock {path}: {getattr(error, 'strerror', None) or error}") from error
    try:
        yield
    finally:
        lock.release()
