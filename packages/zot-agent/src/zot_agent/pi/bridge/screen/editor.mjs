// `setEditorComponent` and `onTerminalInput`: zot keeps the editor and asks about its keys and how its text looks.
//
// A component gets the text and each key before zot types it. What it leaves to `CustomEditor`, zot does; what it does
// itself, zot gets as a change of the text.

import { dataOf } from "./keys.mjs";
import { ScreenHandle } from "./terminal.mjs";
import { getEditorTheme } from "./theme.mjs";

const FRAME_MILLISECONDS = 60;
const WIDEST = 2000;
const PLACES = ["top_left", "top_right", "bottom_left", "bottom_right"];
/** Names of keys that zot calls differently. */
const NAMES = { escape: "esc", pageUp: "pageup", pageDown: "pagedown", return: "enter" };

export class EditorKeys {
  #screen;
  #factory;
  #component = null;
  #piTui = null;
  #listeners = new Set();
  #asked = { keys: false, decorate: false };
  #labels = new Map();
  #timer = null;
  #colored = false;

  /** @param {import("./screen.mjs").Screen} screen */
  constructor(screen) {
    this.#screen = screen;
  }

  get factory() { return this.#factory; }

  /** @param {Function | undefined} factory of pi's `EditorComponent` */
  use(factory) {
    this.#factory = factory;
    this.#component = null;
    if (!this.#screen.bridge.hasScreen) return;
    if (!factory) {
      this.#ask("decorate", false);
      for (const place of PLACES) this.#label(place, "");
    }
    if (factory) void this.#make(factory);
    else this.#ask("keys", this.#listeners.size > 0);
  }

  async #make(factory) {
    const { keybindings, piTui } = await this.#screen.loadTui();
    if (factory !== this.#factory) return;
    this.#piTui = piTui;
    const redraw = () => this.#soon(true);
    try {
      this.#component = factory(new ScreenHandle(this.#screen, redraw), getEditorTheme(), keybindings);
      if ("focused" in this.#component) this.#component.focused = true;
      this.#draw();
      this.#ask("decorate", true);
      this.#ask("keys", true);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @param {Function} handler of raw input @returns {() => void} */
  listen(handler) {
    this.#listeners.add(handler);
    if (this.#screen.bridge.hasScreen) this.#ask("keys", true);
    return () => {
      this.#listeners.delete(handler);
      if (!this.#listeners.size && !this.#factory) this.#ask("keys", false);
    };
  }

  clear() {
    this.#listeners.clear();
    if (this.#asked.keys) this.use(undefined);
  }

  #ask(what, on) {
    if (this.#asked[what] === on && !(what === "decorate" && on)) return;
    this.#asked[what] = on;
    this.#screen.bridge.wire.call(`editor.${what}`, { on }, { parent: false }).catch((error) => {
      if (error.code !== "unavailable") this.#screen.bridge.notify("warn", `the editor of an extension: ${error.message}`);
    });
  }

  #failed(error) {
    console.error(error);
    this.#screen.bridge.notify("error", `the editor of an extension has failed: ${error?.message ?? error}`);
    this.use(undefined);
  }

  /** @param {any} frame the question `editor_key` @returns {Promise<object>} */
  async key(frame) {
    const given = dataOf({ key: frame.key, text: frame.typed, mods: frame.mods ?? [] });
    let data = given;
    for (const handler of this.#listeners) {
      const answer = handler(data);
      if (answer?.consume) return { consumed: true };
      if (answer?.data !== undefined) data = answer.data;
    }
    const pasted = frame.key === "paste";
    if (this.#component === null || (pasted && !this.#component.passed)) return data === given ? {} : this.#typed([data], pasted);
    try {
      return this.#component.passed ? this.#shared(frame, data, given) : this.#own(frame, data);
    } catch (error) {
      this.#failed(error);
      return {};
    } finally {
      this.#soon(false);
    }
  }

  /** A component that leaves keys to `CustomEditor`. */
  #shared(frame, data, given) {
    const component = this.#component;
    this.#fill(frame);
    component.passed.length = 0;
    component.handleInput(data);
    const passed = component.passed.splice(0);
    if (passed.length === 1 && passed[0] === given) return {};
    return passed.length ? this.#typed(passed, frame.key === "paste") : { consumed: true };
  }

  /** A component that edits by itself. */
  #own(frame, data) {
    const component = this.#component;
    this.#fill(frame);
    let submitted = false;
    component.onSubmit = () => { submitted = true; };
    component.handleInput(data);
    if (submitted) return { ops: [{ set: frame.text }, { do: "submit" }] };
    const text = component.getText();
    return { ops: [{ set: text }, { move: this.#cursorIn(text) }] };
  }

  /** What is typed in place of a key, or inserted in place of a paste, which zot would fold. */
  #typed(passed, pasted) {
    if (pasted) return { ops: [{ insert: passed.join("").replace(/\x1b\[20[01]~/g, "") }] };
    const names = passed.map((each) => this.#piTui?.parseKey?.(each) ?? each).map((name) => NAMES[name] ?? name);
    return { keys: names.slice(0, 20) };
  }

  #fill({ text, cursor }) {
    const component = this.#component;
    if (component.getText() !== text) component.setText(text);
    if (!component.state) return;
    const before = Array.from(text).slice(0, cursor).join("").split("\n");
    component.state.cursorLine = before.length - 1;
    component.state.cursorCol = before.at(-1).length;
  }

  #cursorIn(text) {
    const at = this.#component.getCursor?.();
    if (!at) return Array.from(text).length;
    const lines = text.split("\n");
    const before = [...lines.slice(0, at.line), lines[at.line].slice(0, at.col)].join("\n");
    return Array.from(before).length;
  }

  /** Draws in a moment: an answer about a key comes first. @param {boolean} colored whether the colours have changed */
  #soon(colored) {
    this.#colored ||= colored;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#draw();
      if (this.#colored && this.#asked.decorate) this.#ask("decorate", true);
      this.#colored = false;
    }, FRAME_MILLISECONDS);
  }

  /** Shows the labels of its borders. */
  #draw() {
    if (this.#component === null) return;
    try {
      const lines = this.#component.render(this.#screen.columns);
      const [top, bottom] = [labelsOf(lines[0] ?? ""), labelsOf(lines.length > 1 ? lines.at(-1) : "")];
      [top.left, top.right, bottom.left, bottom.right].forEach((text, index) => this.#label(PLACES[index], text));
    } catch (error) {
      this.#failed(error);
    }
  }

  #label(place, text) {
    if ((this.#labels.get(place) ?? "") === text) return;
    this.#labels.set(place, text);
    const lines = text ? [[{ text, style: "muted" }]] : [];
    this.#screen.bridge.wire.call("widgets.set", { key: `border:${place}`, lines, place }, { parent: false }).catch(() => {});
  }

  /** @param {any} frame the question `editor_decorate` @returns {Promise<object>} */
  async decorate(frame) {
    if (this.#component === null) return {};
    this.#fill(frame);
    const rows = frame.text.split("\n");
    const width = Math.min(WIDEST, Math.max(this.#screen.columns, ...rows.map((each) => each.length * 2 + 8)));
    const drawn = this.#component.render(width).slice(1, -1);
    const spans = [];
    let start = 0;
    if (drawn.length === rows.length) {
      for (const [index, row] of rows.entries()) {
        spans.push(...spansOf(drawn[index], row, start));
        start += Array.from(row).length + 1;
      }
    }
    return { spans };
  }
}

/** @param {string} line a border @returns {{left: string, right: string}} the texts in it */
function labelsOf(line) {
  const text = line.replace(/\x1b\[[0-9;]*m|\x1b_[^\x07]*\x07/g, "");
  const runs = [...text.matchAll(/─+/g)];
  if (runs.length === 0) return { left: "", right: "" };
  const longest = runs.reduce((one, other) => (other[0].length > one[0].length ? other : one));
  const clean = (part) => part.replaceAll("─", " ").trim();
  return { left: clean(text.slice(0, longest.index)), right: clean(text.slice(longest.index + longest[0].length)) };
}

/** The colours of a drawn row, as spans of the text. @param {string} drawn @param {string} row @param {number} start */
function spansOf(drawn, row, start) {
  const spans = [];
  let style = {};
  const cells = [];
  for (const match of drawn.matchAll(/\x1b\[([0-9;]*)m|\x1b_[^\x07]*\x07|([^\x1b])/gu)) {
    if (match[1] !== undefined) style = styled(style, match[1]);
    else if (match[2] !== undefined) cells.push([match[2], style]);
  }
  const wanted = Array.from(row);
  const at = cells.map(([character]) => character).join("").indexOf(row.trimEnd());
  if (at < 0 || !row.trim()) return spans;
  for (const [index] of wanted.entries()) {
    const found = cells[at + index]?.[1] ?? {};
    if (Object.keys(found).length) spans.push({ start: start + index, end: start + index + 1, ...found });
  }
  return spans;
}

const ATTRIBUTES = { 1: "bold", 3: "italic", 4: "underline", 9: "strike" };

function styled(before, codes) {
  const parts = codes === "" ? [0] : codes.split(";").map(Number);
  const style = { ...before };
  for (let at = 0; at < parts.length; at += 1) {
    const code = parts[at];
    if (code === 0) for (const name of Object.keys(style)) delete style[name];
    else if (code === 38 && parts[at + 1] === 2) {
      style.style = `#${parts.slice(at + 2, at + 5).map((each) => each.toString(16).padStart(2, "0")).join("")}`;
      at += 4;
    } else if (code === 38 || code === 48) at += parts[at + 1] === 2 ? 4 : 2;
    else if (code === 39) delete style.style;
    else if (ATTRIBUTES[code]) style[ATTRIBUTES[code]] = true;
    else if (code === 22) delete style.bold;
    else if ([23, 24, 29].includes(code)) delete style[{ 23: "italic", 24: "underline", 29: "strike" }[code]];
  }
  return style;
}
