"""The process of one run of a fleet. The first line of its standard input is a `Task`; it answers with `RunProgress`
and, last, an `End`. The end of its input means that its worker has gone: it stops, and so does what it has started.

A process for each run keeps what one does to its process away from the others: a store that does not answer holds the
loop of this run alone, and a run that takes all memory ends nothing else.
"""

import asyncio
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from zot_agent.event_loop import run_in_loop
from zot_agent.fleet.limits import FleetLimits
from zot_agent.fleet.run_lines import End, EndState, RunProgress, Task, fields_of
from zot_agent.fleet.store.copy import COPY
from zot_agent.fleet.store.interface import FleetStore, StoreAway, StoreLimits
from zot_agent.fleet.store.open import open_store
from zot_agent.fleet.trees import TREE_FILES, RunTree, TreeError
from zot_agent.host.build import build_host
from zot_agent.host.host import Host
from zot_agent.host.options import HostOptions
from zot_agent.runs.options import options_of
from zot_agent.runs.store import MAX_TRIES
from zot_agent.traces import PARENT
from zot_agent.version import __version__
from zot_core.agent import user_message
from zot_core.confirm import PermissionAnswer, PermissionQuestion
from zot_core.errors import SessionError, SessionLocked
from zot_core.events import AgentEvent, Done, ErrorEvent, TurnEnd
from zot_core.hooks import ToolOutcome
from zot_core.permission_mode import SANDBOX_MODES
from zot_core.runtime.durable import DurableRun
from zot_core.runtime.run_rows import OVER, RunRecord, read_run, run_row
from zot_core.runtime.runtime import Runtime
from zot_core.sessions.file import SessionFile, load
from zot_core.sessions.row_log.interface import RowLog
from zot_provider.errors import ZotError
from zot_provider.json_text import dump, without_surrogates
from zot_provider.messages import Message
from zot_provider.record import Record

_REASON = 2000
"""Characters of a reason: it is part of the engine's history."""


def main() -> int:
    """Do the work of the run that standard input names, and return 0."""
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what anything prints is for the log of the worker
    lines = read_lines(0)
    if not (first := next(lines, b"")):
        return 0  # the worker has gone already
    task = Task(**json.loads(first))
    if task.trace:
        os.environ[PARENT] = task.trace

    def say(message: dict[str, Any]) -> None:
        with suppress(OSError):  # the worker has gone, which the end of the input says too
            output.write(without_surrogates(dump(message) + "\n").encode())

    end = run_in_loop(RunWork(task, say).work(lines))
    say({"end": fields_of(end)})
    return 0


def read_lines(descriptor: int) -> Iterator[bytes]:
    """Yield the lines of a pipe or socket. Nothing is buffered in an object that Python closes while a thread reads."""
    rest = b""
    with suppress(ConnectionResetError):  # the other end of the socket has gone, and had not read all
        while data := os.read(descriptor, 1 << 16):
            *whole, rest = (rest + data).split(b"\n")
            yield from whole


class _OpenRun(Record):
    """A run that has been taken from the store. `tree` are its files, None if it has no workspace."""

    host: "Host"
    durable: DurableRun
    tree: RunTree | None


