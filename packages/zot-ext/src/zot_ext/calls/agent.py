"""`Messages`, `Control`, `Programs` and `ModelCalls`: the groups `messages`, `control`, `exec` and `model`."""

from __future__ import annotations

from zot_ext.calls.caller import Calls
from zot_ext.calls.operations import ControlOperations, ModelOperations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal

    from zot_ext.protocol.answers import ProgramEnd

    Delivery = Literal["steer", "follow_up", "next_turn", "interrupt"]


def _images(images: Sequence[bytes | str]) -> list[dict[str, str]] | None:
    """Make the objects of images; None without any."""
    if not images:
        return None
    from binascii import b2a_base64  # noqa: PLC0415 - few calls have images

    texts = (each if isinstance(each, str) else b2a_base64(each, newline=False).decode() for each in images)
    return [{"data": text} for text in texts]


class Messages(Calls):
    """`ext.messages`."""

    def send(
        self,
        text: str,
        *,
        deliver_as: Delivery = "follow_up",
        trigger: bool = True,
        display_text: str | None = None,
        hidden: bool = False,
        custom_type: str = "",
        details: Any = None,
        expand: bool = False,
        images: Sequence[bytes | str] = (),
        wait: bool = False,
    ) -> str:
        """Add a message in the name of the user: see `messages.send` in `zot_ext.protocol.calls`. Return `started`,
        `queued` or `kept`, before the model has read it; with `wait` return `read` when it is part of the conversation,
        or raise `HostError` (`cancelled`). Images are bytes, or base64 texts; `details` are any JSON value."""
        answer = self._call(
            "messages.send",
            text=text,
            deliver_as=deliver_as,
            trigger=trigger,
            display_text=display_text,
            hidden=hidden or None,
            custom_type=custom_type or None,
            details=details,
            expand=expand or None,
            images=_images(images),
            wait=wait or None,
        )
        return str(answer["delivered"])


class Control(ControlOperations):
    """`ext.control`. What it returns is in `zot_ext.protocol.agent_answers`."""

    def compact(self, instructions: str = "") -> str:
        """Replace all but the last messages with a summary, once nothing runs; return how it ended."""
        return str(self._call("control.compact", instructions=instructions or None, wait=True)["end"])

    def reload(self) -> None:
        """Restart all extensions, this one too, once the handler of the command has returned."""
        self._call("control.reload")


class Programs(Calls):
    """`ext.programs`."""

    def run(
        self, argv: Sequence[str], *, cwd: str = "", timeout_ms: int | None = None, foreground: bool = False
    ) -> ProgramEnd:
        """Run a program and return its output. With `foreground` it has the terminal
        until it ends, and there is no output. Raises `HostError`: `denied` if the permissions do not have it,
        `unavailable` without a screen."""
        fields = {"cwd": cwd or None, "timeout_ms": timeout_ms, "foreground": foreground or None}
        answer: ProgramEnd = self._call("exec.run", argv=list(argv), **fields)
        return answer


class ModelCalls(ModelOperations):
    """`ext.model`."""

    def __init__(self, call: Callable[..., Any], stream: Callable[..., dict[str, Any]]) -> None:
        super().__init__(call)
        self._stream = stream

    def complete(
        self,
        prompt: str = "",
        *,
        messages: Sequence[Mapping[str, object]] = (),
        images: Sequence[bytes | str] = (),
        system: str = "",
        model: str = "",
        max_tokens: int | None = None,
        reasoning: str = "",
        progress: Callable[[str], None] | None = None,
    ) -> str:
        """Ask a model something, outside the conversation, and return its text. `messages` are a conversation, in
        place of a prompt: objects with `role`, `text` and `images`, which are bytes or base64 texts. `progress` takes
        the text as it comes."""
        asked = [
            {**each, "images": _images(each["images"])} if each.get("images") else dict(each)  # type: ignore[arg-type]
            for each in messages
        ]
        fields: dict[str, object] = {"prompt": prompt or None, "messages": asked or None, "images": _images(images)}
        fields |= {"system": system or None, "model": model or None, "reasoning": reasoning or None}
        if progress is not None:
            answer = self._stream(progress, "model.complete", max_tokens=max_tokens, stream=True, **fields)
        else:
            answer = self._call("model.complete", max_tokens=max_tokens, **fields)
        return str(answer["text"])
