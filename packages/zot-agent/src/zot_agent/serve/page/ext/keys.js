// Keys that extensions bind to their slash commands. Those of the browser, of the message field and of the page stay theirs.

import { $ } from "../dom.js";

const EDITS = { // they edit, move and leave: an extension has them with Ctrl and Alt only
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Enter: "enter", Escape: "esc", Tab: "tab",
  Backspace: "backspace", Delete: "delete", Home: "home", End: "end", PageUp: "pageup", PageDown: "pagedown",
  Insert: "insert", " ": "space",
};
const MODS = [["ctrl", "ctrlKey"], ["alt", "altKey"], ["shift", "shiftKey"], ["super", "metaKey"]];
const LEFT = new Set([ // to the browser and the clipboard
  ...[..."acfghjklnoprstuvwxyz0123456789+-="].flatMap((each) => [`ctrl+${each}`, `super+${each}`]),
  ...[..."bcijknoprtvwz"].map((each) => `ctrl+shift+${each}`),
  "f1", "f3", "f5", "f6", "f7", "f11", "f12", "shift+f5", "ctrl+f5", "ctrl+f4", "alt+f4", "alt+d", "alt+e", "alt+f",
]);

// The name of a key as zot writes it; empty for a modifier, a character, and what the page and the browser keep.
function nameOf(event) {
  const mods = MODS.filter(([, held]) => event[held]).map(([name]) => name);
  const held = mods.filter((each) => each !== "shift");
  const place = /^(?:Key|Digit)([A-Z0-9])$/.exec(event.code ?? ""); // with Alt or Shift the character may be another one
  const edit = EDITS[event.key];
  let name = edit ?? (/^F\d{1,2}$/.test(event.key) ? event.key.toLowerCase() : "");
  if (!name && held.length && [...event.key].length === 1) name = (place ? place[1] : event.key).toLowerCase();
  if (!name || (edit && !(event.ctrlKey && event.altKey))) return "";
  const whole = [...mods, name].join("+");
  return LEFT.has(whole) ? "" : whole;
}

export class Keys {
  #session = null;
  #bound = new Map(); // key -> command

  constructor() {
    document.addEventListener("keydown", (event) => {
      if (!this.#bound.size || event.defaultPrevented || event.isComposing || event.repeat) return;
      const command = this.#bound.get(nameOf(event));
      if (!command || !this.#here(event.target)) return;
      event.preventDefault();
      const [name, ...rest] = command.split(" ");
      this.#session?.attempt("control.run", { name, args: rest.join(" ") });
    });
  }

  opened(session) {
    this.#session = session;
    this.#bound.clear();
  }

  closed() {
    this.#session = null;
    this.#bound.clear();
  }

  take({ type, key, command }) {
    if (type !== "ext_key") return;
    if (command) this.#bound.set(key, command);
    else this.#bound.delete(key);
  }

  // The keys of a command.
  of(name) {
    return [...this.#bound].filter(([, command]) => command === name).map(([key]) => key);
  }

  // Whether keys are for the conversation: nothing is asked, and nothing else is typed in.
  #here(target) {
    if (document.querySelector("dialog[open]") || !$("permission").hidden || !$("dialog").hidden) return false;
    return target === $("message") || !target.closest("input, select, textarea, .panel");
  }
}
