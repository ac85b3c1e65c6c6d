// A ledger in entries of the session: the model reads it, a form and a list change it, another extension hears of it.
import type { AgentMessage } from "@earendil-works/pi-agent-core";
import type { ExtensionAPI, ExtensionContext, Theme } from "@earendil-works/pi-coding-agent";
import { DynamicBorder } from "@earendil-works/pi-coding-agent";
import { type Component, Container, type Focusable, Input, Key, matchesKey, type SelectItem, SelectList, Text, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";

const KIND = "ledger-line";
interface Line { what: string; amount: number }

class Form implements Component, Focusable {
	private input = new Input();
	private _focused = false;
	private note = "";
	get focused() { return this._focused; }
	set focused(value: boolean) { this._focused = value; this.input.focused = value; }
	constructor(private theme: Theme, private done: (line: Line | null) => void, private requestRender: () => void) {
		this.input.onSubmit = (value) => {
			const found = /^(.+)\s+(-?\d+)$/.exec(value.trim());
			if (!found) { this.note = "write: WHAT AMOUNT"; this.requestRender(); return; }
			this.done({ what: found[1], amount: Number(found[2]) });
		};
		this.input.onEscape = () => this.done(null);
	}
	handleInput(data: string) {
		if (matchesKey(data, Key.ctrl("l"))) { this.input.setValue("milk 3"); this.note = "filled"; }
		else this.input.handleInput(data);
		this.requestRender();
	}
	invalidate() { this.input.invalidate(); }
	render(width: number) {
		const rule = this.theme.fg("border", "─".repeat(width));
		return [rule, truncateToWidth(this.theme.bold("New line of the ledger"), width), ...this.input.render(width), this.theme.fg("warning", truncateToWidth(this.note, width)), rule];
	}
}

export default function ledger(pi: ExtensionAPI) {
	let lines: Line[] = [];
	const sum = () => lines.reduce((all, each) => all + each.amount, 0);

	function show(ctx: ExtensionContext) {
		ctx.ui.setStatus("ledger", `Σ ${sum()}`);
		ctx.ui.setWidget("ledger", lines.length === 0 ? undefined : (_tui, theme) => {
			const box = new Container();
			box.addChild(new DynamicBorder((s: string) => theme.fg("borderMuted", s)));
			box.addChild({ invalidate() {}, render: (width) => lines.slice(-3).map((l) => {
				const right = String(l.amount);
				const gap = Math.max(1, width - visibleWidth(l.what) - right.length);
				return truncateToWidth(l.what + " ".repeat(gap) + right, width);
			}) });
			return box;
		}, { placement: "belowEditor" });
	}
	function rebuild(ctx: ExtensionContext) {
		lines = ctx.sessionManager.getBranch().flatMap((e) => (e.type === "custom" && e.customType === KIND ? [e.data as Line] : []));
		show(ctx);
	}
	pi.on("session_start", (_event, ctx) => rebuild(ctx));
	pi.on("session_tree", (_event, ctx) => rebuild(ctx));

	function add(line: Line, ctx: ExtensionContext) {
		lines.push(line);
		pi.appendEntry<Line>(KIND, line);
		pi.events.emit("ledger:changed", { line, sum: sum() });
		show(ctx);
	}

	pi.registerEntryRenderer<Line>(KIND, (entry, { expanded }, theme) => new Text(theme.fg("accent", `ledger: ${entry.data?.what} ${entry.data?.amount}${expanded ? ` (${entry.id})` : ""}`), 1, 0));

	pi.registerCommand("ledger", {
		description: "Keep a ledger",
		getArgumentCompletions: async (prefix) => {
			await new Promise((r) => setTimeout(r, 10));
			const all = [{ value: "add", label: "add", description: "add a line" }, { value: "pick", label: "pick" }, ...lines.map((l) => ({ value: `drop ${l.what}`, label: `drop ${l.what}` }))];
			const found = all.filter((i) => i.value.startsWith(prefix));
			return found.length ? found : null;
		},
		handler: async (args, ctx) => {
			const [verb, ...rest] = args.trim().split(/\s+/);
			if (verb === "add" && rest.length) { add({ what: rest.slice(0, -1).join(" "), amount: Number(rest.at(-1)) }, ctx); return; }
			if (verb === "add" || verb === "") {
				if (ctx.mode !== "tui") {
					const what = await ctx.ui.input("What was it?", "WHAT");
					if (!what) { ctx.ui.notify("nothing was added", "warning"); return; }
					add({ what, amount: 1 }, ctx);
					return;
				}
				const line = await ctx.ui.custom<Line | null>((tui, theme, _kb, done) => new Form(theme, done, () => tui.requestRender()));
				if (line) add(line, ctx); else ctx.ui.notify("nothing was added", "warning");
				return;
			}
			if (verb === "pick") {
				const items: SelectItem[] = lines.map((l, i) => ({ value: String(i), label: l.what, description: String(l.amount) }));
				const picked = await ctx.ui.custom<string | null>((tui, theme, _kb, done) => {
					const list = new SelectList(items, 5, { selectedPrefix: (t) => theme.fg("accent", t), selectedText: (t) => theme.fg("accent", t), description: (t) => theme.fg("muted", t), scrollInfo: (t) => theme.fg("dim", t), noMatch: (t) => theme.fg("warning", t) });
					list.onSelect = (i) => done(i.value);
					list.onCancel = () => done(null);
					const box = new Container();
					box.addChild(new Text(theme.bold("Which line?"), 1, 0));
					box.addChild(list);
					return { render: (w) => box.render(w), invalidate: () => box.invalidate(), handleInput: (d) => { list.handleInput(d); tui.requestRender(); } };
				}, { overlay: true, overlayOptions: { anchor: "center", width: 40 } });
				ctx.ui.notify(picked === null ? "none picked" : `picked ${lines[Number(picked)]?.what}`);
				return;
			}
			if (verb === "drop") { lines = lines.filter((l) => l.what !== rest.join(" ")); show(ctx); }
		},
	});
	pi.registerShortcut("ctrl+shift+l", { description: "Sum of the ledger", handler: (ctx) => ctx.ui.notify(`the sum is ${sum()}`) });

	pi.on("context", (event) => {
		if (lines.length === 0) return;
		const text = `Ledger so far:\n${lines.map((l) => `- ${l.what}: ${l.amount}`).join("\n")}`;
		const extra: AgentMessage = { role: "custom", customType: KIND, content: [{ type: "text", text }], display: false, timestamp: Date.now() };
		const last = event.messages.findLastIndex((m) => m.role === "user");
		return { messages: [...event.messages.slice(0, last), extra, ...event.messages.slice(last)] };
	});
}
