"""The record of Ollama on this machine."""

from zot_provider.vendors.spec import Vendor

VENDOR = Vendor(
    id="ollama",
    title="Ollama",
    wire="openai-chat",
    base_url="http://localhost:11434/v1",
)
