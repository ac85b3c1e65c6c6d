// `ctx.ui.custom` and overlays: components drawn in panels of zot.

import { dataOf } from "./keys.mjs";
import { ScreenHandle } from "./terminal.mjs";

const FRAME_MILLISECONDS = 33;
const CURSOR = "\x1b_pi:c\x07";

export class Panels {
  #screen;
  #open = new Map();
  #number = 0;

  /** @param {import("./screen.mjs").Screen} screen */
  constructor(screen) {
    this.#screen = screen;
  }

  /** Shows what a factory makes until it is done. @returns {Promise<any>} its result; undefined if it was closed */
  async custom(factory, options = {}) {
    const screen = this.#screen;
    if (!screen.bridge.hasScreen) return undefined;
    const { keybindings } = await screen.loadTui();
    let panel;
    let settle;
    let ended = false;
    const result = new Promise((resolve) => { settle = resolve; });
    const done = (value) => {
      ended = true;
      panel?.close();
      settle(value);
    };
    const handle = new ScreenHandle(screen, () => panel?.redraw());
    const component = await factory(handle, screen.theme, keybindings, done);
    if (ended) return result;
    panel = new Panel(screen, this.#open, `p${(this.#number += 1)}`, component, {
      overlay: options.overlay === true, layout: options.overlayOptions, closed: () => settle(undefined),
    });
    options.onHandle?.(panel.handle()); // before it is drawn: it may be hidden at first
    if (!(await panel.open())) return undefined;
    const { signal } = options;
    if (!signal) return result;
    const dismissed = new Promise((_, reject) => {
      const dismiss = () => { panel.close(); reject(signal.reason); };
      if (signal.aborted) dismiss();
      else signal.addEventListener("abort", dismiss, { once: true });
      void result.finally(() => signal.removeEventListener("abort", dismiss));
    });
    return Promise.race([result, dismissed]);
  }

  /** @returns {object} pi's handle of an overlay */
  overlay(component, options) {
    const panel = new Panel(this.#screen, this.#open, `p${(this.#number += 1)}`, component, { overlay: true, layout: options });
    void panel.open();
    return panel.handle();
  }

  hideNewest() {
    [...this.#open.values()].filter((each) => each.overlay).at(-1)?.close();
  }

  hasOverlay() {
    return [...this.#open.values()].some((each) => each.overlay);
  }

  take(frame) {
    this.#open.get(frame.panel_id)?.take(frame);
  }

  redrawAll() {
    for (const each of this.#open.values()) each.redraw();
  }

  invalidateAll() {
    for (const each of this.#open.values()) each.component.invalidate?.();
    this.redrawAll();
  }

  clear() {
    for (const each of [...this.#open.values()]) each.close();
  }
}

const ANCHORS = { "top-left": "top_left", "top-right": "top_right", "bottom-left": "bottom_left", "bottom-right": "bottom_right",
  "top-center": "top_center", "bottom-center": "bottom_center", "left-center": "left_center", "right-center": "right_center" };

/** The parameters of a panel for pi's `OverlayOptions`. */
function layoutOf(options = {}, screen) {
  const { margin } = options;
  const found = {
    anchor: ANCHORS[options.anchor], offset_x: options.offsetX, offset_y: options.offsetY, row: options.row, column: options.col,
    width: options.width ?? Math.min(80, screen.columns), min_width: options.minWidth, height: options.maxHeight,
    margin: typeof margin === "object" ? Math.max(0, ...Object.values(margin)) : margin, passive: options.nonCapturing,
  };
  if (options.visible) found.hidden = !options.visible(screen.columns, screen.rows);
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined && value !== null));
}

class Panel {
  #screen;
  #others;
  #hidden = false;
  #timer = null;
  #drawn = 0;
  #closed = false;
  #shown = false;
  /** What its handle has changed before it was open. */
  #early = {};
  #size = { width: 80, height: 24 };
  #focused = true;

  constructor(screen, others, id, component, { overlay, layout, closed }) {
    this.#screen = screen;
    this.#others = others;
    this.id = id;
    this.component = component;
    this.overlay = overlay;
    this.layout = layout;
    this.whenClosed = closed ?? (() => {});
  }

  #layout() {
    return layoutOf(typeof this.layout === "function" ? this.layout() : this.layout, this.#screen);
  }

  /** @returns {Promise<boolean>} whether it can be shown */
  async open() {
    const { wire } = this.#screen.bridge;
    const params = { id: this.id, mode: this.overlay ? "overlay" : "replace_editor", handles_esc: true, handles_ctrl_c: true, paste: true };
    this.#others.set(this.id, this);
    try {
      const layout = this.overlay ? this.#layout() : {};
      const { hidden = false, ...later } = this.#early;
      this.#early = later;
      this.#size = await wire.call("panels.open", { ...params, ...layout, hidden: hidden || layout.hidden === true });
    } catch (error) {
      this.#closed = true;
      this.#others.delete(this.id);
      if (error.code !== "unavailable") this.#screen.bridge.notify("error", `a panel cannot be shown: ${error.message}`);
      this.whenClosed();
      return false;
    }
    if ("focused" in this.component) this.component.focused = true;
    this.#shown = true;
    if (this.#closed) this.#send({ type: "panel_close", panel_id: this.id });
    else this.draw();
    if (Object.keys(this.#early).length) this.#change(this.#early);
    return true;
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#end();
    if (this.#shown) this.#send({ type: "panel_close", panel_id: this.id });
  }

  #end() {
    clearTimeout(this.#timer);
    this.#others.delete(this.id);
    try {
      this.component.dispose?.();
    } catch (error) {
      console.error(error);
    }
  }

  #send(frame) {
    this.#screen.bridge.wire.send(frame);
  }

  redraw() {
    if (this.#timer !== null || this.#closed) return;
    const wait = Math.max(0, this.#drawn + FRAME_MILLISECONDS - performance.now());
    this.#timer = setTimeout(() => { this.#timer = null; this.draw(); }, wait);
  }

  draw() {
    if (this.#closed || !this.#shown) return;
    this.#drawn = performance.now();
    let lines;
    try {
      lines = this.component.render(this.#size.width);
    } catch (error) {
      this.#screen.bridge.notify("error", `a panel cannot be drawn: ${error?.message ?? error}`);
      console.error(error);
      this.close();
      this.whenClosed();
      return;
    }
    let [row, column] = [-1, 0];
    const shown = lines.map((line, index) => {
      const at = line.indexOf(CURSOR);
      if (at < 0) return line;
      [row, column] = [index, this.#screen.widthOf(line.slice(0, at))];
      return line.replaceAll(CURSOR, "");
    });
    this.#send({ type: "panel_draw", panel_id: this.id, lines: shown, ...(row < 0 ? {} : { cursor_row: row, cursor_column: column }) });
  }

  take(frame) {
    switch (frame.type) {
      case "panel_key":
        this.#input(dataOf(frame));
        if (frame.seq !== undefined) this.#send({ type: "panel_key_result", panel_id: this.id, seq: frame.seq, consumed: true });
        return;
      case "panel_paste":
        this.#input(`\x1b[200~${frame.text}\x1b[201~`);
        return;
      case "panel_resize":
        this.#size = { width: frame.width, height: frame.height };
        this.redraw();
        return;
      case "panel_focus":
        this.#focused = frame.focused;
        if ("focused" in this.component) this.component.focused = frame.focused;
        this.redraw();
        return;
      case "panel_close":
        if (this.#closed) return;
        this.#closed = true;
        this.#end();
        this.whenClosed();
    }
  }

  #input(data) {
    try {
      this.component.handleInput?.(data);
    } catch (error) {
      this.#screen.bridge.notify("error", `a key has failed in a panel: ${error?.message ?? error}`);
      console.error(error);
    }
    if (!this.#closed) this.draw();
  }

  #change(params) {
    if (this.#closed) return;
    if (!this.#shown) return void Object.assign(this.#early, params);
    this.#screen.bridge.wire.call("panels.change", { id: this.id, ...params }, { parent: false }).catch(() => {});
  }

  handle() {
    return {
      hide: () => { this.close(); this.whenClosed(); },
      setHidden: (hidden) => { this.#hidden = hidden; this.#change({ hidden }); },
      isHidden: () => this.#hidden,
      focus: () => this.#change({ focus: true }),
      unfocus: () => this.#change({ focus: false }),
      isFocused: () => this.#focused && !this.#hidden,
    };
  }
}
