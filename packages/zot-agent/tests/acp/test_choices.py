"""The mode, the model and the reasoning level as options of the protocol."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from acp.schema import SessionConfigOptionSelect, SessionModeState

from zot_agent.acp.choices import choose, config_options, list_choices, mode_state, parse_mode
from zot_core.conversation.driver import Conversation
from zot_core.errors import Busy
from zot_core.permission_mode import MODES
from zot_core.runtime.runtime import Runtime
from zot_provider.errors import UnknownName
from zot_provider.model import Model
from zot_provider.testing import ScriptedClient, Turn

OWN, OTHER = Model("big", "here", context_window=1000, reasoning=True), Model("big", "there", name="Big of There")


@asynccontextmanager
async def conversation(model: Model = OWN) -> AsyncIterator[Conversation]:
    runtime = Runtime(model, client=ScriptedClient([Turn("Slowly.", delay=60.0)]))
    made = Conversation(runtime)
    try:
        yield made
    finally:
        made.stop()
        await made.close()


def test_the_modes_are_those_of_the_protocol() -> None:
    state = SessionModeState.model_validate(mode_state("ask"))
    assert state.current_mode_id == "ask"
    assert [parse_mode(each.id) for each in state.available_modes] == list(MODES)
    with pytest.raises(UnknownName, match="unknown mode 'never'"):
        parse_mode("never")


async def test_a_model_of_another_provider_has_its_provider_in_its_value() -> None:
    async with conversation() as made:
        assert await list_choices(made, [OTHER]) == {"big": OWN, "there/big": OTHER}
        made.set_model(OTHER)
        assert await list_choices(made, [OWN]) == {"big": OTHER, "here/big": OWN}


async def test_a_model_that_was_offered_before_is_offered_still() -> None:
    async with conversation() as made:
        offered = await list_choices(made, [])
        made.set_model("unlisted")
        assert set(await list_choices(made, offered.values())) == {"unlisted", "big"}


async def test_no_model_can_be_chosen_while_the_current_one_is_unknown() -> None:
    async with conversation(Model("", "here", reasoning=True)) as made:
        assert await list_choices(made, [OTHER]) == {}
        assert [each["id"] for each in config_options(made, "ask", {})] == ["mode", "reasoning"]


async def test_every_option_has_its_current_value_among_its_values() -> None:
    async with conversation() as made:
        found = config_options(made, "yolo", await list_choices(made, [OTHER]))
    options = {each["id"]: SessionConfigOptionSelect.model_validate(each) for each in found}
    assert {id: each.current_value for id, each in options.items()} == {
        "mode": "yolo", "model": "big", "reasoning": "off",
    }  # fmt: skip
    for each in found:
        assert each["currentValue"] in [choice["value"] for choice in each["options"]]
    names = {choice["value"]: choice["name"] for choice in found[1]["options"]}
    assert names == {"big": "big", "there/big": "Big of There"}


async def test_only_levels_that_the_model_has_are_offered() -> None:
    async with conversation(Model("claude-opus-5-5", "here", reasoning=True)) as made:
        option = config_options(made, "ask", {})[-1]
        assert option["currentValue"] == "low"  # "off" is the lowest effort of a model that always thinks
        assert [each["value"] for each in option["options"]] == ["low", "medium", "high", "xhigh", "max"]
        made.set_model(OTHER)
        assert [each["id"] for each in config_options(made, "ask", {})] == ["mode"]


async def test_a_chosen_value_is_the_model_that_was_offered_under_it() -> None:
    async with conversation() as made:
        choose(made, "model", "there/big", await list_choices(made, [OTHER]))
        choose(made, "reasoning", "high", {})
        assert made.runtime.agent.model is OTHER
        assert made.runtime.agent.reasoning == "high"


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("reasoning", "hihg", "unknown reasoning 'hihg'; did you mean high"),
        ("colour", "red", "unknown option 'colour'"),
    ],
)
async def test_an_unknown_option_or_level_is_refused(option: str, value: str, why: str) -> None:
    async with conversation() as made:
        with pytest.raises(UnknownName, match=why):
            choose(made, option, value, {})
        assert (made.runtime.agent.model, made.runtime.agent.reasoning) == (OWN, "off")


async def test_nothing_is_changed_while_a_prompt_runs() -> None:
    async with conversation() as made:
        made.prompt("hi")
        for option, value in (("model", "other"), ("reasoning", "high")):
            with pytest.raises(Busy):
                choose(made, option, value, {})
