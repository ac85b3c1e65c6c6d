"""`MemberFolder`: what is on disk of a member, in `$ZOT_HOME/swarm/ID`, for its owner alone.

```text
member.json    its state, replaced as a whole; only who holds the lock writes it
lock           locked by the process that works, or that merges or removes the member; the kernel frees it
inbox/         messages that the member has not read, a file each, in the order of their names
wake           a named pipe: a byte in it lets the process look into the inbox
log            what the process prints: errors and notes
```

A message is a file before anything else happens, so that no end of a process loses it; the member removes it when it is
in the session.
"""

import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from zot_agent.swarm.limits import SwarmLimits
from zot_agent.swarm.member import Member, read_member
from zot_core.clock import timestamp
from zot_core.sessions.file import in_use
from zot_provider.errors import ConfigError, ZotError
from zot_provider.files.regular_file import open_regular
from zot_provider.files.replace_file import replace_file
from zot_provider.json_file import read_json_object
from zot_provider.json_text import dump, without_surrogates

_POLL = 0.02
_MESSAGE = re.compile(r"\d{20}-[0-9a-f]{6}\.json")


class MemberInUse(ConfigError):
    """Another process works for the member, or changes it."""


class MemberFolder:
    """The folder at `path`."""

    def __init__(self, path: str, limits: SwarmLimits) -> None:
        self.path, self.limits = path, limits
        self.id = os.path.basename(path)
        self.log = os.path.join(path, "log")
        self.inbox, self.pipe = os.path.join(path, "inbox"), os.path.join(path, "wake")
        self._state, self._lock = os.path.join(path, "member.json"), os.path.join(path, "lock")

    def create(self) -> None:
        """Create the folder. Raises FileExistsError, and OSError."""
        os.mkdir(self.path, 0o700)
        os.mkdir(self.inbox, 0o700)
        os.close(open_regular(self._lock, os.O_RDWR, create=True))

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    # The state

    def read(self) -> Member:
        """Return the state as it is now: a member whose process has ended without a word is `interrupted`. Raises
        `ConfigError`."""
        member = self.stored()
        if member.active and not self.alive:
            member = self.stored()  # it may have ended between the two looks
            if member.active and not (member.state == "starting" and self._age() < self.limits.start_seconds):
                member.state, member.question = "interrupted", None
        return member

    def _age(self) -> float:
        """Return the seconds since the state was written."""
        with suppress(OSError):
            return time.time() - os.stat(self._state).st_mtime
        return 0.0

    def stored(self) -> Member:
        """Return the state as the file has it. Raises `ConfigError`."""
        member = read_member(read_json_object(self._state), self._state)
        if member.id != self.id:
            raise ConfigError(f"{self._state} belongs to another member, {member.id}")
        return member

    def write(self, member: Member) -> None:
        """Replace the state. Raises OSError."""
        member.updated = timestamp()
        text = json.dumps(member.fields(), ensure_ascii=False, indent=2)
        replace_file(self._state, without_surrogates(text).encode() + b"\n", mode=0o600)

    # The lock

    @property
    def alive(self) -> bool:
        """Whether a process works for the member, or changes it now."""
        return in_use(self._lock)

    @contextmanager
    def locked(self, seconds: float = 0.0) -> Iterator[None]:
        """Hold the lock during the block; wait for it at most `seconds`. Raises `MemberInUse`, and `ConfigError` for a
        member that is gone."""
        with ConfigError.of_system(f"the member {self.id} cannot be opened"):
            descriptor = open_regular(self._lock, os.O_RDWR)
        try:
            self._take(descriptor, time.monotonic() + seconds)
            yield
        finally:
            os.close(descriptor)

    def _take(self, descriptor: int, deadline: float) -> None:
        import fcntl  # noqa: PLC0415  Windows has none, and no members

        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise MemberInUse(f"{self.id} works now") from None
                time.sleep(_POLL)
            else:
                return

    def wait_free(self, seconds: float) -> bool:
        """Wait until no process holds the lock; return whether this happens within `seconds`."""
        deadline = time.monotonic() + seconds
        while self.alive:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL)
        return True

    # The inbox

    def put(self, message: dict[str, Any]) -> str:
        """Store a message and return its name, which begins with the time in nanoseconds. Raises `ConfigError` if it is
        too long or too many wait, and `ZotError` if it cannot be written."""
        data = without_surrogates(dump(message)).encode()
        if len(data) > self.limits.message_bytes:
            raise ConfigError(f"the message is longer than {self.limits.message_bytes:,} bytes")
        if len(self.waiting()) >= self.limits.messages:
            raise ConfigError(f"{self.limits.messages} messages wait for {self.id} already")
        name = f"{time.time_ns():020}-{os.urandom(3).hex()}.json"
        with ZotError.of_system(f"cannot store the message for {self.id}"):
            replace_file(os.path.join(self.inbox, name), data, mode=0o600)
        return name

    def waiting(self) -> list[str]:
        """Return the names of the messages, the oldest first."""
        try:
            return sorted(filter(_MESSAGE.fullmatch, os.listdir(self.inbox)))
        except OSError:
            return []

    def message(self, name: str) -> dict[str, Any]:
        """Return a message; empty if it is gone or damaged."""
        with suppress(ConfigError):
            return dict(read_json_object(os.path.join(self.inbox, name)))
        return {}

    def drop(self, name: str) -> None:
        """Remove a message, if it is there."""
        with suppress(OSError):
            os.unlink(os.path.join(self.inbox, name))

    def wake(self) -> bool:
        """Let the process look into the inbox; return whether a process does."""
        try:
            pipe = os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            os.write(pipe, b"!")
        except BlockingIOError:
            pass  # it has enough to read
        except OSError:
            return False
        finally:
            os.close(pipe)
        return True

    def open_pipe(self) -> int:
        """Create the pipe if it is missing, and return a descriptor that can be read without waiting; -1 on a file
        system without pipes, where messages are read when a run has ended."""
        try:
            with suppress(FileExistsError):
                os.mkfifo(self.pipe, 0o600)
            # Also for writing: the end of a writer would else be the end of the pipe.
            return os.open(self.pipe, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return -1
