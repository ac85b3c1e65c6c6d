// Events that extensions observe: zot's, told as pi tells them.

import path from "node:path";
import { createContext } from "../api/context.mjs";
import { fromZot } from "../shims/levels.mjs";
import { afterTurn, ask, boundary } from "./boundaries.mjs";
import { argumentsOf, contentOf, detailsOf, toMessages } from "./messages.mjs";

/** Events of zot that the bridge itself needs, because they make what it remembers old. */
const ALWAYS = ["session_start", "session_end", "entry_appended", "agent_start", "agent_end", "agent_settled", "model_select",
  "thinking_level_select", "session_compact", "session_tree", "session_info_changed", "theme_changed", "resize"];

/** What zot is asked for, for each event of pi. */
const SOURCES = {
  turn_start: ["turn_start"], turn_end: ["turn_complete", "usage"], agent_end: ["message_end", "usage"],
  message_start: ["message_start", "message_end"], message_update: ["message_start", "message_update"],
  message_end: ["message_end", "usage"],
  tool_execution_start: ["tool_call", "tool_execution_start"], tool_execution_update: ["tool_call", "tool_progress"],
  tool_execution_end: ["tool_call", "tool_result", "tool_execution_end"],
  session_compact: ["pre_compact"], session_compact_failed: ["pre_compact", "post_compact"],
  after_provider_response: ["after_provider_response"],
};
const FOOTERS = new Set(["session_start", "turn_complete", "model_select", "thinking_level_select", "session_tree"]);
const RUNNING_MILLISECONDS = 5000;

export class Observed {
  #bridge;
  #run = [];
  #partial = null;
  #arguments = new Map();
  #results = new Map();
  #previous = undefined;
  #abort = null;
  #aborted = false;
  #began = false;
  #works = false;
  /** @type {(() => void)[]} */ #held = [];
  #usage = undefined;
  #compaction = "manual";

  /** The calls of whose results the handlers of `message_end` have heard. @type {Set<string>} */
  heard = new Set();

  /** @type {(channel: string, data: unknown) => void} */
  onBus = () => {};

  /** @param {import("../api/bridge.mjs").Bridge} bridge */
  constructor(bridge) {
    this.#bridge = bridge;
  }

  has(event) {
    return this.#bridge.extensions.some((each) => each.handlers.has(event));
  }

