"""`vi_mode`: the keys of vi, which are in `vi.json`; pure after the first use."""

import json
from functools import cache
from pathlib import Path

from zot_tui.editor.buffer import Buffer
from zot_tui.editor.keyed.mode import KeyedMode
from zot_tui.editor.keyed.operators import Chips, no_chips
from zot_tui.editor.keyed.read import KeyedModes, read_modes


def vi_mode(buffer: Buffer, chips: Chips = no_chips) -> KeyedMode:
    """Return a mode with the keys of vi, which types at first."""
    return KeyedMode(buffer, vi_modes(), lambda name: None, chips)


@cache
def vi_modes() -> KeyedModes:
    """Return the modes of vi: always the same object."""
    return read_modes(json.loads(Path(__file__).with_name("vi.json").read_bytes()), ())
