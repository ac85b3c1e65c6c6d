"""Reports of terminals (answers that are control sequences) in the one form that urwid's parser reads; pure."""

import re

# DA1 `CSI ? Ps ; ... c`, the flags of kitty's keyboard protocol `CSI ? Ps u`, DECRPM `CSI ? Ps ; Ps $ y`.
_REPORT = re.compile(rb"\x1b\[\?([0-9:;]*)(c|u|\$y)")
_PARAMETERS = {b"c": 1, b"u": 1, b"$y": 2}  # how many are read: DA1 only marks the end of other answers


def canonical(sequence: bytes) -> bytes:
    """Return a whole control sequence with the parameters that urwid reads; any but these three reports is unchanged.

    ECMA-48 lets a terminal leave out a parameter, which then is 0, and kitty ends its list of attributes with an empty
    one (`CSI ? 62 ; 52 ; c`, its `report_device_attributes`). Windows Terminal and xterm send a dozen attributes.
    """
    found = _REPORT.fullmatch(sequence)
    if found is None:
        return sequence
    fields = [field.partition(b":")[0] or b"0" for field in found[1].split(b";")]
    count = _PARAMETERS[found[2]]
    return b"\x1b[?" + b";".join([*fields, b"0"][:count]) + found[2]
