"""What extensions written for pi can do, at a fake host: registrations, handlers, what they show, and faults."""

import json
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pi_zot import pi_environment
from waiting import PATIENCE

from zot_agent.pi.runtime import BRIDGE
from zot_ext.protocol.from_extension import HostCall, Notify, PanelDraw, RegisterCommand, RegisterTool, Subscribe
from zot_ext.protocol.from_host import RegistrationResult
from zot_ext.protocol.groups.tools import ShowProgress
from zot_ext.protocol.values import TextBlock
from zot_ext.testing import FakeHost

pytestmark = pytest.mark.needs("pi")

Bridge = Callable[..., FakeHost]

WHOLE = """
    import { Type } from "typebox";
    import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

    enum Mood { Calm = "calm" }

    export default function (pi: ExtensionAPI) {
      console.log("this must not reach the wire");
      let runs = 0;
      pi.registerTool({
        name: "greet", label: "Greet", description: "Greets", promptSnippet: "Greet with `greet`.",
        parameters: Type.Object({ name: Type.String(), loud: Type.Optional(Type.Boolean()) }),
        async execute(id, params, signal, onUpdate, ctx) {
          onUpdate?.({ content: [{ type: "text", text: "on it" }], details: {} });
          if (params.name === "nobody") throw new Error("there is nobody");
          const text = `Hello ${params.name}, ${Mood.Calm} in ${ctx.cwd}`;
          return { content: [{ type: "text", text }], details: [1] };
        },
      });
      pi.registerCommand("count", { description: "counts", handler: async (args, ctx) => {
        ctx.ui.notify(`${args} after ${runs} runs, ${ctx.model?.id} ${pi.getThinkingLevel()}`, "warning");
        pi.appendEntry("counted", { runs });
      } });
      pi.on("agent_start", async () => { runs += 1; });
      pi.on("tool_call", async (event) => {
        const isBash = event.toolName === "bash";
        if (isBash && event.input.command.includes("sudo")) return { block: true, reason: "no sudo" };
        if (isBash) event.input.command = `nice ${event.input.command}`;
        if (event.toolName === "write") throw new Error("broken guard");
      });
      pi.on("before_agent_start", (event) => ({ systemPrompt: event.systemPrompt + " Be kind." }));
      pi.on("input", ({ text }) => text === "?" ? { action: "handled" } : { action: "transform", text: text + "!" });
    }
"""


def text_of(result: Any) -> str:
    return "".join(block.text for block in result.content if isinstance(block, TextBlock))


def called(host: FakeHost, method: str, count: int = 1) -> dict[str, Any]:
    """The parameters of a call."""
    found = host.wait_for(HostCall, lambda call: call.method == method, count=count).params
    return {} if found is None else dict(found.value)


def test_an_extension_registers_and_answers(bridge: Bridge, tmp_path: Path) -> None:
    host = bridge(WHOLE)
    tool = host.tools["greet"]
    assert tool.schema.value["required"] == ["name"]
    assert (tool.prompt_snippet, tool.override, tool.execution_mode) == ("Greet with `greet`.", True, "parallel")
    result = host.tool("greet", {"name": "Ada"})
    assert text_of(result) == f"Hello Ada, calm in {tmp_path}"
    assert result.details is not None
    assert result.details.value == {"value": [1]}
    assert host.wait_for(ShowProgress).text == "on it"
    assert "there is nobody" in text_of(host.tool("greet", {"name": "nobody"}))
    refused = host.tool("greet", {"loud": "true"})
    assert refused.is_error
    assert "must have required property 'name'" in text_of(refused)

    host.event("agent_start")
    host.command("count", "well")
    assert host.wait_for(Notify, lambda note: note.level == "warn").message == "well after 1 runs, m low"
    assert called(host, "session.append") == {"custom_type": "counted", "data": {"runs": 1}}
    assert host.noise == []


