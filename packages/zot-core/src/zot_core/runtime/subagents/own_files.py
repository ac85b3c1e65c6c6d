"""A sub-agent in a worktree: it enters before its first call, and what it leaves there is kept at its end."""

import asyncio
import os
import threading

from zot_core.aio import GivenUp, finish, spawn
from zot_core.machine.repository import repository_top
from zot_core.machine.worktrees import (
    Worktree,
    WorktreeError,
    WorktreeLimits,
    WorktreeWork,
    add_worktree,
    finish_worktree,
)
from zot_core.runtime.subagents.subagent import AgentRuntime, SubAgent

_WORDS = """You work in a git worktree on the branch {branch}. It has the files of the project at the last \
commit{but}. Change files only below your working directory. What \
you leave there is committed to the branch when you end."""


async def enter_worktree(child: SubAgent, runtime: AgentRuntime, root: str, git_seconds: float) -> None:
    """Make a worktree below `root`, and let the sub-agent, whose runtime this is, work there. Raises `WorktreeError`.
    Cancelling ends git and leaves nothing."""
    if runtime.agent.place.machine is not None:
        raise WorktreeError("the tools use another machine, where zot makes no worktrees")
    limits, stopped = WorktreeLimits(git_seconds), threading.Event()

    def check() -> None:
        if stopped.is_set():
            raise GivenUp

    workspace = runtime.workspace
    make = asyncio.to_thread(add_worktree, workspace.cwd, root, f"agent-{child.id}", limits, check)
    making = spawn(make, f"worktree of sub-agent {child.id}")
    if await finish(making, stopped.set):
        if making.exception() is None:
            await _finish(making.result(), "", limits)
        raise asyncio.CancelledError
    child.worktree = worktree = making.result()
    below = os.path.relpath(os.path.realpath(workspace.cwd), repository_top(workspace.cwd))
    cwd = os.path.normpath(os.path.join(worktree.folder, below))
    cwd = cwd if os.path.isdir(cwd) else worktree.folder
    but = f", without {worktree.left_out} that have changed since" if worktree.left_out else ""
    words = _WORDS.format(branch=worktree.branch, but=but)
    runtime.workspace = workspace.replace(cwd=cwd, append_system_prompt=[*workspace.append_system_prompt, words])
    agent = runtime.agent
    agent.place.here = agent.place.context = agent.context.replace(cwd=cwd)
    agent.system = runtime.workspace.system()
    agent.refresh()
    if runtime.session is not None:
        known = runtime.session.meta.other["agent"] | {"branch": worktree.branch, "worktree": worktree.folder}
        runtime.session.link(agent=known)  # if this process is killed, the next one can say where it worked


async def leave_worktree(child: SubAgent, worktree: Worktree, runtime: AgentRuntime, git_seconds: float) -> None:
    """Commit what the sub-agent leaves in its worktree, and remove the folder."""
    await runtime.agent.context.jobs.close()  # they may write
    first = next((line.strip() for line in child.start.task.splitlines() if line.strip()), "")
    child.changes = await _finish(worktree, f"{child.title}: {first[:70]}", WorktreeLimits(git_seconds))


async def _finish(worktree: Worktree, message: str, limits: WorktreeLimits) -> WorktreeWork:
    ending = spawn(asyncio.to_thread(finish_worktree, worktree, message, limits), "end of a worktree")
    await finish(ending)
    return ending.result()
