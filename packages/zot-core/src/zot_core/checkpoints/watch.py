"""`Checkpoints`: saves the files that the agent changes, before the first change.

The file tools write through `WatchedFiles`, commands run through `WatchedShell`; no tool is known by name. Nothing else
is loaded before the first change.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from zot_core.agent import Agent
from zot_core.aio import finish, in_thread, spawn
from zot_core.errors import CheckpointError
from zot_core.events import Notice, RunEnd
from zot_core.machine.files import LocalFiles
from zot_core.machine.interface import Shell, ShellExit, ShellOptions
from zot_core.machine.repository import repository_top
from zot_provider.messages import Message, ToolResultBlock

if TYPE_CHECKING:
    from zot_core.checkpoints.git_tree import GitTree
    from zot_core.checkpoints.restore import FileHistory
    from zot_core.checkpoints.store import CheckpointLimits, CheckpointStore
    from zot_core.sessions.tree import SessionTree

T = TypeVar("T")


class Checkpoints:
    """Saves what an agent changes, in its own store for each folder: the repository around the working directory,
    or this directory itself.

    A failure, such as a full disk, does not stop the agent: a notice reports it once, and the change is not covered.
    """

    def __init__(
        self, root: str, agent: Agent, *, left_out: Iterable[str] = (), worktrees: str = "",
        limits: "CheckpointLimits | None" = None,
    ) -> None:  # fmt: skip
        """`root` is the folder of all stores. Commands are not searched for changes below it and below the folders
        `left_out`. Files below `worktrees` are not saved: git has them."""
        self.root = os.path.abspath(root)
        self.lock = asyncio.Lock()
        """Held while files are saved or restored. A tool that wants to change files waits for it."""
        self._agent, self._limits = agent, limits
        self._worktrees = os.path.join(os.path.realpath(worktrees), "") if worktrees else ""
        self.commands = CommandSearch(self, agent, [self.root, *map(os.path.abspath, left_out)])
        self.working = 0
        """Sub-agents that work: what they change belongs to the agent's last entry, also between its calls."""
        self._entry = ""
        self._unfinished: set[str] = set()
        self._store: CheckpointStore | None = None
        self.opened_for = ""
        """The working directory whose store is open."""
        self._git: GitTree | None = None  # once a command has run
        self._reported: set[str] = set()
        self._work: set[asyncio.Task[None]] = set()

    def attach(self) -> None:
        """Begin to watch the agent's tools."""
        self.watch()
        self._agent.hooks.message.add(self._on_message)
        self._agent.hooks.before_done.add(self.commands.before_done)

    def watch(self) -> None:
        """Watch the files and the shell of the agent on this machine. Other files than its own are not watched."""
        context = self._agent.place.here
        files = WatchedFiles(context.files, self) if isinstance(context.files, LocalFiles) else context.files
        self._agent.place.change(files=files, shell=WatchedShell(context.shell, self))

    def _on_message(self, message: Message) -> None:
        """Notice which calls are running: what changes files outside them is the person's work."""
        if message.role == "assistant":
            self._entry = message.id
            self._unfinished = {call.id for call in message.tool_calls}
        elif message.role == "tool":
            self._unfinished -= {block.call_id for block in message.content if isinstance(block, ToolResultBlock)}
        else:
            self._unfinished.clear()
            self.commands.begin_run()

    @property
    def entry(self) -> str:
        """The id of the entry whose tool calls, or sub-agents, are running; empty without any."""
        return self._entry if self._unfinished or self.working else ""

    def is_covered(self, path: str) -> bool:
        """Whether a file is saved when a tool changes it."""
        return not (self._worktrees and os.path.realpath(path).startswith(self._worktrees))

    @property
    def limits(self) -> "CheckpointLimits":
        if self._limits is None:
            from zot_core.checkpoints.store import CheckpointLimits  # noqa: PLC0415  not before the first change

            self._limits = CheckpointLimits()
        return self._limits

    async def store(self) -> "CheckpointStore":
        """Return the store of the working directory; it may not be on disk yet. Hold `lock`."""
        from zot_core.checkpoints.store import CheckpointStore, store_folder  # noqa: PLC0415  as above

        cwd = self._agent.place.here.cwd
        if self._store is None or self.opened_for != cwd:
            await self._close_git()
            folder = await asyncio.to_thread(repository_top, cwd) or os.path.realpath(cwd)
            self._store = CheckpointStore(store_folder(self.root, folder), folder)
            self.opened_for = cwd
            if self._store.may_be_pruned():
                self.beside(self._prune(self._store))
        return self._store

    async def _prune(self, store: "CheckpointStore") -> None:
        from zot_core.checkpoints.prune import prune_if_due  # noqa: PLC0415  once a day

        with suppress(OSError, CheckpointError):  # it is tried again by the next process
            await in_thread(lambda check: prune_if_due(store, self.limits, check))

    def beside(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Do work beside the agent."""
        task = spawn(work, "checkpoint")
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return task

    @asynccontextmanager
    async def saving(self, entry: str, path: str) -> AsyncIterator[None]:
        """Save the file at the path before and after the block changes it, for this entry."""
        from zot_core.checkpoints import states  # noqa: PLC0415  as above

        await self.commands.finished()  # this change is not one of the last command
        async with self.lock:
            store, limits, now = await self.store(), self.limits, time.time()
            path = await asyncio.to_thread(os.path.realpath, path)

            def before() -> "states.FileState | None":
                store.create()
                state = states.save(path, store.objects, limits.file_bytes)
                store.add(entry, now, [states.FileChange(path, state, states.UNSEEN)])
                return state

            def after() -> None:
                state = states.save(path, store.objects, limits.file_bytes)
                store.add(entry, now, [states.FileChange(path, old, state)])

            saved, old = await self.attempt(before)
            try:
                yield
            finally:
                if saved:
                    await self.attempt(after)

    async def attempt(self, work: Callable[[], T]) -> tuple[bool, T | None]:
        """Run work in a thread and return whether it succeeded, and its result. Cancelling ends a running git."""
        task = spawn(asyncio.to_thread(work), "checkpoint")

        def stop() -> None:
            if self._git is not None:
                self._git.stop()

        if await finish(task, stop):
            if not task.cancelled():
                task.exception()
            raise asyncio.CancelledError
        try:
            return True, task.result()
        except (OSError, CheckpointError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            if reason not in self._reported:
                self._reported.add(reason)
                self._agent.emit(Notice("warn", f"changes of files cannot be undone: {reason}"))
            return False, None

    @asynccontextmanager
    async def ready(self) -> "AsyncIterator[Callable[[SessionTree], Awaitable[FileHistory]]]":
        """Keep the agent from changing files in the block, which gets the function that reads what the entries of a
        session changed."""
        from zot_core.checkpoints.restore import FileHistory  # noqa: PLC0415  not before the first undo

        async def read(tree: "SessionTree") -> FileHistory:
            return await asyncio.to_thread(FileHistory, store, list(tree.ids), self.limits)

        await self.settle()
        async with self.lock:
            store = await self.store()
            yield read

    async def settle(self) -> None:
        """Wait until the last command is searched for changes."""
        self.commands.begin()
        while self._work:
            await asyncio.wait(list(self._work))

    async def close(self) -> None:
        """Finish what is being saved."""
        await self.settle()
        await self._close_git()

    async def _close_git(self) -> None:
        if self._git is not None:
            await asyncio.to_thread(self._git.close)
            self._git = None

    def git_of(self, store: "CheckpointStore", left_out: list[str]) -> "GitTree":
        """Return the folder of `store` in git. Hold `lock`. Raises `GitMissing`."""
        from zot_core.checkpoints.git_tree import GitTree  # noqa: PLC0415  not before a command

        self._git = self._git or GitTree(store, left_out, self.limits)
        return self._git


class CommandSearch:
    """Finds what commands change: the folder is stored before a command, and compared after it."""

    def __init__(self, checkpoints: Checkpoints, agent: Agent, left_out: list[str]) -> None:
        """Below the folders `left_out` nothing is searched."""
        self._checkpoints, self._agent, self._left_out = checkpoints, agent, left_out
        self._running: list[str] = []  # the entries of commands that run, or are not searched for changes yet
        self._unsearched: list[str] = []  # of commands that have ended
        self._covered: tuple[GitTree, CheckpointStore] | None = None  # of the last command that ended
        self._timer: asyncio.TimerHandle | None = None  # of the search
        self._search: asyncio.Task[None] | None = None
        self._done: list[float] = []  # when the last run has ended, in seconds since 1970; empty during a run
        self._uncovered: dict[str, str] = {}  # folders in which changes by commands are not found, and why

    def begin_run(self) -> None:
        """Begin the work of another prompt: commands that run from now on belong to it."""
        self.begin()
        self._done = []

    async def before_done(self, end: RunEnd) -> None:
        """Finish the search, so that what is done after `done` is not taken for the work of a command."""
        try:
            self.begin()
            if self._search is not None and not self._search.done():
                limits = self._checkpoints.limits
                stopped = end in ("aborted", "deadline")
                await asyncio.wait([self._search], timeout=limits.stopped_seconds if stopped else limits.done_seconds)
        finally:  # also for a run that is stopped while it waits
            self._done.append(time.time())

    async def before(self, entry: str) -> "tuple[GitTree, CheckpointStore] | None":
        """Store the folder as it is before a command; return what `after` needs, None if commands are not
        covered."""
        from zot_core.checkpoints import states  # noqa: PLC0415  not before a command
        from zot_core.checkpoints.git_tree import FolderTooLarge, GitMissing  # noqa: PLC0415  as above

        if self._timer is not None and self._checkpoints.opened_for == self._agent.place.here.cwd:
            self._timer.cancel()
            self._timer = None
            self._running.append(entry)
            return self._covered
        checkpoints = self._checkpoints
        await self.finished()  # what the last command changed does not belong to this one
        async with checkpoints.lock:
            store = await checkpoints.store()

            def look() -> "tuple[GitTree, CheckpointStore] | None":
                new = store.create()
                if reason := store.given_up():
                    self._uncovered[store.folder] = reason
                    raise CheckpointError(reason)
                try:
                    git = checkpoints.git_of(store, self._left_out)
                    if new:
                        git.forget()
                    # What changed while another command runs is its work, otherwise that of the person.
                    if changes := git.look(compare=entry in self._running):
                        store.add(entry, time.time(), changes)
                except GitMissing as error:
                    self._uncovered[store.folder] = str(error)
                    return None
                except FolderTooLarge as error:
                    self._uncovered[store.folder] = str(error)  # it would fail again, and take as long
                    store.give_up(str(error))
                    raise
                return git, store

            covered = None if store.folder in self._uncovered else (await checkpoints.attempt(look))[1]
            if covered is not None:
                self._running.append(entry)
            elif why := self._uncovered.get(store.folder):
                await checkpoints.attempt(lambda: store.add(entry, time.time(), [states.not_found(store.folder, why)]))
            return covered

    def after(self, entry: str, covered: "tuple[GitTree, CheckpointStore]") -> None:
        """Find what the command changed, beside the agent. `covered` is what `before` returned.

        Commands that follow each other without a pause are searched together, so that they need not wait; what they
        changed belongs to the last one. A command that ran on in the background is not searched: since its call, other
        work has changed files too."""
        if self._checkpoints.entry == entry:
            self._unsearched.append(entry)
            self._covered = covered
        else:
            self._running.remove(entry)
        if self._timer is None and self._unsearched:
            self._timer = asyncio.get_running_loop().call_later(self._checkpoints.limits.pause, self.begin)

    def begin(self) -> None:
        """Begin to search for what the commands that have ended changed, if that has not begun."""
        if self._timer is None or self._covered is None:
            return
        self._timer.cancel()
        self._timer = None
        from zot_core.checkpoints import states  # noqa: PLC0415  not before the first change

        checkpoints, (git, store) = self._checkpoints, self._covered
        entries, self._unsearched, done = self._unsearched, [], self._done

        def look() -> None:
            changes = git.look(compare=True)
            if done:  # the end did not wait for this
                changes = [states.unless_changed_since(each, done[0]) for each in changes]
            if changes:
                store.add(entries[-1], time.time(), changes)

        async def find() -> None:
            async with checkpoints.lock:
                for entry in entries:
                    self._running.remove(entry)
                await checkpoints.attempt(look)

        self._search = checkpoints.beside(find())

    async def finished(self) -> None:
        """Search for what the commands that have ended changed, and wait for the end of that."""
        self.begin()
        if self._search is not None:
            await asyncio.wait([self._search])


class WatchedFiles:
    """The files of this machine, of which each is saved before a tool changes it."""

    def __init__(self, files: LocalFiles, checkpoints: Checkpoints) -> None:
        self._files, self._checkpoints, self.direct = files, checkpoints, files.direct
        self.stat, self.read, self.chunks, self.list, self.real = (
            files.stat, files.read, files.chunks, files.list, files.real,
        )  # fmt: skip

    async def write(self, path: str, data: bytes) -> None:
        entry = self._checkpoints.entry
        if not entry:
            await self._checkpoints.settle()  # this change is not one of the agent's last command
            await self._files.write(path, data)
            return
        if not await asyncio.to_thread(self._checkpoints.is_covered, path):
            await self._files.write(path, data)
            return
        async with self._checkpoints.saving(entry, path):
            await self._files.write(path, data)


class WatchedShell:
    """A shell that lets changes by commands of tools be found."""

    def __init__(self, shell: Shell, checkpoints: Checkpoints) -> None:
        self._shell, self._checkpoints = shell, checkpoints

    async def run(self, command: str, **how: Unpack[ShellOptions]) -> ShellExit:
        entry = self._checkpoints.entry
        covered = None
        if entry:
            covered = await self._checkpoints.commands.before(entry)
        else:
            await self._checkpoints.settle()
        try:
            return await self._shell.run(command, **how)
        finally:
            if covered is not None:
                self._checkpoints.commands.after(entry, covered)
