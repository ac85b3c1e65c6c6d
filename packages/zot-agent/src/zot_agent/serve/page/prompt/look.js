// What can be looked at in a window: the tree of the session, what it changed, and what fills the context.

import { $, button, made } from "../dom.js";
import { display } from "../log/displays.js";
import { hide, show } from "./window.js";

const KINDS = { user: "You", assistant: "zot", tool: "Result", compaction: "Summary", branch_summary: "Summary", custom: "Extension" };

// How far an entry is indented: by the forks before it, so that a straight conversation stays at the edge.
function depths(entries) {
  const children = new Map();
  for (const { parent } of entries) children.set(parent, (children.get(parent) ?? 0) + 1);
  const found = new Map();
  for (const { id, parent } of entries) found.set(id, Math.min((found.get(parent) ?? 0) + (children.get(parent) > 1 ? 1 : 0), 12));
  return found;
}

export class Look {
  #session = null;
  #back;

  // `back` gets text for the message field.
  constructor(back) {
    this.#back = back;
    $("tree").addEventListener("click", () => this.tree());
    $("changes").addEventListener("click", () => this.changes());
    $("context").addEventListener("click", () => this.context());
  }

  opened(session) { this.#session = session; }

  closed() {
    this.#session = null;
    if ($("window").open) hide();
  }

  async tree() {
    const data = await this.#session?.attempt("session.tree");
    if (!data) return;
    const deep = depths(data.entries);
    const list = made("ol", "tree");
    list.append(...data.entries.filter(({ kind }) => kind !== "tool").map((entry) => this.#entry(entry, deep.get(entry.id), data.current)));
    show("The tree of this session", made("p", "quiet", "Nothing is lost when you go back: what follows stays here."), list);
    list.querySelector("[aria-current=true]")?.scrollIntoView({ block: "center" });
  }

  #entry(entry, deep, current) {
    const item = made("li", `deep-${deep}`);
    item.setAttribute("aria-current", String(entry.id === current));
    const words = made("div");
    words.append(made("b", "", KINDS[entry.kind] ?? entry.kind), entry.label ? made("span", "label", entry.label) : "", ` ${entry.text}`);
    const name = entry.text.slice(0, 40) || entry.kind;
    const actions = made("div", "tools");
    const act = (text, what) => {
      const one = button(text, what);
      one.setAttribute("aria-label", `${text}: ${name}`);
      actions.append(one);
    };
    const mine = entry.kind === "user";
    act(mine ? "Ask again" : "Go on here", () => this.#move("session.navigate", { entry: entry.id, position: mine ? "before" : "at" }));
    act("Fork", () => this.#move("session.fork", { entry: entry.id, position: mine ? "before" : "at" }));
    act("Label", () => this.#label(entry));
    item.append(words, actions);
    return item;
  }

  async #move(type, fields) {
    hide();
    const data = await this.#session.attempt(type, fields);
    if (data?.text && fields.position === "before") this.#back(data.text);
    $("message").focus();
  }

  async #label(entry) {
    const label = prompt("A label for this place; empty removes it", entry.label);
    if (label !== null && await this.#session.attempt("session.label", { entry: entry.id, label })) await this.tree();
  }

  async changes() {
    const data = await this.#session?.attempt("session.diff");
    if (!data) return;
    const nodes = data.files.flatMap((file) => [
      made("h3", "", `${file.path} · ${file.status} · +${file.added} −${file.removed}`),
      file.diff ? display({ kind: "diff", ...file }) : made("p", "quiet", file.note),
    ]);
    const undo = button("Undo the last prompt", () => this.undo("session.undo"));
    const redo = button("Redo", () => this.undo("session.redo"));
    const bar = made("div", "tools");
    bar.append(undo, redo);
    show("What this session changed", bar, ...(nodes.length ? nodes : [made("p", "quiet", "Nothing.")]));
  }

  async undo(type, force = false) {
    if ($("window").open) hide();
    const data = await this.#session.attempt(type, { force }, {
      jobs_running: (said) => confirm(`${said}\n\nStop all commands in the background now?`) && { stop_jobs: true },
    });
    if (!data) return;
    if (data.edited?.length && !force && confirm(`Somebody else changed ${data.edited.join(", ")}. Overwrite?`)) await this.undo(type, true);
    else if (data.text && type === "session.undo") this.#back(data.text);
  }

  async context() {
    const data = await this.#session?.attempt("control.context");
    if (!data) return;
    const table = made("table", "context");
    table.append(made("caption", "", `${data.tokens} of ${data.window_guessed ? "a guessed " : ""}${data.window || "an unknown number of"} tokens`));
    const head = made("tr");
    head.append(made("th", "", "Part"), made("th", "", "Tokens"));
    const rows = data.parts.map(({ kind, role, text, tokens, shortened }) => {
      const row = made("tr");
      row.append(made("td", "", [role ?? kind, text, shortened ? "(shortened)" : ""].filter(Boolean).join(" ")), made("td", "", String(tokens)));
      return row;
    });
    table.append(head, ...rows);
    const meter = made("meter");
    Object.assign(meter, { min: 0, max: data.window || data.tokens || 1, value: data.tokens });
    meter.setAttribute("aria-label", "How full the context window is");
    show("What fills the context window", meter, table);
  }
}
