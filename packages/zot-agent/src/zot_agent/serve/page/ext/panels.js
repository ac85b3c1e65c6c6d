// Panels of extensions. A panel that has the keys takes the focus; what is typed there goes to its extension. Overlays are
// over the conversation, where the style sheet does not put them above the message field.

import { $, button, made } from "../dom.js";
import { rows } from "./shown.js";

const KEYS = {
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Enter: "enter", Escape: "esc", Tab: "tab",
  Backspace: "backspace", Delete: "delete", Home: "home", End: "end", PageUp: "pageup", PageDown: "pagedown", Insert: "insert",
};

// A key as the command `ext_panel_key` has it; null for a modifier alone.
function keyOf(event) {
  const mods = ["ctrl", "alt", "shift", "meta"].filter((each) => event[`${each}Key`]);
  if (KEYS[event.key]) return { key: KEYS[event.key], mods };
  if (/^F\d{1,2}$/.test(event.key)) return { key: event.key.toLowerCase(), mods };
  if ([...event.key].length !== 1) return null;
  const held = mods.filter((each) => each !== "shift");
  return held.length ? { key: event.key.toLowerCase(), mods } : { key: "rune", text: event.key, mods: [] };
}

export class Panels {
  #session = null;
  #panels = new Map(); // extension and id -> the parts of the panel
  #size = "";
  #screen = { columns: 80, rows: 24, cell: 8 }; // the place of overlays, and the width of a cell in pixels

  constructor() {
    const seen = new ResizeObserver(() => {
      this.#measure();
      this.#arrange();
    });
    seen.observe($("conversation"));
    seen.observe($("log"));
  }

  opened(session) {
    this.#session = session;
    this.#size = "";
    this.#measure();
  }

  closed() {
    this.#session = null;
    this.#panels.clear();
    $("panels").replaceChildren();
  }

  take(event) {
    const { type, extension, panel } = event;
    if (type === "ext_panel_show") this.#show(extension, panel);
    else if (type === "ext_panel_open" || type === "ext_panel_render") {
      const before = this.#panels.has(JSON.stringify([extension, panel.id]));
      if (type === "ext_panel_open" || before) this.#show(extension, { mode: "inline", focused: true, ...panel });
    } else if (type === "ext_panel_close") this.#close(JSON.stringify([extension, event.panel_id]));
  }

  // Say how many cells there are.
  #measure() {
    if (!this.#session?.ready) return;
    const cell = made("div", "panel measure", "0".repeat(10));
    $("panels").append(cell);
    const { width, height } = cell.getBoundingClientRect();
    cell.remove();
    const columns = Math.max(20, Math.floor((Math.min($("log").clientWidth, 900) - 40) / (width / 10)) || 80);
    const lines = Math.max(6, Math.floor($("conversation").clientHeight * 0.6 / height) || 24);
    this.#screen = { columns, rows: lines, cell: width / 10 };
    if (this.#size === `${columns} ${lines}`) return;
    this.#size = `${columns} ${lines}`;
    this.#session.ask("ext_panel_size", { columns, rows: lines }).catch(() => {});
  }

  #show(extension, panel) {
    const key = JSON.stringify([extension, panel.id]);
    let parts = this.#panels.get(key);
    if (!parts) {
      parts = this.#made(extension, panel);
      this.#panels.set(key, parts);
      $("panels").append(parts.element);
    }
    parts.element.hidden = Boolean(panel.hidden);
    parts.title.textContent = panel.title ? `${extension}: ${panel.title}` : extension;
    parts.footer.textContent = panel.footer;
    parts.lines.replaceChildren(...rows(panel.lines));
    parts.element.classList.toggle("focused", Boolean(panel.focused));
    if (panel.focused && !parts.focused && !panel.hidden) parts.lines.focus();
    parts.focused = panel.focused;
    parts.kinds = panel.key_kinds;
    parts.panel = panel;
    this.#arrange();
  }

  // Put the overlays at their places over the conversation, the lowest first.
  #arrange() {
    const { offsetLeft, offsetTop, clientWidth, clientHeight } = $("log");
    const { columns, rows, cell } = this.#screen;
    const left = offsetLeft + (clientWidth - columns * cell) / 2;
    const overlays = [...this.#panels.values()].filter(({ panel }) => panel.mode === "overlay" && !panel.hidden);
    overlays.sort((one, two) => one.panel.order - two.panel.order);
    for (const [number, { element, panel }] of overlays.entries()) {
      element.style.setProperty("--left", `${left + panel.column * cell}px`);
      element.style.setProperty("--width", `${(panel.width + 2) * cell}px`);
      const { height } = element.getBoundingClientRect();
      const middle = (panel.row + panel.height / 2) / rows;
      const top = Math.min(middle * clientHeight - height / 2, clientHeight - height);
      element.style.setProperty("--top", `${offsetTop + Math.max(0, top)}px`);
      element.style.zIndex = number + 1;
    }
  }

  #made(extension, panel) {
    const element = made("section", `panel-frame ${panel.mode}`);
    const bar = made("div", "bar");
    const title = made("h2");
    const close = button("×", () => this.#session?.attempt("ext_panel_close"));
    close.setAttribute("aria-label", `Close ${extension}`);
    close.title = "Close";
    const lines = made("div", "panel");
    const footer = made("p", "quiet");
    title.id = `panel-title-${this.#panels.size}-${Date.now()}`;
    lines.tabIndex = 0;
    lines.setAttribute("role", "application");
    lines.setAttribute("aria-labelledby", title.id);
    lines.addEventListener("keydown", (event) => {
      const key = keyOf(event);
      if (!key || event.isComposing || (event.key === "Tab" && event.shiftKey)) return; // Shift+Tab leaves
      event.preventDefault();
      event.stopPropagation();
      this.#session?.send({ type: "ext_panel_key", ...key, kind: event.repeat ? "repeat" : "press" });
    });
    lines.addEventListener("keyup", (event) => {
      const key = keyOf(event);
      if (!key || !this.#panels.get(JSON.stringify([extension, panel.id]))?.kinds) return;
      this.#session?.send({ type: "ext_panel_key", ...key, kind: "release" });
    });
    lines.addEventListener("paste", (event) => {
      event.preventDefault();
      this.#session?.send({ type: "ext_panel_paste", text: event.clipboardData.getData("text") });
    });
    for (const [name, action] of [["pointerdown", "press"], ["pointerup", "release"]]) {
      lines.addEventListener(name, (event) => this.#mouse(extension, panel.id, action, lines, event));
    }
    bar.append(title, close);
    element.append(bar, lines, footer);
    return { element, title, lines, footer, focused: false, mouse: panel.mouse };
  }

  #mouse(extension, id, action, lines, event) {
    const row = lines.firstElementChild?.getBoundingClientRect();
    if (!this.#panels.get(JSON.stringify([extension, id]))?.mouse || !row) return;
    const [, columns] = [row.height, Number(this.#size.split(" ")[0])];
    const place = { row: Math.floor((event.clientY - row.top) / row.height), column: Math.floor((event.clientX - row.left) / (row.width / columns)) };
    if (place.row >= 0 && place.column >= 0) {
      this.#session?.send({ type: "ext_panel_mouse", extension, panel: id, action, ...place, button: event.button + 1 });
    }
  }

  #close(key) {
    const parts = this.#panels.get(key);
    if (!parts) return;
    this.#panels.delete(key);
    const had = parts.element.contains(document.activeElement);
    parts.element.remove();
    if (had) $("message").focus();
  }
}
