"""`RpcClient`: every command of `zot rpc` as a method."""

import base64
from collections.abc import Iterable, Sequence
from typing import Any, cast

from zot_agent.client.operation import Operation
from zot_agent.client.operations import OperationCommands
from zot_agent.operations.answers import CommandInfo, ContextInfo, Image, MessageInfo, StateInfo
from zot_agent.operations.stored_answers import (
    AgentEntryInfo,
    JobInfo,
    RunInfo,
    SettingInfo,
)
from zot_ext.protocol.answers import ModelInfo


class RpcClient(OperationCommands):
    """A `zot rpc` process and its prompts. `start` makes one.

    Methods raise `RpcError` when the command is refused and `Disconnected` when the process has ended.
    """

    def prompt(self, message: str, images: Iterable[Image] = (), *, hold_text: bool = False) -> Operation:
        """Send a prompt; it is queued while others run. Iterate over the result for the events up to `done`.

        `hold_text` holds back text deltas while an extension may replace the text.
        """
        more: dict[str, Any] = {"images": list(images)} if images else {}
        return self._operate("prompt", message=message, **more, **({"hold_text": True} if hold_text else {}))

    def compact(self, instructions: str = "") -> Operation:
        """Replace all but the last messages with a summary; events up to `done`. `instructions` say what the summary
        must keep."""
        return self._operate("compact", **({"instructions": instructions} if instructions else {}))

    async def abort(self) -> None:
        """Stop the running prompt, if any; the next one in the queue then runs."""
        await self.request("abort")

    async def steer(self, message: str) -> None:
        """Add a message to the running prompt; the model reads it with its next call."""
        await self.request("steer", message=message)

    async def follow_up(self, message: str) -> None:
        """Add a message to the running prompt; the model reads it when it would otherwise stop."""
        await self.request("follow_up", message=message)

    async def permission_response(self, request: str, answer: str, message: str = "") -> None:
        """Answer an event `permission_request` with `yes`, `always` or `no`; `message` says to the model why not."""
        await self.request("permission_response", request=request, answer=answer, message=message)

    async def ext_ui_response(self, request: str, value: Any = None, *, closed: bool = False) -> None:
        """Answer an event `ext_ui_request` with a value that its method takes, or close it without one."""
        await self.request("ext_ui_response", request=request, value=value, closed=closed)

    async def set_permission_mode(self, mode: str) -> None:
        """Set what becomes of tool calls that no rule names: `ask accept-edits plan yolo`."""
        await self.request("set_permission_mode", mode=mode)

    async def get_state(self) -> StateInfo:
        """Return the state of the agent."""
        return cast(StateInfo, await self.request("get_state"))

    async def get_messages(self) -> list[MessageInfo]:
        """Return all messages of the conversation."""
        return cast("list[MessageInfo]", (await self.request("get_messages"))["messages"])

    async def get_entries(self) -> list[dict[str, Any]]:
        """Return what extensions have stored in the conversation: `at`, the number of messages before it, `id`,
        `extension` and `custom_type`."""
        return cast("list[dict[str, Any]]", (await self.request("get_messages")).get("entries", []))

    async def get_context(self) -> ContextInfo:
        """Return what fills the context window, part by part."""
        return cast(ContextInfo, await self.request("get_context"))

    async def clear(self) -> None:
        """Delete all messages of the conversation."""
        await self.request("clear")

    async def get_display(self, calls: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
        """Return what a person sees of tool calls, by their ids: lists of display blocks. Calls without a result are
        left out."""
        found = (await self.request("get_display", calls=list(calls)))["displays"]
        return cast("dict[str, list[dict[str, Any]]]", found)

    async def get_image(self, image: str) -> tuple[str, bytes]:
        """Return the MIME type and the bytes of an image, by the `id` of its block."""
        found = await self.request("get_image", image=image)
        return str(found["mime_type"]), base64.b64decode(found["data"])

    async def get_shown(self) -> list[dict[str, Any]]:
        """Return the latest events about what extensions show now."""
        return cast("list[dict[str, Any]]", (await self.request("get_shown"))["events"])

    async def list_runs(self) -> list[RunInfo]:
        """Return the durable runs, last changed first."""
        return cast("list[RunInfo]", (await self.request("list_runs"))["runs"])

    async def answer_run(self, run: str, answer: str, message: str = "") -> RunInfo:
        """Answer the question of a run with "yes", "always" or "no"; it continues in its own process."""
        return cast(RunInfo, (await self.request("answer_run", run=run, answer=answer, message=message))["run"])

    async def get_settings(self) -> list[SettingInfo]:
        """Return all settings with their values in this conversation."""
        return cast("list[SettingInfo]", (await self.request("get_settings"))["settings"])

    async def set_setting(self, key: str, value: object) -> SettingInfo:
        """Store a setting in the user's `config.json`, None for its default. Returns it with the value in effect."""
        return cast(SettingInfo, (await self.request("set_setting", key=key, value=value))["setting"])

    async def get_jobs(self) -> list[JobInfo]:
        """List the commands in the background of the session."""
        return cast("list[JobInfo]", (await self.request("get_jobs"))["jobs"])

    async def stop_job(self, job: str) -> JobInfo:
        """Stop a command in the background with everything that it started."""
        return cast(JobInfo, (await self.request("stop_job", job=job))["job"])

    async def get_agents(self) -> list[AgentEntryInfo]:
        """List the sub-agents of the session."""
        return cast("list[AgentEntryInfo]", (await self.request("get_agents"))["agents"])

    async def get_agent_messages(self, agent: str) -> list[dict[str, Any]]:
        """Return the conversation of a sub-agent."""
        return cast("list[dict[str, Any]]", (await self.request("get_agent_messages", agent=agent))["messages"])

    async def steer_agent(self, agent: str, message: str) -> None:
        """Add a user message to the conversation of a sub-agent."""
        await self.request("steer_agent", agent=agent, message=message)

    async def stop_agent(self, agent: str) -> AgentEntryInfo:
        """Stop a sub-agent and its own."""
        return cast(AgentEntryInfo, (await self.request("stop_agent", agent=agent))["agent"])

    async def set_model(self, model: str, *, provider: str = "") -> str:
        """Switch to another model, of any provider with a key, and return its full id. `model` is an id, its prefix, or
        PROVIDER/ID."""
        return str((await self.request("set_model", model=model, provider=provider))["model"])

    async def set_reasoning(self, reasoning: str) -> None:
        """Set how much the model thinks: `off minimum low medium high xhigh max`."""
        await self.request("set_reasoning", reasoning=reasoning)

    async def set_tools(self, tools: Sequence[str]) -> list[str]:
        """Set the built-in tools. Returns the names of all tools, including those of extensions."""
        return cast("list[str]", (await self.request("set_tools", tools=list(tools)))["tools"])

    async def get_models(self) -> list[ModelInfo]:
        """List the models of the current provider."""
        return cast("list[ModelInfo]", (await self.request("get_models"))["models"])

    async def list_models_all(self, *, ready: bool = False) -> list[ModelInfo]:
        """List the models of all providers; with `ready` only usable models, also from lists of servers."""
        return cast("list[ModelInfo]", (await self.request("list_models_all", ready=ready))["models"])

    async def ping(self) -> None:
        """Check that the process answers."""
        await self.request("ping")

    async def get_commands(self) -> list[CommandInfo]:
        """List the slash commands of prompt templates, skills and extensions."""
        return cast("list[CommandInfo]", (await self.request("get_commands"))["commands"])

    async def command(self, name: str, args: str = "") -> str:
        """Run a slash command of a prompt template, a skill or an extension, and return its action. Its output, and a
        prompt that it submits, come as events."""
        return str((await self.request("command", name=name, args=args))["action"])

    async def get_completions(self, text: str, cursor: int | None = None) -> dict[str, Any]:
        """Ask extensions for words in place of the word at the cursor, by default the end of the text: `items`, which
        take the place of the text from `start` to `end`."""
        return await self.request("get_completions", text=text, cursor=len(text) if cursor is None else cursor)

    async def get_rendering(
        self, kind: str, item: str, width: int, *, expanded: bool = False
    ) -> list[str | list[dict[str, Any]]] | None:
        """Return the lines that an extension draws for a call, a result, a message or an entry; None to draw it
        oneself."""
        fields = {"kind": kind, "item": item, "width": width, "expanded": expanded}
        return cast("list[str | list[dict[str, Any]]] | None", (await self.request("get_rendering", **fields))["lines"])

    async def get_markdown(self, text: str, width: int) -> str:
        """Return the Markdown of an answer as extensions want it shown."""
        found = (await self.request("get_rendering", kind="markdown", text=text, width=width))["lines"]
        return text if found is None else str(found[0])

    async def use_field(self, on: bool = True) -> None:  # noqa: FBT001, FBT002 - the only thing that it says
        """Say that extensions may use the input field of this client, where the person types now; or no more."""
        await self.request("use_field", on=on)

    async def ext_field_claim(self, request: str) -> None:
        """Say that this client is about to change its field, as an event `ext_field_request` asks. Raises if the
        extension waits no more; the field must stay as it is then."""
        await self.request("ext_field_claim", request=request)

    async def ext_field_response(self, request: str, text: str, cursor: int, *, busy: bool = False) -> None:
        """Answer an event `ext_field_request` with what is in the field now; `busy` if nothing was changed."""
        await self.request("ext_field_response", request=request, text=text, cursor=cursor, busy=busy)

    async def reload_ext(self) -> dict[str, Any]:
        """Stop the extensions, read their manifests again and start them. Returns the counts."""
        return await self.request("reload_ext")

    async def ext_panel_key(self, key: str, text: str = "", mods: Sequence[str] = (), kind: str = "press") -> None:
        """Send a key to the open panel: `up`, `enter`, ..., or `rune` with the character as `text`. `mods` are held
        keys such as `ctrl`, `kind` is `press`, `repeat` or `release`."""
        await self.request("ext_panel_key", key=key, text=text, mods=list(mods), kind=kind)

    async def ext_panel_paste(self, text: str) -> None:
        """Paste text into the open panel."""
        await self.request("ext_panel_paste", text=text)

    async def ext_panel_mouse(
        self, extension: str, panel: str, action: str, row: int, column: int, button: int = 0
    ) -> None:
        """Use the mouse over a cell of an overlay that wants it."""
        place = {"row": row, "column": column, "button": button}
        await self.request("ext_panel_mouse", extension=extension, panel=panel, action=action, **place)

    async def ext_panel_size(self, columns: int, rows: int) -> None:
        """Say how large the screen is on which panels of extensions are shown."""
        await self.request("ext_panel_size", columns=columns, rows=rows)

    async def ext_panel_close(self) -> None:
        """Close the open panel."""
        await self.request("ext_panel_close")


def image(data: bytes, mime_type: str) -> Image:
    """Return an image for `prompt` from the bytes of its file."""
    return {"mime_type": mime_type, "data": base64.b64encode(data).decode("ascii")}