def test_an_undecided_handler_leaves_the_trust_in_a_project_to_the_next(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          pi.on("project_trust", () => ({ trusted: "undecided" }));
          pi.on("project_trust", ({ cwd }) => ({ trusted: cwd === "/mine" ? "yes" : "undecided" }));
        }
    """)
    assert host.intercept("project_trust", cwd="/mine").extra == {"trusted": True}
    assert host.intercept("project_trust", cwd="/other").extra == {}


def test_guards_fail_closed_and_prompts_are_changed_each_time(bridge: Bridge) -> None:
    host = bridge(WHOLE)
    options = [dict(frame.intercept_options.value) for frame in host.sent(Subscribe) if frame.intercept_options]
    assert options[0]["tool_call"] == {"on_timeout": "block", "on_exit": "block"}
    assert options[0]["before_agent_start"] == {"cadence": "prompt"}
    blocked = host.intercept_call("bash", {"command": "sudo rm"})
    assert (blocked.block, blocked.reason) == (True, "no sudo")
    changed = host.intercept_call("bash", {"command": "ls"})
    assert changed.modified_args is not None
    assert changed.modified_args.value == {"command": "nice ls"}
    assert "broken guard" in host.intercept_call("write", {"path": "x"}).reason
    assert host.intercept("before_agent_start", system_prompt="Help.", prompt="hi").system_prompt == "Help. Be kind."
    assert host.intercept("input", text="go", images=[], source="prompt").extra["text"] == "go!"
    assert host.intercept("input", text="?", images=[], source="prompt").extra == {"handled": True}


def test_messages_of_a_request_come_back_as_they_were_unless_they_are_changed(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          const isKept = (each) => each.role !== "user" || each.content[0].text !== "drop";
          pi.on("context", (event) => ({ messages: event.messages.filter(isKept) }));
        }
    """)
    kept = [
        {"id": "1", "role": "user", "content": [{"type": "text", "text": "keep"}], "time": "2026-01-01T00:00:00.000Z"},
        {
            "id": "2",
            "role": "assistant",
            "content": [{"type": "tool_call", "id": "c", "name": "ls", "arguments": "{}"}],
        },
        {"id": "3", "role": "tool", "content": [{"type": "tool_result", "call_id": "c", "content": []}]},
    ]
    dropped = {"id": "0", "role": "user", "content": [{"type": "text", "text": "drop"}]}
    answer = host.intercept("context", messages=[dropped, *kept])
    assert answer.messages is not None
    assert [each["id"] for each in json.loads(answer.messages.text)] == ["1", "2", "3"]


def test_dialogs_return_what_the_person_chose(bridge: Bridge) -> None:
    source = """
        export default function (pi) {
          pi.registerCommand("ask", { handler: async (_, ctx) => {
            const answers = [await ctx.ui.select("Which?\\nof these", ["a", "b"]),
              await ctx.ui.confirm("Sure?", "really"), await ctx.ui.input("Name?", "type"),
              await ctx.ui.editor("Text?", "old")];
            ctx.ui.notify(JSON.stringify(answers));
          } });
        }
    """
    calls = {"ui.select": {"value": "b"}, "ui.confirm": {"value": True}, "ui.input": {"closed": "user"}}
    host = bridge(source, calls=calls)
    host.command("ask")
    assert host.wait_for(Notify).message == '["b",true,null,null]'
    assert called(host, "ui.select") == {"title": "Which?", "message": "of these", "options": ["a", "b"]}


def test_a_component_is_a_panel_with_keys(bridge: Bridge) -> None:
    host = bridge("""
        import { matchesKey, Key, Text } from "@earendil-works/pi-tui";
        export default function (pi) {
          pi.registerCommand("open", { handler: async (_, ctx) => {
            const result = await ctx.ui.custom((tui, theme, keys, done) => {
              let count = 0;
              return {
                render: (width) => [theme.fg("accent", `count ${count}`), ...new Text("body", 0, 0).render(width)],
                handleInput(data) {
                  if (matchesKey(data, Key.up)) { count += 1; tui.requestRender(); }
                  if (matchesKey(data, Key.ctrl("x"))) done(count);
                },
                invalidate() {},
              };
            }, { overlay: true, overlayOptions: { anchor: "top-right", width: "50%" } });
            ctx.ui.notify(`result ${result}`);
          } });
          pi.registerCommand("broken", { handler: async (_, ctx) => {
            await ctx.ui.custom(() => ({ render() { throw new Error("no picture"); }, invalidate() {} }));
          } });
        }
    """)  # fmt: skip
    threading.Thread(target=host.command, args=("open",), daemon=True).start()
    assert called(host, "panels.open")["anchor"] == "top_right"
    assert "count 0" in str(host.wait_for(PanelDraw).lines[0])
    host.press("p1", "up")
    host.press("p1", "x", mods=("ctrl",))
    assert host.wait_for(Notify).message == "result 1"
    host.command("broken")
    assert "no picture" in host.wait_for(Notify, count=2).message


