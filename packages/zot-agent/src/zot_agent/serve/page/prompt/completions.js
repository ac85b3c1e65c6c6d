// The list over the message field: slash commands, and what extensions suggest in place of the word at the cursor.

import { $, characters, made, units } from "../dom.js";

const SOON = 120; // milliseconds after the last key in which extensions are asked
const MOST = 50; // rows
const TRIGGERED = /(?:^|\s)[^\s\p{L}\p{N}/@!]\S*$/u; // a word that a trigger of an extension may begin

export class Completions {
  #session = null;
  #rows = []; // `text` takes the place of what is from `start` to `end`; `label` and `detail` are shown
  #at = 0;
  #timer = 0;
  #asked = null; // what the newest question is about
  #commands;

  // `commands` has the slash commands.
  constructor(commands) {
    this.#commands = commands;
    $("completions").setAttribute("role", "listbox");
    const field = $("message");
    field.setAttribute("aria-controls", "completions");
    field.setAttribute("aria-autocomplete", "list");
    field.addEventListener("input", () => this.#look());
    field.addEventListener("changed", () => this.#hide());
    field.addEventListener("blur", () => this.#hide());
    field.addEventListener("keydown", (event) => this.#key(event));
    this.#hide();
  }

  async opened(session) {
    this.#session = session;
    await this.#commands.loaded;
    if (session === this.#session && document.activeElement === $("message")) this.#look();
  }

  closed() {
    this.#session = null;
    this.#hide();
  }

  #look() {
    const { value, selectionStart: at, selectionEnd: end } = $("message");
    clearTimeout(this.#timer);
    this.#asked = null;
    if (!this.#session || at !== end) return this.#hide();
    const typed = /^\/([\w:.-]*)$/.exec(value);
    if (typed) return this.#show(this.#commands.rows(typed[1].toLowerCase()).slice(0, MOST), "Commands");
    const before = value.slice(0, at);
    const command = /^\/(\S+)\s[^\n]*$/.exec(before);
    if (!TRIGGERED.test(before) && !(command && this.#commands.takesWords(command[1]))) return this.#hide();
    this.#narrow(value, at);
    this.#timer = setTimeout(() => this.#ask(value, at), SOON);
    return undefined;
  }

  // Until the answer comes: what still fits of the last one.
  #narrow(value, at) {
    const word = this.#rows.length ? value.slice(this.#rows[0].start, at).toLowerCase() : "";
    const fits = word && !/\s/.test(word) ? this.#rows.filter(({ text }) => text.toLowerCase().startsWith(word)) : [];
    this.#show(fits.map((row) => ({ ...row, end: at })));
  }

  async #ask(text, at) {
    const asked = {};
    this.#asked = asked;
    let found;
    try {
      found = await this.#session.ask("get_completions", { text, cursor: characters(text, at) });
    } catch {
      return; // the connection is lost
    }
    if (this.#asked !== asked || document.activeElement !== $("message")) return; // it comes too late
    const [start, end] = [units(text, found.start), units(text, found.end)];
    this.#show(found.items.slice(0, MOST).map(({ text: word, label, description, extension }) => (
      { text: word, label, detail: [description, extension].filter(Boolean).join(" · "), start, end }
    )));
  }

  #show(rows, label = "Suggestions") {
    const chosen = this.#rows[this.#at]?.text;
    this.#rows = rows;
    this.#at = Math.max(0, rows.findIndex(({ text }) => text === chosen));
    $("completions").setAttribute("aria-label", label);
    this.#draw();
  }

  #draw() {
    const list = $("completions");
    const field = $("message");
    list.hidden = !this.#rows.length;
    list.replaceChildren(...this.#rows.map(({ label, detail }, at) => {
      const row = made("div", "option");
      row.id = `completion-${at}`;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(at === this.#at));
      row.append(made("b", "", `${label} `), made("span", "quiet", detail));
      row.addEventListener("pointerdown", (event) => {
        event.preventDefault(); // the field keeps the focus
        this.#at = at;
        this.#take();
      });
      return row;
    }));
    if (list.hidden) { // a field of several lines without a list is a text box
      for (const name of ["role", "aria-expanded", "aria-activedescendant"]) field.removeAttribute(name);
      return;
    }
    field.setAttribute("role", "combobox");
    field.setAttribute("aria-expanded", "true");
    field.setAttribute("aria-activedescendant", `completion-${this.#at}`);
    list.children[this.#at].scrollIntoView({ block: "nearest" });
  }

  #hide() {
    clearTimeout(this.#timer);
    this.#asked = null;
    this.#show([]);
  }

  // Put the row that is chosen into the field.
  #take() {
    const { text, start, end } = this.#rows[this.#at];
    $("message").setRangeText(text, start, end, "end");
    this.#hide();
    if (text.startsWith("/")) this.#look(); // for its arguments
  }

  #key(event) {
    if (!this.#rows.length || event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const { text, start, end } = this.#rows[this.#at];
    const whole = $("message").value.slice(start, end) === text.trimEnd();
    if (step) this.#at = (this.#at + step + this.#rows.length) % this.#rows.length;
    else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey && !whole)) this.#take();
    else if (event.key === "Escape") this.#hide();
    else return;
    event.preventDefault();
    if (step) this.#draw();
  }
}
