"""Each provider is asked for an answer: the address, the header with the key, and the body that its wire requires."""

from urllib.parse import urlsplit

import pytest

from provider_requests import KEY, READ, by_id, send
from zot_provider.events import StreamEnd, UsageReport
from zot_provider.messages import Message, TextBlock, ToolCallBlock
from zot_provider.model import Model
from zot_provider.providers import PROVIDERS
from zot_provider.request import Request
from zot_provider.testing import Call, Turn
from zot_provider.usage import Usage

BEARER = ("authorization", f"Bearer {KEY}")
PLAIN = ("x-api-key", KEY)
API_KEY = ("api-key", KEY)
GOOGLE = ("x-goog-api-key", KEY)
CF_AIG = ("cf-aig-authorization", f"Bearer {KEY}")
GATEWAY = "https://gateway.ai.cloudflare.com/v1/acc/gw"
COPILOT = "https://api.individual.githubcopilot.com"
ZEN, GO = "https://opencode.ai/inference", "https://opencode.ai/inference/go"

ASKED = [
    ("anthropic", "claude-opus-5-5", "https://api.anthropic.com/v1/messages", PLAIN),
    ("openai", "gpt-6.1-sol", "https://api.openai.com/v1/responses", BEARER),
    ("openai-responses", "gpt-6.1-sol", "https://api.openai.com/v1/responses", BEARER),
    ("openai-codex", "gpt-6.1-sol", "https://api.openai.com/v1/responses", BEARER),
    ("deepseek", "deepseek-v4-pro", "https://api.deepseek.com/chat/completions", BEARER),
    ("xai", "grok-4.7", "https://api.x.ai/v1/responses", BEARER),
    ("mistral", "devstral-latest", "https://api.mistral.ai/v1/chat/completions", BEARER),
    ("zai", "glm-5.3", "https://api.z.ai/api/coding/paas/v4/chat/completions", BEARER),
    ("zai-coding-cn", "glm-5.3", "https://open.bigmodel.cn/api/coding/paas/v4/chat/completions", BEARER),
    ("minimax", "MiniMax-M3", "https://api.minimax.io/anthropic/v1/messages", BEARER),
    ("minimax-cn", "MiniMax-M3", "https://api.minimaxi.com/anthropic/v1/messages", BEARER),
    ("xiaomi", "mimo-v2.6-pro", "https://api.xiaomimimo.com/v1/chat/completions", BEARER),
    ("xiaomi-token-plan-cn", "m", "https://token-plan-cn.xiaomimimo.com/v1/chat/completions", BEARER),
    ("xiaomi-token-plan-ams", "m", "https://token-plan-ams.xiaomimimo.com/v1/chat/completions", BEARER),
    ("xiaomi-token-plan-sgp", "m", "https://token-plan-sgp.xiaomimimo.com/v1/chat/completions", BEARER),
    ("meta", "muse-spark-1.3", "https://api.meta.ai/v1/responses", BEARER),
    ("qwen-token-plan", "qwen3.8-max",
     "https://token-plan.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1/chat/completions", BEARER),
    ("qwen-token-plan-cn", "qwen3.8-max",
     "https://token-plan.cn-beijing.maas.aliyuncs.com/compatible-mode/v1/chat/completions", BEARER),
    ("ant-ling", "Ring-2.6-1T", "https://api.ant-ling.com/v1/chat/completions", BEARER),
    ("kimi", "k3", "https://api.kimi.com/coding/v1/chat/completions", BEARER),
    ("moonshotai", "kimi-k3", "https://api.moonshot.ai/v1/chat/completions", BEARER),
    ("moonshotai-cn", "kimi-k3", "https://api.moonshot.cn/v1/chat/completions", BEARER),
    ("groq", "openai/gpt-oss-120b", "https://api.groq.com/openai/v1/chat/completions", BEARER),
    ("cerebras", "gpt-oss-120b", "https://api.cerebras.ai/v1/chat/completions", BEARER),
    ("together", "moonshotai/Kimi-K3", "https://api.together.ai/v1/chat/completions", BEARER),
    ("together", "openai/gpt-oss-120b", "https://api.together.ai/v1/chat/completions", BEARER),
    ("fireworks", "accounts/fireworks/models/minimax-m3", "https://api.fireworks.ai/inference/v1/messages", BEARER),
    ("fireworks", "accounts/fireworks/models/kimi-k3", "https://api.fireworks.ai/inference/v1/chat/completions",
     BEARER),
    ("nvidia", "nvidia/nemotron", "https://integrate.api.nvidia.com/v1/chat/completions", BEARER),
    ("baseten", "zai-org/GLM-5.3", "https://inference.baseten.co/v1/chat/completions", BEARER),
    ("gondola", "deepseek-v4-flash", "https://api.gondola-ai.com/v1/chat/completions", BEARER),
    ("yolo-auto", "qwen3.8-27b", "https://yolo-auto.com/v1/chat/completions", BEARER),
    ("huggingface", "moonshotai/Kimi-K3", "https://router.huggingface.co/v1/chat/completions", BEARER),
    ("openrouter", "moonshotai/kimi-k3", "https://openrouter.ai/api/v1/chat/completions", BEARER),
    ("openrouter", "anthropic/claude-opus-5.5", "https://openrouter.ai/api/v1/chat/completions", BEARER),
    ("vercel-ai-gateway", "zai/glm-5.3", "https://ai-gateway.vercel.sh/v1/messages", BEARER),
    ("opencode", "kimi-k3", f"{ZEN}/openai/v1/chat/completions", BEARER),
    ("opencode", "gpt-6.1-sol", f"{ZEN}/openai/v1/responses", BEARER),
    ("opencode", "claude-opus-5-5", f"{ZEN}/anthropic/v1/messages", PLAIN),
    ("opencode", "gemini-3.5-flash", f"{ZEN}/google/v1beta/models/gemini-3.5-flash:streamGenerateContent", GOOGLE),
    ("opencode-go", "glm-5.3", f"{GO}/openai/v1/chat/completions", BEARER),
    ("opencode-go", "grok-4.7", f"{GO}/openai/v1/responses", BEARER),
    ("opencode-go", "minimax-m3", f"{GO}/anthropic/v1/messages", PLAIN),
    ("cloudflare-workers-ai", "@cf/zai-org/glm-5.3",
     "https://api.cloudflare.com/client/v4/accounts/acc/ai/v1/chat/completions", BEARER),
    ("cloudflare-ai-gateway", "workers-ai/@cf/zai-org/glm-5.3", f"{GATEWAY}/compat/chat/completions", CF_AIG),
    ("cloudflare-ai-gateway", "claude-opus-5-5", f"{GATEWAY}/anthropic/v1/messages", CF_AIG),
    ("cloudflare-ai-gateway", "gpt-6.1-sol", f"{GATEWAY}/openai/responses", CF_AIG),
    ("google", "gemini-4-argon",
     "https://generativelanguage.googleapis.com/v1beta/models/gemini-4-argon:streamGenerateContent", GOOGLE),
    ("google-vertex", "gemini-4-argon",
     "https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-4-argon:streamGenerateContent", GOOGLE),
    ("amazon-bedrock", "anthropic.claude-x:0",
     "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-x%3A0/converse-stream", BEARER),
    ("azure-openai-responses", "gpt-6.1-sol", "https://res.openai.azure.com/openai/v1/responses", API_KEY),
    ("azure-openai-responses", "deepseek-v4-pro", "https://res.openai.azure.com/openai/v1/chat/completions", API_KEY),
    ("github-copilot", "gpt-6.1-sol", f"{COPILOT}/responses", BEARER),
    ("github-copilot", "gpt-4.1", f"{COPILOT}/chat/completions", BEARER),
    ("github-copilot", "claude-opus-5.5", f"{COPILOT}/v1/messages", BEARER),
    ("github-copilot", "gemini-4-argon", f"{COPILOT}/chat/completions", BEARER),
    ("ollama", "qwen3:8b", "http://localhost:11434/v1/chat/completions", BEARER),
    ("llama.cpp", "m", "http://127.0.0.1:8080/v1/chat/completions", BEARER),
    ("lmstudio", "m", "http://127.0.0.1:1234/v1/chat/completions", BEARER),
    ("vllm", "m", "http://localhost:8000/v1/chat/completions", BEARER),
]  # fmt: skip
"""A provider, a model, the URL of its requests, and the header with the key."""

