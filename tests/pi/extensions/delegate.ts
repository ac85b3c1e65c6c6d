// Has agents of its own do work: with tools of zot, a tool and a guard that run here, another model, queues, and a stop.

import { Agent } from "@earendil-works/pi-agent-core";
import { completeSimple, Type } from "@earendil-works/pi-ai";
import { createAgentSession, DefaultResourceLoader, getAgentDir, ModelRuntime, SessionManager } from "@earendil-works/pi-coding-agent";

const counter = {
  name: "count", label: "Count", description: "Count the letters of a text", parameters: Type.Object({ text: Type.String() }),
  execute: async (_id: string, { text }: { text: string }) => ({ content: [{ type: "text", text: `${text.length} letters` }], details: { length: text.length } }),
};

async function make(ctx: any, options: any = {}) {
  const guard = (pi: any) => {
    pi.on("tool_call", (event: any) => (event.input.path === "secret.txt" ? { block: true, reason: "not that one" } : undefined));
    pi.on("before_agent_start", (event: any) => ({ systemPrompt: `${event.systemPrompt}\nBe brief.` }));
  };
  const loader = new DefaultResourceLoader({
    cwd: ctx.cwd, agentDir: getAgentDir(), noExtensions: true, noSkills: true, systemPrompt: "You count.", extensionFactories: [guard],
  });
  await loader.reload();
  const { session } = await createAgentSession({
    cwd: ctx.cwd, modelRuntime: await ModelRuntime.create(), resourceLoader: loader, sessionManager: SessionManager.inMemory(ctx.cwd),
    tools: ["read", "bash", "count"], customTools: [counter], ...options,
  });
  await session.bindExtensions({});
  return session;
}

export default function (pi: any) {
  const said: string[] = [];
  pi.registerTool({
    name: "delegate", label: "Delegate", description: "Give a task to another agent", parameters: Type.Object({ task: Type.String() }),
    execute: async (_id: string, { task }: any, signal: AbortSignal, onUpdate: any, ctx: any) => {
      const session = await make(ctx);
      const events: string[] = [];
      session.subscribe((event: any) => {
        if (event.type !== "message_update" && event.type !== "entry_appended") events.push(event.type);
        if (event.type === "tool_execution_end") onUpdate({ content: [{ type: "text", text: `${event.toolName} has ended` }] });
      });
      signal.addEventListener("abort", () => session.abort());
      await session.prompt(task);
      const stats = session.getSessionStats();
      const text = [session.getLastAssistantText(), events.join(" "), `${stats.toolCalls} calls ${stats.tokens.output} tokens`].join("\n");
      session.dispose();
      return { content: [{ type: "text", text }], details: {} };
    },
  });
  pi.registerCommand("aside", {
    description: "Ask aside",
    handler: async (text: string, ctx: any) => {
      const model = ctx.modelRegistry.getAvailable().find((each: any) => each.id === "quick");
      const session = await make(ctx, { noTools: "all", tools: undefined, customTools: [], model });
      session.prompt(text).then(() => ctx.ui.notify(`aside: ${session.getLastAssistantText()} by ${session.messages.at(-1).model}`));
      session.followUp("and then?");
      await session.waitForIdle();
      ctx.ui.notify(`aside later: ${session.messages.map((each: any) => each.role).join(" ")}`);
    },
  });
  pi.registerCommand("stop", {
    description: "Stop another agent",
    handler: async (_: string, ctx: any) => {
      const session = await make(ctx);
      const run = session.prompt("wait");
      session.subscribe((event: any) => { if (event.type === "tool_execution_start") session.abort(); });
      await run;
      said.push(session.messages.at(-1).stopReason);
      ctx.ui.notify(`stopped: ${said.join(" ")} ${session.isIdle}`);
    },
  });
  pi.registerCommand("raw", {
    description: "Use the parts",
    handler: async (_: string, ctx: any) => {
      const agent = new Agent({ initialState: { systemPrompt: "Raw.", model: ctx.model, tools: [counter], messages: [] } });
      await agent.prompt("count raw");
      const asked = { messages: [{ role: "user", content: "one call", timestamp: 0 }], tools: [counter] };
      const answer = await completeSimple(ctx.model, asked as any);
      const many = await Promise.all(Array.from({ length: 6 }, () => completeSimple(ctx.model, asked as any)));
      ctx.ui.notify(`at once: ${many.map((each) => each.content.length).join(" ")}`);
      ctx.ui.notify(`raw: ${agent.state.messages.map((each: any) => each.role).join(" ")}; ${JSON.stringify(answer.content)} ${answer.stopReason}`);
    },
  });
}
