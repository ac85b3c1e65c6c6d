// The tools of an agent in this process: those of zot, those of the one who made it, and those of its extensions.

import * as own from "../shims/tools.mjs";
import { sourceOf } from "../api/registrations.mjs";

const ZOTS = ["read", "bash", "edit", "write", "grep", "find", "ls"];
const USUAL = ZOTS.slice(0, 4);
const nameOf = (name) => `create${name[0].toUpperCase()}${name.slice(1)}Tool`;

/** @param {string} pattern a name, maybe with `*` @param {string} name */
function matches(pattern, name) {
  const parts = pattern.split("*").map((each) => each.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(name);
}

export class SessionTools {
  #runner;
  #base = new Map();
  #allows;
  #chosen;

  /** @param {{cwd: string, tools?: any[], noTools?: "all" | "builtin", excludeTools?: string[], customTools?: any[]}} parts
   * @param {import("./runner.mjs").Runner} runner */
  constructor({ cwd, tools, noTools, excludeTools = [], customTools = [] }, runner) {
    this.#runner = runner;
    const given = (tools ?? []).filter((each) => typeof each === "object"); // as older versions of pi take them
    for (const name of ZOTS) this.#base.set(name, own[nameOf(name)](cwd));
    for (const each of [...given, ...customTools]) this.#base.set(each.name, each);
    const words = tools?.map((each) => each.name ?? each);
    const changes = words?.length && words.every((each) => /^[+-]/.test(each)) ? words : [];
    const wanted = changes.length ? undefined : words;
    const listed = (name) => !wanted || wanted.some((each) => matches(each, name)) || customTools.some((each) => each.name === name && given.length);
    this.#allows = (name) => noTools !== "all" && listed(name) && !excludeTools.some((each) => matches(each, name));
    const usual = new Set(noTools ? [] : USUAL);
    for (const each of changes) usual[each[0] === "+" ? "add" : "delete"](each.slice(1));
    const begins = (name) => (wanted && !ZOTS.includes(name) ? true : wanted ? listed(name) : !ZOTS.includes(name) || usual.has(name) || customTools.some((each) => each.name === name));
    this.#chosen = this.#known().map((each) => each.name).filter(begins);
  }

  /** All of them: what an extension registers takes the place of what is there. */
  #known() {
    const found = new Map(this.#base);
    for (const extension of this.#runner.extensions) for (const each of extension.tools.values()) found.set(each.name, each);
    return [...found.values()].filter((each) => this.#allows(each.name));
  }

  find(name) { return this.#known().find((each) => each.name === name); }
  names() { return this.#known().map((each) => each.name).filter((each) => this.#chosen.includes(each)); }
  choose(names) { this.#chosen = [...names]; }
  added(name) { this.#chosen.push(name); }

  /** What the system prompt says of them. */
  guidelines() {
    const active = this.#known().filter((each) => this.#chosen.includes(each.name));
    return active.flatMap(({ promptSnippet, promptGuidelines = [] }) => [promptSnippet, ...promptGuidelines]).filter(Boolean).map((each) => `- ${each}`);
  }

  all() {
    return this.#known().map(({ name, description, parameters }) => {
      const extension = this.#runner.extensions.find((each) => each.tools.has(name));
      const sourceInfo = extension ? sourceOf(extension) : { path: `<${ZOTS.includes(name) ? "builtin" : "sdk"}>`, source: ZOTS.includes(name) ? "builtin" : "sdk", scope: "user", origin: "top-level" };
      return { name, description, parameters, sourceInfo };
    });
  }

  /** @returns {any[]} for the loop */
  active() {
    const chosen = this.#known().filter((each) => this.#chosen.includes(each.name));
    return chosen.map((tool) => ({
      ...tool, label: tool.label ?? tool.name,
      execute: (id, args, signal, onUpdate) => tool.execute(id, args, signal, onUpdate, this.#runner.createContext()),
    }));
  }
}