def test_an_overlay_that_is_hidden_at_once_is_never_seen_and_its_handle_outlives_it(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          pi.registerCommand("open", { handler: async (_, ctx) => {
            let handle;
            const result = await ctx.ui.custom((tui, theme, keys, done) => ({
              render: () => ["here"], handleInput: done, invalidate() {},
            }), { overlay: true, onHandle: (given) => { handle = given; handle.setHidden(true); handle.focus(); } });
            handle.setHidden(false);
            ctx.ui.notify(`result ${result}`);
          } });
        }
    """)
    threading.Thread(target=host.command, args=("open",), daemon=True).start()
    assert called(host, "panels.open")["hidden"] is True
    assert called(host, "panels.change") == {"id": "p1", "focus": True}
    host.press("p1", "up")
    assert host.wait_for(Notify).message.startswith("result")
    assert [each.method for each in host.sent(HostCall)].count("panels.change") == 1


def test_extensions_share_a_process_and_one_that_fails_leaves_the_others(bridge: Bridge) -> None:
    host = bridge(
        "export default function () { throw new Error('broken at load'); }",
        "import missing from 'no-such-package'; export default function (pi) { missing(pi); }",
        """
        export default function (pi) {
          pi.registerCommand("hi", { handler: async (_, ctx) => { ctx.ui.notify("first"); } });
          pi.registerCommand("exit", { handler: async () => { process.exit(3); } });
          pi.events.on("ping", (data) => pi.events.emit("pong", data + 1));
          pi.on("agent_start", () => { throw new Error("broken handler"); });
          pi.on("agent_end", () => new Promise(() => {}));
          setTimeout(() => { throw new Error("broken timer"); }, 0);
        }
        """,
        """
        import { createAgentSessionRuntime } from "@mariozechner/pi-coding-agent";
        export default function (pi) {
          pi.registerCommand("hi", { handler: async (_, ctx) => { ctx.ui.notify("second"); } });
          pi.on("agent_start", (event, ctx) => { ctx.ui.notify("still here"); });
          pi.registerCommand("nest", { handler: async () => { await createAgentSessionRuntime(); } });
        }
        """,
    )

    def notes(part: str) -> str:
        return host.wait_for(Notify, lambda note: part in note.message).message

    assert notes("broken at load") == "extension cannot be used: broken at load"
    assert "needs the npm package no-such-package, which is not installed: run npm install in" in notes(
        "no-such-package"
    )
    assert "createAgentSessionRuntime" in notes("is not there outside of pi")
    assert "broken timer" in notes("broken timer")
    assert {"hi", "hi:1", "hi:2"} <= {*host.commands}
    for name in ("hi", "hi:1", "hi:2"):
        host.command(name)
    assert host.wait_for(Notify, lambda note: note.message == "first", count=2)
    assert notes("second") == "second"
    assert "process.exit" in str(host.command("exit").error)
    assert str(host.command("nest").error).startswith("createAgentSessionRuntime is not there outside of pi")
    host.event("agent_start")
    assert notes("broken handler") == "extension2: agent_start: broken handler"
    host.event("agent_end")
    host.event("agent_start")
    assert host.wait_for(Notify, lambda note: note.message == "still here", count=2)
    host.bus("ping", 1)
    host.wait_for(HostCall, lambda call: call.method == "bus.emit")
    assert host.emitted == [("pong", 2)]


def test_a_command_whose_name_is_taken_gets_a_number(bridge: Bridge) -> None:
    host = bridge(
        "export default (pi) => pi.registerCommand('tree', { handler: async (_, ctx) => ctx.ui.notify('mine') });"
    )
    host.send(RegistrationResult("command", "tree", "shadowed", "zot has it"))
    assert host.wait_for(RegisterCommand, lambda frame: frame.name == "tree:2")
    host.command("tree:2")
    assert host.wait_for(Notify).message == "mine"


def test_another_session_begins_with_fresh_extensions_and_old_contexts_fail(bridge: Bridge) -> None:
    source = """
        let loads = 0;
        let old: any = null;
        export default function (pi) {
          const mine = ++loads;
          pi.on("session_shutdown", (event, ctx) => { ctx.ui.notify(`over ${event.reason}`); old = ctx; });
          pi.on("session_start", (event, ctx) => { ctx.ui.notify(`start ${event.reason} ${mine}`); });
          pi.registerCommand("new", { handler: async (_, ctx) => {
            await ctx.newSession({
              setup: async (manager) => { manager.appendMessage({ role: "user", content: "first" }); },
              withSession: async (fresh) => { fresh.ui.notify("fresh works"); } });
            try { ctx.ui.notify("no"); } catch (error) { console.error(error.message); throw error; }
          } });
        }
    """
    started: list[FakeHost] = []

    def new(params: dict[str, Any]) -> dict[str, Any]:
        started[0].event("session_end", reason="session_switch", detail="new")
        started[0].event("session_start", reason="new", session_id="s2")
        assert params["messages"] == [{"role": "user", "text": "first"}]
        return {"session_id": "s2"}

    host = bridge(source, calls={"session.new": new})
    started.append(host)
    host.event("session_start", reason="startup")
    answer = host.command("new")
    assert "This extension ctx is stale" in str(answer.error)
    notes = [note.message for note in host.sent(Notify)]
    assert [note for note in notes if "start" in note or "over" in note] == [
        "start startup 1",
        "over new",
        "start new 1",
    ]
    assert "fresh works" in notes


def test_a_tool_of_pi_does_its_work_in_zot_and_with_operations_in_the_extension(bridge: Bridge) -> None:
    source = """
        import { createReadTool, createBashTool } from "@bastani/atomic";
        export default function (pi) {
          pi.registerTool(createReadTool("/project"));
          pi.registerTool(createBashTool("/project", { operations: { exec: async (command, cwd, { onData }) => {
            onData(Buffer.from(`ran ${command} in ${cwd}`));
            return { exitCode: command === "fail" ? 2 : 0 };
          } } }));
        }
    """
    host = bridge(source, tools={"read": lambda args: f"the text of {args['path']}"})
    assert text_of(host.tool("read", {"path": "a"})) == "the text of /project/a"
    assert text_of(host.tool("bash", {"command": "ls"})) == "ran ls in /project"
    failed = host.tool("bash", {"command": "fail"})
    assert failed.is_error
    assert "exited with code 2" in text_of(failed)


def test_what_extensions_register_is_described_without_a_host(tmp_path: Path) -> None:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "package.json").write_text('{"name": "p", "pi": {"extensions": ["./main.ts"]}}')
    (folder / "main.ts").write_text(
        "export default function (pi: any) { console.log('noise');"
        " pi.registerFlag('plan', { type: 'boolean', description: 'only plan', default: false });"
        " pi.registerProvider('corp', { baseUrl: 'https://x', apiKey: 'CORP_KEY', models: [] }); }"
    )
    done = subprocess.run(
        ["node", BRIDGE, "--describe", str(folder), str(tmp_path / "gone")],
        env=pi_environment(os.environ), capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert found["extensions"][0]["flags"] == [
        {"name": "plan", "type": "boolean", "default": False, "description": "only plan"}
    ]
    assert found["extensions"][0]["providers"]["corp"]["apiKey"] == "CORP_KEY"
    assert "gone does not exist" in found["errors"][0]


def test_the_tools_of_an_extension_can_change(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          pi.registerCommand("add", { handler: async (name) => {
            const parameters = { type: "object", properties: {} };
            pi.registerTool({ name, description: "d", parameters, execute: async () => ({ content: [] }) });
          } });
        }
    """)
    host.command("add", "late")
    assert host.wait_for(RegisterTool).name == "late"


