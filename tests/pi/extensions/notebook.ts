import type { ExtensionAPI } from "@bastani/atomic";
import { Container, Input, SelectList, SettingsList, Spacer, Text, Markdown, Box, matchesKey } from "@earendil-works/pi-tui";
import { getMarkdownTheme, getSettingsListTheme, getSelectListTheme, createGrepTool, createFindTool, createLsTool, createEditTool, createWriteTool, truncateTail, formatSize, withFileMutationQueue, keyHint } from "@bastani/atomic";
import { StringEnum } from "@earendil-works/pi-ai";
import { Type } from "typebox";
import * as fs from "node:fs";
import * as path from "node:path";

// A notebook: a tool with state in details, a renderer with state, completions, a shortcut, a flag, a settings panel.
export default async function (pi: ExtensionAPI) {
  await new Promise((resolve) => setTimeout(resolve, 20));
  let notes: string[] = [];
  pi.registerFlag("notebook", { type: "string", description: "where notes go", default: "notes.md" });
  const rebuild = (ctx) => {
    notes = [];
    for (const entry of ctx.sessionManager.getBranch()) {
      if (entry.type === "message" && entry.message.role === "toolResult" && entry.message.toolName === "note") {
        notes = entry.message.details?.notes ?? notes;
      }
    }
    ctx.ui.setStatus("notes", ctx.ui.theme.fg("accent", `${notes.length} notes`));
  };
  pi.on("session_start", async (_e, ctx) => rebuild(ctx));
  pi.on("session_tree", async (_e, ctx) => rebuild(ctx));
  pi.registerTool({
    name: "note", label: "Note", description: "Keeps a note",
    promptSnippet: "Keep a note with note", promptGuidelines: ["Use note when something is to be remembered."],
    parameters: Type.Object({ text: Type.String(), mood: Type.Optional(StringEnum(["good", "bad"] as const)) }),
    prepareArguments: (args: any) => (args && args.body && !args.text ? { text: args.body } : args),
    async execute(id, params, signal, onUpdate, ctx) {
      const file = path.resolve(ctx.cwd, String(pi.getFlag("notebook")));
      await withFileMutationQueue(file, async () => {
        const before = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
        fs.writeFileSync(file, `${before}- ${params.text}\n`);
      });
      notes = [...notes, params.text];
      onUpdate?.({ content: [{ type: "text", text: "writing" }], details: { notes } });
      ctx.ui.setStatus("notes", `${notes.length} notes`);
      return { content: [{ type: "text", text: `noted ${notes.length}: ${params.text} (${params.mood ?? "no mood"})` }], details: { notes } };
    },
    renderCall(args, theme, context) {
      context.state.calls = (context.state.calls ?? 0) + 1;
      return new Text(theme.fg("toolTitle", `NOTE ${args.text ?? "?"}`), 0, 0);
    },
    renderResult(result, { expanded, isPartial }, theme, context) {
      const box = new Container();
      box.addChild(new Markdown(`**kept** ${result.details?.notes?.length}`, 0, 0, getMarkdownTheme()));
      if (expanded) box.addChild(new Text(`args: ${JSON.stringify(context.args)}`, 0, 0));
      return box;
    },
  });
  pi.registerShortcut("ctrl+shift+n", { description: "count notes", handler: async (ctx) => { ctx.ui.notify(`there are ${notes.length}`); } });
  pi.registerShortcut("alt+n", { description: "count notes", handler: async (ctx) => { ctx.ui.notify(`by key ${notes.length}`); } });
  pi.registerCommand("notes", {
    description: "Show notes",
    getArgumentCompletions: (prefix) => ["list", "clear", "settings"].filter((e) => e.startsWith(prefix)).map((value) => ({ value, label: value, description: `do ${value}` })),
    handler: async (args, ctx) => {
      if (args === "settings") {
        const done = await ctx.ui.custom((tui, theme, kb, done) => {
          const list = new SettingsList([{ id: "sort", label: "Sort", currentValue: "up", values: ["up", "down"] }], 5, getSettingsListTheme(), (id, value) => { done(`${id}=${value}`); }, () => done("closed"));
          const box = new Container();
          box.addChild(new Text("Note settings", 1, 0)); box.addChild(list);
          return { render: (w) => box.render(w), invalidate: () => box.invalidate(), handleInput: (d) => { list.handleInput(d); tui.requestRender(); } };
        });
        ctx.ui.notify(`settings: ${done}`);
        return;
      }
      if (args === "tools") {
        const out = [];
        for (const tool of [createGrepTool(ctx.cwd), createFindTool(ctx.cwd), createLsTool(ctx.cwd)]) {
          const params = tool.name === "grep" ? { pattern: "tea" } : tool.name === "find" ? { pattern: "*.md" } : { path: "." };
          const result = await tool.execute("x", params, undefined, undefined, ctx);
          out.push(`${tool.name}: ${result.content[0].text.split("\n")[0]}`);
        }
        const edit = createEditTool(ctx.cwd);
        await edit.execute("y", { path: "notes.md", edits: [{ oldText: "tea", newText: "green tea" }] }, undefined, undefined, ctx);
        out.push(fs.readFileSync(path.join(ctx.cwd, "notes.md"), "utf8").trim());
        ctx.ui.notify(out.join(" | "));
        return;
      }
      const lines = truncateTail(notes.join("\n"), { maxLines: 2 });
      ctx.ui.notify(`${lines.content} ${lines.truncated} ${formatSize(2048)}`);
    },
  });
}
