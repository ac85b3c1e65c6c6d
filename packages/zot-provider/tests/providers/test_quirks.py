"""What single providers require or refuse, in the requests that their servers receive."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from provider_requests import KEY, READ, by_id, send
from zot_provider.credentials import EnvironmentKeys
from zot_provider.errors import StatusError
from zot_provider.messages import Block, ImageBlock, Message, ReasoningBlock, TextBlock, ToolCallBlock, ToolResultBlock
from zot_provider.model import Model
from zot_provider.request import Request
from zot_provider.testing import Fault, Received, Turn

PIXEL = ImageBlock("image/png", "iVBORw0KGgo=")


def user(*blocks: Block | str) -> Message:
    return Message("user", [TextBlock(each) if isinstance(each, str) else each for each in blocks])


def answer(*blocks: Block | str) -> Message:
    return Message("assistant", [TextBlock(each) if isinstance(each, str) else each for each in blocks])


def result(id: str, *blocks: TextBlock | ImageBlock) -> Message:
    return Message("tool", [ToolResultBlock(id, list(blocks))])


def thought(text: str, provider: str, wire: str = "openai-chat", **fields: str) -> ReasoningBlock:
    return ReasoningBlock(text, provider=provider, wire=wire, **fields)


async def sent(id: str, model: str, messages: Sequence[Message], turn: Turn | str = "ok", **fields: Any) -> Received:
    known = {"reasoning": True, **fields.pop("known", {})}
    received, _ = await send(id, Request(Model(model, id, **known), list(messages), **fields), turn)
    return received


def look(id: str = "call_1") -> list[Message]:
    """A question, a call, and its result without a text."""
    return [user("go"), answer(ToolCallBlock(id, "read", "{}")), result(id)]


@pytest.mark.parametrize(
    ("id", "model"),
    [("deepseek", "deepseek-v4-pro"), ("kimi", "k3"), ("xiaomi", "mimo-v2.6-pro"), ("moonshotai", "kimi-k3")],
)
async def test_each_answer_of_a_conversation_has_its_thinking_even_if_it_has_none(id: str, model: str) -> None:
    messages = [user("a"), answer(thought("hm", id), "b"), user("c"), answer(thought("no", "other"), "d"), *look()]
    body = (await sent(id, model, messages)).body
    assert [each["reasoning_content"] for each in body["messages"] if each["role"] == "assistant"] == ["hm", "", ""]
    unthinking = (await sent(id, model, messages, known={"reasoning": False})).body
    assert [each.get("reasoning_content") for each in unthinking["messages"] if each["role"] == "assistant"][1:] == [
        None,
        None,
    ]


async def test_deepseek_gets_texts_as_plain_strings() -> None:
    messages = [user("a", "b"), answer("c", "d"), user("e"), *look(), user("f", PIXEL)]
    body = (await sent("deepseek", "deepseek-v4-pro", messages, system="s", known={"images": False})).body
    assert all(each["content"] is None or isinstance(each["content"], str) for each in body["messages"])


async def test_kimi_gets_no_empty_answer_and_keeps_its_own_ids_of_calls() -> None:
    messages = [
        user("a"),
        answer(),
        answer(thought("cut off", "kimi")),
        answer("  "),
        user("b"),
        *look("functions.read:0"),
    ]
    body = (await sent("kimi", "k3", messages)).body
    assert [each["role"] for each in body["messages"]] == ["user", "assistant", "tool"]
    assert body["messages"][1]["content"] is None
    assert body["messages"][1]["tool_calls"][0]["id"] == body["messages"][2]["tool_call_id"] == "functions.read:0"


async def test_the_ids_of_another_wire_become_ids_of_chat_completions() -> None:
    long = "call_" + "x" * 400 + "|fc_1"
    body = (await sent("groq", "m", look(long))).body
    id = body["messages"][1]["tool_calls"][0]["id"]
    assert len(id) <= 40
    assert id.replace("_", "").replace("-", "").isalnum()
    assert body["messages"][2]["tool_call_id"] == id


async def test_mistral_gets_ids_of_nine_letters_and_digits_and_the_names_of_tools() -> None:
    messages = [*look("call_1"), answer(ToolCallBlock("abcDEF123", "read", "{}")), result("abcDEF123")]
    received = await sent("mistral", "devstral-latest", messages, cache_key="s1")
    calls = [each for each in received.body["messages"] if each["role"] == "assistant"]
    ids = [call["tool_calls"][0]["id"] for call in calls]
    assert len(ids[0]) == 9
    assert ids[0].isalnum()
    assert ids[1] == "abcDEF123"
    results = [each for each in received.body["messages"] if each["role"] == "tool"]
    assert [(each["tool_call_id"], each["name"]) for each in results] == [(id, "read") for id in ids]
    assert received.headers["x-affinity"] == "s1"


async def test_mistral_gets_thinking_as_a_part_of_the_content() -> None:
    body = (await sent("mistral", "magistral", [user("a"), answer(thought("hm", "mistral"), "b"), user("c")])).body
    assert body["messages"][1]["content"] == [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "b"},
    ]


async def test_a_tool_without_output_is_said_to_have_none() -> None:
    for id, model in (("groq", "m"), ("openai", "gpt-5.4")):
        body = (await sent(id, model, look())).body
        items = body.get("messages") or body["input"]
        assert "(no output)" in (items[-1].get("content"), items[-1].get("output"))


async def test_no_empty_list_of_tools_and_no_store_is_sent() -> None:
    for id in ("vllm", "openrouter", "deepseek"):
        assert not {"tools", "store"} & (await sent(id, "m", [user("a")])).body.keys()


LIMITS = [
    ("deepseek", "m", "max_tokens"), ("kimi", "k3", "max_tokens"), ("zai", "m", "max_tokens"),
    ("together", "m", "max_tokens"), ("nvidia", "m", "max_tokens"), ("mistral", "m", "max_tokens"),
    ("cloudflare-ai-gateway", "m", "max_tokens"), ("opencode", "m", "max_tokens"), ("ant-ling", "m", "max_tokens"),
    ("groq", "m", "max_completion_tokens"), ("cerebras", "m", "max_completion_tokens"),
    ("openrouter", "m", "max_completion_tokens"), ("openai", "gpt-5.4", "max_output_tokens"),
    ("minimax", "m", "max_tokens"), ("openai-codex", "m", None),
]  # fmt: skip


@pytest.mark.parametrize(("id", "model", "field"), LIMITS)
async def test_the_limit_of_an_answer_has_the_provider_s_name(id: str, model: str, field: str | None) -> None:
    body = (await sent(id, model, [user("a")], max_tokens=100)).body
    names = {name for name in body if name.startswith("max_")}
    assert names == ({field} if field else set())


async def test_no_system_prompt_has_the_role_developer() -> None:
    for id in ("deepseek", "openrouter", "zai", "groq"):
        assert (await sent(id, "m", [user("a")], system="s")).body["messages"][0] == {"role": "system", "content": "s"}


async def test_a_chatgpt_plan_refuses_fields() -> None:
    received = await sent("openai-codex", "m", [user("a")], temperature=0.5, max_tokens=9, cache_key="s1")
    assert not {"temperature", "max_output_tokens", "prompt_cache_retention"} & received.body.keys()
    assert received.body["store"] is False
    assert received.body["prompt_cache_key"] == "s1"
    assert received.headers["session-id"] == "s1"


async def test_copilot_is_told_who_begins_a_call_and_whether_there_are_images() -> None:
    asked = (await sent("github-copilot", "gpt-6.1-sol", [user("a")])).headers
    assert asked["x-initiator"] == "user"
    assert "copilot-vision-request" not in asked
    assert asked["openai-intent"] == "conversation-edits"
    assert asked["editor-version"].startswith("vscode/")
    assert asked["copilot-integration-id"] == "vscode-chat"
    assert asked["user-agent"].startswith("GitHubCopilotChat/")
    again = (await sent("github-copilot", "claude-opus-5.5", [*look()[:2], result("call_1", PIXEL)])).headers
    assert (again["x-initiator"], again["copilot-vision-request"]) == ("agent", "true")


async def test_openrouter_keeps_a_conversation_at_one_provider() -> None:
    first, second = (
        await sent("openrouter", "m", [user("a")], cache_key="s1"),
        await sent("openrouter", "m", [user("a")]),
    )
    assert first.headers["x-session-id"] == "s1"
    assert second.headers["x-session-id"] not in ("", "s1")
    assert first.body["stream_options"] == {"include_usage": True}


async def test_openrouter_gets_the_cache_breakpoints_of_claude() -> None:
    messages = [user("a"), answer("b"), user("c", PIXEL)]
    body = (await sent("openrouter", "anthropic/claude-opus-5.5", messages, system="s", tools=[READ])).body
    mark = {"cache_control": {"type": "ephemeral"}}
    assert body["tools"][-1].items() >= mark.items()
    assert body["messages"][0]["content"] == [{"type": "text", "text": "s", **mark}]
    assert body["messages"][-1]["content"][-1].items() >= mark.items()
    assert body["messages"][1]["content"] == [{"type": "text", "text": "a", **mark}]
    assert json.dumps(body).count("cache_control") == 4
    assert "cache_control" not in json.dumps(
        (await sent("openrouter", "openai/gpt-6.1-sol", messages, system="s")).body
    )


async def test_reasoning_details_are_sent_back_unchanged() -> None:
    details = [
        {"type": "reasoning.text", "text": "hm", "signature": "s1g", "format": "anthropic-claude-v1", "index": 0},
        {"type": "reasoning.encrypted", "data": "x", "id": "rs_1"},
    ]
    block = thought("hm", "openrouter", encrypted_content=json.dumps(details))
    assistant = (await sent("openrouter", "m", [user("a"), answer(block, "b"), user("c")])).body["messages"][1]
    assert assistant == {"role": "assistant", "content": "b", "reasoning_details": details}
    for damaged in ("nonsense", "3", "[1]"):
        block = thought("hm", "openrouter", encrypted_content=damaged)
        assistant = (await sent("openrouter", "m", [user("a"), answer(block, "b"), user("c")])).body["messages"][1]
        assert assistant == {"role": "assistant", "content": "b", "reasoning": "hm"}


@pytest.mark.parametrize(("id", "model", "kept"), [
    ("fireworks", "accounts/fireworks/models/minimax-m3", True), ("vercel-ai-gateway", "zai/glm-5.3", True),
    ("opencode", "qwen3.8-max", True), ("anthropic", "claude-opus-5-5", False), ("minimax", "MiniMax-M3", False),
])  # fmt: skip
async def test_thinking_without_a_signature_goes_to_those_who_take_it(id: str, model: str, kept: bool) -> None:
    messages = [user("a"), answer(thought("hm", id, "anthropic-messages"), "b"), user("c")]
    content = (await sent(id, model, messages)).body["messages"][1]["content"]
    assert content == [
        *([{"type": "thinking", "thinking": "hm", "signature": ""}] if kept else []),
        {"type": "text", "text": "b"},
    ]


async def test_fireworks_gets_no_cache_breakpoint_on_tools_and_keeps_a_conversation_at_one_machine() -> None:
    received = await sent("fireworks", "x/minimax-m3", [user("a")], tools=[READ], system="s", cache_key="s1")
    assert "cache_control" not in received.body["tools"][0]
    assert received.headers["x-session-affinity"] == "s1"
    assert (await sent("fireworks", "x/kimi-k3", [user("a")], cache_key="s1")).headers["x-session-affinity"] == "s1"


@pytest.mark.parametrize(("id", "model", "header"), [
    ("xai", "grok-4.7", "x-grok-conv-id"), ("opencode", "kimi-k3", "x-opencode-session"),
    ("opencode-go", "gpt-6-luna", "x-opencode-session"), ("opencode", "claude-opus-5-5", "x-opencode-session"),
    ("cloudflare-workers-ai", "m", "x-session-affinity"), ("baseten", "m", "x-session-affinity"),
])  # fmt: skip
async def test_a_conversation_has_its_id_in_a_header(id: str, model: str, header: str) -> None:
    assert (await sent(id, model, [user("a")], cache_key="s1")).headers[header] == "s1"
    assert (await sent(id, model, [user("a")])).headers[header]


async def test_opencode_is_told_the_client_and_nvidia_how_long_to_wait() -> None:
    assert (await sent("opencode", "kimi-k3", [user("a")])).headers["x-opencode-client"] == "zot"
    assert (await sent("nvidia", "m", [user("a")])).headers["nvcf-poll-seconds"] == "3600"


async def test_xai_returns_its_encrypted_thinking_and_gets_the_key_of_the_cache() -> None:
    body = (await sent("xai", "grok-4.7", [user("a")], cache_key="s" * 80)).body
    assert body["include"] == ["reasoning.encrypted_content"]
    assert body["prompt_cache_key"] == "s" * 64


THINKING = [
    ("groq", "m", {"reasoning_effort": "high"}, {}),
    ("openrouter", "m", {"reasoning": {"effort": "high"}}, {"reasoning": {"effort": "none"}}),
    ("together", "m", {"reasoning": {"enabled": True}}, {"reasoning": {"enabled": False}}),
    ("deepseek", "m", {"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}),
    ("zai", "m", {"thinking": {"type": "enabled", "clear_thinking": False}, "tool_stream": True},
     {"thinking": {"type": "disabled"}, "tool_stream": True}),
    ("moonshotai", "kimi-k2.7-code", {"thinking": {"type": "enabled"}}, {"thinking": {"type": "enabled"}}),
    ("moonshotai", "kimi-k3", {"reasoning_effort": "high"}, {"reasoning_effort": "low"}),
    ("qwen-token-plan", "m", {"enable_thinking": True}, {"enable_thinking": False}),
    ("nvidia", "m", {}, {}),
    ("github-copilot", "gemini-4-argon", {}, {}),
    ("cloudflare-ai-gateway", "m", {}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("id", "model", "on", "off"), THINKING)
async def test_thinking_is_asked_for_in_the_provider_s_words(
    id: str, model: str, on: dict[str, Any], off: dict[str, Any]
) -> None:
    usual = {"model", "messages", "stream", "stream_options"}
    for level, fields in (("high", on), ("off", off)):
        body = (await sent(id, model, [user("a")], reasoning=level)).body
        assert {name: value for name, value in body.items() if name not in usual} == fields


async def test_a_token_of_anthropic_is_sent_as_a_bearer() -> None:
    request = Request(Model("m", "anthropic"), [user("a")])
    received, _ = await send("anthropic", request, credentials=EnvironmentKeys({"ANTHROPIC_AUTH_TOKEN": KEY}))
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert "x-api-key" not in received.headers


async def test_a_key_of_the_platform_of_kimi_goes_to_the_platform() -> None:
    request = Request(Model("kimi-k3", "kimi"), [user("a")])
    received, _ = await send("kimi", request, credentials=EnvironmentKeys({"MOONSHOT_API_KEY": KEY}))
    assert received.path == "/v1/chat/completions"
    received, _ = await send(
        "kimi", request, credentials=EnvironmentKeys({"KIMI_API_KEY": KEY, "MOONSHOT_API_KEY": "x"})
    )
    assert received.path == "/coding/v1/chat/completions"


async def test_azure_has_names_of_its_own_for_models() -> None:
    for model, name in (("gpt-5.4", "mine"), ("o3", "other"), ("gpt-6", "gpt-6")):
        assert (await sent("azure-openai-responses", model, [user("a")])).body["model"] == name


@pytest.mark.parametrize(
    "url", ["https://x.openai.azure.com", "https://x.openai.azure.com/openai/", "https://x.openai.azure.com/openai/v1"]
)
def test_an_address_of_azure_may_be_short(url: str) -> None:
    served = by_id("azure-openai-responses").serve(Model("m", "azure"), url)
    assert served.base_url == "https://x.openai.azure.com/openai/v1"


async def test_cerebras_says_with_an_empty_answer_that_a_conversation_is_too_long() -> None:
    for id, too_long in (("cerebras", True), ("groq", False)):
        with pytest.raises(StatusError) as caught:
            await sent(id, "m", [user("a")], Turn(fault=Fault(status=400, body=" ")))
        assert caught.value.context_overflow is too_long
