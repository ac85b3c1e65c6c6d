// Slash commands, shortcuts and their completions.

import { createCommandContext, createContext } from "./context.mjs";

const EXTEND_MILLISECONDS = 20_000;
const LONGEST_SECONDS = 600;

/** How the commands begin that keys run. */
const SHORTCUT = "shortcut-";

export class Commands {
  #bridge;
  #sent = new Map();
  #handlers = new Map();
  #bound = new Set();
  #completed = new Set();

  /** @param {import("./bridge.mjs").Bridge} bridge */
  constructor(bridge) {
    this.#bridge = bridge;
  }

  /** Tells zot about what is new. */
  register() {
    this.#handlers.clear();
    const all = this.#bridge.extensions.flatMap((extension) => [...extension.commands.keys()]);
    const seen = new Map();
    for (const extension of this.#bridge.extensions) {
      for (const command of extension.commands.values()) {
        const number = (seen.get(command.name) ?? 0) + 1;
        seen.set(command.name, number);
        const name = number === 1 ? command.name : `${command.name}:${number}`;
        const run = (args, request) => command.handler(args, createCommandContext(this.#bridge, extension, { signal: request.abort.signal }));
        const handler = { extension, run, complete: command.getArgumentCompletions };
        this.#add(name, command.description ?? "", handler);
        // pi numbers all commands of one name, zot leaves the first one its name.
        if (number === 1 && all.filter((each) => each === name).length > 1) this.#add(`${name}:1`, command.description ?? "", handler);
      }
      for (const shortcut of extension.shortcuts.values()) this.#shortcut(extension, shortcut);
    }
  }

  /** @param {string} text what was typed @returns {boolean} whether it is a command of these extensions */
  has(text) {
    return this.#handlers.has(/^\/(\S+)/.exec(text)?.[1] ?? "");
  }

  #add(name, description, handler, hidden = false) {
    this.#handlers.set(name, handler);
    if (!this.#sent.has(name)) {
      this.#sent.set(name, name);
      this.#bridge.wire.send({ type: "register_command", name, description, ...(hidden ? { hidden } : {}) });
    }
    if (handler.complete && this.#bridge.hasScreen && !this.#completed.has(name)) {
      this.#completed.add(name);
      this.#bridge.wire.call("completions.register", { command: name }).catch(() => {});
    }
  }

  #shortcut(extension, { key, description, handler }) {
    const name = `${SHORTCUT}${key.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
    const run = (_, request) => handler(createContext(this.#bridge, extension, { signal: request.abort.signal }));
    this.#add(name, description ?? `what ${key} does`, { extension, run }, true);
    if (this.#bound.has(key) || !this.#bridge.hasScreen) return;
    this.#bound.add(key);
    this.#bridge.wire.call("keys.bind", { key: key.toLowerCase(), command: name })
      .catch((error) => this.#bridge.notify("warn", `${extension.name}: the key ${key} cannot be used: ${error.message}`));
  }

  /** A command whose name zot uses itself gets the next free name, as pi gives it. */
  refused({ kind, name, status }) {
    if (kind !== "command" || status === "ok" || !this.#handlers.has(name) || this.#sent.get(name) !== name) return;
    const handler = this.#handlers.get(name);
    const other = `${name}:2`;
    this.#handlers.set(other, handler);
    if (this.#sent.has(other)) return;
    this.#sent.set(other, name);
    const command = handler.extension.commands.get(name);
    this.#bridge.wire.send({ type: "register_command", name: other, description: command?.description ?? "" });
  }

  take(frame) {
    const bridge = this.#bridge;
    bridge.serve(frame.id, async (request) => {
      const handler = this.#handlers.get(frame.name) ?? this.#handlers.get(this.#sent.get(frame.name));
      const answer = (fields) => {
        request.open = false;
        bridge.wire.send({ type: "command_response", id: frame.id, action: "noop", ...fields });
      };
      if (handler === undefined) return answer({ error: `no extension has the command ${frame.name} any more` });
      const longer = setTimeout(() => {
        if (request.open) bridge.wire.call("request.extend", { seconds: LONGEST_SECONDS }).catch(() => {});
      }, EXTEND_MILLISECONDS);
      try {
        const late = await bridge.running.ended();
        if (late) throw new Error(late);
        await handler.run(frame.args ?? "", request);
        answer({});
      } catch (error) {
        console.error(error);
        answer({ error: String(error?.message ?? error) });
      } finally {
        clearTimeout(longer);
      }
      return undefined;
    });
  }

  /** Suggestions of pi take the place of all arguments, those of zot that of the last word.
   * @param {{command: string, prefix: string, line: string}} frame @returns {Promise<any[]>} */
  async complete({ command, prefix, line }) {
    const given = line.startsWith("/") ? line.replace(/^\S+\s?/, "") : prefix;
    const before = given.slice(0, given.length - prefix.length);
    const items = (await this.#handlers.get(command)?.complete?.(given)) ?? [];
    return items.filter(({ value }) => value.startsWith(before)).map(({ value, label, description }) => (
      { text: value.slice(before.length), label: label ?? value, description }));
  }
}
