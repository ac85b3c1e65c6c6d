"""The families of other vendors.

Sources: the API documentation of xAI, DeepSeek, Moonshot, Z.ai, MiniMax, Alibaba, Mistral, Meta and Xiaomi. Models
whose weights are public are served with different windows, so that most have no limits here.
"""

from zot_provider.families.family import Family
from zot_provider.model import Thinking

_MILLION = 1_048_576

_ALWAYS = Thinking("always")
_SWITCH = Thinking("switch", (), "disabled")
_ADAPTIVE = Thinking("adaptive", ("low", "medium", "high", "xhigh", "max"), "lowest")

_GROK = ("low", "medium", "high", "xhigh")
_MUSE = ("minimal", "low", "medium", "high", "xhigh")
_THREE_WORDS = Thinking("effort", ("low", "high", "max"), "lowest")
_ON_OR_OFF = Thinking("effort", ("none", "high"), "none")

FAMILIES = {
    "grok": (
        Family(("grok-2*",), None, 131_072, images=True),
        Family(("grok-3-mini",), Thinking("effort", ("low", "high"), "lowest"), 131_072),
        Family(("grok-3*", "grok-4-20-non-reasoning", "grok-4-fast-non-reasoning"), None, 131_072),
        Family(("grok-4-1-fast-non-reasoning",), None, 2_000_000, images=True),
        Family(("grok-4-20", "grok-4-1", "grok-4-fast"), _ALWAYS, 1_000_000, images=True),
        Family(("grok-4", "grok-code", "grok-build"), _ALWAYS, 256_000, images=True),
        Family(("grok-4-3",), Thinking("effort", ("none", *_GROK), "none"), 1_000_000, 30_000, images=True),
        Family(("*",), Thinking("effort", _GROK, "lowest"), 500_000, images=True),
    ),
    "deepseek": (
        Family(("deepseek-r1*", "deepseek-reasoner"), _ALWAYS),
        Family(("deepseek-v2*", "deepseek-v3", "deepseek-v3-0324", "deepseek-coder"), None),
        Family(("deepseek-v3*", "deepseek-chat"), _SWITCH),
        Family(
            ("deepseek-flash", "deepseek-v4-flash", "deepseek-v4-1-flash"),
            Thinking("effort", ("low", "high", "max"), "disabled"),
            1_000_000,
            393_216,
            images=True,
        ),
        Family(("*",), Thinking("effort", ("high", "max"), "disabled"), 1_000_000, 393_216),
    ),
    "kimi": (
        Family(("moonshot*", "kimi-latest", "kimi-k2-0711", "kimi-k2-0905", "kimi-k2-instruct", "kimi-k2-turbo"), None),
        Family(("kimi-k2-5", "kimi-k2-6"), _SWITCH, 262_144, 262_144, images=True, sampling="never"),
        Family(("kimi-k2*",), _ALWAYS, 262_144, 262_144, sampling="never"),
        Family(("*",), _THREE_WORDS, _MILLION, 131_072, images=True, sampling="never"),
    ),
    "glm": (
        Family(("glm-4-5v", "glm-4-6v", "glm-5v"), _SWITCH, images=True),
        Family(("glm-4-5", "glm-4-6", "glm-4-7", "glm-5", "glm-5-1"), _SWITCH, 200_000, 128_000),
        Family(("glm-3*", "glm-4*"), None),
        Family(("glm-5-2",), Thinking("effort", ("none", "high", "max"), "none"), 1_000_000, 128_000),
        Family(("glm-5-3-flash",), _THREE_WORDS, 1_000_000, 128_000, images=True),
        Family(("*",), _THREE_WORDS, 1_000_000, 128_000),
    ),
    "minimax": (
        Family(("minimax-m2-7", "minimax-m3"), Thinking("budget"), 204_800, 131_072),
        Family(("minimax-m1*", "minimax-m2*", "minimax-text*"), _ALWAYS, 204_800, 131_072),
        Family(("*",), _ADAPTIVE, 1_000_000, 131_072),
    ),
    "qwen": (
        Family(("qwq*", "qwen3-max-thinking", "qwen3-235b-a22b-thinking", "qwen3-next-80b-a3b-thinking"), _ALWAYS),
        Family(("qwen2*", "qwen-2*", "qwen1*", "qwen3-coder", "qwen-coder", "qwen-turbo"), None),
        Family(("qwen3-max", "qwen3-235b-a22b-instruct", "qwen3-next-80b-a3b-instruct"), None),
        Family(
            ("qwen3-8-27b", "qwen-3-8-27b"),
            Thinking("effort", ("none", "low", "medium", "high"), "none"),
            images=True,
        ),
        Family(
            ("qwen3-8-max", "qwen3-8-flash"),
            Thinking("effort", ("low", "medium", "xhigh"), "lowest"),
            991_808,
            131_072,
            images=True,
        ),
        Family(("*",), _SWITCH),
    ),
    "mistral": (
        Family(("mistral-medium", "mistral-large-4", "mistral-small", "magistral", "devstral"), _ON_OR_OFF, 262_144),
        Family(("*",), None),
    ),
    "muse": (
        Family(
            ("muse-spark", "muse-spark-1-0", "muse-spark-1-1", "muse-spark-1-2"),
            Thinking("effort", _MUSE, "lowest"),
            _MILLION,
            131_072,
            images=True,
        ),
        Family(("*",), Thinking("effort", (*_MUSE, "max"), "lowest"), _MILLION, 131_072, images=True),
    ),
    "mimo": (Family(("*",), _SWITCH),),
    "llama": (Family(("*",), None, images=True),),
    "nova": (Family(("*",), None, images=True),),
}
