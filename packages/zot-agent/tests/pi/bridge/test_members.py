"""Members of pi's API that only some extensions use, at a fake host."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from zot_core.tools.text.edit_text import TextReplacement, edit_text
from zot_ext.errors import HostError
from zot_ext.protocol.from_extension import HostCall, Notify, PanelClose
from zot_ext.protocol.from_host import ToolCall
from zot_ext.protocol.groups.tools import ShowProgress, ToolCancel
from zot_ext.protocol.raw import RawObject
from zot_ext.testing import FakeHost

pytestmark = pytest.mark.needs("pi")

Bridge = Callable[..., FakeHost]


def called(host: FakeHost, method: str) -> dict[str, Any]:
    """The parameters of a call."""
    found = host.wait_for(HostCall, lambda call: call.method == method).params
    return {} if found is None else dict(found.value)


def test_an_extension_hears_that_a_person_is_asked_and_of_another_title(bridge: Bridge) -> None:
    source = """
        export default function (pi) {
          const heard = [];
          for (const event of ["ui_prompt_start", "ui_prompt_end", "session_info_changed"]) {
            pi.on(event, ({ type, kind, title, name }, ctx) => {
              heard.push([type, kind, title, name].filter(Boolean).join(" "));
              if (name) ctx.ui.notify(heard.join(", "));
            });
          }
          pi.registerCommand("ask", { handler: async (args, ctx) => { await ctx.ui.confirm("Sure?", "Really?"); } });
        }
    """
    host = bridge(source, calls={"ui.confirm": {"value": True}})
    host.command("ask")
    host.event("session_info_changed", title="tea")
    heard = "ui_prompt_start confirm Sure?, ui_prompt_end confirm Sure?, session_info_changed tea"
    assert host.wait_for(Notify).message == heard


def test_a_title_of_many_lines_is_made_one_short_line_as_pi_limits_none(bridge: Bridge) -> None:
    source = """
        export default function (pi) {
          pi.registerCommand("name", { handler: async (args) => { pi.setSessionName(" tea\\n" + "x".repeat(args)); } });
        }
    """
    host = bridge(source, calls={"session.rename": {"title": "tea"}})
    host.command("name", "300")
    assert called(host, "session.rename") == {"title": "tea " + "x" * 196}


def test_an_extension_is_told_when_it_is_loaded_what_it_uses_that_zot_does_not_have(bridge: Bridge) -> None:
    uses = """
        import { AgentSessionRuntime, type InteractiveMode } from "@earendil-works/pi-coding-agent";
        class Mine extends AgentSessionRuntime {}
        const PATCHED = "dist/modes/interactive/components/assistant-message.js";
        export default function (pi, mode: InteractiveMode) {
          pi.on("cache_warming_decision", () => ({ action: "stop" }));
          pi.on("turn_end", () => ({ entries: [{ type: "context_edit", targetId: "x", replacement: null }] }));
          pi.on("agent_start", (_, ctx) => {
            const message = { customType: "x", content: "y", display: true };
            pi.sendMessage(message, { excludeFromContext: true });
            ctx.orchestrationContext.close();
          });
        }
    """
    looks = """
        export default function (pi) {
          pi.on("user_bash", ({ excludeFromContext }) => { if (excludeFromContext) pi.sendMessage({ content: "z" }); });
          pi.on("agent_start", (_, ctx) => { pi.getSkillCatalog?.(); ctx.subagentPolicy?.check(); });
        }
    """
    host = bridge(uses, looks)
    assert host.wait_for(Notify).message == (
        "extension uses what is not there outside of pi: the option excludeFromContext of sendMessage, entries of the "
        "kind context_edit, files of pi's own screen, orchestrationContext of Atomic, AgentSessionRuntime (an agent in "
        "the process of the extension), the event cache_warming_decision"
    )
    assert len(host.sent(Notify)) == 1


def test_a_model_has_the_levels_that_it_has_in_zot_under_the_names_of_pi(bridge: Bridge) -> None:
    source = """
        import { clampThinkingLevel, getSupportedThinkingLevels, supportsXhigh } from "@earendil-works/pi-ai";
        export default function (pi) {
          pi.registerCommand("levels", { handler: async (_, ctx) => {
            const found = getSupportedThinkingLevels(ctx.model), nearest = ["max", "low", "off", "x"];
            pi.setThinkingLevel("minimal");
            const clamped = nearest.map((each) => clampThinkingLevel(ctx.model, each));
            ctx.ui.notify([pi.getThinkingLevel(), ...found, "|", ...clamped, "|", supportsXhigh(ctx.model),
              getSupportedThinkingLevels({ reasoning: true }).length,
              getSupportedThinkingLevels({ reasoning: false, thinkingLevelMap: { high: "high" } })].join(" "));
          } });
        }
    """
    model = {"id": "m", "provider": "fake", "name": "M", "context_window": 90, "reasoning": True}
    state = {"provider": "fake", "model": "m", "reasoning": "off", "reasoning_used": "minimum", "context_window": 90}
    calls = {
        "model.list": {"models": [{**model, "reasoning_levels": ["minimum", "high", "xhigh"]}]},
        "model.get": state,
        "model.reasoning": state,
    }
    host = bridge(source, calls=calls)
    host.command("levels")
    assert host.wait_for(Notify).message == "minimal minimal high xhigh | xhigh high minimal minimal | true 5 off"
    assert called(host, "model.reasoning") == {"reasoning": "minimum"}


def test_a_provider_has_its_models_and_sends_requests_to_them(bridge: Bridge) -> None:
    source = """
        export default function (pi) {
          pi.registerCommand("ask", { handler: async (_, ctx) => {
            const registry = ctx.modelRegistry, [model] = registry.getAvailable();
            const provider = registry.getProvider(model.provider);
            const auth = await registry.getProviderAuth(model.provider);
            const messages = [{ role: "user", content: "hi", timestamp: 0 }];
            const answer = await provider.stream(model, { messages }, auth.auth).result();
            ctx.ui.notify([provider.id, provider.getModels()[0].id, answer.content[0].text,
              registry.getProvider("no"), await registry.getProviderAuth("no")].join());
          } });
        }
    """
    message = {"role": "assistant", "content": [{"type": "text", "text": "Hello."}]}
    host = bridge(source, calls={"model.complete": {"text": "Hello.", "message": message, "usage": {}}})
    host.command("ask")
    assert host.wait_for(Notify).message == "fake,m,Hello.,,"


def test_changes_are_written_as_pi_writes_them_and_damaged_json_is_read(bridge: Bridge, tmp_path: Path) -> None:
    source = """
        import { generateDiffString, generateUnifiedPatch } from "@earendil-works/pi-coding-agent";
        import { contentText, parseJsonWithRepair } from "@earendil-works/pi-ai";
        import { writeFileSync } from "node:fs";
        export default function (pi) {
          pi.registerCommand("compare", { handler: async (_, ctx) => {
            const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\\n`);
            const before = lines.join("");
            const after = before.replace("line 3\\n", "").replace("line 15\\n", "new\\nnewer\\n").replace(/\\n$/, "");
            writeFileSync("before", before), writeFileSync("after", after);
            writeFileSync("patch", generateUnifiedPatch("before", before, after));
            const { diff, firstChangedLine } = generateDiffString("a\\nb\\nc\\n", "a\\nX\\nc\\n", 1);
            const far = generateDiffString(before, before.replace("line 15\\n", ""), 1);
            const read = parseJsonWithRepair('{"path": "C:\\\\dir", "text": "one\\ntwo"}');
            const texts = contentText([{ type: "text", text: "a" }, { type: "thinking" }, { type: "text", text: "b" }]);
            ctx.ui.notify(JSON.stringify([diff, firstChangedLine, far.diff, far.firstChangedLine, read, texts]));
          } });
        }
    """
    host = bridge(source)
    host.command("compare")
    assert json.loads(host.wait_for(Notify).message) == [
        *(" 1 a\n-2 b\n+2 X\n 3 c", 2),
        *("    ...\n 14 line 14\n-15 line 15\n 16 line 16\n    ...", 15),
        {"path": "C:\\dir", "text": "one\ntwo"},
        "a\nb",
    ]
    subprocess.run(["git", "apply", "patch"], cwd=tmp_path, check=True)
    assert (tmp_path / "before").read_text() == (tmp_path / "after").read_text()


def test_handlers_read_what_an_edit_has_changed_as_pi_tells_it(bridge: Bridge, tmp_path: Path) -> None:
    host = bridge("""
        import { writeFileSync } from "node:fs";
        export default function (pi) {
          pi.on("tool_execution_end", ({ result }, ctx) => ctx.ui.notify(`ended ${result.details.firstChangedLine}`));
          pi.on("tool_result", ({ details }, ctx) => {
            writeFileSync("patch", details.patch);
            ctx.ui.notify(JSON.stringify([details.diff, details.firstChangedLine]));
            return { details: { ...details, seen: true } };
          });
        }
    """)
    before = "".join(f"line {number}\n" for number in range(1, 31))
    changes = [("line 15\n", "new\nnewer\n"), ("line 3\n", "")]
    edited = edit_text(before, [TextReplacement(*each) for each in changes])
    file = tmp_path / "a.txt"
    file.write_text(before)
    details = {"path": "a.txt", "edits": 2, "diff": edited.diff, "starts": [list(each) for each in edited.starts]}
    answer = host.intercept("tool_result", tool_id="call-1", tool_name="edit", content=[], details=details)
    shown, first = json.loads(host.wait_for(Notify).message)
    rows = shown.split("\n")
    assert [row for row in rows if row[0] in "+-"] == ["- 3 line 3", "-15 line 15", "+14 new", "+15 newer"]
    assert {"  4 line 4", " 16 line 16", "    ..."} < set(rows)
    assert first == 3
    subprocess.run(["git", "apply", "patch"], cwd=tmp_path, check=True)
    assert file.read_text() == edited.text
    # zot draws the stored edit by its own members.
    told = cast(dict[str, Any], answer.extra["details"])
    assert (told["diff"], told["starts"], told["seen"]) == (edited.diff, details["starts"], True)
    tool = {"tool_id": "call-1", "tool_name": "edit"}
    host.event("tool_result", **tool, result={"content": [], "is_error": False, "details": details})
    host.event("tool_execution_end", **tool, is_error=False)
    assert host.wait_for(Notify, lambda note: note.message.startswith("ended")).message == "ended 3"


def test_handlers_of_context_read_the_details_of_their_messages(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          const isKept = ({ customType, details, display }) => customType !== "goal" || (details.id === 7 && !display);
          pi.on("context", ({ messages }) => ({ messages: messages.filter(isKept) }));
        }
    """)
    text = [{"type": "text", "text": "go on"}]
    rows = [
        {"role": "user", "content": text, "time": "", "id": f"e{number}", "meta": meta}
        for number, meta in enumerate(
            (
                {"custom_type": "goal", "details": '{"id": 6}', "hidden": "sent by extension pi"},
                {"custom_type": "goal", "details": '{"id": 7}', "hidden": "sent by extension pi"},
                {"custom_type": "goal", "details": '{"id": 7}'},
                {"custom_type": "note", "details": "no JSON"},
            )
        )
    ]
    answer = host.intercept("context", messages=rows)
    assert answer.messages is not None
    assert [each["id"] for each in json.loads(answer.messages.text)] == ["e1", "e3"]


FORMS = """
    export default function (pi) {
      pi.registerCommand("form", { handler: async (_, ctx) => {
        const field = { name: "goal", type: "string", initialValue: "", required: true, placeholder: "Goal" };
        const count = { name: "count", type: "integer", initialValue: "3" };
        ctx.ui.notify(JSON.stringify(await ctx.ui.hostInputForm({ title: "Inputs", fields: [field, count] })));
        const times = { createdAt: 1, modifiedAt: 2, messageCount: 3 };
        const row = (path) => ({ path, id: path, cwd: "/", ...times, firstMessage: `of ${path}` });
        const picker = ctx.ui.hostSessionPicker({ sessions: [row("/a"), row("/b")] });
        ctx.ui.notify(await picker.result);
      } });
    }
"""


def test_the_forms_and_pickers_of_atomic_are_those_of_zot(bridge: Bridge) -> None:
    answers = {"ui.form": {"value": {"goal": "tea", "count": 4}}, "ui.pick": {"value": ["/b"]}}
    host = bridge(FORMS, calls=answers)
    host.command("form")
    assert [note.message for note in host.sent(Notify)] == ['{"goal":"tea","count":"4"}', "/b"]
    form, pick = (called(host, method) for method in ("ui.form", "ui.pick"))
    assert form["fields"][0] == {"name": "goal", "kind": "text", "required": True, "description": "Goal"}
    assert form["fields"][1]["initial"] == "3"
    assert pick["rows"][0] == {"id": "/a", "label": "of /a", "detail": "/, 3 messages"}


def test_a_component_is_dismissed_by_a_signal(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          pi.registerCommand("show", { handler: async (_, ctx) => {
            const abort = new AbortController();
            const shown = ctx.ui.custom(() => ({ render: () => ["here"], invalidate() {} }), { signal: abort.signal });
            setTimeout(() => abort.abort(new Error("no longer needed")), 50);
            await shown.catch((error) => ctx.ui.notify(error.message));
          } });
        }
    """)
    host.command("show")
    assert host.wait_for(Notify).message == "no longer needed"
    assert host.wait_for(PanelClose)


def test_a_partial_result_is_drawn_as_the_result_is_and_the_call_has_its_id(bridge: Bridge) -> None:
    host = bridge("""
        import { Text } from "@earendil-works/pi-tui";
        export default function (pi) {
          pi.registerTool({
            name: "brew", description: "brews", parameters: { type: "object", properties: {} },
            async execute(id, params, signal, onUpdate) {
              onUpdate({ content: [{ type: "text", text: "step 1" }], details: { id, step: 1 } });
              await new Promise((resolve) => { signal.addEventListener("abort", resolve); });
              throw new Error("spilled");
            },
            renderResult: (result, { isPartial }, theme, { isError, toolCallId }) => new Text(
              `${toolCallId} ${isPartial ? `${result.details?.id} at ${result.details?.step}` : isError}`, 0, 0),
          });
        }
    """)
    assert called(host, "renderers.register")["kind"] == "tool_result"
    host.send(ToolCall("q1", "brew", RawObject("{}"), "call-1"))
    assert host.wait_for(ShowProgress).text == "step 1"

    def drawn(kind: str, state: str) -> str:
        lines = host.render(kind, "brew", item="call-1", state=state, args={})
        assert lines is not None
        return str(lines[0]).strip()

    assert drawn("tool_progress", "running") == "call-1 call-1 at 1"
    host.send(ToolCancel("q1"))
    assert drawn("tool_result", "stopped") == "call-1 true"
    assert drawn("tool_result", "ok") == "call-1 false"


def test_arguments_of_a_command_are_completed_whole(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          pi.registerCommand("list", { handler: async () => {}, getArgumentCompletions: async (given) => {
            const all = ["add", "drop tea", "drop milk"].filter((each) => each.startsWith(given));
            return all.map((value) => ({ value, label: value }));
          } });
        }
    """)
    assert called(host, "completions.register") == {"command": "list"}
    first = host.complete(command="list", line="/list d", prefix="d")
    assert [each["text"] for each in first] == ["drop tea", "drop milk"]
    second = host.complete(command="list", line="/list drop m", prefix="m")
    assert [(each["text"], each["label"]) for each in second] == [("milk", "drop milk")]
    assert host.complete(command="list", line="/list add ", prefix="") == []


def test_handlers_change_how_the_system_prompt_is_made_and_which_tools_a_run_has(bridge: Bridge) -> None:
    source = """
        export default function (pi) {
          pi.on("before_agent_start", ({ prompt, systemPromptOptions: options }) => {
            if (prompt === "force") options.forceSystemPrompt = "Only this.";
            if (prompt !== "plan") return;
            options.sections.mode = "Plan first.";
            options.promptGuidelines.push("Write nothing.");
            options.selectedTools = options.selectedTools.filter((each) => each !== "write");
          });
          const measured = ({ systemPrompt: text }) => ({ systemPrompt: `${text} (${text.length})` });
          pi.on("before_agent_start", measured);
        }
    """
    tools = ["read", "write"]

    def choose(params: dict[str, Any]) -> dict[str, Any]:
        tools[:] = params["names"]
        return {}

    host = bridge(source, calls={"tools.active": lambda _: {"names": list(tools)}, "tools.set_active": choose})

    def prompted(prompt: str) -> str | None:
        return host.intercept("before_agent_start", system_prompt="Help.", prompt=prompt).system_prompt

    assert prompted("plan") == "Help.\n\n- Write nothing.\n\n<mode>\nPlan first.\n</mode> (51)"
    assert tools == ["read"]
    assert prompted("go") == "Help. (5)"
    assert tools == ["read", "write"]
    assert prompted("force") == "Only this. (10)"


def test_a_command_changes_the_session_once_the_run_that_is_ending_is_over(bridge: Bridge) -> None:
    asked = []

    def new(params: dict[str, Any]) -> dict[str, Any]:
        asked.append(params)
        if len(asked) == 1:
            raise HostError("busy", "the agent is busy")
        return {"session_id": "s2"}

    source = """
        export default (pi) => pi.registerCommand("new", { handler: async (_, ctx) => { await ctx.newSession(); } });
    """
    host = bridge(source, calls={"session.new": new, "control.wait_idle": {}})
    assert not host.command("new").error
    assert [call.method for call in host.sent(HostCall)] == ["session.new", "control.wait_idle", "session.new"]


def test_a_message_at_the_end_of_a_run_is_not_answered(bridge: Bridge) -> None:
    source = """
        export default function (pi) {
          const send = (content, options) => pi.sendMessage({ customType: "x", content, display: true }, options);
          pi.on("agent_start", () => { send("in the run"); send("for later", { triggerTurn: false }); });
          pi.on("agent_end", () => { send("behind it"); send("answer it", { triggerTurn: true }); });
        }
    """
    host = bridge(source, calls={"messages.send": {}, "control.state": {"busy": True}})
    host.event("agent_start")
    host.wait_for(HostCall, lambda call: call.method == "messages.send", count=2)
    host.event("agent_end")
    host.wait_for(HostCall, lambda call: call.method == "messages.send", count=4)
    sent = [call.params.value for call in host.sent(HostCall) if call.method == "messages.send" and call.params]
    assert [(each["text"], each["deliver_as"], each["trigger"]) for each in sent] == [
        ("in the run", "steer", False),
        ("for later", "next_turn", False),
        ("behind it", "next_turn", False),
        ("answer it", "follow_up", True),
    ]


def test_a_handler_of_shell_commands_that_fails_refuses_the_command(bridge: Bridge) -> None:
    host = bridge("export default (pi) => pi.on('user_bash', () => { throw new Error('no shell today'); });")
    refused = host.intercept("user_bash", command="ls", cwd="/")
    assert (refused.block, refused.reason) == (True, "Extension failed, blocking execution: no shell today")


BOUNDARIES = """
    export default function (pi) {
      pi.on("turn_end", ({ outcome }) => ({ entries: [{ type: "custom", customType: "turns", data: { outcome } }] }));
      pi.on("turn_end", ({ entries }) => {
        const message = { type: "custom_message", customType: "hint", content: "Look again.", display: false };
        return { entries: [...entries, message], continue: true };
      });
      pi.on("agent_before_settle", ({ context }) => {
        if (!context.canContinue) return undefined;
        return { entries: [{ type: "custom_message", customType: "x", content: "Run the tests.", display: true }] };
      });
      pi.on("agent_before_settle", () => ({ continue: true }));
    }
"""


def test_handlers_add_entries_at_the_end_of_a_turn_and_have_the_model_called_again(bridge: Bridge) -> None:
    host = bridge(BOUNDARIES)
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "id": "e7"}
    host.event("turn_complete", step=1, message=answer, tool_results=[])
    assert called(host, "session.append") == {"custom_type": "turns", "data": {"outcome": "completed"}}
    sent = called(host, "messages.send")
    assert (sent["text"], sent["custom_type"], sent["trigger"], sent["hidden"]) == ("Look again.", "hint", True, True)
    stop = host.intercept("before_stop", step=1, text="Done.", continued=0)
    assert (stop.block, stop.reason) == (True, "Run the tests.")


def test_a_message_that_begins_with_a_slash_is_text_unless_it_is_to_be_expanded(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          pi.on("agent_end", () => {
            pi.sendUserMessage("/reload", { deliverAs: "followUp" });
            pi.sendUserMessage("/reload", { deliverAs: "followUp", expandPromptTemplates: true });
            pi.sendUserMessage("go on", { deliverAs: "followUp" });
          });
        }
    """)
    host.event("agent_start")
    host.event("agent_end", reason="completed")
    host.intercept("before_exit", turns=0)
    sent = [each.params.value for each in host.sent(HostCall) if each.method == "messages.send" and each.params]
    assert [(each["text"], each["expand"]) for each in sent] == [("/reload", False), ("/reload", True), ("go on", True)]


def test_the_end_waits_for_handlers_of_the_end_of_a_run(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          pi.on("agent_end", async () => {
            await new Promise((resolve) => setTimeout(resolve, 100));
            pi.sendUserMessage("go on", { deliverAs: "followUp" });
          });
        }
    """)
    host.event("agent_start")
    host.event("agent_end", reason="completed")
    host.intercept("before_exit", turns=0)
    assert "messages.send" in [each.method for each in host.sent(HostCall)]


def test_handlers_see_every_message_begin_and_why_the_conversation_is_compacted(bridge: Bridge) -> None:
    host = bridge("""
        export default function (pi) {
          const heard = [];
          pi.on("message_start", ({ message }) => { heard.push(`start ${message.role}`); });
          pi.on("message_end", ({ message }) => { heard.push(`end ${message.role}`); });
          pi.on("session_compact_failed", ({ reason }, ctx) => {
            ctx.ui.notify([...heard, `failed ${reason}`].join(", "));
          });
          pi.on("session_before_compact", ({ reason, willRetry }) => {
            return { compaction: { summary: `${reason} ${willRetry}` } };
          });
          pi.on("input", ({ source, streamingBehavior: sent }) => ({ action: "transform", text: `${source} ${sent}` }));
        }
    """)
    said = {"role": "user", "content": [{"type": "text", "text": "hi"}], "id": "1"}
    host.intercept("message_end", message=said)
    host.event("message_end", message=said)
    host.intercept("tool_result", tool_id="c", tool_name="ls", tool_args={}, content=[], is_error=False)
    results = [{"type": "tool_result", "call_id": each, "content": [], "is_error": False} for each in "cd"]
    host.event("message_end", message={"role": "tool", "content": results, "id": "2"})
    host.event("pre_compact", reason="threshold", message_count=2, token_estimate=9)
    host.event("post_compact", status="failed")
    both = "start toolResult, end toolResult, start toolResult, end toolResult"
    assert host.wait_for(Notify).message == f"start user, end user, {both}, failed threshold"
    answer = host.intercept("session_before_compact", reason="overflow", messages=[], tokens_before=9)
    assert answer.extra["summary"] == "overflow true"
    text = host.intercept("input", text="x", images=[], source="extension", deliver_as="steer").extra["text"]
    assert text == "extension steer"


def test_a_handler_that_owns_the_whole_transcript_changes_its_messages(bridge: Bridge) -> None:
    host = bridge(
        """
        export default function (pi) {
          pi.on("context_with_system", ({ messages }) => {
            if (messages[0].role !== "system" || messages[0].content !== "Help.") throw new Error("no system message");
            return { messages: messages.filter((each) => each.role !== "user" || each.content[0].text !== "drop") };
          });
        }
        """,
        calls={"control.system_prompt": {"text": "Help."}},
    )
    texts = [[{"type": "text", "text": each}] for each in ("drop", "keep")]
    messages = [{"id": str(at), "role": "user", "content": content} for at, content in enumerate(texts)]
    answer = host.intercept("context", messages=messages)
    assert answer.messages is not None
    assert [each["id"] for each in json.loads(answer.messages.text)] == ["1"]
    assert host.sent(Notify) == []


def test_a_guard_may_end_the_run_with_its_refusal(bridge: Bridge) -> None:
    host = bridge("export default (pi) => pi.on('tool_call', () => ({ block: true, reason: 'no', terminate: true }));")
    refused = host.intercept_call("bash", {"command": "ls"})
    assert (refused.block, refused.reason, refused.terminate) == (True, "no", True)


def test_an_extension_of_atomic_waits_for_a_decision_and_sends_several_messages(bridge: Bridge) -> None:
    source = """
        export default function (pi) {
          const heard = [];
          for (const event of ["agent_blocked", "agent_unblocked"]) {
            pi.on(event, ({ type, blockId, label, reason, openBlocks, activeLabel }) => {
              heard.push([type, blockId, label, reason, openBlocks, activeLabel ?? "none"].join(" "));
            });
          }
          pi.registerCommand("wait", { handler: async (args, ctx) => {
            const block = pi.awaitUserDecision("Deploy?", "dialog");
            await ctx.ui.confirm("Sure?", "Really?");
            block.release();
            block.release();
            await null;
            ctx.ui.notify(`${block.released} ${heard.join(", ")}`);
            const message = (content) => ({ customType: "note", content, display: true });
            pi.sendMessages([message("one"), message("two")], { deliverAs: "nextTurn" });
          } });
        }
    """
    host = bridge(source, calls={"ui.confirm": {"value": True}, "messages.send": {}})
    host.command("wait")
    assert host.wait_for(Notify).message == (
        "true agent_blocked 1 Deploy? dialog 1 Deploy?, agent_blocked 2 Sure? dialog 2 Deploy?, "
        "agent_unblocked 2 Sure? dialog 1 Deploy?, agent_unblocked 1 Deploy? dialog 0 none"
    )
    host.wait_for(HostCall, lambda call: call.method == "messages.send", count=2)
    sent = [call.params.value for call in host.sent(HostCall) if call.method == "messages.send" and call.params]
    assert [(each["text"], each["deliver_as"]) for each in sent] == [("one", "next_turn"), ("two", "next_turn")]


def test_what_draws_is_given_the_names_of_keys(bridge: Bridge) -> None:
    source = """
        const drawn = ({ keyText, keyHint }) => ({
          render: () => [`${keyText("app.none")} ${keyHint("app.none", "to open").includes("to open")}`],
          invalidate() {},
        });
        export default function (pi) {
          pi.registerEntryRenderer("card", (entry, options) => drawn(options));
          pi.registerMessageRenderer("note", (message, options) => drawn(options));
          const renderCall = (args, theme, context) => drawn(context);
          pi.registerTool({ name: "brew", description: "", parameters: {}, execute: async () => ({}), renderCall });
        }
    """
    host = bridge(source)
    for kind, name in (("entry", "card"), ("message", "note"), ("tool_call", "brew")):
        assert host.render(kind, name, data={}, text="x") == ["app.none true"]


def test_a_handler_knows_whether_a_prompt_or_a_message_of_an_extension_begins_a_run(bridge: Bridge) -> None:
    source = """
        export default function (pi) {
          pi.on("before_agent_start", ({ messageType, prompt, message }, ctx) => {
            ctx.ui.notify(`${messageType} ${prompt} ${message?.customType}`);
          });
          pi.registerCommand("wake", { handler: async () => {
            pi.sendMessage({ customType: "alarm", content: "wake up", display: true }, { triggerTurn: true });
          } });
        }
    """
    host = bridge(source, calls={"messages.send": {}})
    host.command("wake")
    for prompt, told in (("wake up", "custom wake up alarm"), ("wake up", "user wake up undefined")):
        host.intercept("before_agent_start", prompt=prompt, system_prompt="S")
        assert host.wait_for(Notify, lambda note, told=told: note.message == told)
