import json
from pathlib import Path

import pytest

from zot_agent.config.settings import Settings
from zot_agent.host.extensions import ProjectChoice
from zot_agent.host.host import Host
from zot_agent.host.options import HostOptions
from zot_core.conversation.driver import Conversation
from zot_core.runtime.runtime import Runtime
from zot_provider.model import Model
from zot_provider.testing import ScriptedClient


class BrokenConversation(Conversation):
    """Fails when it is closed."""

    async def close(self) -> None:
        await super().close()
        raise OSError("the disk is gone")


def runtime() -> Runtime:
    return Runtime(Model("m", "v"), client=ScriptedClient([]))


async def test_a_host_without_sessions_and_extensions_says_so() -> None:
    host = Host(Conversation(runtime()))
    with pytest.raises(RuntimeError, match="made without sessions"):
        await host.open_session("a.jsonl")
    with pytest.raises(RuntimeError, match="made without extensions"):
        host.start_extensions()
    await host.close()


async def test_extensions_are_closed_even_if_the_conversation_fails_to_close(alone: Path) -> None:
    folder = alone / ".zot" / "extensions" / "a"
    folder.mkdir(parents=True)
    (folder / "extension.json").write_text(json.dumps({"name": "a", "exec": "./run"}))
    (folder / "run").write_text('#!/bin/sh\necho \'{"type":"hello","name":"a"}\'\nread -r ack\nread -r shutdown\n')
    (folder / "run").chmod(0o755)
    choice = ProjectChoice(HostOptions(trust=True), Settings(), str(alone))
    host = Host(BrokenConversation(runtime()), ["a note"], choice=choice)
    extensions = host.start_extensions()
    await extensions.ready()
    (member,) = extensions.members
    assert member.running
    assert host.notes == ["a note"]

    with pytest.raises(OSError, match="the disk is gone"):
        await host.close()
    assert not member.running
