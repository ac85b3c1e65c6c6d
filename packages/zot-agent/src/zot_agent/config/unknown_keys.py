"""Which setting a key means that no setting has; not imported while all keys are known."""

import re
from collections.abc import Iterable, Mapping

from zot_core.permission_mode import MODES
from zot_provider.near_names import almost, folded, holds_back, nearest, runs_unasked, widens, withholds

_OF_GO = """
$schema auto_swarm_enabled chat_timestamp_date chat_timestamp_interval_minutes chat_timestamps codemode compact_input
compact_mode fuzzy_skill_suggest insecure last_changelog_shown openrouter_server_tool_call_limit
openrouter_server_tools_enabled powershell_enabled quick_model_shortcuts recursive_file_suggest respect_gitignore
show_instructions_at_startup temperature tui_click_to_position tui_input_style tui_status_position
tui_working_position
"""
OF_GO = frozenset(_OF_GO.split())
"""Settings of the Go zot, which shares the file, that hold nothing back and that zot does not have; and the key by
which editors find the schema of a file."""

SWITCHES_OF_GO = frozenset(("jail", "jail_by_default"))
"""Settings of the Go zot that hold something back where they are true."""

_WORDS = {
    "permissions": """
        allow allowedtools ask askfirst bash coretools defaultmode deny disabledtools disallowedtools dryrun
        enabledtools ignore ignorefiles ignorepatterns mode never nobash noedit noshell nowrite perm perms plan policies
        policy rules
    """,
    "child_keys": "childenv clearenv shellenvironmentpolicy",
    "hooks": "posttooluse pretooluse toolcall toolresult userpromptsubmit",
    "http_proxy": "proxy",
    "max_steps": "budget maxcost maxturns steps turns",
    "project_trust": "notrust trust trusted",
    "sandbox": "jail jailbydefault jailed network nonetwork offline",
    "sandbox_hosts": "alloweddomains allowedhosts",
    "sandbox_folders": "adddir additionaldirectories writable writableroots",
}
_ELSEWHERE = {word: setting for setting, words in _WORDS.items() for word in words.split()}
"""Words for what a setting is about, as `folded` returns them: parts of it, and names of the Go zot and of other
agents."""

_FLAGS = ("--no-ext", "--no-extensions", "--no-project-ext", "--no-tools", "--strict-extensions", "--tools")
"""Flags that hold something back and are no settings."""

_DOES = ("commands", "edit", "exec", "extensions", "fetch", "internet", "mcp", "read", "shell", "web", "write")
"""Words for the work of an agent and for the sources of its tools. `bash` and `network` are above."""

_HARMLESS = re.compile("nocolou?r|(?:default)?models?")
"""Names like a careful setting, or like a mode, that mean something else."""

HOME = "home"
_HOMES = (
    "config", "config_dir", "config_file", "config_home", "config_path", "dir", HOME, "home_dir",
    "settings", "settings_dir", "settings_file", "settings_path", "state_dir",
)  # fmt: skip
"""Names of variables, without prefixes, by which programs find the settings of a person."""

_SPENT = "(?:budget|call|cost|dollar|duration|iteration|minute|price|request|round|second|spend|step|time|turn|usd)s?"
_LIMIT = re.compile(f"(?:limit|max|maximum|most).*{_SPENT}|{_SPENT}(?:limit|max|maximum)")
"""Names of limits of a run, as `folded` returns them."""

_ASKED, _NO = (*MODES[:-1], "deny"), ("0", "false", "no")
"""Texts of variables by which a person wants to be asked, and by which a switch is off."""

_SIMILARITY, _FLAG_SIMILARITY, _HOME_SIMILARITY = 0.75, 0.8, 0.85
_DEPTH, _SHORT = 5, 20


def meant(key: str, confines: Mapping[str, bool], value: object = ...) -> str:
    """Return the setting that `key` is probably meant for, or a flag that holds something back and is no setting;
    empty if it resembles none. `confines` has all settings, and whether they hold something back; those are also meant
    by longer names, such as `sandboxMode`, and by any name or `value` that says that something is forbidden."""
    own = folded(key)
    if _HARMLESS.fullmatch(own):
        return ""
    if elsewhere := _ELSEWHERE.get(almost(own, _ELSEWHERE), ""):
        return elsewhere
    bare = own.removesuffix("mode")
    if bare not in ("", own) and (found := meant(bare, confines, value)) and confines.get(found, True):
        return found
    if _LIMIT.fullmatch(own) and value not in (None, False):
        return "max_steps"
    if "trust" in own and not widens(key) and not own.startswith("untrusted"):
        return "project_trust"
    plain = {folded(name): name for name in confines}
    careful = [each for each, name in plain.items() if confines[name]]
    if begins := [each for each in careful if own.startswith(each)]:
        return plain[max(begins, key=len)]
    near = nearest(own, careful, _SIMILARITY) or _flag(own)
    near = near or nearest(own, plain, _SIMILARITY) or ("permissions" if _forbids(key, value) else "")
    return plain.get(near, near)


def _flag(own: str) -> str:
    """Return the flag that is meant; `extensions` are not `--no-extensions`."""
    return nearest(own, [each for each in _FLAGS if folded(each)[0] == own[:1]], _FLAG_SIMILARITY)


def _forbids(key: str, value: object) -> bool:
    """Whether an unknown key says that less may run, also in the way of `"unattended": "deny"` and
    `"autoApprove": false`."""
    if isinstance(value, str) and (value in MODES[:-1] or (len(value) < _SHORT and holds_back(value))):
        return True
    off = value is False and (runs_unasked(key) or bool(almost(key, _DOES)))
    return off or withholds(key, value) or (value not in (None, False, "") and holds_back(key))


def misplaced(key: str, value: object, confines: Mapping[str, bool]) -> tuple[str, str]:
    """Return the path of a member inside the unknown `key` by which a person seems to hold something back, and the
    setting that is meant; empty texts without one. What is behind a dot in the key is inside, too."""
    outer, dot, inner = key.rpartition(".")
    return _inside(outer, {inner: value}, confines, _DEPTH) if dot else _inside(key, value, confines, _DEPTH)


def _inside(path: str, value: object, confines: Mapping[str, bool], depth: int) -> tuple[str, str]:
    members: Iterable[tuple[str, object]] = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        members = [(str(at), each) for at, each in enumerate(value) if isinstance(each, dict | list)]
    for name, inner in members if depth else ():
        near = name if name in confines else meant(name, confines, inner)
        vague = _ELSEWHERE.get(almost(name, _ELSEWHERE)) == "permissions" and inner not in MODES
        if near and confines.get(near, True) and (isinstance(inner, list | dict) or not vague):
            return f"{path}.{name}", near
        if (found := _inside(f"{path}.{name}", inner, confines, depth - 1))[0]:
            return found
    return "", ""


def meant_by_variable(name: str, confines: Mapping[str, bool], value: str) -> str:
    """Return the setting or flag that holds something back, or `HOME`, for which a variable is probably meant that zot
    does not read; `name` is without its prefix. Empty if it resembles none. ZOT_MODE is also a variable of another
    program, with other values."""
    if name == "mode" and not nearest(value, MODES):
        return ""
    if nearest(name, _HOMES, _HOME_SIMILARITY):
        return HOME
    said: object = value.strip().lower()
    said = False if said in _NO else said if said in _ASKED else ...
    return meant(name, {each: True for each in confines if confines[each]}, said)
