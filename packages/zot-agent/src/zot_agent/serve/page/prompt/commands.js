// Slash commands: those of the session, and those that this page has itself.

export class Commands {
  #session = null;
  #known = [];
  #own;
  #keys;
  loaded = null; // a promise: the commands of the session are known

  // `own` has the commands of the page: a description, a hint for the arguments, and a function of them. `keys` returns the
  // keys that run a command.
  constructor(own, keys) {
    this.#own = own;
    this.#keys = keys;
  }

  opened(session) { this.loaded = this.#load(session); }

  async #load(session) {
    this.#session = session;
    const { commands } = await session.attempt("control.commands") ?? {};
    if (session === this.#session) this.#known = commands ?? [];
  }

  closed() {
    this.#session = null;
    this.#known = [];
  }

  // Run a command of the page. Returns whether the text is one.
  run(text) {
    const found = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
    if (!found || this.#known.some(({ name }) => name === found[1]) || !this.#own[found[1]]) return false;
    this.#own[found[1]].run((found[2] ?? "").trim());
    return true;
  }

  // Whether an extension may suggest arguments of a command.
  takesWords(command) { return this.#known.some(({ name, kind }) => name === command && kind === "extension"); }

  // The commands that a word fits, best first, as rows of `Completions`.
  rows(word) {
    const own = Object.entries(this.#own).map(([name, { description, hint = "" }]) => ({ name, description, arguments: hint }));
    const all = [...this.#known, ...own.filter(({ name }) => !this.#known.some((each) => each.name === name))];
    const fits = all.filter(({ name }) => name.toLowerCase().includes(word));
    fits.sort((one, two) => two.name.startsWith(word) - one.name.startsWith(word) || one.name.localeCompare(two.name));
    return fits.map(({ name, description, arguments: hint }) => ({
      text: `/${name} `,
      label: `/${name}`,
      detail: [hint, description, ...this.#keys(name)].filter(Boolean).join(" · "),
      start: 0,
      end: word.length + 1,
    }));
  }
}
