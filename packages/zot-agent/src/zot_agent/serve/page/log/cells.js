// The cells of tool calls: a line that folds. What a cell holds is asked for when it comes near the place that is seen.

import { $, made } from "../dom.js";
import { Part, drawn, renderers } from "../ext/renderers.js";
import { display, facts, short } from "./displays.js";
import { follow, grows, put, textOf } from "./log.js";

const LONGEST = 20_000; // characters of the output of a running tool that are shown
const SOON = 30; // milliseconds in which questions about displays are collected
const MOST = 50; // calls in one question

const FATES = { refused: "refused", not_run: "did not run", stopped: "stopped" };

// The first text of the arguments says best what a call is about; the rest is inside the cell.
function about(args, raw) {
  const first = Object.values(args ?? {}).find((value) => typeof value === "string" && value.trim());
  const all = () => Object.entries(args ?? {}).map(([name, value]) => `${name} ${Array.isArray(value) ? `(${value.length})` : JSON.stringify(value)}`);
  const text = raw ?? first ?? all().join(", ");
  return text.split("\n", 1)[0].slice(0, 300);
}

class Cell {
  constructor({ id, name, args, args_raw: raw }) {
    this.id = id;
    this.name = name;
    this.element = made("details", "tool running");
    this.element.dataset.call = id;
    this.line = made("summary");
    this.facts = made("span", "facts");
    this.own = [made("b", "", name), " ", made("code", "", about(args, raw)), " "];
    this.line.append(...this.own, this.facts);
    this.body = made("div", "body");
    this.element.append(this.line, this.body);
    this.output = null;
    this.given = { args, raw };
    this.element.open = renderers.expanded;
    this.element.addEventListener("toggle", () => {
      this.#fill();
      if (this.result) renderers.changed(this.result);
      renderers.changed(this.call);
    });
  }

  // Let extensions draw the cell, once it is in the log. What they make of the result is below a folded cell, and in an open one.
  offer() {
    const open = () => this.element.open;
    this.call = renderers.add(new Part("tool_call", this.name, this.id, this.element, open, (lines) => {
      this.element.classList.toggle("nothing", lines?.length === 0);
      this.line.replaceChildren(...(lines?.length ? [drawn(lines)] : this.own), this.facts);
    }));
  }

  #offerResult() {
    this.below = made("div", "below");
    this.below.hidden = true;
    this.element.after(this.below);
    grows(this.below);
    const open = () => this.element.open;
    this.result = renderers.add(new Part("tool_result", this.name, this.id, this.element, open, (lines) => {
      this.below.hidden = !lines?.length || open();
      this.body.hidden = Boolean(lines) && open();
      this.inside?.remove();
      if (lines && open()) this.element.append(this.inside = drawn(lines));
      else this.below.replaceChildren(...(lines ? [drawn(lines)] : []));
      this.answered = lines === null && this.result?.answers.size > 0; // that the page draws it
      this.#openShort(this.answered);
    }));
  }

  // The arguments, unless the line shows them all; made when the cell is first opened.
  #fill() {
    const { args, raw } = this.given ?? {};
    if (!this.element.open || !this.given) return;
    this.given = null;
    const text = raw ?? JSON.stringify(args ?? {}, null, 2);
    const values = Object.values(args ?? {});
    if (!raw && values.length <= 1 && !Array.isArray(values[0]) && about(args).length < 300) return;
    const part = made("details", "arguments");
    const pre = made("pre", "output", text.slice(0, LONGEST));
    pre.tabIndex = 0;
    part.append(made("summary", "", "Arguments"), pre);
    this.body.append(part);
  }

  // More output of the running tool.
  progress(text) {
    if (!this.output) {
      this.output = made("pre", "output");
      this.output.tabIndex = 0;
      this.output.append("");
      this.body.prepend(this.output);
    }
    const node = this.output.firstChild;
    node.data = (node.data + text).slice(-LONGEST);
  }

  finish({ is_error: bad, fate, content }) {
    this.element.classList.remove("running");
    this.element.classList.toggle("failed", bad);
    this.facts.textContent = FATES[fate] ?? (bad ? "failed" : "");
    this.brief = bad; // why it failed is shown at once
    this.plain = content;
    this.#offerResult();
    this.call.state = "ended";
    renderers.changed(this.call);
  }

  // Open what is short, unless an extension draws it.
  #openShort(own) {
    if (this.touched || !this.brief || !own) return;
    this.touched = true;
    this.element.open = true;
  }

  show(blocks, ask) {
    this.output?.remove();
    this.output = null;
    const words = blocks.map(facts).filter(Boolean);
    this.facts.textContent = [this.facts.textContent, ...words].filter(Boolean).join(" · ");
    this.brief ||= blocks.some(short);
    this.#openShort(!renderers.draws("tool_result", this.name) || this.answered);
    this.body.prepend(...blocks.map((each) => display(each, ask)));
    this.filled = true;
    this.whenFilled?.();
  }
}

export class Cells {
  #ask;
  #cells = new Map();
  #asked = new Set();
  #timer = 0;
  #near;

  // `ask` sends a command and returns a promise of the data of its response.
  constructor(ask) {
    this.#ask = ask;
    this.#near = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) this.#want(target.dataset.call);
      }
    }, { root: $("log"), rootMargin: "600px" });
  }

  get(id) { return this.#cells.get(id); }

  // Wait until a cell has what it holds, so many milliseconds at most.
  async filled(id, most) {
    const cell = this.#cells.get(id);
    if (cell?.plain === undefined || cell.filled) return;
    this.#want(id);
    await Promise.race([new Promise((done) => { cell.whenFilled = done; }), new Promise((done) => { setTimeout(done, most); })]);
  }

  called(call) {
    const cell = new Cell(call);
    cell.element.firstChild.addEventListener("click", () => { cell.touched = true; });
    this.#cells.set(call.id, cell);
    put(cell.element);
    cell.offer();
    return cell;
  }

  returned(result) {
    const id = result.id ?? result.call_id;
    const cell = this.#cells.get(id) ?? this.called({ id, name: result.name ?? "tool", args: {} });
    cell.finish(result);
    cell.element.addEventListener("toggle", () => cell.element.open && this.#want(id));
    if (cell.element.open) this.#want(id);
    else this.#near.observe(cell.element);
  }

  // No call runs any more.
  ended() {
    for (const cell of this.#cells.values()) cell.element.classList.remove("running");
  }

  #want(id) {
    const cell = this.#cells.get(id);
    if (cell.wanted) return;
    cell.wanted = true;
    this.#near.unobserve(cell.element);
    this.#asked.add(id);
    this.#timer ||= setTimeout(() => this.#load(), SOON);
  }

  async #load() {
    this.#timer = 0;
    const ids = [...this.#asked].slice(0, MOST);
    for (const id of ids) this.#asked.delete(id);
    if (this.#asked.size) this.#timer = setTimeout(() => this.#load(), SOON);
    let displays = {};
    try {
      ({ displays } = await this.#ask("get_display", { calls: ids }));
    } catch {
      // The connection is lost, or the session is closed: the text that the model reads is here.
    }
    for (const id of ids) {
      const cell = this.#cells.get(id);
      cell?.show(displays[id] ?? [{ kind: "text", text: textOf(cell.plain) }], this.#ask);
    }
    follow();
  }
}
