"""The errors that an author of extensions can expect from the host."""


class ExpectedError(RuntimeError):
    """An error that is not logged when a handler lets it pass: the handler has no fault."""


class HostError(ExpectedError):
    """The host did not do what it was asked for. `code` is one of `zot_ext.protocol.from_host.CODES`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class NotGranted(ExpectedError):
    """The host does not grant the capability; nothing was sent."""

    @classmethod
    def for_group(cls, group: str, *, asked: bool) -> "NotGranted":
        """Return the error about a group, which the extension has `asked` for or not."""
        return cls(f"the host does not grant {group!r}" if asked else f"ask for it: capabilities=({group!r},)")
