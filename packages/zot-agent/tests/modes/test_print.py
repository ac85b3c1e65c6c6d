import asyncio

import pytest

from zot_agent.host.host import Host
from zot_agent.host.options import HostOptions
from zot_agent.modes.print import run
from zot_core.conversation.driver import Conversation
from zot_core.runtime.runtime import Runtime
from zot_provider.model import Model
from zot_provider.testing import ScriptedClient, Turn

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def answer(*texts: str) -> int:
    """Run the mode with a schema; return the exit code."""

    async def main() -> int:
        client = ScriptedClient([Turn(text) for text in texts])
        runtime = Runtime(Model("m", "v"), client=client)
        host = Host(Conversation(runtime), options=HostOptions(json_schema=SCHEMA))
        try:
            return await run(host, "how many?")
        finally:
            await host.close()

    return asyncio.run(main())


def test_an_answer_that_matches_the_schema_is_printed_as_json(capfd: pytest.CaptureFixture[str]) -> None:
    assert answer('{"n": 3}') == 0
    assert capfd.readouterr().out == '{"n": 3}\n'


def test_an_answer_that_never_matches_the_schema_is_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    assert answer(*['{"n": "three"}'] * 9) == 1
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("zot: ")
