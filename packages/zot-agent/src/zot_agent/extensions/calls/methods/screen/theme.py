"""Calls for the theme of the screen."""

from typing import TYPE_CHECKING

from zot_agent.extensions.calls.call import ExtensionCall, screen

if TYPE_CHECKING:
    from zot_ext.protocol.answers import NameList, ThemeInfo


def get(call: ExtensionCall) -> "ThemeInfo":
    return {"name": screen(call).theme, "colors": screen(call).theme_colors}


def list(call: ExtensionCall) -> "NameList":
    return {"names": screen(call).themes}


def set(call: ExtensionCall) -> None:
    """Draw with another theme."""
    screen(call).use_theme(call.params["name"])
