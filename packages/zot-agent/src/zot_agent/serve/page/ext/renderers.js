// What extensions draw in the conversation in place of the page: a part is asked about when it comes near the place that is
// seen, for the width that it has there. Until the answer comes, and without one, the page draws it itself.

import { $, made } from "../dom.js";
import { rows } from "./shown.js";

const NEAR = "600px"; // around what is seen
const SOON = 150; // milliseconds after the last change of the width

class Renderers {
  #session = null;
  #known = new Map(); // extension, kind and name -> the same
  #parts = new Map(); // element -> its parts
  #near;
  #width = 0; // in cells
  #timer = 0;
  expanded = false; // whether an extension has expanded everything

  constructor() {
    this.#near = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        for (const part of this.#parts.get(target) ?? []) this.#moved(part, isIntersecting);
      }
    }, { root: $("log"), rootMargin: NEAR });
    new ResizeObserver(() => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#resized(), SOON);
    }).observe($("log"));
  }

  // A part of the page

  opened(session) {
    this.#session = session;
    this.#known.clear();
    this.expanded = false;
    this.#resized();
    this.#look();
  }

  closed() {
    this.#session = null;
    this.#known.clear();
    this.empty();
  }

  take({ type, extension, kind, name, change, expanded }) {
    if (type === "ext_expand") this.#expand(expanded);
    if (type !== "ext_renderer") return;
    const key = JSON.stringify([extension, kind, name]);
    if (change === "removed") this.#known.delete(key);
    else this.#known.set(key, { extension, kind, name });
    if (change === "set" && this.#known.size === 1) for (const element of this.#parts.keys()) this.#near.observe(element);
    for (const part of this.#all()) if (part.kind === kind && ["*", part.name].includes(name)) part.forget(change === "again");
    this.#look();
  }

  // Whether an extension, with `owner` this one, draws these parts.
  draws(kind, name, owner = "") {
    const named = [...this.#known.values()].filter((each) => each.kind === kind && ["*", name].includes(each.name));
    return named.some(({ extension }) => ["", extension].includes(owner));
  }

  // Let extensions draw a part: see `Part`.
  add(part) {
    const { element } = part;
    this.#parts.set(element, [...this.#parts.get(element) ?? [], part]);
    this.#near.unobserve(element); // so that it says where the element is
    if (this.#known.size) this.#near.observe(element);
    return part;
  }

  // A part is another one now.
  changed(part) { this.#draw(part); }

  // Nothing of the conversation is there any more.
  empty() {
    this.#near.disconnect();
    this.#parts.clear();
  }

  #moved(part, near) {
    part.near = near;
    this.#draw(part);
  }

  #resized() {
    const cell = made("div", "drawn measure", "0".repeat(10));
    $("log").append(cell);
    const wide = cell.getBoundingClientRect().width / 10;
    const most = parseFloat(getComputedStyle(cell).maxWidth);
    cell.remove();
    const style = getComputedStyle($("log"));
    const room = Math.min($("log").clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight), most);
    const width = Math.max(10, Math.min(1000, Math.floor((room - 40) / wide))); // without the frame of a cell
    if (!wide || !room || width === this.#width) return;
    this.#width = width;
    this.#look();
  }

  #expand(is) {
    this.expanded = is;
    for (const cell of $("log").querySelectorAll("details.tool")) cell.open = is;
  }

  #all() { return [...this.#parts.values()].flat(); }

  #look() {
    for (const part of this.#all()) this.#draw(part);
  }

  // Show the answer about a part, and ask for it; only the newest question counts.
  async #draw(part) {
    if (!part.near || !this.#session) return;
    const expanded = part.expanded();
    if (!this.draws(part.kind, part.name, part.owner)) {
      part.put(null, expanded);
      return;
    }
    const key = JSON.stringify([this.#width, expanded, part.state]);
    part.wanted = key;
    part.put(part.answers.has(key) ? part.answers.get(key) : part.before(expanded), expanded);
    if (part.asked.has(key)) return;
    part.asked.add(key);
    const { answers } = part;
    let lines = null; // the page draws it if nobody answers
    try {
      ({ lines } = await this.#session.ask("get_rendering", { kind: part.kind, item: part.id, text: part.text, width: this.#width, expanded }));
    } catch {
      // The connection is lost, or there is no such part any more.
    }
    answers.set(key, lines);
    if (part.answers === answers && part.wanted === key) part.put(lines, expanded);
  }
}

// A part of the conversation: its `kind`, `name` and `id` as `get_rendering` has them, the `element` that is watched, a function
// that says whether it is expanded, and `show`, which gets lines, or null where the page draws it. `owner` is the extension that may draw it, if only
// one may, and `text` the Markdown that one may change; then there is one line, which has all of it.
export class Part {
  near = false;
  wanted = "";
  state = "";
  answers = new Map(); // width, whether it is expanded, and state -> lines
  asked = new Set();
  #before = new Map(); // whether it is expanded -> lines of before
  #shown;

  constructor(kind, name, id, element, expanded, show, owner = "") {
    Object.assign(this, { kind, name, id, element, expanded, show, owner });
  }

  // Forget all answers; `keep` shows the last ones until there are others.
  forget(keep) {
    this.#before = new Map(keep ? [false, true].map((expanded) => [expanded, this.before(expanded)]) : []);
    this.answers = new Map();
    this.asked = new Set();
  }

  // The last answer, which may be for another width.
  before(expanded) {
    const last = [...this.answers].findLast(([key]) => JSON.parse(key)[1] === expanded);
    return (last ? last[1] : this.#before.get(expanded)) ?? null;
  }

  put(lines, expanded) {
    if (this.#shown && this.#shown.lines === lines && this.#shown.expanded === expanded) return;
    this.#shown = { lines, expanded };
    this.show(lines);
  }
}

// The element of lines.
export function drawn(lines) {
  const element = made("div", "drawn");
  element.append(...rows(lines));
  return element;
}

export const renderers = new Renderers();
