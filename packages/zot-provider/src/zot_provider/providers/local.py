"""Servers on this machine, which need no key, and any OpenAI-compatible server that the user names."""

from zot_provider.providers.spec import Provider

PROVIDERS = (
    Provider(
        id="ollama",
        title="Ollama",
        wire="openai-chat",
        base_url="http://localhost:11434/v1",
        key_env=("OLLAMA_API_KEY",),
        key_optional=True,
        base_path="/v1",
        note="With `--base-url https://ollama.com` and a key it is Ollama's cloud.",
    ),
    Provider(
        id="llama.cpp",
        title="llama.cpp",
        wire="openai-chat",
        base_url="http://127.0.0.1:8080/v1",
        key_env=("LLAMA_API_KEY",),
        key_optional=True,
        base_url_env=("LLAMA_BASE_URL",),
        base_path="/v1",
    ),
    Provider(
        id="lmstudio",
        title="LM Studio",
        wire="openai-chat",
        base_url="http://127.0.0.1:1234/v1",
        key_env=("LMSTUDIO_API_KEY",),
        key_optional=True,
        base_path="/v1",
    ),
    Provider(
        id="vllm",
        title="vLLM",
        wire="openai-chat",
        base_url="http://localhost:8000/v1",
        key_env=("VLLM_API_KEY",),
        key_optional=True,
        base_path="/v1",
    ),
    # It has no address, key or models: the address is given when a client is opened. Also for a model in this process.
    Provider(id="local", title="OpenAI-compatible server", wire="openai-chat", base_url=None),
)
