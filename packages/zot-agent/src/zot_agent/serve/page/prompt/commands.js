// Slash commands: those of the session, and those that this page has itself. A list completes them while one types.

import { $, made } from "../dom.js";

const MOST = 50; // commands in the list

export class Commands {
  #session = null;
  #known = [];
  #own;
  #fits = [];
  #at = 0;

  // `own` has the commands of the page: a description, a hint for the arguments, and a function of them.
  constructor(own) {
    this.#own = own;
    const list = $("completions");
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Commands");
    const field = $("message");
    field.setAttribute("aria-controls", "completions");
    field.setAttribute("aria-autocomplete", "list");
    field.addEventListener("input", () => this.#look());
    field.addEventListener("blur", () => this.#hide());
    field.addEventListener("keydown", (event) => this.#key(event));
  }

  async opened(session) {
    this.#session = session;
    const { commands } = await session.attempt("get_commands") ?? {};
    if (session === this.#session) this.#known = commands ?? [];
  }

  closed() {
    this.#session = null;
    this.#known = [];
    this.#hide();
  }

  // Run a command of the page. Returns whether the text is one.
  run(text) {
    const found = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
    if (!found || this.#known.some(({ name }) => name === found[1]) || !this.#own[found[1]]) return false;
    this.#own[found[1]].run((found[2] ?? "").trim());
    return true;
  }

  get #all() {
    const own = Object.entries(this.#own).map(([name, { description, hint = "" }]) => ({ name, description, arguments: hint }));
    return [...this.#known, ...own.filter(({ name }) => !this.#known.some((each) => each.name === name))];
  }

  #look() {
    const typed = /^\/([\w:.-]*)$/.exec($("message").value);
    if (!typed || !this.#session) return this.#hide();
    const word = typed[1].toLowerCase();
    const fits = this.#all.filter(({ name }) => name.toLowerCase().includes(word));
    fits.sort((one, two) => two.name.startsWith(word) - one.name.startsWith(word) || one.name.localeCompare(two.name));
    this.#fits = fits.slice(0, MOST);
    this.#at = 0;
    return this.#draw();
  }

  #draw() {
    const list = $("completions");
    list.hidden = !this.#fits.length;
    list.replaceChildren(...this.#fits.map((each, at) => {
      const row = made("div", "option");
      row.id = `completion-${at}`;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(at === this.#at));
      row.append(made("b", "", `/${each.name} `), made("span", "quiet", `${each.arguments} ${each.description}`));
      row.addEventListener("pointerdown", (event) => { event.preventDefault(); this.#at = at; this.#complete(); });
      return row;
    }));
    if (list.hidden) return $("message").removeAttribute("aria-activedescendant");
    $("message").setAttribute("aria-activedescendant", `completion-${this.#at}`);
    return list.children[this.#at].scrollIntoView({ block: "nearest" });
  }

  #hide() {
    this.#fits = [];
    this.#draw();
  }

  #complete() {
    $("message").value = `/${this.#fits[this.#at].name} `;
    this.#hide();
  }

  #key(event) {
    if (!this.#fits.length || event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const whole = $("message").value === `/${this.#fits[this.#at].name}`;
    if (step) this.#at = (this.#at + step + this.#fits.length) % this.#fits.length;
    else if (event.key === "Escape") this.#fits = [];
    else if (event.key === "Tab" || (event.key === "Enter" && !whole)) this.#complete();
    else return;
    event.preventDefault();
    this.#draw();
  }
}
