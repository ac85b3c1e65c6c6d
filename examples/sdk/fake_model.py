"""Test a program that uses an agent, without a provider, a network, a disk or a shell.

uv run pytest examples/sdk/fake_model.py
"""

import asyncio

import pytest

from zot_core import ModelError, RunFailed, Runtime
from zot_core.testing import FakeShell, MemoryFiles
from zot_provider.testing import Call, ScriptedClient, Turn


async def release_note(rt: Runtime) -> str:
    """The program under test."""
    note = await rt.ask("Read /CHANGES and write a release note of one sentence.")
    return f"* {note}"


def run(model: ScriptedClient) -> str:
    files = MemoryFiles({"/CHANGES": "1.2: twice as fast\n"})
    return asyncio.run(release_note(Runtime("any-name", client=model, files=files, shell=FakeShell())))


def test_the_note_is_written_from_the_list_of_changes() -> None:
    model = ScriptedClient([Turn(calls=[Call("read", {"path": "/CHANGES"})]), "Version 1.2 is twice as fast."])
    assert run(model) == "* Version 1.2 is twice as fast."
    assert "twice as fast" in str(model.requests[1].messages[-1])  # what the model was shown of the file


def test_a_model_that_fails_is_no_release_note() -> None:
    with pytest.raises(RunFailed, match="overloaded"):
        run(ScriptedClient([Turn("Vers", error=ModelError("overloaded"))]))
