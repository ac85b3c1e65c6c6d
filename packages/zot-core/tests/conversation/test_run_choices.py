"""What the front matter of a prompt template chooses for the run that answers it."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from zot_core.confirm import PermissionAnswer, PermissionQuestion, Permissions
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import Changed, ConversationEvent
from zot_core.events import Notice
from zot_core.permissions.rule import parse_rule
from zot_core.runtime.runtime import Runtime
from zot_core.skills import Skill
from zot_core.skills.skill import read_skill
from zot_core.templates import PromptTemplates
from zot_provider.messages import ToolResultBlock
from zot_provider.model import Model
from zot_provider.testing import Call, ScriptedClient, ScriptedServer, Turn


def templates_in(folder: Path, **fronts: str) -> PromptTemplates:
    """The templates of a home folder, by their front matter."""
    (folder / "prompts").mkdir()
    for name, front in fronts.items():
        (folder / "prompts" / f"{name}.md").write_text(f"---\n{front}\n---\nDo it.\n")
    return PromptTemplates(str(folder), str(folder))


async def test_a_template_chooses_the_model_of_its_own_run_alone(tmp_path: Path) -> None:
    client = ScriptedClient(["1", "2", "3"])
    path = tmp_path / "s.jsonl"
    runtime = Runtime(
        Model("m", "v"), client=client, templates=templates_in(tmp_path, quick="model: tiny", same="model: inherit"),
        session=path,
    )  # fmt: skip
    events: list[ConversationEvent] = []
    async with Conversation(runtime) as conversation:
        conversation.events.add(events.append)
        await conversation.prompt("/quick")
        assert runtime.state.model == "m"
        await conversation.prompt("and now")
        await conversation.prompt("/same")
    assert [request.model.id for request in client.requests] == ["tiny", "m", "m"]
    assert events.count(Changed("settings")) == 2
    assert '"tiny"' not in path.read_text()


@pytest.mark.parametrize(
    ("model", "named", "why"),
    [
        ("gpt-4o", "anthropic/claude-opus-4-5", "ANTHROPIC_API_KEY"),
        ("gpt-4o", "unheard-of", "not among the models of OpenAI"),
        ("gpt-4o", "nobody/such", "nobody"),
        ("own-name", "claude-opus-4-5", "zot does not know it"),
    ],
)
async def test_a_model_that_is_not_available_is_named_and_the_model_in_use_answers(
    model: str, named: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with ScriptedServer(["fine"]) as server:
        runtime = Runtime(
            model, provider="openai", api_key="sk", base_url=server.base_url("openai-chat"),
            templates=templates_in(tmp_path, quick=f"model: {named}"),
        )  # fmt: skip
        notices: list[Notice] = []
        async with Conversation(runtime) as conversation:
            conversation.events.add(lambda event: notices.append(event) if isinstance(event, Notice) else None)
            assert await conversation.prompt("/quick") == "completed"
            (notice,) = notices
            assert notice.message.startswith(f"/quick: model {named}: ")
            assert why in notice.message
            assert notice.message.endswith(f"; {model} answers")
        assert [request.body["model"] for request in server.requests] == [model]


class Asked:
    """A person who refuses what is asked."""

    def __init__(self) -> None:
        self.commands: list[str] = []

    async def __call__(self, question: PermissionQuestion) -> PermissionAnswer:
        self.commands.append(str(question.call.arguments["command"]))
        return PermissionAnswer("no")


def skill_in(folder: Path, source: str) -> Skill:
    """A skill that allows a call; that of an extension is called as such."""
    place = folder / "tidy"
    place.mkdir()
    (place / "SKILL.md").write_text("---\ndescription: d\nallowed-tools: Bash(expr:*)\n---\nTidy.\n")
    prefix = "" if source in ("user", "project") else f"{source}:"
    return read_skill(str(place / "SKILL.md"), source, prefix)


async def run(permissions: Permissions, templates: PromptTemplates, command: str, *prompts: str) -> list[bool]:
    """Answer prompts with the same call; return whether the call was allowed, for each."""
    return await run_with(permissions, command, *prompts, templates=templates)


async def run_with(permissions: Permissions, command: str, *prompts: str, **more: Any) -> list[bool]:
    """Do the same, with more arguments for the runtime."""
    answers = [each for _ in prompts for each in (Turn(calls=[Call("bash", {"command": command})]), "Done.")]
    runtime = Runtime(Model("m", "v"), client=ScriptedClient(answers), **more)
    async with Conversation(runtime, permissions=permissions) as conversation:
        for prompt in prompts:
            await conversation.prompt(prompt)
        blocks = [block for message in runtime.messages for block in message.content]
        return [not block.is_error for block in blocks if isinstance(block, ToolResultBlock)]


async def test_the_calls_that_a_template_allows_are_not_asked_about_in_its_run(tmp_path: Path) -> None:
    asked = Asked()
    templates = templates_in(tmp_path, commit="allowed-tools: Bash(expr one:*)")
    ran = await run(Permissions("ask", ask=asked), templates, "expr one : one", "/commit", "/commit", "the same again")
    assert ran == [True, True, False]
    assert asked.commands == ["expr one : one"]


@pytest.mark.parametrize("action", ["deny", "ask"])
async def test_a_template_allows_nothing_that_a_rule_denies_or_asks_about(action: str, tmp_path: Path) -> None:
    rule = parse_rule("deny" if action == "deny" else "ask", "bash(expr *)")
    templates = templates_in(tmp_path, commit="allowed-tools: Bash")
    assert await run(Permissions("yolo", [rule], ask=Asked()), templates, "expr one", "/commit") == [False]


async def test_a_template_allows_nothing_in_the_mode_plan(tmp_path: Path) -> None:
    templates = templates_in(tmp_path, commit="allowed-tools: Bash(expr:*)")
    assert await run(Permissions("plan", ask=Asked()), templates, "expr one", "/commit") == [False]


@pytest.mark.parametrize(
    ("source", "prompts", "ran"),
    [
        ("user", ["/skill:tidy", "again"], [True, False]),
        ("project", ["/skill:tidy"], [True]),
        ("kit", ["/skill:kit:tidy"], [False]),
        ("user", ["load the skill tidy"], [False]),
    ],
)
async def test_the_calls_that_a_skill_allows_run_while_the_person_s_command_is_answered(
    source: str, prompts: list[str], ran: list[bool], tmp_path: Path
) -> None:
    skill = skill_in(tmp_path, source)
    assert await run_with(Permissions("ask", ask=Asked()), "expr one", *prompts, skills=[skill]) == ran


async def test_a_skill_of_the_project_that_has_changed_allows_nothing(tmp_path: Path) -> None:
    skill, path = skill_in(tmp_path, "project"), Path(tmp_path, "tidy", "SKILL.md")
    later = time.time() + 60
    os.utime(path, (later, later))
    assert await run_with(Permissions("ask", ask=Asked()), "expr one", "/skill:tidy", skills=[skill]) == [False]


@pytest.mark.parametrize("action", ["deny", "ask"])
async def test_a_skill_allows_nothing_that_a_rule_denies_or_asks_about(action: str, tmp_path: Path) -> None:
    rule = parse_rule("deny" if action == "deny" else "ask", "bash(expr *)")
    permissions = Permissions("yolo", [rule], ask=Asked())
    assert await run_with(permissions, "expr one", "/skill:tidy", skills=[skill_in(tmp_path, "user")]) == [False]
