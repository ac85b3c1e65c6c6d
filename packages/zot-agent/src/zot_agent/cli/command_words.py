"""Recognizes a word on the command line that is meant as a command and would be sent to a model as a prompt."""

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
    "setup": "a demo model is set up with zot local setup",
    "chat": "the chat screen is zot without arguments",
}
"""Commands that other programs have and zot does not, and what zot has in their place."""

_OF_GO = {
    **dict.fromkeys(("bot", "telegram-bot", "tg"), "zot has no bot for Telegram"),
    "continuous": "work that outlives its process is begun with zot run",
    **dict.fromkeys(("inspect", "pack", "verify"), "zot has no zotfiles; zot sessions export writes a session"),
}
"""Commands of the Go zot that zot does not have."""

_VERBS_OF_GO = frozenset(("attach", "logs", "reset", "run", "serve", "setup", "start", "status", "stop"))

_VERBS = frozenset(("add", "create", "delete", "edit", "get", "login", "logout", "ls", "rm", "set", "show", "status"))
"""Words that may follow a command, beside the verbs of `zot ext` and `zot local`."""

_SIMILARITY = 0.7


def refuse_command_words(words: Sequence[str], arguments: Sequence[str]) -> None:
    """Raise `ConfigError` if the words of a command line that are no options look like a command: a subcommand behind
    options, or a single word, or a word and a verb, where the word resembles a subcommand or is a command elsewhere.
    `arguments` are the whole command line.

    Any other words are a prompt: `zot hello`, `zot update the readme`.
    """
    word = words[0]
    if word in SUBCOMMANDS and word != arguments[0]:
        raise ConfigError(_right_order(word, arguments[: arguments.index(word)]))
    similar = _similar(word.lower(), SUBCOMMANDS)
    elsewhere = {**_OF_GO, **(COMMANDS_ELSEWHERE if word == arguments[0] else {})}
    if not similar and word not in elsewhere:
        return
    if len(words) > 1 and words[1] not in (_VERBS_OF_GO if word in _OF_GO else _verbs()):
        return
    advice = f"did you mean zot {similar}?" if similar else f"{elsewhere[word]};"
    raise ConfigError(f"zot has no command {word!r}; {advice} a prompt of this word is sent with zot -- {word}")


def _right_order(command: str, before: Sequence[str]) -> str:
    """Return how a subcommand behind options is written. Their values, perhaps keys, are not repeated."""
    flags = [word.partition("=")[0] for word in before if word.startswith("-")]
    if SUBCOMMANDS[command].options:
        how = f"the options come after the command: zot {command} {' '.join(flags)}"
    else:
        how = f"zot {command} has options of its own, which come after it: zot {command} --help"
    return f"{how}; a prompt that begins with this word needs -p, or -- before it"


def _similar(word: str, names: Iterable[str]) -> str:
    """Return the name that `word` is probably a misspelling of; a misspelling has the first letter, or all letters."""
    from difflib import SequenceMatcher  # noqa: PLC0415  most prompts are longer than a word

    for name in names:
        same = word[:1] == name[0] and SequenceMatcher(None, word, name).ratio() >= _SIMILARITY
        if same or sorted(word) == sorted(name):
            return name
    return ""


def _verbs() -> frozenset[str]:
    from zot_agent.cli.ext import VERBS  # noqa: PLC0415  only after what looks like a mistake
    from zot_agent.cli.parser import VERB_ALIASES  # noqa: PLC0415  as above

    return _VERBS | VERBS.keys() | VERB_ALIASES.keys()
