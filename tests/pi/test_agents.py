"""Extensions that make agents of their own: `createAgentSession` and what belongs to it, in a zot on a terminal."""

from pathlib import Path

import pytest
from pi_conversation_rows import call
from pi_drive import Row, Stage, Step, ask, command, drive, gone, requested, see

from zot_provider.testing import Turn

pytestmark = pytest.mark.needs("pi")

DELEGATE = str(Path(__file__).parent / "extensions" / "delegate.ts")
Steps = list[Step | list[Step]]


def run(root: Path, steps: Steps, *says: str | Turn, **more: dict[str, str]) -> None:
    drive(Row(DELEGATE, steps, says, **more), root)  # type: ignore[arg-type]


def test_an_agent_of_an_extension_uses_its_own_tools_and_those_of_zot_and_its_guard_refuses(tmp_path: Path) -> None:
    def told(stage: Stage) -> None:
        own = [
            each.body for each in stage.server.requests if each.body and "You count." in str(each.body["messages"][0])
        ]
        assert len(own) == 4
        assert all("Be brief." in str(each["messages"][0]) for each in own)
        assert [tool["function"]["name"] for tool in own[0]["tools"]] == ["read", "bash", "count"]

    steps: Steps = [
        *(ask(), see("All done."), requested("5 letters", "hello file", "not that one", "Counted.")),
        requested("agent_start turn_start message_start message_end message_start message_end tool_execution_start"),
        *(requested("turn_end agent_end agent_settled", "3 calls"), told),
    ]
    says = (
        *(call("delegate", task="count"), call("count", text="12345"), call("read", path="a.txt")),
        *(call("read", path="secret.txt"), "Counted.", "All done."),
    )
    run(tmp_path, steps, *says, files={"a.txt": "hello file\n", "secret.txt": "x"})


def test_an_agent_has_its_own_model_and_messages_that_wait(tmp_path: Path) -> None:
    steps: Steps = [
        *(command("aside", "Ask aside", "what is zot"), see("aside: Then. by quick")),
        *(see("aside later: user assistant user assistant"), requested('"model": "quick"')),
    ]
    run(tmp_path, steps, "An agent.", "Then.", models={"openai": "quick"})


def test_an_agent_is_stopped_in_the_middle_of_a_call(tmp_path: Path) -> None:
    steps: Steps = [*command("stop", "Stop another agent"), see("stopped: aborted true"), gone("esc to stop")]
    run(tmp_path, steps, call("bash", command="sleep 600"))


def test_the_loop_and_a_single_question_have_tools(tmp_path: Path) -> None:
    steps: Steps = [
        *(command("raw", "Use the parts"), see("raw: user assistant toolResult assistant")),
        *(see('"name":"count"', "toolUse"), requested("3 letters"), see("at once: 1 1 1 1 1 1")),
    ]
    run(tmp_path, steps, call("count", text="raw"), "Three.", call("count", text="x"), *(["Yes."] * 6))