  /** @param {{intercept: string[], options: object}} intercepts */
  subscriptions(intercepts) {
    const events = new Set(ALWAYS);
    for (const [event, sources] of Object.entries(SOURCES)) {
      if (this.has(event)) for (const each of sources) events.add(each);
    }
    if (this.#bridge.screen.hasFooter) events.add("turn_complete");
    return { events: [...events], intercept: intercepts.intercept, intercept_options: intercepts.options };
  }

  take(frame) {
    const bridge = this.#bridge;
    if (frame.event.startsWith("bus:")) return this.onBus(frame.channel, frame.data);
    this.#forget(frame);
    if (frame.event === "session_end") return this.#ended(frame);
    if (frame.event === "session_start") return this.#begun(frame);
    if (bridge.isReplacing) return void bridge.replacing.then(() => this.#tell(frame));
    return this.#tell(frame);
  }

  #tell(frame) {
    if (frame.event === "agent_start") this.#idle(false);
    else if (frame.event === "agent_settled") this.#idle(true);
    const told = this.#translate(frame);
    if (told) this.emit(told);
    if (frame.event === (this.has("turn_start") ? "turn_start" : "agent_start")) this.#tellHeld();
    if (FOOTERS.has(frame.event)) this.#bridge.screen.refresh();
    if (frame.event === "theme_changed") this.#bridge.screen.themeChanged(frame.theme);
    if (frame.event === "resize") this.#bridge.screen.resized(frame.width, frame.height);
  }

  /** Says to each extension, after what it was told before, whether the agent works. @param {boolean} idle */
  #idle(idle) {
    for (const each of this.#bridge.extensions) each.chain = each.chain.then(() => { each.idle = idle; });
  }

  /** @param {any} message of zot @returns {any} with the model and the tokens of an answer, which zot counts apart */
  described(message) {
    if (message?.role !== "assistant") return message;
    const { model, provider } = this.#bridge.ack;
    return { ...message, meta: { model, provider, api: "zot", usage: this.#usage } };
  }

  /** What the bridge remembers is old now. */
  #forget({ event, summary, provider, model }) {
    const { sessions, models, ack } = this.#bridge;
    if (event === "model_select") Object.assign(ack, { provider, model });
    if (event === "model_select" || event === "thinking_level_select") models.forget();
    else if (event === "agent_start") this.#abort = new AbortController();
    else if (event === "agent_end") this.#abort?.abort();
    if (event === "session_compact") this.#bridge.lastSummary = summary ?? "";
    this.#bridge.signal = event === "agent_end" ? undefined : this.#abort?.signal;
    if (ALWAYS.includes(event)) sessions.forget();
  }

  #begun(frame) {
    const { bridge, reason } = { bridge: this.#bridge, reason: frame.reason ?? "startup" };
    if (["new", "resume", "fork"].includes(reason)) {
      if (frame.session_id) bridge.ack.session_id = frame.session_id;
      return bridge.replace(frame);
    }
    return void this.started(frame);
  }

  /** @param {any} frame @returns {Promise<void>} when all handlers are through */
  started(frame) {
    const event = { type: "session_start", reason: frame.reason ?? "startup" };
    if (this.#previous) event.previousSessionFile = this.#previous;
    const done = this.emit(event);
    this.#bridge.screen.refresh();
    return done;
  }

  #ended(frame) {
    try {
      this.#previous = this.#bridge.ack.session_file || undefined;
    } catch { /* zot is ending */ }
    this.emit({ type: "session_shutdown", reason: frame.detail ?? "quit" });
  }

  /** Tells all extensions of a question to the person at once: the handler that asks it is not through yet.
   * @param {{type: string}} event */
  tell(event) {
    const { type } = event;
    for (const extension of this.#bridge.extensions) {
      for (const handler of extension.handlers.get(type) ?? []) {
        Promise.resolve().then(() => handler(event, createContext(this.#bridge, extension)))
          .catch((error) => this.#bridge.report(extension, type, error));
      }
    }
  }

  /** Calls the handlers of each extension, in order; one extension does not wait for another.
   * @param {any} event @returns {Promise<void>} */
  emit(event) {
    const bridge = this.#bridge;
    const ends = [];
    for (const extension of bridge.extensions) {
      const handlers = extension.handlers.get(event.type);
      if (!handlers) continue;
      extension.chain = bridge.running.add(event.type, extension.name, extension.chain, async () => {
        if (event.type === "turn_end") return this.#turnEnded(extension, handlers, event);
        let failed = false;
        for (const handler of handlers) {
          try {
            await handler(event, createContext(bridge, extension));
          } catch (error) {
            bridge.report(extension, event.type, error);
            if (event.type === "session_start") failed = bridge.lose(extension, error);
          }
        }
        if (event.type === "session_start") bridge.begin(extension, failed);
      });
      ends.push(extension.chain);
    }
    let timer;
    const limit = new Promise((resolve) => { timer = setTimeout(resolve, RUNNING_MILLISECONDS); timer.unref(); });
    return Promise.race([Promise.all(ends), limit]).finally(() => clearTimeout(timer));
  }

  async #turnEnded(extension, handlers, about) {
    const bridge = this.#bridge;
    const goesOn = about.toolResults.length > 0;
    const event = boundary(bridge, about, about.message?.stopReason === "aborted" ? "aborted" : "completed");
    const wanted = await ask(bridge, handlers.map((each) => [extension, each]), event);
    await afterTurn(bridge, wanted, goesOn).catch((error) => bridge.report(extension, "turn_end", error));
  }

  /** @param {any} frame @returns {any} the event of pi, or null */
  #translate(frame) {
    switch (frame.event) {
      case "agent_start":
        this.#began = true;
        this.heard.clear();
        return { type: "agent_start" };
      case "agent_end": {
        const messages = this.#run;
        this.#run = [];
        if (!this.#began && !messages.length) return null; // a slash command, which zot runs as a prompt
        this.#began = false;
        this.#aborted = frame.reason === "aborted";
        return { type: "agent_end", messages };
      }
      case "agent_settled":
        this.#works = false;
        return { type: "agent_settled", aborted: this.#aborted };
      case "usage":
        this.#usage = frame;
        return null;
      case "turn_start":
        return { type: "turn_start", turnIndex: frame.step - 1, timestamp: Date.now() };
      case "turn_complete":
        return this.#turn(frame);
      case "message_start":
        this.#usage = undefined;
        this.#partial = toMessages(this.described({ role: "assistant", content: [], time: new Date().toISOString() }))[0];
        return { type: "message_start", message: this.#partial };
      case "message_update":
        return this.#update(frame);
      case "message_end":
        return this.#message(frame.message);
      case "session_compact":
        return this.#compacted();
      case "pre_compact":
        this.#compaction = frame.reason;
        return null;
      case "post_compact":
        if (frame.status !== "failed") return null;
        return { type: "session_compact_failed", reason: this.#compaction, aborted: false, willRetry: false, fromExtension: false };
      case "session_info_changed":
        return { type: "session_info_changed", name: frame.title || undefined };
      case "session_tree":
        return { type: "session_tree", newLeafId: frame.entry || null, oldLeafId: null };
      case "thinking_level_select":
        return { type: "thinking_level_select", level: fromZot(frame.level), previousLevel: fromZot(frame.previous_level) };
      case "model_select":
        return this.#model(frame);
      case "after_provider_response":
        return { type: "after_provider_response", status: frame.status, headers: frame.headers };
    }
    return this.#tool(frame);
  }

  #compacted() {
    if (!this.has("session_compact")) return null;
    const compactionEntry = this.#bridge.sessions.getBranch().findLast((each) => each.type === "compaction");
    const { lastSummary: text, regionLines: linesBefore } = this.#bridge;
    this.#bridge.regionLines = 0;
    const linesKept = text.split("\n").length;
    const stats = { linesBefore, linesKept, linesDeleted: Math.max(linesBefore - linesKept, 0) };
    const result = { text, stats, rung: linesBefore ? "extension" : "planned" }; // as Atomic has it
    return { type: "session_compact", compactionEntry, fromExtension: linesBefore > 0, reason: this.#compaction, willRetry: false, result };
  }

  #model(frame) {
    if (!this.has("model_select")) return null;
    const { models } = this.#bridge;
    const previousModel = models.find(frame.previous_provider, frame.previous_model);
    return { type: "model_select", model: models.current(), previousModel, source: "set" };
  }

  #turn(frame) {
    const name = (id) => this.#bridge.toolNames.get(id) ?? "";
    const toolResults = (frame.tool_results ?? []).flatMap((each) => toMessages(each, name));
    const message = frame.message ? toMessages(this.described(frame.message), name)[0] : undefined;
    const toolResultEntryIds = (frame.tool_results ?? []).map((each) => each.id);
    return { type: "turn_end", turnIndex: frame.step - 1, message, toolResults, messageEntryId: frame.message?.id, toolResultEntryIds };
  }

  #message(message) {
    for (const block of message.content) if (block.type === "tool_call") this.#bridge.toolNames.set(block.id, block.name);
    const made = toMessages(this.described(message), (id) => this.#bridge.toolNames.get(id) ?? "");
    this.#run.push(...made);
    const asked = this.has("message_end"); // its handlers were asked, but about results of calls that have not run
    const told = made.filter((each) => !asked || (each.role === "toolResult" && !this.heard.delete(each.toolCallId)));
    const tell = () => {
      if (message.role !== "assistant") for (const each of told) this.emit({ type: "message_start", message: each });
      for (const each of told) this.emit({ type: "message_end", message: each });
    };
    if (this.#works || message.role !== "user") tell();
    else this.#held.push(tell); // zot adds a prompt before its run begins, pi after
    return null;
  }

  #tellHeld() {
    this.#works = true;
    for (const tell of this.#held.splice(0)) tell();
  }

  #update({ kind, delta }) {
    const message = this.#partial;
    if (message === null || kind === "tool_args") return null;
    const [type, field] = kind === "reasoning" ? ["thinking", "thinking"] : ["text", "text"];
    if (message.content.at(-1)?.type !== type) message.content.push({ type, [field]: "" });
    const contentIndex = message.content.length - 1;
    message.content[contentIndex][field] += delta;
    return { type: "message_update", message, assistantMessageEvent: { type: `${type}_delta`, contentIndex, delta, partial: message } };
  }

  #tool(frame) {
    const { tool_id: toolCallId, tool_name: toolName } = frame;
    const base = { toolCallId, toolName, args: this.#arguments.get(toolCallId) ?? {} };
    switch (frame.event) {
      case "tool_call":
        this.#arguments.set(toolCallId, argumentsOf(frame.tool_args));
        if (this.#arguments.size > 200) this.#arguments.delete(this.#arguments.keys().next().value);
        return null;
      case "tool_execution_start":
        return { type: "tool_execution_start", ...base };
      case "tool_progress":
        return { type: "tool_execution_update", ...base, toolName: this.#bridge.toolNames.get(toolCallId) ?? "", partialResult: { content: [{ type: "text", text: frame.text }] } };
      case "tool_result":
        this.#results.set(toolCallId, { content: contentOf(frame.result.content), details: detailsOf(frame.result.details, frame.result.content) });
        return null;
      case "tool_execution_end": {
        const result = this.#results.get(toolCallId) ?? { content: [] };
        this.#results.delete(toolCallId);
        return { type: "tool_execution_end", ...base, result, isError: frame.is_error };
      }
    }
    return null;
  }

  /** Asks extensions for skills, prompts and themes. @param {"startup" | "reload"} reason */
  async resources(reason) {
    const bridge = this.#bridge;
    const found = { skills: [], prompts: [], themes: [] };
    for (const extension of bridge.extensions) {
      for (const handler of extension.handlers.get("resources_discover") ?? []) {
        try {
          const given = await handler({ type: "resources_discover", cwd: bridge.cwd, reason }, createContext(bridge, extension));
          found.skills.push(...(given?.skillPaths ?? []));
          found.prompts.push(...(given?.promptPaths ?? []));
          found.themes.push(...(given?.themePaths ?? []));
        } catch (error) {
          bridge.report(extension, "resources_discover", error);
        }
      }
    }
    if (!Object.values(found).some((each) => each.length)) return;
    const home = bridge.ack.extension_dir || process.cwd();
    const inside = (list) => list.map((each) => path.relative(home, path.resolve(each)));
    try {
      await bridge.wire.call("resources.set", { skills: inside(found.skills), prompts: inside(found.prompts), themes: inside(found.themes) });
    } catch (error) {
      bridge.notify("error", `skills, prompts and themes cannot be used: ${error.message}`);
    }
  }
}
