// Sessions, compaction, a model of its own, and commands of the person.
import { createAssistantMessageEventStream, type Model, type SimpleStreamOptions } from "@mariozechner/pi-ai";
import { SessionManager, type ExtensionAPI } from "@mariozechner/pi-coding-agent";

function echo(model: Model<any>, context: any, options?: SimpleStreamOptions) {
  const stream = createAssistantMessageEventStream();
  const usage = { input: 3, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 5, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
  const message: any = { role: "assistant", content: [], api: model.api, provider: model.provider, model: model.id, usage, stopReason: "stop", timestamp: Date.now() };
  (async () => {
    const last = context.messages.at(-1);
    stream.push({ type: "start", partial: message });
    if (last.role === "user") {
      const call = { type: "toolCall", id: "call-1", name: "bash", arguments: { command: `echo key=${options?.apiKey}` } };
      message.content.push(call);
      message.stopReason = "toolUse";
      stream.push({ type: "toolcall_start", contentIndex: 0, partial: message });
      stream.push({ type: "toolcall_end", contentIndex: 0, toolCall: call, partial: message });
      stream.push({ type: "done", reason: "toolUse", message });
      return;
    }
    const text = `echo of ${last.toolName}: ${last.content[0].text.trim().split("\n")[0]}`;
    message.content.push({ type: "text", text });
    stream.push({ type: "text_start", contentIndex: 0, partial: message });
    stream.push({ type: "text_delta", contentIndex: 0, delta: text, partial: message });
    stream.push({ type: "text_end", contentIndex: 0, content: text, partial: message });
    stream.push({ type: "done", reason: "stop", message });
  })();
  return stream;
}

export default function (pi: ExtensionAPI) {
  const models = [{ id: "echo-1", name: "Echo", reasoning: false, input: ["text" as const], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 9000, maxTokens: 900 }];
  pi.registerProvider("echo", { baseUrl: "https://echo.example", apiKey: "literal-key", api: "echo-api", models, streamSimple: echo });
  pi.on("user_bash", (event) => (event.command === "weather" ? { result: { output: "It rains.", exitCode: 0, cancelled: false, truncated: false } } : undefined));
  pi.on("session_before_compact", (event) => ({ compaction: { summary: `kept ${event.preparation.messagesToSummarize.length > 0}`, firstKeptEntryId: event.preparation.firstKeptEntryId, tokensBefore: event.preparation.tokensBefore } }));
  pi.on("session_start", (event, ctx) => ctx.ui.setStatus("keeper", `began: ${event.reason}`));
  pi.registerCommand("keep", { description: "Keeps sessions", handler: async (args, ctx) => {
    if (args === "new") {
      const file = ctx.sessionManager.getSessionFile();
      await ctx.newSession({
        parentSession: file,
        setup: async (manager) => { manager.appendMessage({ role: "user", content: [{ type: "text", text: "remember the tea" }], timestamp: Date.now() }); },
        withSession: async (fresh) => { await fresh.sendUserMessage("what do you remember?"); },
      });
      return;
    }
    if (args === "back") {
      const all = await SessionManager.list(ctx.cwd);
      const other = all.find((each) => each.path !== ctx.sessionManager.getSessionFile());
      const { cancelled } = await ctx.switchSession(other!.path, { withSession: async (fresh) => { fresh.ui.notify(`back in a session with ${fresh.sessionManager.getEntries().length} entries`); } });
      if (cancelled) ctx.ui.notify("cancelled");
      return;
    }
    if (args === "compact") {
      ctx.compact({ onComplete: (result) => ctx.ui.notify(`compacted: ${result.summary}`), onError: (error) => ctx.ui.notify(`not compacted: ${error.message}`) });
      return;
    }
    const model = ctx.modelRegistry.find("echo", "echo-1");
    ctx.ui.notify(`echo ${await pi.setModel(model!)} ${ctx.model?.contextWindow}`);
  } });
}
