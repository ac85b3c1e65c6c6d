"""Which setting a key means that no setting has; not imported while all keys are known."""

import re
from collections.abc import Mapping
from difflib import get_close_matches

_OF_GO = """
$schema chat_timestamp_date chat_timestamp_interval_minutes chat_timestamps codemode compact_input compact_mode
fuzzy_skill_suggest last_changelog_shown openrouter_server_tool_call_limit openrouter_server_tools_enabled
powershell_enabled show_instructions_at_startup tui_click_to_position tui_input_style tui_status_position
tui_working_position
"""
OF_GO = frozenset(_OF_GO.split())
"""Settings of the Go zot, which shares the file, that hold nothing back and that zot does not have; and the key by
which editors find the schema of a file."""

SWITCHES_OF_GO = frozenset(("jail", "jail_by_default"))
"""Settings of the Go zot that hold something back where they are true."""

_ELSEWHERE = {
    **dict.fromkeys(("allow", "allowedtools", "ask", "defaultmode", "deny", "disallowedtools", "mode"), "permissions"),
    **dict.fromkeys(SWITCHES_OF_GO, "sandbox"),
    "proxy": "http_proxy",
}
"""Words for what a setting is about: parts of it, and the names of the Go zot and of other agents."""

_FLAGS = ("--no-ext", "--no-extensions", "--no-project-ext", "--no-tools", "--strict-extensions", "--tools")
"""Flags that hold something back and are no settings."""

_SIMILARITY, _FLAG_SIMILARITY = 0.75, 0.8


def meant(key: str, confines: Mapping[str, bool]) -> str:
    """Return the setting that `key` is probably meant for, or a flag that holds something back and is no setting;
    empty if it resembles none. `confines` has all settings, and whether they hold something back; those are also meant
    by longer names, such as `sandboxMode`."""
    own = _plain(key)
    if key in _ELSEWHERE or own in _ELSEWHERE:
        return _ELSEWHERE.get(key) or _ELSEWHERE[own]
    plain = {_plain(name): name for name in confines}
    careful = [each for each, name in plain.items() if confines[name]]
    begins = [each for each in careful if own.startswith(each)]
    flags = {_plain(flag): flag for flag in _FLAGS}
    near = begins or get_close_matches(own, careful, 1, _SIMILARITY)
    near = near or get_close_matches(own, flags, 1, _FLAG_SIMILARITY) or get_close_matches(own, plain, 1, _SIMILARITY)
    return {**flags, **plain}[max(near, key=len)] if near else ""


def _plain(name: str) -> str:
    """Return the letters and digits of a name, without case."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())
