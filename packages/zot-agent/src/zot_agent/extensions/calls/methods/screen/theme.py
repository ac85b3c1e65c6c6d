"""Calls for the theme of the screen."""

from zot_agent.extensions.calls.call import CallAnswer, ExtensionCall, screen


def get(call: ExtensionCall) -> CallAnswer:
    """Say which theme is in use."""
    return {"name": screen(call).theme, "colors": screen(call).theme_colors}


def list(call: ExtensionCall) -> CallAnswer:
    """List the themes."""
    return {"names": screen(call).themes}


def set(call: ExtensionCall) -> None:
    """Draw with another theme."""
    screen(call).use_theme(call.params["name"])
