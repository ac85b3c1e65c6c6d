"""`Messages`, `Control`, `Programs` and `ModelCalls`: the groups `messages`, `control`, `exec` and `model`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Literal

    Delivery = Literal["steer", "follow_up", "next_turn", "interrupt"]


class Messages:
    """`ext.messages`."""

    def __init__(self, call: Callable[..., dict[str, Any]]) -> None:
        self._call = call

    def send(
        self,
        text: str,
        *,
        deliver_as: Delivery = "follow_up",
        trigger: bool = True,
        display_text: str | None = None,
        hidden: bool = False,
        custom_type: str = "",
        expand: bool = False,
    ) -> str:
        """Add a message in the name of the user: see `messages.send` in `zot_ext.protocol.calls`. Return `started`,
        `queued` or `kept`, before the model has read it."""
        answer = self._call(
            "messages.send",
            text=text,
            deliver_as=deliver_as,
            trigger=trigger,
            display_text=display_text,
            hidden=hidden or None,
            custom_type=custom_type or None,
            expand=expand or None,
        )
        return str(answer["delivered"])


class Control:
    """`ext.control`."""

    def __init__(self, call: Callable[..., dict[str, Any]]) -> None:
        self._call = call

    def state(self) -> dict[str, Any]:
        """Describe what the agent does: `idle`, `queued`, `model`, `usage`, `context`, ..."""
        return self._call("control.state")

    def abort(self) -> bool:
        """Stop the running prompt; return whether one ran."""
        return bool(self._call("control.abort")["stopped"])

    def compact(self, instructions: str = "") -> str:
        """Replace all but the last messages with a summary, once nothing runs; return how it ended."""
        return str(self._call("control.compact", instructions=instructions or None)["end"])

    def wait_idle(self) -> None:
        """Return when nothing runs and waits."""
        self._call("control.wait_idle")


class Programs:
    """`ext.programs`."""

    def __init__(self, call: Callable[..., dict[str, Any]]) -> None:
        self._call = call

    def run(self, argv: Sequence[str], *, cwd: str = "", timeout_ms: int | None = None) -> dict[str, Any]:
        """Run a program and return `output`, `code`, `timed_out` and `truncated`. Raises `HostError`: `denied` if the
        permissions do not have it."""
        return self._call("exec.run", argv=list(argv), cwd=cwd or None, timeout_ms=timeout_ms)


class ModelCalls:
    """`ext.model`."""

    def __init__(self, call: Callable[..., dict[str, Any]], stream: Callable[..., dict[str, Any]]) -> None:
        self._call, self._stream = call, stream

    def get(self) -> dict[str, Any]:
        """Describe the model: `provider`, `model`, `reasoning`, `context_window`."""
        return self._call("model.get")

    def set(self, model: str, *, provider: str = "") -> dict[str, Any]:
        """Continue with another model. Raises `HostError`: `busy`, `denied` without a key, `invalid` for a name."""
        return self._call("model.set", model=model, provider=provider or None)

    def complete(
        self,
        prompt: str,
        *,
        system: str = "",
        model: str = "",
        max_tokens: int | None = None,
        reasoning: str = "",
        progress: Callable[[str], None] | None = None,
    ) -> str:
        """Ask a model something, outside of the conversation, and return its text. `progress` takes the text as it
        comes."""
        fields = {"prompt": prompt, "system": system or None, "model": model or None}
        fields |= {"reasoning": reasoning or None}
        if progress is not None:
            answer = self._stream(progress, "model.complete", max_tokens=max_tokens, stream=True, **fields)
        else:
            answer = self._call("model.complete", max_tokens=max_tokens, **fields)
        return str(answer["text"])
