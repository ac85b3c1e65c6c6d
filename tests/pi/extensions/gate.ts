// A guard of the shell with a budget, which listens to the ledger.
import { type ExtensionAPI, isBashToolResult, isToolCallEventType } from "@earendil-works/pi-coding-agent";
import { Box, Text } from "@earendil-works/pi-tui";

export default function gate(pi: ExtensionAPI) {
	let allowed = 0;
	const heard: string[] = [];
	const off = pi.events.on("ledger:changed", (data) => {
		const { line, sum } = data as { line: { what: string }; sum: number };
		heard.push(`${line.what}=${sum}`);
		if (sum > 100) {
			pi.sendMessage({ customType: "over-budget", content: `The ledger is over budget: ${sum}.`, display: true, details: { sum, heard: [...heard] } }, { deliverAs: "nextTurn" });
			off();
		}
	});
	pi.registerMessageRenderer<{ sum: number; heard: string[] }>("over-budget", (message, { expanded }, theme) => {
		const box = new Box(1, 0, (t) => theme.bg("customMessageBg", t));
		box.addChild(new Text(theme.fg("error", `▲ ${message.details?.sum} of 100`), 0, 0));
		if (expanded) box.addChild(new Text(message.details?.heard.join(", ") ?? "", 0, 0));
		return box;
	});
	pi.on("tool_call", async (event, ctx) => {
		if (!isToolCallEventType("bash", event)) return;
		if (/\brm\b/.test(event.input.command)) {
			if (!ctx.hasUI) return { block: true, reason: "rm needs a person" };
			const choice = await ctx.ui.select(`Run ${event.input.command}?`, ["Once", "Dry run", "No"]);
			if (choice === "Once") { allowed++; return; }
			if (choice === "Dry run") { event.input.command = `echo would run: ${event.input.command}`; event.input.timeout = 5; return; }
			return { block: true, reason: `the person said ${choice ?? "nothing"}` };
		}
	});
	pi.on("tool_result", async (event, ctx) => {
		if (!isBashToolResult(event)) return;
		const text = event.content.map((c) => (c.type === "text" ? c.text : "")).join("");
		if (text.includes("FAIL")) return { isError: true, content: [{ type: "text", text: "marked as failed by gate" }] };
		return { content: [{ type: "text", text: text.replace(/sk-\w+/g, "[key]") }], details: { ...event.details, redacted: true } };
	});
	pi.on("tool_result", (event) => {
		if (event.content[0]?.type === "text") return { content: [...event.content, { type: "text", text: `(seen ${event.isError} ${JSON.stringify((event.details as any)?.redacted)})` }] };
	});
	pi.on("before_agent_start", (event) => {
		event.systemPromptOptions.sections.gate = "GATE: ask before you delete.";
		return { message: { customType: "gate-hint", content: `allowed ${allowed} so far`, display: false } };
	});
	pi.on("user_bash", (event) => { if (event.command.includes("boom")) throw new Error("no explosions"); });
	pi.on("input", (event, ctx) => {
		if (event.text.startsWith("??")) { ctx.ui.notify(`heard ${heard.join(" ")}`, "info"); return { action: "handled" }; }
		return { action: "continue" };
	});
	let starts = 0;
	const once = pi.on("agent_start", (_e, ctx) => { starts++; once(); });
	pi.registerCommand("starts", { description: "Count starts", handler: async (_a, ctx) => { ctx.ui.notify(`starts ${starts}`); } });
}
