"""Recognizes a bare word on the command line that is meant as a command and would be sent to a model as a prompt."""

from collections.abc import Iterable, Sequence

from zot_agent.cli import SUBCOMMANDS
from zot_provider.errors import ConfigError

_EXTENSIONS = "extensions are managed with zot ext"
_KEYS = "keys and sign-ins are managed with zot auth"
_SESSIONS = "continue a session with zot -c or zot -r; zot sessions lists them"
_SETTINGS = "settings are shown and changed with zot config, and with /settings on the screen"
_UPDATE = "zot is updated with zot update"

COMMANDS_ELSEWHERE = {
    **dict.fromkeys(("login", "logout", "signin", "whoami"), _KEYS),
    "resume": _SESSIONS,
    "settings": _SETTINGS,
    **dict.fromkeys(("self-update", "upgrade"), _UPDATE),
    **dict.fromkeys(("extension", "extensions", "install", "plugin", "plugins", "uninstall"), _EXTENSIONS),
    "model": "models are listed with zot models",
    **dict.fromkeys(("skill", "skills"), "skills are folders with a SKILL.md"),
    "mcp": "zot does not support MCP servers",
    "setup": "a demo model is set up with zot local setup",
    "chat": "the chat screen is zot without arguments",
}
"""Commands that other programs have and zot does not, and what zot has in their place."""

_VERBS = frozenset(("add", "create", "delete", "edit", "get", "login", "logout", "ls", "rm", "set", "show", "status"))
"""Words that may follow a command, beside the verbs of `zot ext` and `zot local`."""

_SIMILARITY = 0.7


def refuse_command_words(words: Sequence[str]) -> None:
    """Raise `ConfigError` if the bare words of a command line, the first of which is its first argument, look like a
    command: a single word, or a word and a verb, and the word resembles a subcommand or is a command elsewhere.

    Any other words are a prompt: `zot hello`, `zot update the readme`.
    """
    word = words[0]
    similar = _similar(word, SUBCOMMANDS)
    if not similar and word not in COMMANDS_ELSEWHERE:
        return
    if len(words) > 1 and words[1] not in _verbs():
        return
    advice = f"did you mean zot {similar}?" if similar else f"{COMMANDS_ELSEWHERE[word]};"
    raise ConfigError(f"zot has no command {word!r}; {advice} a prompt of this word is sent with zot -- {word}")


def _similar(word: str, names: Iterable[str]) -> str:
    """Return the name that `word` is probably a misspelling of; a misspelling has the first letter, or all letters."""
    from difflib import SequenceMatcher  # noqa: PLC0415  most prompts are longer than a word

    for name in names:
        same = word[:1] == name[0] and SequenceMatcher(None, word, name).ratio() >= _SIMILARITY
        if same or sorted(word) == sorted(name):
            return name
    return ""


def _verbs() -> frozenset[str]:
    from zot_agent.cli.ext import ALIASES, VERBS  # noqa: PLC0415  only after what looks like a mistake

    return _VERBS | VERBS.keys() | ALIASES.keys()