EDITOR = """
    import { CustomEditor } from "@earendil-works/pi-coding-agent";
    import { matchesKey } from "@earendil-works/pi-tui";
    class Modal extends CustomEditor {
      normal = false;
      handleInput(data) {
        if (matchesKey(data, "escape")) { this.normal = true; return; }
        if (this.normal && data === "h") return super.handleInput("\\x1b[D");
        super.handleInput(data);
      }
      render(width) {
        const lines = super.render(width).map((line) => line.replace("hot", "\\x1b[38;2;255;0;0mhot\\x1b[39m"));
        lines[lines.length - 1] = lines[lines.length - 1].slice(0, -8) + (this.normal ? " NORMAL " : " INSERT ");
        return lines;
      }
    }
    export default function (pi) {
      pi.on("session_start", (_, ctx) => ctx.ui.setEditorComponent((tui, theme, keys) => new Modal(tui, theme, keys)));
    }
"""


def test_an_editor_of_pi_decides_about_keys_and_colours_of_the_editor_of_zot(bridge: Bridge) -> None:
    host = bridge(EDITOR)
    host.event("session_start", reason="startup")
    assert called(host, "editor.decorate") == {"on": True}
    assert called(host, "widgets.set")["lines"] == [[{"text": "INSERT", "style": "muted"}]]
    typed = host.intercept("editor_key", key="rune", typed="h", text="a", cursor=1)
    assert typed.extra == {}
    assert host.intercept("editor_key", key="esc", text="ah", cursor=2).extra == {"consumed": True}
    assert host.intercept("editor_key", key="rune", typed="h", text="ah", cursor=2).extra == {"keys": ["left"]}
    assert called(host, "widgets.set", 2)["lines"] == [[{"text": "NORMAL", "style": "muted"}]]
    spans: Any = host.intercept("editor_decorate", text="a\nso hot", cursor=0).extra["spans"]
    assert [(each["start"], each["style"]) for each in spans] == [(5, "#ff0000"), (6, "#ff0000"), (7, "#ff0000")]


