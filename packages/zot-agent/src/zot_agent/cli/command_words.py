"""Recognizes what is meant as a command on the command line and would be sent to a model as a prompt."""

from collections.abc import Iterable, Sequence

from zot_agent.cli import SUBCOMMANDS
from zot_provider.errors import ConfigError
from zot_provider.near_names import almost, nearest

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

_FLAGS = {"help": "zot --help is the help", "version": "zot --version prints the version"}
"""Commands that zot has alone, and what they are called behind options."""

_NO_WORDS = frozenset(("telegram-bot", "tg"))
"""Commands of the Go zot whose names are words of no language: a command line that begins with one is no prompt."""

_VERBS_OF_GO = frozenset(("attach", "logs", "reset", "run", "serve", "setup", "start", "status", "stop"))

_VERBS_ELSEWHERE = frozenset(("add", "create", "delete", "edit", "uninstall", "stop"))
"""Verbs that other programs have."""

_SIMILARITY, _SIMILARITY_ELSEWHERE = 0.7, 0.85


def refuse_command_words(words: Sequence[str], arguments: Sequence[str]) -> None:
    """Raise `ConfigError` if the words of a command line that are no options look like a command: a subcommand behind
    options; a word that resembles a subcommand or is a command elsewhere, alone, or with a verb of a command behind it,
    or with what the subcommand takes. `arguments` are the whole command line.

    Any other words are a prompt: `zot hello`, `zot fix the tests`, `zot session lost its title`.
    """
    word = words[0]
    if word in SUBCOMMANDS and word != arguments[0]:
        raise ConfigError(_right_order(word, arguments[: arguments.index(word)]))
    similar = _similar(word.lower(), SUBCOMMANDS)
    elsewhere = {**_OF_GO, **_FLAGS, **(COMMANDS_ELSEWHERE if word == arguments[0] else {})}
    if not similar and word not in elsewhere:
        alone = len(words) == 1 and word.isalpha() and word.islower()
        name = nearest(word, elsewhere, _SIMILARITY_ELSEWHERE) if alone else ""
        if not name:
            return
        elsewhere[word] = elsewhere[name]
    if len(words) > 1 and not (word in _NO_WORDS or _is_verb(words, similar)):
        return
    advice = f"did you mean zot {similar}?" if similar else f"{elsewhere[word]};"
    raise ConfigError(f"zot has no command {word!r}; {advice} a prompt of this word is sent with zot -- {word}")


def refuse_screen_command(prompt: str) -> None:
    """Raise `ConfigError` for a prompt that is a slash command of the chat screen, where there is no screen to run it:
    `/permissions ask` would begin work in the mode that it was to change."""
    from zot_agent.ui.commands import KEYS  # noqa: PLC0415  few prompts begin with a slash
    from zot_core.conversation.commands import read_command  # noqa: PLC0415  as above

    found = read_command(prompt)
    if found is not None and (name := found[0].lower()) in KEYS:
        raise ConfigError(f"/{name} is a command of the chat screen, which needs a terminal; -p sends it as a prompt")


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


def _is_verb(words: Sequence[str], similar: str) -> bool:
    """Whether the second word is what can be behind a command: a verb of any, or, for the subcommand `similar`, also a
    flag without its hyphens, another subcommand, or a misspelt verb."""
    if words[0] in _OF_GO:
        return words[1] in _VERBS_OF_GO
    from zot_agent.cli.completions.tree import read_tree  # noqa: PLC0415  only after what looks like a mistake
    from zot_agent.cli.verb import VERB_ALIASES  # noqa: PLC0415  as above

    nodes = read_tree()
    verbs = {verb for node in nodes[1:] for verb in node.commands} | VERB_ALIASES.keys() | _VERBS_ELSEWHERE
    if words[1] in verbs or not similar:
        return words[1] in verbs
    if not any(map(str.isalnum, words[1])):  # a folder
        return len(words) == 2
    own = next(node for node in nodes if node.path == f"zot {similar}")
    alone = {*own.words, *(name.lstrip("-") for flag in own.flags for name in flag.names), *nodes[0].commands}
    return bool(almost(words[1], own.commands)) or (len(words) == 2 and words[1] in alone)