class RunWork:
    """The work on one run in this process. `say` sends a line to the worker."""

    def __init__(self, task: Task, say: Callable[[dict[str, Any]], None], limits: FleetLimits | None = None) -> None:
        self._task, self._say, self._limits = task, say, limits or FleetLimits()
        self._open: _OpenRun | None = None
        self._final = self._stopped = False
        self._messages = [{"id": id, "text": text} for id, text in task.messages.items()]
        self._taken: list[str] = []
        self._errors: list[str] = []
        self._progress = RunProgress()
        self._keeping = asyncio.Lock()

    async def work(self, lines: Iterator[bytes]) -> End:
        """Do the work until the run ends or stops."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(lines, loop), daemon=True).start()
        store = open_store(self._task.store, StoreLimits(away_seconds=self._task.away_seconds))
        try:
            end = await self._work(store)
            if end.state in OVER:  # the store has everything; of a run that has failed, a person may look at the files
                await asyncio.to_thread(_clear, self._task.folder)
            return end
        except StoreAway as error:
            return _end("away", error)
        except SessionLocked as error:
            return _end("taken", error)
        except TreeError as error:
            return _end("workspace", error)
        except ZotError as error:
            return _end("failed", error)
        finally:
            store.close()

    async def _work(self, store: FleetStore) -> End:
        task = self._task
        path, log = await asyncio.to_thread(store.open, task.run, task.attempt, task.folder)
        record = read_run(path)
        if record is None:
            raise SessionError(f"the store has no run {task.run}")
        if record.state in OVER:
            return End("done" if record.state == "done" else "cancelled", record.reason, steps=record.steps)
        if task.cancel:
            _write_cancelled(path, log)
            return End("cancelled", steps=record.steps)
        if record.tries >= MAX_TRIES and not task.retry:
            return End("parked", f"{record.tries} processes have ended without progress", steps=record.steps)
        options, tree = options_of(record, path), None
        if record.workspace:
            tree = RunTree(task.run, task.folder, record.workspace, record.tree, store)
            await asyncio.to_thread(tree.fetch)
            options = options.replace(cwd=tree.files)
        self._open = self._open_run(options, record, log, tree)
        return await self._drive(self._open, record)

    def _open_run(self, options: HostOptions, record: RunRecord, log: RowLog, tree: RunTree | None) -> _OpenRun:
        mode = next(each for each in SANDBOX_MODES if each == self._task.sandbox)
        host = build_host(options.replace(sandbox=options.sandbox or mode), log=log)
        durable, session = host.runtime.durable, host.runtime.session
        assert durable is not None
        assert session is not None
        if self._task.answer and (asked := record.question.get("id")):
            durable.record.answers[str(asked)] = self._task.answer
            session.add_row(run_row({"answers": durable.record.answers, "state": "running", "question": {}}))
        durable.stopped_state = "running"  # unless a person stops it, another process continues
        host.conversation.permissions.ask_with(durable.asking(_refuse))
        run, hooks = _OpenRun(host, durable, tree), host.runtime.hooks
        hooks.event.add(partial(self._on_event, host.runtime), ErrorEvent, TurnEnd, Done)
        hooks.message.add(self._on_message)
        if tree is not None:
            hooks.tool_result.add(partial(self._keep_tree, run, tree))
        return run

    async def _drive(self, opened: _OpenRun, record: RunRecord) -> End:
        host, durable = opened.host, opened.durable
        try:
            if self._stopped:
                self._stop()
            run = host.conversation.resend("", durable.work)
            self._deliver()
            if self._stopped:
                self._stop()
            await run
            await host.conversation.idle()
            if opened.tree is not None and durable.record.state == "done":
                await self._end_tree(durable, opened.tree, record)
        finally:
            await host.close()
        now = durable.record
        state: EndState = "interrupted" if now.state == "running" else now.state
        reason = self._errors[-1] if self._errors else now.reason
        return End(state, reason[:_REASON], _short(now.question), now.steps, self._progress.cost, self._taken)

    async def _end_tree(self, durable: DurableRun, tree: RunTree, record: RunRecord) -> None:
        message = f"{record.task.strip().splitlines()[0][:70]}\n\nRun {self._task.run} of zot {__version__}"
        variables = {**os.environ, "ZOT_RUN": self._task.run}
        try:
            durable.keep_tree(await asyncio.to_thread(tree.end, message, variables))
        except TreeError as error:
            self._errors.append(str(error))

    async def _keep_tree(self, run: _OpenRun, tree: RunTree, outcome: ToolOutcome) -> None:
        """Keep the files before the result of a call is on disk, so that no row is newer than the files."""
        tool = run.host.runtime.agent.tools.get(outcome.call.name)
        if tool is not None and tool.repeatable:
            return
        async with self._keeping:
            kept = await asyncio.to_thread(tree.keep)
        if kept is not None:
            run.durable.keep_tree(kept)

    def _on_message(self, message: Message) -> None:
        if message.role == "user":
            self._take(message.id)

    def _take(self, id: str) -> None:
        self._taken.append(id)
        self._say({"taken": id})

    def _on_event(self, runtime: Runtime, event: AgentEvent) -> None:
        if isinstance(event, ErrorEvent):
            self._errors.append(event.message)
        if isinstance(event, TurnEnd | Done):
            self._progress.steps += isinstance(event, TurnEnd)
            self._progress.rows = len(runtime.messages)
            usage = runtime.usage
            self._progress.tokens = usage.input + usage.output + usage.cache_read + usage.cache_write
            self._progress.cost = usage.cost_usd or 0.0
            self._say({"progress": fields_of(self._progress)})

    # What the worker says

    def _listen(self, lines: Iterator[bytes], loop: asyncio.AbstractEventLoop) -> None:
        """Read lines until the worker ends; then end, even if the loop hangs in a write to a store that has gone."""
        for line in lines:
            with suppress(ValueError, RuntimeError):
                loop.call_soon_threadsafe(self._hear, json.loads(line))
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._hear, {"do": "stop"})
        threading.Event().wait(self._limits.end_seconds)
        os._exit(1)

    def _hear(self, line: dict[str, Any]) -> None:
        if line.get("do") == "stop":
            self._stopped, self._final = True, self._final or bool(line.get("final"))
            self._stop()
        elif line.get("do") == "steer":
            self._messages.append({"id": str(line["id"]), "text": str(line["text"])})
            self._deliver()

    def _stop(self) -> None:
        if self._open is not None:
            self._open.durable.stopped_state = "cancelled" if self._final else "running"
            self._open.host.conversation.stop()

    def _deliver(self) -> None:
        """Give messages to the running conversation, each once: a message that a row has is said to be taken."""
        if self._open is None:
            return
        host, agent = self._open.host, self._open.host.runtime.agent
        for each in self._messages:
            if any(message.id == each["id"] for message in host.runtime.messages):
                self._take(each["id"])
            elif not any(message.id == each["id"] for message in agent.inbox.messages):
                message = user_message(each["text"])
                message.id = each["id"]
                agent.inbox.steer(message)
                host.conversation.inbox_changed()
        self._messages.clear()


def _clear(folder: str) -> None:
    """Remove what a run has left on this machine."""
    for name in (*TREE_FILES, COPY):
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))
    with suppress(OSError):
        os.rmdir(folder)


def _write_cancelled(path: str, log: RowLog) -> None:
    stored = load(path)
    session = SessionFile(path, stored.meta, resume=stored, log=log)
    try:
        session.add_row(run_row({"state": "cancelled", "question": {}}))
    finally:
        session.close()


async def _refuse(question: PermissionQuestion) -> PermissionAnswer:
    return PermissionAnswer("no", "nobody can be asked", unanswered=True)


def _end(state: EndState, error: ZotError) -> End:
    return End(state, str(error)[:_REASON])


def _short(question: dict[str, Any]) -> dict[str, Any]:
    return {name: value[:_REASON] if isinstance(value, str) else value for name, value in question.items()}


if __name__ == "__main__":
    sys.exit(main())