def test_markdown_of_answers_is_changed_by_all_transformers_of_pi_in_turn(bridge: Bridge) -> None:
    host = bridge(
        """
        export default function (pi) {
          pi.registerMarkdownTransformer((markdown, { messageType, isStreaming, availableWidth }) => {
            if (markdown === "bad") throw new Error("cannot change it");
            return `${markdown} ${messageType} ${isStreaming} ${availableWidth}`;
          });
        }
        """
    )
    assert called(host, "renderers.register") == {"kind": "markdown", "name": "answer"}
    assert host.transform("**one**", width=40) == "**one** assistant false 40"
    assert host.transform("bad") == "bad"


def test_entries_of_pi_are_drawn_by_their_renderers(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          pi.registerEntryRenderer("card", (entry, { expanded }) => ({
            render: (width) => [`${entry.id} ${entry.customType}`, `${entry.data.name} ${expanded} ${width}`],
            invalidate() {},
          }));
        }
    """)
    assert called(host, "renderers.register") == {"kind": "entry", "name": "card"}
    assert host.render("entry", "card", data={"name": "Ada"}, width=20) == ["item-1 card", "Ada false 20"]
    assert host.render("entry", "other", data=1) is None


def test_what_only_a_terminal_or_pi_shows_is_shown_by_zot(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          pi.registerCommand("show", { handler: async () => {
            process.stdout.write("\\x1b]777;notify;Pi;Ready\\x07");
          } });
        }
    """)
    host.command("show")
    assert called(host, "widgets.alert") == {"text": "Pi: Ready"}
    assert host.noise == []


def test_a_log_that_is_a_file_keeps_what_it_has(bridge: Bridge, tmp_path: Path) -> None:
    log = tmp_path / "errors"
    log.write_text("from the run before\n")
    bridge('export default () => console.log("from this one")')
    assert log.read_text().splitlines() == ["from the run before", "from this one"]
