// What can be seen: a live widget, a header, an overlay with a handle, raw keys, a completer, and the bus.
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { Input, Key, matchesKey, truncateToWidth, visibleWidth, type Component, type TUI } from "@earendil-works/pi-tui";

class Clock implements Component {
  ticks = 0;
  private timer: NodeJS.Timeout;
  constructor(private tui: TUI, private paint: (text: string) => string) {
    this.timer = setInterval(() => { this.ticks += 1; tui.requestRender(); }, 50);
  }
  render(width: number): string[] { return [truncateToWidth(this.paint(`ticks ${this.ticks > 3 ? "many" : "few"} in ${width > 20}`), width)]; }
  invalidate(): void {}
  dispose(): void { clearInterval(this.timer); }
}

export default function (pi: ExtensionAPI) {
  pi.events.on("paint", (data: any) => pi.appendEntry("painted", data));
  pi.on("session_start", (_event, ctx) => {
    ctx.ui.setWidget("clock", (tui, theme) => new Clock(tui, (text) => theme.bold(theme.fg("success", text))), { placement: "belowEditor" });
    ctx.ui.setHeader((_tui, theme) => ({ render: (width) => [theme.fg("accent", "=".repeat(Math.min(20, width))), "The painter"], invalidate() {} }));
    ctx.ui.onTerminalInput((data) => (matchesKey(data, Key.ctrl("q")) ? (ctx.ui.pasteToEditor("pasted "), { consume: true }) : undefined));
    ctx.ui.addAutocompleteProvider((current) => ({
      getSuggestions: async (lines, line, column, options) => {
        const word = lines[line].slice(0, column).split(/\s/).at(-1) ?? "";
        if (!word.startsWith("%")) return current.getSuggestions(lines, line, column, options);
        return { prefix: word, items: ["%blue", "%black"].filter((each) => each.startsWith(word)).map((value) => ({ value, label: value, description: "a colour" })) };
      },
      applyCompletion: (lines, line, column, item, prefix) => current.applyCompletion(lines, line, column, item, prefix),
    }));
  });
  pi.registerCommand("paint", { description: "Paints", handler: async (args, ctx) => {
    if (args === "off") { ctx.ui.setWidget("clock", undefined); ctx.ui.setHeader(undefined); return; }
    let hidden = 0;
    const answer = await ctx.ui.custom<string>((tui, theme, _keys, done) => {
      const input = new Input();
      input.onSubmit = (text) => done(text);
      return {
        get focused() { return input.focused; }, set focused(value) { input.focused = value; },
        render: (width) => [theme.fg("accent", "What colour?"), ...input.render(width), `width ${visibleWidth("漢字")}`],
        handleInput: (data) => { input.handleInput(data); tui.requestRender(); },
        invalidate: () => input.invalidate(),
      };
    }, { overlay: true, overlayOptions: { anchor: "center", width: 40 }, onHandle: (handle) => {
      handle.setHidden(true);
      setTimeout(() => { hidden = handle.isHidden() ? 1 : 0; handle.setHidden(false); handle.focus(); }, 300);
    } });
    pi.events.emit("paint", { colour: answer });
    ctx.ui.notify(`painted ${answer}, hidden ${hidden}, editor "${ctx.ui.getEditorText()}"`);
  } });
}
