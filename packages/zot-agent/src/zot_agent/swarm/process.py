"""`zot swarm work ID`: the process of a member. It works until nothing is left to do, and then ends."""

import asyncio
import os
from contextlib import suppress

from zot_agent.config.paths import zot_home
from zot_agent.event_loop import run_in_loop
from zot_agent.host.build import build_host
from zot_agent.host.detached import report_ready
from zot_agent.host.host import Host
from zot_agent.rpc.questions import PermissionRequests
from zot_agent.signals import on_end_signals
from zot_agent.standard_error import print_error
from zot_agent.swarm.folder import MemberFolder
from zot_agent.swarm.limits import SwarmLimits
from zot_agent.swarm.member import Member
from zot_agent.swarm.member_state import follow
from zot_core.clock import timestamp
from zot_core.confirm import PermissionAnswer
from zot_core.conversation.events import ConversationEvent, Undelivered
from zot_core.events import ErrorEvent, Notice, UserMessage
from zot_provider.errors import ConfigError

CONTINUE = "Continue."
"""The text for the model after an answer that was stopped, when the member is resumed without a message."""


def run(id: str, limits: SwarmLimits | None = None) -> int:
    """Work for the member `id` and return the exit code. Raises `ConfigError` if another process does, and what
    `build_host` raises."""
    limits = limits or SwarmLimits()
    folder = MemberFolder(os.path.join(zot_home(), "swarm", id), limits)
    with folder.locked(limits.lock_seconds):
        return run_in_loop(_work(folder))


async def _work(folder: MemberFolder) -> int:
    member = folder.stored()
    options = member.host_options
    if not os.path.isdir(member.cwd):
        raise ConfigError(f"{member.cwd} is gone")
    host = build_host(options if _has_rows(options.session) else options.replace(session=""), once=False)
    try:
        return await _Worker(folder, member, host).run()
    finally:
        await host.close()


def _has_rows(session: str) -> bool:
    """Whether there is a session, which is empty where its process was killed before the first row."""
    with suppress(OSError):
        return os.path.getsize(session) > 0
    return False


class _Worker:
    """Gives the messages of the inbox to the conversation, and what happens there to the state."""

    def __init__(self, folder: MemberFolder, member: Member, host: Host) -> None:
        self._folder, self._member, self._host = folder, member, host
        self._conversation, self._runtime = host.conversation, host.runtime
        self._before = "interrupted" if member.active else member.state
        self._given: dict[str, str] = {}  # messages that the conversation has and the session perhaps not yet
        self._stopped, self._signal = False, 0
        self._failed_to_write = False
        self._conversation.front_end = "print"  # extensions know this mode, in which nobody can be asked
        self._permissions = PermissionRequests(self._conversation, folder.limits.question_seconds)
        self._conversation.permissions.ask_with(self._permissions)
        self._conversation.events.add(self._on_event)

    async def run(self) -> int:
        """Work until nothing is left to do; return 0, or 128 plus the number of the signal that ended it."""
        on_end_signals(self._end)
        self._member.pid, self._member.error = os.getpid(), ""
        for note in self._host.notes:
            print_error(note)
        self._drop_recorded()
        while True:
            pipe = self._listen()
            self._look()
            self._save()
            report_ready()
            await self._conversation.idle()
            # Who writes a message from here on finds no reader, and starts another process, which waits for this one.
            self._hang_up(pipe)
            for name in self._given:
                self._folder.drop(name)
            self._given.clear()
            if self._stopped or not self._unseen():
                break
        self._finish()
        return 128 + self._signal if self._signal else 0

    def _finish(self) -> None:
        if self._stopped and self._member.active:
            self._member.state = "stopped"
        elif self._member.active:  # there was nothing to do
            self._member.state = self._before
        self._member.pid, self._member.line, self._member.question = 0, "", None
        self._save()

    def _end(self, number: int) -> None:
        self._signal, self._stopped = number, True
        self._stop()

    def _stop(self) -> None:
        self._stopped = True
        self._permissions.close()
        self._conversation.stop()
        self._given.clear()  # what the session does not have stays in the inbox

    # Messages

    def _listen(self) -> int:
        pipe = self._folder.open_pipe()
        if pipe >= 0:
            asyncio.get_running_loop().add_reader(pipe, self._woken, pipe)
        return pipe

    def _hang_up(self, pipe: int) -> None:
        if pipe >= 0:
            asyncio.get_running_loop().remove_reader(pipe)
            os.close(pipe)

    def _woken(self, pipe: int) -> None:
        try:
            os.read(pipe, 4096)
        except BlockingIOError:
            return
        self._look()

    def _unseen(self) -> list[str]:
        return [name for name in self._folder.waiting() if name not in self._given]

    def _drop_recorded(self) -> None:
        """Remove messages that are in the session already: the last process was killed before it removed them."""
        said = [each for each in self._runtime.messages if each.role == "user"][-self._folder.limits.messages :]
        for name in self._folder.waiting():
            text, since = self._folder.message(name).get("text"), timestamp(int(name.partition("-")[0]) / 1e9)
            if any(each.text == text and each.time >= since for each in said):
                self._folder.drop(name)

    def _look(self) -> None:
        for name in self._unseen():
            if self._stopped:
                return
            message = self._folder.message(name)
            text = message.get("text")
            if isinstance(text, str) and text.strip():
                self._give(name, text)
                continue
            self._folder.drop(name)
            if message.get("stop") is True:
                self._stop()
            elif message.get("resume") is True:
                self._resume()
            elif message.get("answer") in ("yes", "always", "no"):
                answer = PermissionAnswer(message["answer"], str(message.get("message", "")))
                self._permissions.answer(str(message.get("request", "")), answer)

    def _give(self, name: str, text: str) -> None:
        self._given[name] = text
        self._member.state, running = "working", self._conversation.running
        if running is not None and running.steerable:
            self._conversation.steer(text)
        else:
            self._conversation.prompt(text)

    def _resume(self) -> None:
        """Continue where the last run has ended."""
        last = self._runtime.messages[-1] if self._runtime.messages else None
        if self._conversation.busy or last is None:
            return
        self._member.state = "working"
        if last.role == "assistant" and not last.tool_calls:
            self._conversation.prompt(CONTINUE)
        else:
            self._conversation.resend()

    # The state

    def _on_event(self, event: ConversationEvent) -> None:
        match event:
            case UserMessage(message):
                name = next((name for name, text in self._given.items() if text == message.text), "")
                if name:  # it is in the session now
                    self._folder.drop(name)
                    del self._given[name]
            case Undelivered(texts):
                self._give_again(texts)
            case ErrorEvent(message) | Notice(_, message):
                print_error(message)
        if follow(self._member, event, self._folder.limits):
            self._save()

    def _give_again(self, texts: list[str]) -> None:
        """Send as prompts what the model did not read before the end of its run."""
        if not self._stopped:
            for text in texts:
                self._conversation.prompt(text)

    def _save(self) -> None:
        member, state = self._member, self._runtime.state
        member.provider, member.model = state.provider, state.model
        member.session = self._runtime.session.path if self._runtime.session is not None else ""
        try:
            self._folder.write(member)
        except OSError as error:  # a full disk: the state is old for a while, and nothing else is lost
            if not self._failed_to_write:
                print_error(f"cannot write the state in {self._folder.path}: {error.strerror}")
            self._failed_to_write = True
