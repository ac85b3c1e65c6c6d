import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { isToolCallEventType, isBashToolResult } from "@earendil-works/pi-coding-agent";

// A diary of the run: all events, commands that change sessions, tool_result middleware, compaction, model and thinking.
export default function (pi: ExtensionAPI) {
  const log: string[] = [];
  const names = ["agent_start", "agent_end", "agent_settled", "turn_start", "turn_end", "message_start", "message_end", "tool_execution_start", "tool_execution_end", "model_select", "thinking_level_select", "session_start", "session_shutdown"];
  for (const name of names) pi.on(name as any, async (event: any) => { log.push(name + (event.message ? `:${event.message.role}` : "") + (event.reason ? `:${event.reason}` : "")); });
  pi.on("tool_call", async (event, ctx) => {
    if (isToolCallEventType("bash", event)) event.input.command = event.input.command.replace("WHO", "world");
    const last = ctx.sessionManager.getLeafEntry();
    log.push(`leaf:${last?.message?.role}`);
  });
  pi.on("tool_result", async (event) => {
    if (isBashToolResult(event)) return { content: [...event.content, { type: "text", text: "(checked)" }] };
  });
  pi.on("tool_result", async (event) => (event.toolName === "bash" ? { details: { ...(event.details as any), seen: event.content.length } } : undefined));
  pi.on("message_end", async (event) => {
    if (event.message.role !== "assistant") return;
    const content = event.message.content.map((e: any) => (e.type === "text" ? { ...e, text: e.text.replace("secret", "[redacted]") } : e));
    return { message: { ...event.message, content } };
  });
  pi.on("before_agent_start", async (event, ctx) => ({ message: { customType: "diary", content: `prompt was ${event.prompt.length} long, system ${ctx.getSystemPrompt().length > 10}`, display: true } }));
  pi.registerCommand("diary", { description: "Show the diary", handler: async (args, ctx) => {
    if (args === "model") {
      const model = ctx.modelRegistry.getAvailable()[0];
      const ok = await pi.setModel(model); pi.setThinkingLevel("high");
      ctx.ui.notify(`model ${ok} ${ctx.model?.id} ${pi.getThinkingLevel()}`);
      return;
    }
    if (args === "fork") {
      const user = ctx.sessionManager.getBranch().find((e) => e.type === "message" && e.message.role === "user");
      const done = await ctx.fork(user.id, { withSession: async (fresh) => { fresh.ui.notify(`forked, editor: ${fresh.ui.getEditorText()}`); } });
      return;
    }
    if (args === "tree") {
      const entries = ctx.sessionManager.getEntries();
      const user = entries.find((e) => e.type === "message" && e.message.role === "user");
      pi.setLabel(user.id, "start");
      const done = await ctx.navigateTree(user.id, { label: "again" });
      ctx.ui.notify(`tree ${done.cancelled} ${ctx.sessionManager.getLabel(user.id)} ${ctx.ui.getEditorText()}`);
      return;
    }
    if (args === "usage") {
      const u = ctx.getContextUsage();
      const skill = pi.getCommands().find((c) => c.name === "skill:tides");
      ctx.ui.notify(`${skill?.source} of ${skill?.sourceInfo.path.split("/").slice(-3).join("/")}`);
      ctx.ui.notify(`usage ${u?.tokens} of ${u?.contextWindow}; pending ${ctx.hasPendingMessages()} idle ${ctx.isIdle()} commands ${pi.getCommands().some((c) => c.name === "diary")} tools ${pi.getActiveTools().length > 3} all ${pi.getAllTools().find((t) => t.name === "read")?.sourceInfo.source}`);
      return;
    }
    if (args === "exec") {
      const r = await pi.exec("sh", ["-c", "echo out; echo err >&2; exit 3"], { timeout: 5000 });
      const slow = await pi.exec("sleep", ["9"], { timeout: 100 });
      ctx.ui.notify(`exec ${r.stdout.trim()} ${r.stderr.trim()} ${r.code} ${r.killed} ${slow.killed}`);
      return;
    }
    if (args === "timed") {
      const a = await ctx.ui.select("Pick one", ["a", "b"], { timeout: 600 });
      const abort = new AbortController(); setTimeout(() => abort.abort(), 300);
      const b = await ctx.ui.confirm("Sure?", "text", { signal: abort.signal });
      ctx.ui.notify(`timed ${a} ${b} ${abort.signal.aborted}`);
      return;
    }
    if (args === "busy") { try { pi.sendUserMessage("one"); await new Promise((r) => setTimeout(r, 300)); pi.sendUserMessage("two"); } catch (e: any) { ctx.ui.notify(`refused: ${e.message.slice(0, 30)}`); pi.sendUserMessage("three", { deliverAs: "followUp" }); } return; }
    ctx.ui.notify(log.join(" "));
    log.length = 0;
  } });
}
