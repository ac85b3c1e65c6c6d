"""What fills the context window."""

from zot_core import Runtime
from zot_core.runtime.context import context_split
from zot_core.skills import Skill
from zot_provider.messages import TextBlock
from zot_provider.model import Model
from zot_provider.testing import ScriptedClient


async def test_the_parts_are_the_system_prompt_the_skills_the_tools_and_each_message() -> None:
    model = Model("m", "v", context_window=100_000)
    async with Runtime(model, client=ScriptedClient(["b" * 400]), builtin_tools=["ls"]) as rt:
        await rt.ask("a" * 4000)
        split = context_split(rt)
        kinds = [part.kind for part in split.parts]
        assert kinds == ["system", "tools", "message", "message"]
        assert [part.tokens for part in split.parts[2:]] == [1000, 100]
        assert (split.window, split.usage) == (100_000, rt.usage)
        assert split.tokens == sum(part.tokens for part in split.parts)
        rt.sent.replace(rt.messages[0].content[0], TextBlock("short"))  # type: ignore[arg-type]
        split = context_split(rt)
        assert [(part.tokens, part.changed) for part in split.parts[2:]] == [(1, True), (100, False)]


async def test_skills_are_a_part_of_their_own() -> None:
    skill = Skill("weather", "how to read the weather", "/skills/weather/SKILL.md", "/skills/weather", "user")
    async with Runtime("m", client=ScriptedClient([]), skills=[skill]) as rt:
        split = context_split(rt)
        assert [part.kind for part in split.parts] == ["system", "skills", "tools"]
        assert split.parts[1].tokens > 5
