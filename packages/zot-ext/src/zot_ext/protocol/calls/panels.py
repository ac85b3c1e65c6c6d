"""Panels that an extension draws itself."""

from __future__ import annotations

from zot_ext.protocol.calls.method import HostMethod
from zot_ext.protocol.fields import param

MODES = ("overlay", "inline", "replace_editor")
"""Where a panel is: over the conversation, above the editor, or in its place."""

ANCHORS = (
    *("center", "top_left", "top_center", "top_right", "left_center", "right_center"),
    *("bottom_left", "bottom_center", "bottom_right"),
)
"""The anchor of an overlay."""

MOST_CELLS = 10_000
"""The most cells of a size, of an offset and of a margin."""

_ID = param("id", "text", "The panel.", required=True, least=1, most=100)


_CHANGED = (
    param("title", "text", "A few words for the frame, which has the name of the extension too."),
    param("footer", "text", "A line for the frame, usually the keys."),
    param("lines", "list", "The lines, as in `panel_draw`."),
    param("anchor", "text", "Where an overlay is; the first by default.", choices=ANCHORS),
    param("width", "any", 'Cells of a line, or `"50%"` of the screen; 60 by default. It is made to fit.'),
    param("height", "any", "The most lines, as `width`; without it, as many as there are, up to the screen's."),
    param("min_width", "whole", "Cells that a percentage does not go below.", most=MOST_CELLS),
    param(
        "offset_x",
        "whole",
        "Cells to the right of the anchor; negative to the left.",
        least=-MOST_CELLS,
        most=MOST_CELLS,
    ),
    param("offset_y", "whole", "Rows below the anchor; negative above.", least=-MOST_CELLS, most=MOST_CELLS),
    param("row", "any", "The first row, or a percentage of what is free, in place of the anchor."),
    param("column", "any", "The first column, likewise."),
    param("margin", "whole", "Cells that stay free at the edges of the screen; 0 by default.", most=MOST_CELLS),
    param(
        "z",
        "whole",
        "Higher ones cover lower ones; 0 by default. Of equals the last that got the keys.",
        least=-MOST_CELLS,
        most=MOST_CELLS,
    ),
    param("min_terminal_width", "whole", "On a screen with fewer columns it is not shown.", most=MOST_CELLS),
    param("min_terminal_height", "whole", "The same for rows.", most=MOST_CELLS),
    param("hidden", "flag", "Do not show it."),
)

PANELS: tuple[HostMethod, ...] = (
    HostMethod(
        "panels.open",
        "panels2",
        "Open a panel, until it is closed or the extension ends. The frame `panel_draw` fills it.",
        (
            _ID,
            param("mode", "text", "Where it is; the first by default.", choices=MODES),
            *_CHANGED,
            param("passive", "flag", "It does not take the keys; what has them keeps them."),
            param("handles_esc", "flag", "Esc is a key of the panel; pressed twice it still closes it."),
            param("handles_ctrl_c", "flag", "The same for Ctrl+C."),
            param("paste", "flag", "It wants `panel_paste`; without this a paste is typed."),
            param("mouse", "flag", "It wants `panel_mouse`."),
            param("key_kinds", "flag", "It wants to know which keys are held down and let go, where that is known."),
        ),
    ),
    HostMethod(
        "panels.change",
        "panels2",
        "Move, hide or name an open panel, or give it the keys. What is left out stays.",
        (
            _ID,
            *_CHANGED,
            param("focus", "flag", "True: it gets the keys and comes to the front. False: it loses them."),
        ),
    ),
)
