"""`HttpError`: a request that is not done, with its HTTP status."""

from zot_provider.errors import ZotError


class HttpError(ZotError):
    """Why a request is not done; the text names the field that is to blame, if one is."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
