"""`RpcError`: a command that `zot rpc` refused."""

from zot_provider.errors import ZotError


class RpcError(ZotError):
    """`zot rpc` refused `command` or did not answer it in time; `str()` is the error message. `code` is empty, or
    "session_locked" if another process has the session open."""

    def __init__(self, command: str, message: str, code: str = "") -> None:
        super().__init__(message)
        self.command = command
        self.code = code
