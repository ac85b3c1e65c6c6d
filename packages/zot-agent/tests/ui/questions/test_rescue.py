"""Another model answers a prompt that the first one could not answer."""

import pytest
from screen import Chats

from zot_provider.testing import Fault, ScriptedServer, Turn

REFUSED = Turn(fault=Fault(status=401))


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch, server: ScriptedServer) -> None:
    """A key for Anthropic, whose calls go to the scripted server too."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.base_url("anthropic-messages"))


@pytest.mark.usefixtures("other")
async def test_another_model_answers_the_same_prompt(chats: Chats, server: ScriptedServer) -> None:
    server.add(REFUSED, "from the other one")
    async with chats.built(server) as talk:
        talk.type("what is new?<enter>")
        await talk.shown("scripted cannot answer; send the prompt to another model?")
        assert "gpt" not in talk.screen()
        await talk.press("<enter>")
        await talk.shown("from the other one")
        await talk.quiet()
        assert talk.said == [("user", "what is new?"), ("assistant", "from the other one")]
        assert talk.model.startswith("claude")


@pytest.mark.usefixtures("other")
async def test_nothing_is_lost_if_nobody_chooses(chats: Chats, server: ScriptedServer) -> None:
    server.add(REFUSED, "again")
    async with chats.built(server) as talk:
        talk.type("what is new?<enter>")
        await talk.shown("cannot answer")
        await talk.press("<esc>")
        assert talk.model == "scripted"
        assert talk.said == [("user", "what is new?")]
        await talk.send("and now?")
        assert talk.said[-1] == ("assistant", "again")


@pytest.mark.usefixtures("other")
@pytest.mark.parametrize(
    "turn",
    [
        Turn(fault=Fault(status=400)),
        Turn(fault=Fault(status=400, body={"error": {"message": "prompt is too long"}})),
    ],
    ids=["bad request", "too long"],
)
async def test_no_other_model_is_offered_for_a_request_that_is_wrong(
    chats: Chats, server: ScriptedServer, turn: Turn
) -> None:
    server.add(turn, turn, turn)
    async with chats.built(server) as talk:
        await talk.send("hello")
        await talk.settle()
        assert "400" in talk.screen()
        assert not talk.dialog_open


async def test_no_other_model_is_offered_without_another_key(chats: Chats, server: ScriptedServer) -> None:
    server.add(REFUSED)
    async with chats.built(server) as talk:
        await talk.send("hello")
        await talk.settle()
        assert not talk.dialog_open
        assert "401" in talk.screen()
