"""The errors that an author of extensions can expect from the host."""


class HostError(RuntimeError):
    """The host did not do what it was asked for. `code` is one of `zot_ext.protocol.from_host.CODES`."""

    expected = True
    """A handler that lets it pass has no fault to be logged."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class NotGranted(RuntimeError):
    """The host does not grant the capability; nothing was sent."""

    expected = True
    """See `HostError`."""

    @classmethod
    def for_group(cls, group: str, *, asked: bool) -> "NotGranted":
        """Return the error about a group, which the extension has `asked` for or not."""
        return cls(f"the host does not grant {group!r}" if asked else f"ask for it: capabilities=({group!r},)")
