"""`from_pi`: a theme written for pi, as one of zot's.

```json
{"name": "mine", "vars": {"green": "#b5bd68"}, "colors": {"success": "green", "mdHeading": "#f0c674", "text": ""}}
```

A colour is `#rrggbb`, a number of the palette, a name in `vars`, or an empty text for the terminal's own. Source:
docs/themes.md of the npm package `@earendil-works/pi-coding-agent`.
"""

from collections.abc import Mapping

_KEYS = {
    "accent": "accent",
    "border": "border",
    "success": "success",
    "error": "error",
    "warning": "warning",
    "muted": "muted",
    "dim": "dim",
    "text": "fg",
    "thinkingText": "thought",
    "selectedBg": "selection_bg",
    "searchMatchText": "match",
    "userMessageBg": "user_bubble_bg",
    "userMessageText": "user_bubble_fg",
    "toolTitle": "tool",
    "toolOutput": "tool_out",
    "toolDiffAdded": "diff.added",
    "toolDiffRemoved": "diff.removed",
    "toolDiffContext": "diff.context",
    "mdHeading": "markdown.heading",
    "mdLink": "markdown.link",
    "mdLinkUrl": "markdown.url",
    "mdCode": "markdown.code",
    "mdCodeBlock": "markdown.code_block",
    "mdQuote": "markdown.quote",
    "mdHr": "markdown.rule",
    "mdListBullet": "markdown.bullet",
    "syntaxComment": "syntax.comment",
    "syntaxKeyword": "syntax.keyword",
    "syntaxFunction": "syntax.name_function",
    "syntaxVariable": "syntax.text",
    "syntaxString": "syntax.literal_string",
    "syntaxNumber": "syntax.literal_number",
    "syntaxType": "syntax.keyword_type",
    "syntaxOperator": "syntax.operator",
    "syntaxPunctuation": "syntax.punctuation",
}
"""Names of pi's colours and zot's entries. Others of pi's have no part of zot's screen and are left out."""

_MARKS = ("mdHeading", "toolTitle", "userMessageBg")
"""Colours that only a theme of pi has."""
_DEEPEST = 10
"""The most names of `vars` that lead from one to the next."""


def is_pi_theme(data: Mapping[str, object]) -> bool:
    """Whether the content of a file is a theme written for pi."""
    colors = data.get("colors")
    return isinstance(colors, Mapping) and any(mark in colors for mark in _MARKS)


def from_pi(data: Mapping[str, object]) -> dict[str, object]:
    """Return the theme as zot's files have it. Raises ValueError that names a colour which leads nowhere."""
    colors, names = data["colors"], data.get("vars", {})
    assert isinstance(colors, Mapping)
    found = {
        ours: value
        for theirs, ours in _KEYS.items()
        if (value := _value(theirs, colors.get(theirs, ""), names if isinstance(names, Mapping) else {})) != ""
    }
    flat = {ours: value for ours, value in found.items() if "." not in ours}
    groups: dict[str, dict[str, object]] = {}
    for ours, value in found.items():
        if "." in ours:
            group, _, entry = ours.partition(".")
            groups.setdefault(group, {})[entry] = value
    name = data.get("name", "")
    return {"name": name, "colors": {**flat, **groups}}


def _value(color: str, value: object, names: Mapping[str, object]) -> object:
    for _ in range(_DEEPEST):
        if not isinstance(value, str) or value == "" or value.startswith("#"):
            return value
        if value not in names:
            raise ValueError(f"'colors.{color}': there is no {value!r} in 'vars'")
        value = names[value]
    raise ValueError(f"'colors.{color}': its names in 'vars' lead to no colour")
