"""The operations as methods of the client; written by `scripts/generate_operations.py`."""

from collections.abc import Mapping, Sequence
from typing import Literal

from zot_agent.client.connection import RpcConnection
from zot_agent.operations.answers import Image
from zot_agent.rpc.activity.displays import DisplayInfo, ShownEvents
from zot_agent.rpc.extensions import CompletionsInfo
from zot_agent.rpc.handshake import Pong
from zot_agent.rpc.screen.commands import RenderingInfo
from zot_agent.verbs.control import CommandAction
from zot_agent.verbs.permissions import ModeInfo
from zot_agent.verbs.runs import ChangedRun, RunList
from zot_agent.verbs.settings import ChangedSetting, SettingList
from zot_agent.verbs.stored import AddedSession, WrittenFile
from zot_ext.protocol.agent_answers import (
    AgentList,
    ChangedAgent,
    ChangedJob,
    ContextInfo,
    JobList,
    KnownCommands,
    KnownSkills,
    KnownTools,
    MessagesInfo,
    ReloadInfo,
    StateInfo,
    SystemText,
)
from zot_ext.protocol.answers import (
    DiffInfo,
    FoundText,
    ItemPage,
    ModelList,
    ModelState,
    MovedPlace,
    NameList,
    OpenedPlace,
    RunTotalsList,
    SessionHits,
    SessionInfo,
    SessionItem,
    SessionPage,
    SessionPlace,
    SessionTitle,
    StoredSessionInfo,
    TreeInfo,
)

