"""`RpcClient`: what `zot rpc` can be asked, as methods."""

import base64
from collections.abc import Iterable

from zot_agent.client.operation import Operation
from zot_agent.client.operations import OperationCommands
from zot_agent.operations.answers import Image


class RpcClient(OperationCommands):
    """A `zot rpc` process and its prompts. `start` makes one.

    Methods raise `RpcError` when the command is refused and `Disconnected` when the process has ended.
    """

    def prompt(self, message: str, images: Iterable[Image] = (), *, hold_text: bool = False) -> Operation:
        """Send a prompt; it is queued while others run. Iterate over the result for the events up to `done`.

        `hold_text` holds back text deltas while an extension may replace the text.
        """
        return self._operate("prompt", message=message, images=list(images) or None, hold_text=hold_text or None)

    def compact(self, instructions: str = "") -> Operation:
        """Replace all but the last messages with a summary; events up to `done`. `instructions` say what the summary
        must keep."""
        return self._operate("compact", instructions=instructions or None)


def image(data: bytes, mime_type: str) -> Image:
    """Return an image for `prompt` from the bytes of its file."""
    return {"mime_type": mime_type, "data": base64.b64encode(data).decode("ascii")}
