"""What the system prompt of a session is in its later requests, in other processes and on other days."""

from pathlib import Path

import pytest

from zot_core import Runtime
from zot_core.prompt import PromptPart
from zot_core.sessions.file import load
from zot_provider.request import Request
from zot_provider.testing import ScriptedClient


def parts(instructions: str, around: str = "Git: branch main") -> list[str | PromptPart]:
    return [PromptPart("instructions", instructions), "Be brief.", PromptPart("surroundings", around)]


async def asked(path: Path, *append: str | PromptPart, first: str = "go") -> Request:
    """Ask in a new process, so to say; the request."""
    client = ScriptedClient(["ok"])
    async with Runtime("m", client=client, session=path, cwd=path.parent, append_system_prompt=append) as rt:
        await rt.ask(first)
    return client.requests[0]


def texts(request: Request) -> list[str]:
    return [message.text for message in request.messages]


async def test_what_has_changed_between_two_processes_is_told_once_and_the_prompt_stays(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = await asked(path, *parts("Mind the gap."))
    second = await asked(path, *parts("Mind the step."))
    third = await asked(path, *parts("Mind the step."))
    assert first.system == second.system == third.system
    assert "Mind the gap.\n\nBe brief.\n\nGit: branch main" in first.system
    assert texts(second)[2:] == ["go", "This has changed since the conversation began:\n\nMind the step."]
    assert texts(third) == [*texts(second), "ok", "go"]
    assert load(str(path)).messages[3].hidden == "the model reads what has changed: instructions"


async def test_on_another_day_the_model_is_told_the_date(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = await asked(path)
    today = first.system[first.system.index("Current date: ") :].splitlines()[0]
    path.write_text(path.read_text().replace(today, "Current date: 2001-02-03"))
    second = await asked(path)
    assert "Current date: 2001-02-03" in second.system
    assert today in texts(second)[-1]


async def test_instructions_that_are_gone_are_said_to_be_gone(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = await asked(path, *parts("Mind the gap."))
    second = await asked(path, *parts(""))
    assert first.system == second.system
    assert texts(second)[-1].endswith("\n\nThere are no instructions any more.")


async def test_a_change_of_long_instructions_is_told_as_a_diff(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    rules = [f"Rule {number}: keep to it, whatever happens." for number in range(100)]
    await asked(path, *parts("\n".join(rules)))
    rules[50] = "Rule 50 does not hold."
    told = texts(await asked(path, *parts("\n".join(rules))))[-1]
    assert "\n-Rule 50: keep to it, whatever happens.\n+Rule 50 does not hold.\n" in told
    assert len(told) < 500


async def test_instructions_that_are_not_wanted_are_not_sent(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    await asked(path, *parts("Mind the gap."))
    second = await asked(path, "Be brief.")
    assert "gap" not in second.system
    assert texts(second) == ["go", "ok", "go"]


async def test_what_a_person_says_on_the_command_line_counts_at_once(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    await asked(path, "Be brief.")
    assert "Be kind." in (await asked(path, "Be kind.")).system


@pytest.mark.parametrize("stored", [True, False])
async def test_after_a_compaction_the_prompt_has_what_was_told_before(tmp_path: Path, *, stored: bool) -> None:
    path = tmp_path / "s.jsonl"
    client = ScriptedClient(["ok"] * 9)
    if stored:
        await asked(path, *parts("Mind the gap."))
    async with Runtime(
        "m", client=client, session=path, cwd=tmp_path, append_system_prompt=parts("Mind the gap."), auto_compact=None
    ) as rt:
        for text in ("one", "two"):
            await rt.ask(text)
        rt.set_workspace(rt.workspace.replace(append_system_prompt=parts("Mind the step.")))
        await rt.ask("three")
        assert "gap" in client.requests[-1].system
        assert "Mind the step." in client.requests[-1].messages[-1].text
        await rt.compact()
        await rt.ask("four")
        assert "Mind the step." in client.requests[-1].system
    later = await asked(path, *parts("Mind the step."))
    assert later.system == client.requests[-1].system
    assert texts(later)[-1] == "go"


async def test_a_cleared_conversation_begins_with_what_is_true_now(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    client = ScriptedClient(["ok"] * 9)
    async with Runtime("m", client=client, session=path, cwd=tmp_path, append_system_prompt=parts("Old.")) as rt:
        await rt.ask("one")
        rt.set_workspace(rt.workspace.replace(append_system_prompt=parts("New.")))
        rt.clear()
        await rt.ask("two")
    later = await asked(path, *parts("New."))
    assert client.requests[-1].system == later.system
    assert "New." in later.system
    assert texts(later) == ["two", "ok", "go"]


async def test_a_prompt_that_a_program_has_set_stays(tmp_path: Path) -> None:
    client = ScriptedClient(["ok", "ok"])
    async with Runtime("m", client=client, cwd=tmp_path) as rt:
        rt.agent.system = "You are a cat."
        await rt.ask("one")
    assert client.requests[0].system.startswith("You are a cat.")


async def test_a_damaged_row_counts_as_none(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    await asked(path, *parts("Mind the gap."))
    path.write_text(path.read_text().replace('"parts":{', '"parts":7,"other":{'))
    second = await asked(path, *parts("Mind the step."))
    assert "Mind the step." in second.system
    assert texts(second) == ["go", "ok", "go"]
