// `systemPromptOptions`: how the system prompt is made, which handlers of `before_agent_start` change.

/** The tools of the model, as a handler sees and chooses them. What it has chosen is for one run. */
export class ToolSelection {
  #bridge;
  #before = null;
  #chosen = null;

  /** @param {import("../api/bridge.mjs").Bridge} bridge */
  constructor(bridge) {
    this.#bridge = bridge;
  }

  #active() {
    return this.#bridge.wire.callNow("tools.active").names;
  }

  get names() {
    this.#before ??= this.#active();
    return (this.#chosen ??= [...this.#before]);
  }

  set names(names) {
    this.#before ??= this.#active();
    this.#chosen = names;
  }

  /** Gives the model the tools that were chosen. */
  use() {
    if (this.#chosen === null || String(this.#chosen) === String(this.#before)) this.#chosen = null;
    else this.#bridge.wire.callNow("tools.set_active", { names: this.#chosen });
  }

  /** Gives the model the tools from before, unless somebody has chosen others meanwhile. */
  restore() {
    const chosen = new Set(this.#chosen ?? []);
    const active = chosen.size ? this.#active() : [];
    if (active.length && active.every((each) => chosen.has(each))) this.#bridge.wire.callNow("tools.set_active", { names: this.#before });
  }
}

/** @param {import("../api/bridge.mjs").Bridge} bridge @param {ToolSelection} tools */
export function promptOptions(bridge, tools) {
  return {
    cwd: bridge.cwd, promptGuidelines: [], toolSnippets: {}, toolGuidelines: {}, contextFiles: [], appendSystemPrompt: "",
    /** In place of the whole prompt. @type {string | undefined} */
    forceSystemPrompt: undefined,
    /** What an extension puts here comes behind the prompt. @type {Record<string, string>} */
    sections: {},
    get selectedTools() { return tools.names; },
    set selectedTools(names) { tools.names = names; },
    get skills() { return bridge.wire.callNow("control.skills").skills.map((each) => ({ ...each, filePath: each.path })); },
  };
}

/** @returns {string[]} what handlers have added to the prompt, as pi writes it */
export function addedTo({ appendSystemPrompt, promptGuidelines, toolGuidelines, sections }) {
  const rules = [...Object.values(toolGuidelines).flat(), ...promptGuidelines].map((each) => `- ${each}`).join("\n");
  const named = Object.entries(sections).filter(([, text]) => text).map(([name, text]) => `<${name}>\n${text}\n</${name}>`);
  return [appendSystemPrompt, rules, ...named].filter(Boolean);
}
