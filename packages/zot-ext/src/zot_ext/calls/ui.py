"""`Ui`: dialogs with the person. Each raises `HostError` with the code `unavailable` where nobody can be asked."""

from __future__ import annotations

from zot_ext.calls.caller import Calls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Ui(Calls):
    """`ext.ui`, in the group `ui`. A dialog that the person closes, or whose `timeout` (in seconds) ends, gives None;
    `confirm` gives False."""

    def select(
        self, title: str, options: Sequence[str], *, message: str = "", timeout: float | None = None
    ) -> str | None:
        """Ask for one of several options."""
        value = self._ask("select", title, message, timeout, options=list(options))
        return None if value is None else str(value)

    def confirm(self, title: str, message: str = "", *, timeout: float | None = None) -> bool:
        """Ask a question for yes or no."""
        return self._ask("confirm", title, message, timeout) is True

    def input(
        self,
        title: str,
        *,
        message: str = "",
        placeholder: str = "",
        prefill: str = "",
        secret: bool = False,
        timeout: float | None = None,
    ) -> str | None:
        """Ask for a line of text; `secret` shows dots in its place."""
        more = {"placeholder": placeholder or None, "prefill": prefill or None, "secret": secret or None}
        value = self._ask("input", title, message, timeout, **more)
        return None if value is None else str(value)

    def editor(self, title: str, prefill: str = "", *, message: str = "", timeout: float | None = None) -> str | None:
        """Ask for a text of several lines."""
        value = self._ask("editor", title, message, timeout, prefill=prefill or None)
        return None if value is None else str(value)

    def form(
        self, title: str, fields: Sequence[dict[str, Any]], *, message: str = "", timeout: float | None = None
    ) -> dict[str, Any] | None:
        """Ask for several values: see `ui.form` in `zot_ext.protocol.calls` for the fields. The result
        has no empty ones."""
        value = self._ask("form", title, message, timeout, fields=list(fields))
        return value if isinstance(value, dict) else None

    def pick(
        self,
        title: str,
        rows: Sequence[dict[str, str]],
        *,
        multi: bool = False,
        message: str = "",
        timeout: float | None = None,
    ) -> list[str] | None:
        """Ask for rows (`id`, `label`, `detail`) of a list that can be searched; return the ids of the chosen ones."""
        value = self._ask("pick", title, message, timeout, rows=list(rows), multi=multi or None)
        return value if isinstance(value, list) else None

    def _ask(self, kind: str, title: str, message: str, timeout: float | None, **fields: object) -> object:
        milliseconds = None if timeout is None else max(round(timeout * 1000), 1)
        return self._call(f"ui.{kind}", title=title, message=message or None, timeout_ms=milliseconds, **fields).get(
            "value"
        )
