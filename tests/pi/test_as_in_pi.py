"""What an extension is told of a run, and finds around it, as pi 1.6.0 has it, except where it says so."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from command import KEY, Zot
from pi_zot import examples, pi_environment

from zot_provider.testing import ScriptedServer

pytestmark = pytest.mark.needs("pi")

TELLER = str(Path(__file__).parent / "extensions" / "teller.ts")
# pi tells of the message after `turn_start`, also those who may change it.
ASKED = """input idle interactive
message_start idle user
message_end idle user
before_agent_start busy
"""
RUN = """agent_start busy
turn_start busy
message_start busy assistant scripted 0
message_end busy assistant scripted 5
turn_end busy assistant scripted 5
agent_end busy user, assistant scripted 5
agent_settled idle
session_shutdown idle
"""


@pytest.fixture
def zot(tmp_path: Path) -> Zot:
    return Zot(tmp_path)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(key=KEY) as running:
        yield running


@pytest.fixture
def told(zot: Zot, tmp_path: Path) -> Path:
    """What the extension has written."""
    path = tmp_path / "told"
    zot.env = {**pi_environment(zot.env), "TOLD": str(path), "ZOT_PI_CACHE": str(tmp_path / "cache")}
    return path


def test_the_first_prompt_at_once_is_told_as_in_pi_cold_and_remembered(
    zot: Zot, server: ScriptedServer, told: Path
) -> None:
    for _ in range(2):
        server.add("Hello.")
        done = zot.ask(server, "-p", "hi", "-e", TELLER)
        assert (done.code, done.out, done.err) == (0, "Hello.\n", "")
        assert told.read_text() == f"session_start idle\n{ASKED}{RUN}"
        told.unlink()


def test_what_a_command_sends_is_answered_also_without_a_screen(zot: Zot, server: ScriptedServer, told: Path) -> None:
    server.add("Hello.")
    done = zot.ask(server, "-p", "/say hi", "-e", TELLER)
    assert (done.code, done.out, done.err) == (0, "Hello.\n", "")
    assert server.requests[0].body["messages"][-1]["content"] == "hi"
    assert told.read_text().startswith("session_start idle\nsay idle\n")
    assert told.read_text().endswith(RUN)


def test_a_command_needs_no_key_until_it_has_a_model_called(zot: Zot, told: Path) -> None:
    zot.env = {name: value for name, value in zot.env.items() if value != KEY}
    for _ in range(2):  # cold, and remembered
        done = zot.run("-p", "/look", "-e", TELLER)
        assert (done.code, done.err) == (0, "")
        assert "pi 1.6.0 has a folder\n" in told.read_text()
        told.unlink()
    asked = zot.run("-p", "/say hi", "-e", TELLER)
    assert (asked.code, asked.out) == (2, "")
    assert "no API key found: " in asked.err


def test_an_extension_finds_a_program_pi_and_the_folder_of_pi(zot: Zot, server: ScriptedServer, told: Path) -> None:
    done = zot.ask(server, "-p", "/look", "-e", TELLER)
    assert (done.code, done.err) == (0, "")
    assert "pi 1.6.0 has a folder\n" in told.read_text()
    assert list((Path(zot.env["HOME"]) / ".pi" / "agent").iterdir()) == []


def test_the_check_finds_no_fault_that_is_the_bridges(zot: Zot, told: Path) -> None:
    plan = examples() / "plan-mode"
    done = zot.run("ext", "check", str(plan))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("plan-mode: follows the protocol (command plan, ")
