"""What is said past tmux to the terminal around it (`allow-passthrough` in tmux(1)); pure."""


def through_tmux(sequence: str) -> str:
    """The sequence that has tmux hand `sequence` on as it is, which may hold any control."""
    return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
