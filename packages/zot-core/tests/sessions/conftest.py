"""Sessions on disk, as a program leaves them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from zot_core.clock import timestamp
from zot_core.sessions.store import SessionStore
from zot_provider.messages import Message, TextBlock


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(str(tmp_path / "sessions"))


Saved = Callable[..., str]


@pytest.fixture
def saved(store: SessionStore) -> Saved:
    """Saves a closed session with these messages or texts of a user, last changed at this time; gives its path."""

    def save(*messages: Message | str, cwd: str = "/p", changed: float = 0, **meta: str) -> str:
        file = store.create(cwd, "model", "provider", "0")
        file.meta = file.meta.replace(**meta)
        for message in messages or ("hello",):
            file.append(Message("user", [TextBlock(message)], timestamp()) if isinstance(message, str) else message)
        file.close()
        if changed:
            os.utime(file.path, (changed, changed))
        return file.path

    return save
