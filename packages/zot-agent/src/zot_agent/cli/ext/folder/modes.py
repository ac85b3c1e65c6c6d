"""The modes of the editor in a manifest: whether the screen can use them."""

from zot_ext.manifest import Manifest


def modes_fault(manifest: Manifest) -> str:
    """Return why the screen cannot use the modes of the editor, in one line; empty if it can, or without modes."""
    if manifest.editor_modes is None:
        return ""
    from zot_agent.ui.bindings import CHAT_ACTIONS  # noqa: PLC0415  few extensions have modes
    from zot_tui.editor.keyed.read import read_modes  # noqa: PLC0415  as above
    from zot_tui.widgets.input.editor import EDITOR_ACTIONS  # noqa: PLC0415  as above

    try:
        read_modes(manifest.editor_modes.value, {action.name for action in (*CHAT_ACTIONS, *EDITOR_ACTIONS)})
    except ValueError as error:
        return str(error)
    return ""
