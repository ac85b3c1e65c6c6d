"""Sequences passed through tmux to the terminal around it (`allow-passthrough` in tmux(1)); pure."""


def through_tmux(sequence: str) -> str:
    """Wrap `sequence`, which may hold any control characters, so that tmux passes it on unchanged."""
    return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
