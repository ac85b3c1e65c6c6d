"""Companies that serve open models."""

from zot_provider.providers.spec import Provider, Route
from zot_provider.wire.base import Quirks

_FIREWORKS = Quirks(empty_signatures=True, tool_breakpoint=False, session_header="x-session-affinity")

PROVIDERS = (
    Provider(
        id="groq",
        title="Groq",
        wire="openai-chat",
        base_url="https://api.groq.com/openai/v1",
        key_env=("GROQ_API_KEY",),
        key_prefixes=("gsk_",),
        default_model="openai/gpt-oss-120b",
        quirks=Quirks(max_tokens_field="max_completion_tokens", reasoning_field="reasoning"),
    ),
    Provider(
        id="cerebras",
        title="Cerebras",
        wire="openai-chat",
        base_url="https://api.cerebras.ai/v1",
        key_env=("CEREBRAS_API_KEY",),
        key_prefixes=("csk-",),
        default_model="gpt-oss-120b",
        quirks=Quirks(max_tokens_field="max_completion_tokens", reasoning_field="reasoning", bodyless_overflow=True),
    ),
    Provider(
        id="together",
        title="Together AI",
        wire="openai-chat",
        base_url="https://api.together.ai/v1",
        key_env=("TOGETHER_API_KEY",),
        default_model="moonshotai/Kimi-K3",
        quirks=Quirks(thinking="reasoning-enabled", reasoning_field="reasoning"),
        routes=(Route(("openai/gpt-oss*",), quirks=Quirks(reasoning_field="reasoning")),),
    ),
    Provider(
        id="fireworks",
        title="Fireworks",
        wire="anthropic-messages",
        base_url="https://api.fireworks.ai/inference",
        key_env=("FIREWORKS_API_KEY",),
        key_prefixes=("fw_",),
        default_model="accounts/fireworks/models/kimi-k3",
        scheme="bearer",
        quirks=_FIREWORKS,
        routes=(
            Route(
                ("*/glm-*", "*/kimi-*"),
                wire="openai-chat",
                base_url="https://api.fireworks.ai/inference/v1",
                quirks=Quirks(
                    max_tokens_field="max_completion_tokens",
                    reasoning_always=True,
                    session_header="x-session-affinity",
                ),
            ),
        ),
    ),
    Provider(
        id="nvidia",
        title="NVIDIA",
        wire="openai-chat",
        base_url="https://integrate.api.nvidia.com/v1",
        key_env=("NVIDIA_API_KEY",),
        key_prefixes=("nvapi-",),
        default_model="nvidia/nemotron-3.5-super-vl-120b-a12b",
        # A request may wait in a queue for this many seconds before the server answers.
        quirks=Quirks(reasoning_effort=False, headers=(("nvcf-poll-seconds", "3600"),)),
    ),
    Provider(
        id="baseten",
        title="Baseten",
        wire="openai-chat",
        base_url="https://inference.baseten.co/v1",
        key_env=("BASETEN_API_KEY",),
        default_model="zai-org/GLM-5.3",
        quirks=Quirks(session_header="x-session-affinity"),
    ),
    Provider(
        id="gondola",
        title="Gondola",
        wire="openai-chat",
        base_url="https://api.gondola-ai.com/v1",
        key_env=("GONDOLA_API_KEY",),
        key_prefixes=("gnd_",),
        default_model="deepseek-v4-flash",
    ),
    Provider(
        id="yolo-auto",
        title="Yolo-Auto",
        wire="openai-chat",
        base_url="https://yolo-auto.com/v1",
        key_env=("YOLO_AUTO_API_KEY",),
        default_model="qwen3.8-27b",
    ),
    Provider(
        id="huggingface",
        title="Hugging Face",
        wire="openai-chat",
        base_url="https://router.huggingface.co/v1",
        key_env=("HF_TOKEN",),
        key_prefixes=("hf_",),
        default_model="moonshotai/Kimi-K3",
        quirks=Quirks(max_tokens_field="max_completion_tokens", reasoning_field="reasoning"),
    ),
)
