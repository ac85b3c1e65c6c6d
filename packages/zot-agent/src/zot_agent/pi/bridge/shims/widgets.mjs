// Components of pi that extensions build on. They need the terminal library, so they are loaded for those that name them.

import { terminalLibrary } from "../load/modules.mjs";
import { currentTheme, getEditorTheme, getMarkdownTheme } from "../screen/theme.mjs";

const { CancellableLoader, Container, Editor, Loader, Markdown, Spacer, Text, getKeybindings } = await terminalLibrary();

export class DynamicBorder {
  constructor(color = (text) => currentTheme().fg("border", text)) {
    this.color = color;
  }

  invalidate() {}
  render(width) { return [this.color("─".repeat(Math.max(1, width)))]; }
}

const keyOf = (name) => {
  const keys = getKeybindings().getKeys?.(name) ?? [];
  return [keys].flat().join("/") || name;
};
export const keyText = (name) => keyOf(name);
export const rawKeyHint = (key, description) => currentTheme().fg("dim", key) + currentTheme().fg("muted", ` ${description}`);
export const keyHint = (name, description) => rawKeyHint(keyOf(name), description);
export const keyHintIfBound = (name, description) => (keyOf(name) === name ? "" : keyHint(name, description));

export class BorderedLoader extends Container {
  #controller = new AbortController();

  constructor(tui, theme, message, options) {
    super();
    this.cancellable = options?.cancellable ?? true;
    const border = (text) => theme.fg("border", text);
    const Kind = this.cancellable ? CancellableLoader : Loader;
    this.loader = new Kind(tui, (text) => theme.fg("accent", text), (text) => theme.fg("muted", text), message);
    this.addChild(new DynamicBorder(border));
    this.addChild(this.loader);
    if (this.cancellable) {
      this.addChild(new Spacer(1));
      this.addChild(new Text(keyHint("tui.select.cancel", "cancel"), 1, 0));
    }
    this.addChild(new Spacer(1));
    this.addChild(new DynamicBorder(border));
  }

  get signal() { return this.cancellable ? this.loader.signal : this.#controller.signal; }
  set onAbort(handler) { if (this.cancellable) this.loader.onAbort = handler; }
  handleInput(data) { if (this.cancellable) this.loader.handleInput(data); }
  dispose() { (this.loader.dispose ?? this.loader.stop)?.call(this.loader); }
}

export class CustomEditor extends Editor {
  actionHandlers = new Map();

  /** The keys that came here: zot's own editor does what they do. */
  passed = [];

  constructor(tui, theme, keybindings, options) {
    super(tui, theme ?? getEditorTheme(), options);
    this.keybindings = keybindings;
  }

  onAction(action, handler) { this.actionHandlers.set(action, handler); }

  handleInput(data) {
    this.passed.push(data);
    if (this.keybindings.matches(data, "app.interrupt") && !this.isShowingAutocomplete()) {
      const handler = this.onEscape ?? this.actionHandlers.get("app.interrupt");
      if (handler) return void handler();
    }
    if (this.keybindings.matches(data, "app.exit") && this.getText().length === 0) {
      return void (this.onCtrlD ?? this.actionHandlers.get("app.exit"))?.();
    }
    for (const [action, handler] of this.actionHandlers) {
      if (action !== "app.interrupt" && action !== "app.exit" && this.keybindings.matches(data, action)) return void handler();
    }
    super.handleInput(data);
    return undefined;
  }
}

/** @param {string} text @param {number} most @param {number} width */
export function truncateToVisualLines(text, most, width, padding = 0) {
  const lines = new Text(text, padding, 0).render(width);
  const skipped = Math.max(0, lines.length - most);
  return { visualLines: lines.slice(skipped), skippedCount: skipped };
}

/** @param {string} diff lines with `+`, `-` or a blank first */
export function renderDiff(diff) {
  const color = { "+": "toolDiffAdded", "-": "toolDiffRemoved" };
  return diff.split("\n").map((line) => currentTheme().fg(color[line[0]] ?? "toolDiffContext", line)).join("\n");
}

class MessageComponent extends Container {
  constructor(text) {
    super();
    this.addChild(new Markdown(String(text ?? ""), 1, 0, getMarkdownTheme()));
  }
}
export class UserMessageComponent extends MessageComponent {}
export class CustomMessageComponent extends MessageComponent {
  constructor(message) {
    super(typeof message.content === "string" ? message.content : message.content.map((each) => each.text ?? "").join("\n"));
  }
}
export class AssistantMessageComponent extends MessageComponent {
  constructor(message) {
    super((message?.content ?? []).map((each) => each.text ?? "").join("\n"));
  }
}