class OperationCommands(RpcConnection):
    """Raises what `RpcClient` raises."""

    async def agents_list(self) -> AgentList:
        """List the sub-agents of the session, oldest first."""

    async def agents_messages(self, agent: str) -> MessagesInfo:
        """Return the conversation of a sub-agent, as `prompts.messages` does.

        agent: The id of the agent.
        """

    async def agents_steer(self, agent: str, message: str) -> None:
        """Add a user message to the conversation of a sub-agent, before its next model call.

        agent: The id of the agent.
        message: The message.
        """

    async def agents_stop(self, agent: str) -> ChangedAgent:
        """Stop a sub-agent and its own. The event `subagent_stop` comes before the response.

        agent: The id of the agent.
        """

    async def control_abort(self) -> None:
        """Stop the running prompt or compaction, which ends with its `done`; queued ones then run. Harmless when
        idle."""

    async def control_clear(self) -> None:
        """Delete all messages of the conversation. An extension may stop that, as it may stop a new session. Refused
        while busy. It may take as long as a model or a person does."""

    async def control_commands(self) -> KnownCommands:
        """List the slash commands of prompt templates, skills and extensions. A client waits until all extensions
        have registered theirs; an extension gets what is known so far."""

    async def control_context(self) -> ContextInfo:
        """Say what fills the context window: the parts of the next request in order."""

    async def control_reload(self) -> ReloadInfo | None:
        """Stop all extensions, read their manifests again and start them. Allowed while busy. An extension gets no
        answer: it is restarted too, once its command is answered, and what failed becomes notices."""

    async def control_run(self, name: str, *, args: str = "") -> CommandAction:
        """Run a slash command of a prompt template, a skill or an extension. Its output comes as `ext_*` events
        before the response. A prompt that it submits is started, or queued, like any other. It may take as
        long as a model or a person does.

        name: The command, with or without its slash.
        args: What follows the name.
        """

    async def control_shutdown(self) -> None:
        """End zot, once nothing runs and waits and the request is answered."""

    async def control_skills(self) -> KnownSkills:
        """List the skills."""

    async def control_state(self) -> StateInfo:
        """Return the state of the agent."""

    async def control_system_prompt(self) -> SystemText:
        """Read the system prompt."""

    async def control_wait_idle(self) -> None:
        """Answer when nothing runs and waits. It may take as long as a model or a person does."""

    async def ext_field_claim(self, request: str) -> None:
        """Say that this client is about to do what an event `ext_field_request` asks for. A client sends it before
        it changes its field. If it fails, the extension stops waiting, and the text must stay as it is; else
        there are again two seconds for `ext_field_response`.

        request: The `request` of the event.
        """

    async def ext_field_response(self, request: str, *, text: str = "", cursor: int = 0, busy: bool = False) -> None:
        """Answer an event `ext_field_request` within two seconds.

        request: The `request` of the event.
        text: What is in the field now.
        cursor: The place of the cursor in it, in characters from 0.
        busy: Nothing was changed, because the text was not `expected`, or the person composes a character.
        """

    async def ext_panel_close(self) -> None:
        """Close the open panel and notify its extension."""

    async def ext_panel_key(
        self,
        key: str,
        *,
        text: str = "",
        mods: Sequence[str] = (),
        kind: Literal["press", "repeat", "release"] = "press",
    ) -> None:
        """Send a key to the open panel; `esc` closes it.

        key: `up`, `enter`, `rune`, ...: see the frame `panel_key`.
        text: The character, for `rune`.
        mods: `ctrl`, `alt`, `shift`, ..., for panels that extensions draw.
        kind: `press`, `repeat` or `release`; the last for panels with `key_kinds`.
        """

    async def ext_panel_mouse(
        self, extension: str, panel: str, action: str, row: int, column: int, *, button: int = 0
    ) -> None:
        """Use the mouse over an overlay whose `mouse` is true.

        extension: Of the event `ext_panel_show`.
        panel: The `id` of the panel.
        action: `press`, `release`, `drag` or `wheel`.
        row: The cell within its lines, from 0.
        column: The same.
        button: 1 to 3; 4 and 5 for the wheel.
        """

    async def ext_panel_paste(self, text: str) -> None:
        """Paste text into the open panel.

        text: The text.
        """

    async def ext_panel_size(self, columns: int, rows: int) -> None:
        """Say how large the screen is on which the client shows panels of extensions; 80 by 24 until then.

        columns: In cells.
        rows: In cells.
        """

    async def ext_ui_response(self, request: str, *, value: object = None, closed: bool = False) -> None:
        """Answer an event `ext_ui_request`. The first valid answer counts; others are refused.

        request: The `request` of the event.
        value: select: one of the `options`. confirm: true or false. input, editor: a string. form: an object with
            the values of fields. pick: a list of the ids of rows. Only if `closed` is `false`.
        closed: Close it without an answer.
        """

    async def get_completions(self, text: str, *, cursor: int = -1) -> CompletionsInfo:
        """Ask extensions what they [suggest](extension-calls.md#suggestions-while-typing) in place of the word at
        the cursor, once all of them have registered. An extension has three seconds to answer. Ask when the
        user pauses, not for each key.

        text: The whole text of the input field.
        cursor: The place of the cursor; by default the end of the text.
        """

    async def get_display(self, calls: Sequence[str]) -> DisplayInfo:
        """Say what a person sees of tool calls that have a result, as the chat screen shows it. Calls without a
        result are left out.

        calls: The ids of calls.
        """

    async def get_image(self, image: str) -> Image:
        """Return an image of the conversation.

        image: The `id` of an image block.
        """

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
        at once.

        kind: `tool_call`, `tool_result`, `message`, `entry` or `markdown`.
        item: The id of the call, of the message or of the entry.
        text: The Markdown of an answer; `lines` has one text, the Markdown to show. Only if `kind` is `markdown`.
        width: How many cells a line has.
        expanded: Whether the person wants to see all of it.
        """

    async def get_shown(self) -> ShownEvents:
        """Return what extensions show now, for a client that comes later: the latest events `ext_widget`,
        `ext_title`, `ext_working`, `ext_key`, `ext_renderer`, `ext_expand`, `ext_panel_open` and
        `ext_panel_show`."""

    async def jobs_list(self) -> JobList:
        """List the commands that run in the background of the session, and the latest that have ended."""

    async def jobs_stop(self, job: str) -> ChangedJob:
        """Stop a command in the background with everything that it started. The event `job_end` comes before the
        response.

        job: The id of the job.
        """

    async def model_get(self) -> ModelState:
        """Describe the model."""

    async def model_list(self, *, scope: Literal["current", "ready", "all", "favourites"] = "current") -> ModelList:
        """List models.

        scope: `current` (the default): models of the provider in use. `ready`: models of providers with a key and
            of local servers, the current provider's first; servers whose lists are old are asked. `favourites`:
            the person's favourites that can be used, in their order. `all`: all that are known without a request
            to a server.
        """

    async def model_reasoning(
        self, reasoning: Literal["off", "minimum", "low", "medium", "high", "xhigh", "max", "maximum"]
    ) -> ModelState:
        """Set how much the model thinks. Refused while busy.

        reasoning: `off`, `minimum`, `low`, `medium`, `high`, `xhigh` or `max`; the nearest that the model has is
            used.
        """

    async def model_set(self, model: str, *, provider: str = "") -> ModelState:
        """Continue with another model, of any provider with a key. Refused while busy, and without a key: the error
        names the variable to set.

        model: A model's id, the beginning of one, or PROVIDER/ID; a reasoning level may follow, as for `--model`.
        provider: The provider, if it is not part of `model`.
        """

    async def permissions_answer(
        self, request: str, answer: Literal["yes", "always", "no"], *, message: str = ""
    ) -> None:
        """Answer an event `permission_request`: the tool call runs or is refused. The first answer counts.

        request: The `request` of the event.
        answer: `yes`, `no`, or `always`, which also adds the `rules` of the event.
        message: Why, for the model. Only if `answer` is `no`.
        """

    async def permissions_mode(self, mode: Literal["ask", "accept-edits", "plan", "yolo"]) -> ModeInfo:
        """Set what becomes of tool calls that no rule names, from the next call on.

        mode: `ask`, `accept-edits`, `plan` or `yolo`.
        """

    async def ping(self) -> Pong:
        """Check that the process answers."""

    async def prompts_follow_up(self, message: str) -> None:
        """Add a message to the running prompt; the model reads it when it would otherwise stop.

        message: The user's message.
        """

    async def prompts_messages(self) -> MessagesInfo:
        """Return the whole conversation with the model's own words. Clients get the entries of extensions too, which
        may be [drawn](rpc.md#what-extensions-draw)."""

    async def prompts_steer(self, message: str) -> None:
        """Add a message to the running prompt; the model reads it with its next call.

        message: The user's message.
        """

    async def runs_answer(self, run: str, answer: Literal["yes", "always", "no"], *, message: str = "") -> ChangedRun:
        """Answer the question of a run. The run then continues in its own process.

        run: The name of the run, or its beginning.
        answer: `yes`, `always` or `no`.
        message: The reason, for the model. Only if `answer` is `no`.
        """

    async def runs_list(self) -> RunList:
        """List the durable runs (`zot run`), last changed first."""

    async def session_delete(self, session: str) -> None:
        """Delete a stored session with all its branches. Refused while a process has it open.

        session: The id of a session, or its beginning, or a path.
        """

    async def session_diff(self) -> DiffInfo:
        """List the files that differ from what they were before the session."""

    async def session_entries(
        self,
        *,
        to: str = "",
        whole_tree: bool = False,
        kinds: Sequence[Literal["user", "assistant", "tool", "compaction", "branch_summary", "custom"]] = (),
        custom_type: str = "",
        content: bool = False,
        after: str = "",
        limit: int = 200,
    ) -> ItemPage:
        """List entries, from the first on.

        to: The branch that ends with this entry, not the current one. Only if `whole_tree` is `false`.
        whole_tree: All branches, not only the current one.
        kinds: `user assistant tool compaction branch_summary custom`; all by default.
        custom_type: Only data of this extension with this type.
        content: Also return the blocks of each message, unless the message is too large.
        after: The id of the entry to begin after.
        limit: How many at most; 200 by default.
        """

    async def session_entry(self, entry: str) -> SessionItem:
        """Read one entry whole.

        entry: The id of the entry.
        """

    async def session_export(self, path: str, *, session: str = "") -> WrittenFile:
        """Write a session to a new file. Its suffix chooses the format: .zotsession, .html or .md. An existing file
        is never overwritten. It has everything that the model has read.

        path: The file, from the working directory.
        session: The id of a session, or its beginning, or a path; by default the conversation's.
        """

    async def session_find(self, text: str, *, before: str = "", limit: int = 200) -> FoundText:
        """Find a text in the conversation: in what a person sees of its messages, with calls and their results, the
        newest first. Any white space in it matches any other. Its case counts if it has an upper-case letter.

        text: The text.
        before: Only what is before this message, an id: that of the last place of the page before.
        limit: How many places at most; 200 by default.
        """

    async def session_fork(self, entry: str = "", *, position: Literal["at", "before"] = "at") -> SessionPlace:
        """Copy the session and continue in it, a new session. The event `session_start` follows. Refused while busy.
        It may take as long as a model or a person does.

        entry: The id of the last entry of the copy; all of them by default.
        position: `at` (the default): with the entry. `before`: without it, to ask something else in its place.
        """

    async def session_import(self, path: str) -> AddedSession:
        """Import a .zotsession file as a session of the working directory. It gets a new id.

        path: The file, from the working directory.
        """

    async def session_info(self) -> SessionInfo:
        """Describe the session."""

    async def session_label(self, entry: str, label: str) -> None:
        """Give an entry a label, one line of at most 200 characters.

        entry: The id of the entry.
        label: The label; empty to remove it.
        """

    async def session_list(
        self, *, scope: Literal["cwd", "all"] = "cwd", limit: int = 50, after: str = ""
    ) -> SessionPage:
        """List the stored sessions, last used first.

        scope: `cwd` (the default) for sessions of the folder of the conversation, `all` for every session.
        limit: How many at most; 50 by default.
        after: The `next` of the page before.
        """

    async def session_navigate(
        self,
        entry: str,
        *,
        position: Literal["at", "before"] = "at",
        restore: Literal["both", "conversation", "files"] = "conversation",
        force: bool = False,
        stop_jobs: bool = False,
        summarise: bool = False,
        instructions: str = "",
        label: str = "",
    ) -> MovedPlace:
        """Continue at another entry of the session. Nothing is lost: the entries after it stay in the tree. The
        event `session_tree` follows. Refused with files while a job runs, which could change them: the code
        is `jobs_running` then. Refused while busy. It may take as long as a model or a person does.

        entry: The id of the entry.
        position: `at` (the default): after the entry. `before`: before it, to ask something else in its place.
        restore: What goes back: `conversation` (the default), `files` or `both`.
        force: Overwrite files that have changed since. Only if `restore` is `files` or `both`.
        stop_jobs: First stop the commands in the background. Only if `restore` is `files` or `both`.
        summarise: First let the model write a summary of what is left behind, which becomes the next entry.
            `abort` stops that, and nothing has changed then. Only if `restore` is `conversation` or `both`.
        instructions: What that summary must keep. Only if `summarise` is `true`.
        label: A label for the entry at which the conversation then continues, the summary if there is one. Only
            if `restore` is `conversation` or `both`.
        """

    async def session_new(self, *, parent: bool = False, messages: Sequence[Mapping[str, object]] = ()) -> SessionPlace:
        """Start a new session: no messages, no usage and, if sessions are stored, a new file. Refused while busy. It
        may take as long as a model or a person does.

        parent: Store that it comes from this session.
        messages: Its first messages, which nobody answers: objects with `text`, `role` (`user` or `assistant`),
            `display_text`, `hidden`.
        """

    async def session_open(self, session: str, *, fork: bool = False) -> OpenedPlace:
        """Continue a stored session, in its folder and with its model. The event `session_start` follows. Refused,
        unless `fork`, while another process has the session open. Refused while busy. It may take as long as
        a model or a person does.

        session: The id of a session, or its beginning, or a path.
        fork: Continue in a copy, a new session.
        """

    async def session_read(
        self,
        session: str,
        *,
        whole_tree: bool = False,
        kinds: Sequence[Literal["user", "assistant", "tool", "compaction", "branch_summary", "custom"]] = (),
        custom_type: str = "",
        content: bool = False,
        after: str = "",
        limit: int = 200,
    ) -> ItemPage:
        """List entries of a stored session, also another one, as `session.entries` does.

        session: The id of a stored session, its beginning, or its path.
        whole_tree: All branches, not only the current one.
        kinds: `user assistant tool compaction branch_summary custom`; all by default.
        custom_type: Only data of this extension with this type.
        content: Also return the blocks of each message, unless the message is too large.
        after: The id of the entry to begin after.
        limit: How many at most; 200 by default.
        """

    async def session_redo(self, *, force: bool = False, stop_jobs: bool = False) -> MovedPlace:
        """Take back the last `session.undo`, if nothing was asked since. Refused as `session.navigate` is. Refused
        while busy. It may take as long as a model or a person does.

        force: Overwrite files that have changed since.
        stop_jobs: First stop the commands in the background.
        """

    async def session_rename(self, title: str, *, session: str = "") -> SessionTitle:
        """Give a session a title, one line of at most 200 characters; an empty one brings back the name made from
        the first prompt.

        title: The title.
        session: The id of a session, or its beginning; by default the conversation's, the only one for an
            extension.
        """

    async def session_search(self, query: str, *, scope: Literal["cwd", "all"] = "cwd", limit: int = 50) -> SessionHits:
        """Find the stored sessions that have all words in their title, prompts and answers, without regard to case.

        query: Words; text in double quotes must occur as it is.
        scope: As in `session.list`.
        limit: How many at most; 50 by default.
        """

    async def session_show(self, session: str = "") -> StoredSessionInfo:
        """Say what a stored session is about: its last prompt and answer, its tokens and cost.

        session: The id of a session, or its beginning, or a path; by default the conversation's.
        """

    async def session_totals(self, *, limit: int = 200) -> RunTotalsList:
        """Say what the last runs of the conversation took and changed: those with calls, and the long ones.

        limit: How many runs at most; 200 by default.
        """

    async def session_tree(self) -> TreeInfo:
        """List the entries of the session, of all its branches, in the order in which they were added."""

    async def session_undo(self, *, force: bool = False, stop_jobs: bool = False) -> MovedPlace:
        """Go back to before the last prompt, whose text the answer has, with the files that tools changed since.
        Refused as `session.navigate` is. Refused while busy. It may take as long as a model or a person does.

        force: Overwrite files that have changed since.
        stop_jobs: First stop the commands in the background.
        """

    async def settings_list(self) -> SettingList:
        """List all settings with their values in this conversation. A password in an address is left out."""

    async def settings_set(self, key: str, value: object = None) -> ChangedSetting:
        """Store a setting in the `config.json` of the user, as `zot config set` does. If `at_once`, the conversation
        follows; otherwise the value counts from the next start. A setting that is not `changeable` is
        refused.

        key: The key of the setting.
        value: The value, as in `config.json`; without it the default is used again.
        """

    async def tools_active(self) -> NameList:
        """Name the tools that the model may call."""

    async def tools_list(self) -> KnownTools:
        """List the tools of the agent."""

    async def tools_set(self, tools: Sequence[str]) -> NameList:
        """Set the built-in tools of the model; tools of extensions stay. The answer names all that it may call.
        Refused while busy.

        tools: The names; an empty list for no built-in tool.
        """

    async def use_field(self, *, on: bool = True) -> None:
        """Say that this client has an [input field](extension-editor.md#without-a-terminal) that extensions may use,
        and that the person types there. Of several clients the last to say so is asked with the event
        `ext_field_request`. In `zot serve` it must come over the WebSocket.

        on: False: it has none any more.
        """
