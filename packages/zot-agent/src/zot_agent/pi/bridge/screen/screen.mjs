// What extensions show: `ctx.ui` without its dialogs and panels, which have their own modules.

import { registerCompletions, suggest } from "./completions.mjs";
import { dialogs, hostDialogs } from "./dialogs.mjs";
import { EditorKeys } from "./editor.mjs";
import { Footer } from "./footer.mjs";
import { Panels } from "./panels.mjs";
import { Renderers } from "./renderers.mjs";
import { ScreenHandle } from "./terminal.mjs";
import { Theme } from "./theme.mjs";
import { terminalLibrary } from "../load/modules.mjs";

const LEVELS = { info: "info", warning: "warn", error: "error", warn: "warn", success: "success" };
const MARGIN = 2; // columns that zot leaves free at the left of a widget
const FRAME_MILLISECONDS = 33;
const PLACES = { aboveEditor: "above_editor", belowEditor: "below_editor" };

export class Screen {
  #theme = null;
  #size = null;
  #piTui = null;
  #surfaces = new Map();
  #working = {};
  #completers = [];

  /** @param {import("../api/bridge.mjs").Bridge} bridge */
  constructor(bridge) {
    this.bridge = bridge;
    this.panels = new Panels(this);
    this.renderers = new Renderers(this);
    this.footer = new Footer(this);
    this.editor = new EditorKeys(this);
    this.ui = this.#ui();
    this.widthOf = (text) => text.replace(/\x1b\[[0-9;]*m/g, "").length;
  }

  get columns() { return (this.#size ?? this.bridge.ack.terminal)?.width ?? 80; }
  get rows() { return (this.#size ?? this.bridge.ack.terminal)?.height ?? 24; }
  get hasFooter() { return this.#surfaces.has("footer"); }

  get theme() {
    if (this.#theme === null) {
      let found = { name: "dark" };
      try {
        if (this.bridge.hasScreen) found = this.bridge.wire.callNow("theme.get");
      } catch { /* the screen is ending */ }
      this.#theme = new Theme(found.name, found.colors);
    }
    return this.#theme;
  }

  /** @returns {Promise<{keybindings: any}>} the module pi-tui, which is loaded when something is drawn */
  async loadTui() {
    if (this.#piTui === null) {
      const piTui = await terminalLibrary();
      const { createKeybindings } = await import("./keybindings.mjs");
      this.#piTui = { keybindings: createKeybindings(piTui), piTui };
      this.widthOf = piTui.visibleWidth;
    }
    return this.#piTui;
  }

  #call(method, params) {
    if (!this.bridge.bound) return;
    this.bridge.wire.call(method, params, { parent: false }).catch((error) => {
      if (error.code !== "unavailable") this.bridge.notify("warn", `${method}: ${error.message}`);
    });
  }

  /** Shows lines, or what a component draws, under a key. */
  #show(key, place, content) {
    const before = this.#surfaces.get(key);
    before?.end();
    this.#surfaces.delete(key);
    if (content === undefined || content === null) {
      if (before) this.#call("widgets.set", { key, lines: [], place });
      return;
    }
    if (Array.isArray(content)) {
      this.#surfaces.set(key, { end: () => {}, draw: () => {}, invalidate: () => {} });
      this.#call("widgets.set", { key, lines: content, place });
      return;
    }
    let timer = null;
    let component = null;
    const draw = () => {
      timer = null;
      try {
        this.#call("widgets.set", { key, lines: component.render(this.columns - MARGIN), place });
      } catch (error) {
        this.bridge.notify("error", `the ${key.replace(":", " ")} cannot be drawn: ${error?.message ?? error}`);
        console.error(error);
      }
    };
    const redraw = () => { if (component !== null) timer ??= setTimeout(draw, FRAME_MILLISECONDS); };
    component = content(new ScreenHandle(this, redraw), this.theme, this.footer.data);
    this.#surfaces.set(key, {
      draw: redraw, invalidate: () => component.invalidate?.(),
      end: () => { clearTimeout(timer); component.dispose?.(); },
    });
    draw();
  }

  /** Draws all components again. */
  refresh() {
    for (const each of this.#surfaces.values()) each.draw();
  }

  themeChanged() {
    this.#theme = null;
    for (const each of this.#surfaces.values()) each.invalidate();
    this.panels.invalidateAll();
    this.refresh();
    this.renderers.allAgain();
  }

  resized(width, height) {
    this.#size = { width, height };
    this.refresh();
    this.panels.redrawAll();
  }

  /** Removes all, as pi does when another session begins. */
  clear() {
    for (const [key, each] of this.#surfaces) {
      each.end();
      this.#call("widgets.set", { key, lines: [] });
    }
    this.#surfaces.clear();
    this.panels.clear();
    this.editor.clear();
    this.#completers = [];
  }

  registerRenderers() { this.renderers.register(); }
  render(frame) { return this.renderers.take(frame); }

  /** @param {any} frame the question `complete` */
  async complete(frame) {
    if (frame.command) return { items: await this.bridge.commands.complete(frame) };
    return { items: await suggest(this.#completers, frame) };
  }

  #setWorking(changes) {
    this.#working = { ...this.#working, ...changes };
    for (const [name, value] of Object.entries(this.#working)) if (value === undefined) delete this.#working[name];
    this.#call("widgets.working", this.#working);
  }

  #setIndicator(options) {
    const frames = options?.frames?.map((each) => each.replace(/\x1b\[[0-9;]*m/g, ""));
    if (frames?.length === 0) this.#setWorking({ frames: [" "], interval_ms: undefined });
    else this.#setWorking({ frames: frames?.map((each) => [...each][0]), interval_ms: options?.intervalMs ? Math.max(33, options.intervalMs) : undefined });
  }

  #ui() {
    const { bridge } = this;
    const screen = this;
    /** Says that a person is being asked, and that they were. */
    const asking = (kind, ask) => async (given, ...more) => {
      const title = kind === "custom" ? undefined : String(given);
      const told = (type) => bridge.observed.tell({ type, reason: "ui_prompt", kind, title });
      told("ui_prompt_start");
      const block = bridge.blocks.open(title ?? kind, "dialog");
      try {
        return await ask(given, ...more);
      } finally {
        block.release();
        told("ui_prompt_end");
      }
    };
    const asked = Object.entries(dialogs(bridge)).map(([kind, ask]) => [kind, asking(kind, ask)]);
    return {
      ...Object.fromEntries(asked),
      notify: (message, type = "info") => bridge.notify(LEVELS[type] ?? "info", String(message)),
      custom: asking("custom", (factory, options) => this.panels.custom(factory, options)),
      get hostInputForm() { return hostDialogs(bridge).hostInputForm; },
      get hostSessionPicker() { return hostDialogs(bridge).hostSessionPicker; },
      requestRender: () => this.refresh(),
      getFooterDataProvider: () => this.footer.data,
      setStatus: (key, text) => {
        this.footer.setStatus(key, text);
        this.#show(`status:${key}`, "status", text === undefined ? undefined : [text]);
      },
      setWidget: (key, content, options) => {
        const place = PLACES[options?.placement] ?? "above_editor";
        this.#show(`widget:${key}`, place, content);
      },
      setFooter: (factory) => {
        this.#show("footer", "footer", factory);
        bridge.registered();
      },
      setHeader: (factory) => this.#show("header", "header", factory),
      setTitle: (text) => this.#call("widgets.title", { text }),
      setWorkingMessage: (message) => this.#setWorking({ message }),
      setWorkingVisible: (visible) => this.#setWorking({ hidden: visible ? undefined : true }),
      setWorkingIndicator: (options) => this.#setIndicator(options),
      setHiddenThinkingLabel: (label) => this.#setWorking({ thinking: label }),
      pasteToEditor: (text) => this.#call("editor.paste", { text }),
      setEditorText: (text) => this.#call("editor.set", { text }),
      getEditorText: () => (bridge.hasScreen ? bridge.wire.callNow("editor.get").text : ""),
      addAutocompleteProvider: (factory) => {
        this.#completers.push(factory);
        registerCompletions(bridge);
      },
      setEditorComponent: (factory) => this.editor.use(factory),
      getEditorComponent: () => this.editor.factory,
      onTerminalInput: (handler) => this.editor.listen(handler),
      get theme() { return screen.theme; },
      getAllThemes: () => (bridge.hasScreen ? bridge.wire.callNow("theme.list").names.map((name) => ({ name, path: undefined })) : []),
      getTheme: (name) => (name === this.theme.name ? this.theme : undefined),
      setTheme: (theme) => this.#setTheme(typeof theme === "string" ? theme : theme.name),
      getToolsExpanded: () => (bridge.hasScreen ? bridge.wire.callNow("renderers.expand").expanded : false),
      setToolsExpanded: (expanded) => this.#call("renderers.expand", { expanded }),
    };
  }

  #setTheme(name) {
    try {
      this.bridge.wire.callNow("theme.set", { name });
    } catch (error) {
      return { success: false, error: error.code === "unavailable" ? "UI not available" : error.message };
    }
    this.themeChanged();
    return { success: true };
  }
}