TURN = Turn("So.", calls=[Call("read", {"path": "a.txt"}, id="call_1")], usage=Usage(input=7, output=3))


def test_every_provider_with_an_address_is_asked() -> None:
    assert {id for id, *_ in ASKED} == {provider.id for provider in PROVIDERS if provider.base_url}


@pytest.mark.parametrize(
    ("id", "model", "url", "key"), ASKED, ids=lambda value: value if isinstance(value, str) else ""
)
async def test_a_provider_answers_at_its_own_address(id: str, model: str, url: str, key: tuple[str, str]) -> None:
    provider, path = by_id(id), urlsplit(url).path
    served = provider.serve(Model(model, id))
    assert (served.base_url or "").partition("://")[2].partition("/")[0] == urlsplit(url).netloc
    asked = Request(
        Model(model, id, reasoning=True, max_output=4096),
        [Message("user", [TextBlock("look")])],
        system="Be brief.",
        tools=[READ],
        max_tokens=4096,
        cache_key="session-1",
    )
    received, events = await send(id, asked, TURN)
    assert (received.method, received.path.partition("?")[0]) == ("POST", path)
    assert received.headers[key[0]] == key[1]
    assert [name for name, value in received.headers.items() if KEY in value] == [key[0]]
    assert received.body.get("model", model) == model  # some wires name it in the path
    assert received.body.get("tools") or received.body["toolConfig"]["tools"]
    end = events[-1]
    assert isinstance(end, StreamEnd)
    assert end.content == [TextBlock("So."), ToolCallBlock("call_1", "read", '{"path": "a.txt"}')]
    usage = Usage()
    for event in events:
        if isinstance(event, UsageReport):
            usage = usage + event.usage
    assert (usage.input, usage.output) == (7, 3)
