"""The operations about the client itself as methods of the client; written by `scripts/generate_operations.py`."""

from collections.abc import Sequence
from typing import Literal

from zot_agent.client.connection import RpcConnection
from zot_agent.operations.answers import CompletionsInfo, DisplayInfo, Image, Pong, RenderingInfo, ShownEvents


class ScreenCommands(RpcConnection):
    """Raises what `RpcClient` raises. The fields are described in docs/generated/rpc.md."""

    async def ext_field_claim(self, request: str) -> None:
        """Say that this client is about to do what an event `ext_field_request` asks for. A client sends it before
        it changes its field. If it fails, the extension stops waiting, and the text must stay as it is; else
        there are again two seconds for `ext_field_response`."""
        await self.request("ext_field_claim", request=request)

    async def ext_field_response(self, request: str, *, text: str = "", cursor: int = 0, busy: bool = False) -> None:
        """Answer an event `ext_field_request` within two seconds."""
        await self.request(
            "ext_field_response", request=request, text=text or None, cursor=cursor or None, busy=busy or None
        )

    async def ext_panel_close(self) -> None:
        """Close the open panel and notify its extension."""
        await self.request("ext_panel_close")

    async def ext_panel_key(
        self,
        key: str,
        *,
        text: str = "",
        mods: Sequence[str] = (),
        kind: Literal["press", "repeat", "release"] = "press",
    ) -> None:
        """Send a key to the open panel; `esc` closes it."""
        await self.request(
            "ext_panel_key", key=key, text=text or None, mods=list(mods) or None, kind=None if kind == "press" else kind
        )

    async def ext_panel_mouse(
        self, extension: str, panel: str, action: str, row: int, column: int, *, button: int = 0
    ) -> None:
        """Use the mouse over an overlay whose `mouse` is true."""
        await self.request(
            "ext_panel_mouse",
            extension=extension,
            panel=panel,
            action=action,
            row=row,
            column=column,
            button=button or None,
        )

    async def ext_panel_paste(self, text: str) -> None:
        """Paste text into the open panel."""
        await self.request("ext_panel_paste", text=text)

    async def ext_panel_size(self, columns: int, rows: int) -> None:
        """Say how large the screen is on which the client shows panels of extensions; 80 by 24 until then."""
        await self.request("ext_panel_size", columns=columns, rows=rows)

    async def ext_ui_response(self, request: str, *, value: object = None, closed: bool = False) -> None:
        """Answer an event `ext_ui_request`. The first valid answer counts; others are refused."""
        await self.request("ext_ui_response", request=request, value=value, closed=closed or None)

    async def get_completions(self, text: str, *, cursor: int = -1) -> CompletionsInfo:
        """Ask extensions what they [suggest](extension-calls.md#suggestions-while-typing) in place of the word at
        the cursor, once all of them have registered. An extension has three seconds to answer. Ask when the
        user pauses, not for each key."""
        answer: CompletionsInfo = await self.request(
            "get_completions", text=text, cursor=None if cursor == -1 else cursor
        )
        return answer

    async def get_display(self, calls: Sequence[str]) -> DisplayInfo:
        """Say what a person sees of tool calls that have a result, as the chat screen shows it. Calls without a
        result are left out."""
        answer: DisplayInfo = await self.request("get_display", calls=list(calls))
        return answer

    async def get_image(self, image: str) -> Image:
        """Return an image of the conversation."""
        answer: Image = await self.request("get_image", image=image)
        return answer

    async def get_rendering(
        self,
        kind: Literal["tool_call", "tool_result", "message", "entry", "markdown"],
        *,
        item: str = "",
        text: str = "",
        width: int,
        expanded: bool = False,
    ) -> RenderingInfo:
        """Ask the extension that [draws](extension-calls.md#what-is-drawn-in-the-conversation) a part of the
        conversation for its lines: see the event `ext_renderer`. `lines` is null if the client is to draw it
        itself, and empty if nothing is to be shown. An extension has a second to answer; 8 questions are open
        at once."""
        answer: RenderingInfo = await self.request(
            "get_rendering", kind=kind, item=item or None, text=text or None, width=width, expanded=expanded or None
        )
        return answer

    async def get_shown(self) -> ShownEvents:
        """Return what extensions show now, for a client that comes later: the latest events `ext_widget`,
        `ext_title`, `ext_working`, `ext_key`, `ext_renderer`, `ext_expand`, `ext_panel_open` and
        `ext_panel_show`."""
        answer: ShownEvents = await self.request("get_shown")
        return answer

    async def ping(self) -> Pong:
        """Check that the process answers."""
        answer: Pong = await self.request("ping")
        return answer

    async def use_field(self, *, on: bool = True) -> None:
        """Say that this client has an [input field](extension-editor.md#without-a-terminal) that extensions may use,
        and that the person types there. Of several clients the last to say so is asked with the event
        `ext_field_request`. In `zot serve` it must come over the WebSocket."""
        await self.request("use_field", on=None if on else False)
