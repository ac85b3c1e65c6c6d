"""`HttpError`: a request that is refused, with its HTTP status."""

from zot_provider.errors import ZotError


class HttpError(ZotError):
    """A refused request. The text says why, and names the field if one is at fault."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
