// Questions that zot waits for: what extensions refuse and change, one after the other, as pi combines their answers.

import { createContext } from "../api/context.mjs";
import { convertToLlm, serializeConversation } from "../shims/conversation.mjs";
import { ask, beforeEnd, boundary } from "./boundaries.mjs";
import { ToolSelection, addedTo, promptOptions } from "./prompt.mjs";
import { blocksOf, changedDetails, contentOf, detailsOf, fromMessage, fromMessages, textOf, toMessages } from "./messages.mjs";

const EXTEND_MILLISECONDS = 2500;
const LONGEST_SECONDS = 600;
/** Events that guard: without an answer they are refused. */
const CLOSED = ["tool_call", "user_bash", "session_before_switch", "session_before_fork"];
/** Events that a call of zot leads to only if it is that of the tool. */
const OF_CALLS = ["tool_call", "tool_result", "user_bash"];
const SESSION = ["session_before_switch", "session_before_fork", "session_before_compact", "session_before_tree"];
const NAMES = ["tool_call", "tool_result", "context", "before_provider_request", "before_provider_headers",
  "before_agent_start", "input", "user_bash", "message_end", "project_trust", ...SESSION];
/** Events after which extensions often send something. */
const ENDS = ["agent_end", "agent_settled"];
/** Questions that do not wait for the handlers of all earlier events: most are about what the person types and sees just now. */
const AT_ONCE = ["complete", "editor_key", "editor_decorate", "before_exit"];

/** @param {import("../api/registrations.mjs").Registrations} extension @returns {string[]} the events that it guards; until
 * its session has begun also those that it guarded before, which it may not have added yet */
export const guardsOf = ({ handlers, expected }) => CLOSED.filter((name) => handlers.has(name) || expected.includes(name));

export class Intercepts {
  #bridge;
  #selection;

  /** @param {import("../api/bridge.mjs").Bridge} bridge */
  constructor(bridge) {
    this.#bridge = bridge;
    this.#selection = new ToolSelection(bridge);
  }

  names() {
    const used = (name) => this.#bridge.extensions.some((each) => each.handlers.has(name));
    const { lost } = this.#bridge;
    const wanted = (name) => used(name) || (name === "tool_result" && used("message_end")); // a result is a message too
    const guards = (name) => this.#bridge.extensions.some((each) => guardsOf(each).includes(name));
    const intercept = NAMES.filter((name) => wanted(name) || guards(name) || lost.some(({ events }) => events.includes(name)));
    if (used("context_with_system") && !intercept.includes("context")) intercept.push("context");
    if (used("agent_before_settle")) intercept.push("before_stop");
    if (ENDS.some(used)) intercept.push("before_exit");
    const options = Object.fromEntries(intercept.filter((each) => CLOSED.includes(each))
      .map((each) => [each, { on_timeout: "block", on_exit: "block" }]));
    // Nothing may run before the handlers of `session_start` have ended, which may also add a guard.
    if (used("session_start") && !intercept.includes("tool_call")) intercept.push("tool_call");
    // A prompt waits where tools are added then, or may be: its request has them, which zot does not remember.
    if (this.#bridge.extensions.some((each) => each.addsTools && each.handlers.has("session_start")) && !intercept.includes("input")) {
      intercept.push("input");
    }
    if (used("before_agent_start")) options.before_agent_start = { cadence: "prompt" };
    return { intercept, options };
  }

  #handlers(event) {
    return this.#bridge.extensions.flatMap((each) => (each.handlers.get(event) ?? []).map((handler) => [each, handler]));
  }

  take(frame) {
    const bridge = this.#bridge;
    if (frame.event === "render") return bridge.screen.render(frame);
    return bridge.serve(frame.id, async (request) => {
      const longer = setTimeout(() => {
        if (request.open) bridge.wire.call("request.extend", { seconds: LONGEST_SECONDS }).catch(() => {});
      }, EXTEND_MILLISECONDS);
      let answer = {};
      try {
        const refused = AT_ONCE.includes(frame.event) ? "" : await this.#refused(frame);
        answer = refused ? { block: true, reason: refused } : ((await this.#answer(frame, request)) ?? {});
      } finally {
        clearTimeout(longer);
        request.open = false;
        bridge.wire.send({ type: "event_intercept_response", id: frame.id, ...answer });
      }
    });
  }

  /** Waits for the handlers of earlier events. @param {any} frame @returns {Promise<string>} why it is refused */
  async #refused({ event, tool_id }) {
    const late = await this.#bridge.running.ended(OF_CALLS.includes(event) ? (tool_id ?? "") : undefined);
    const lost = this.#bridge.lost.find(({ events }) => events.includes(event));
    if (lost) return `${lost.name}, which guards this, cannot be used: ${lost.error}`;
    return CLOSED.includes(event) ? late : "";
  }

  #answer(given, request) {
    const frame = { text: "", cursor: 0, trigger: "", command: "", prefix: "", line: "", messages: [], ...given }; // zot leaves empty ones out
    switch (frame.event) {
      case "tool_prepare": return this.#bridge.tools.prepare(frame);
      case "complete": return this.#bridge.screen.complete(frame);
      case "editor_key": return this.#bridge.screen.editor.key(frame);
      case "editor_decorate": return this.#bridge.screen.editor.decorate(frame);
      case "tool_call": return this.#toolCall(frame, request);
      case "tool_result": return this.#toolResult(frame, request);
      case "context": return this.#context(frame, request);
      case "before_provider_request": return this.#payload(frame, request);
      case "before_provider_headers": return this.#headers(frame, request);
      case "before_agent_start": return this.#agentStart(frame, request);
      case "input": return this.#input(frame, request);
      case "user_bash": return this.#userBash(frame, request);
      case "message_end": return this.#messageEnd(frame, request);
      case "project_trust": return this.#trust(frame, request);
      case "before_stop": return this.#beforeStop(request);
      case "before_exit": return this.#bridge.running.through(ENDS, request.abort.signal);
    }
    return this.#session(frame, request);
  }

  /** Calls the handlers in order until `use` returns something, or `failed` for a handler that throws.
   * @param {string} name @param {any} event @param {any} request @param {(answer: any, extension: any) => any} use
   * @param {(reason: string) => any} failed */
  async #each(name, event, request, use, failed = () => undefined) {
    for (const [extension, handler] of this.#handlers(name)) {
      try {
        const answer = await handler(event, createContext(this.#bridge, extension, { signal: request.abort.signal }));
        const end = answer === undefined || answer === null ? undefined : use(answer, extension);
        if (end !== undefined) return end;
      } catch (error) {
        this.#bridge.report(extension, name, error);
        const end = failed(failure(error));
        if (end !== undefined) return end;
      }
    }
    return undefined;
  }

  async #toolCall(frame, request) {
    const event = { type: "tool_call", toolCallId: frame.tool_id, toolName: frame.tool_name, input: frame.tool_args };
    const before = JSON.stringify(event.input);
    for (const [extension, handler] of this.#handlers("tool_call")) {
      try {
        const answer = await handler(event, createContext(this.#bridge, extension, { signal: request.abort.signal }));
        if (answer?.block) {
          const reason = answer.reason || "Tool execution was blocked by an extension";
          return { block: true, reason, ...(answer.terminate ? { terminate: true } : {}) };
        }
      } catch (error) {
        this.#bridge.report(extension, "tool_call", error);
        return { block: true, reason: failure(error) };
      }
    }
    return JSON.stringify(event.input) === before ? {} : { modified_args: event.input };
  }

  async #toolResult(frame, request) {
    const event = {
      type: "tool_result", toolCallId: frame.tool_id, toolName: frame.tool_name, input: frame.tool_args ?? {},
      content: contentOf(frame.content), details: detailsOf(frame.details, frame.content), isError: frame.is_error === true,
    };
    const answer = {};
    await this.#each("tool_result", event, request, ({ content, details, isError }) => {
      if (content !== undefined) answer.content = blocksOf(event.content = content);
      if (details !== undefined) answer.details = changedDetails(event.details = details, frame.details);
      if (isError !== undefined) answer.is_error = event.isError = isError;
    });
    if (this.#handlers("message_end").length === 0) return answer;
    const { toolCallId, toolName, content, details, isError } = event;
    this.#bridge.observed.heard.add(toolCallId);
    const made = { role: "toolResult", toolCallId, toolName, content, details, isError, timestamp: Date.now() };
    const changed = await this.#ended(made, request);
    if (changed === undefined) return answer;
    const given = { content: blocksOf(changed.content), is_error: changed.isError === true };
    return { ...answer, ...given, ...(changed.details === details ? {} : { details: changedDetails(changed.details, frame.details) }) };
  }

  async #context(frame, request) {
    const names = new Map(frame.messages.flatMap((each) => each.content ?? []).filter((each) => each.type === "tool_call")
      .map((each) => [each.id, each.name]));
    const event = { type: "context", messages: frame.messages.flatMap((each) => toMessages(each, (id) => names.get(id) ?? "")) };
    const before = event.messages;
    const text = JSON.stringify(before);
    await this.#each("context", event, request, ({ messages }) => { if (messages) event.messages = messages; });
    await this.#withSystem(event, request);
    if (event.messages === before && JSON.stringify(before) === text) return {};
    return { messages: fromMessages(event.messages) };
  }

  /** The same for handlers that see the system prompt too. They cannot change it here. */
  async #withSystem(event, request) {
    if (this.#handlers("context_with_system").length === 0) return;
    const system = { role: "system", content: this.#bridge.systemPrompt(), timestamp: Date.now() };
    const whole = { type: "context_with_system", messages: [system, ...event.messages] };
    await this.#each("context_with_system", whole, request, ({ messages }) => { if (messages) whole.messages = messages; });
    const prompt = whole.messages.filter((each) => each.role === "system").map((each) => textOf(each.content)).join("\n\n");
    if (prompt !== system.content) this.#bridge.notify("warn", "context_with_system cannot change the system prompt; before_agent_start can");
    const kept = whole.messages.filter((each) => each.role !== "system");
    const same = kept.length === event.messages.length && kept.every((each, index) => each === event.messages[index]);
    if (!same) event.messages = kept;
  }

  async #beforeStop(request) {
    const options = { signal: request.abort.signal };
    const event = boundary(this.#bridge, { type: "agent_before_settle" }, "completed");
    return beforeEnd(this.#bridge, await ask(this.#bridge, this.#handlers("agent_before_settle"), event, options));
  }

  async #payload(frame, request) {
    const payload = await this.payload(frame.payload, request);
    return payload === undefined ? {} : { payload };
  }

  /** @param {any} payload @param {any} request @returns {Promise<any>} what is sent in place of a payload, undefined without a change */
  async payload(payload, request) {
    const event = { type: "before_provider_request", payload };
    let changed;
    await this.#each("before_provider_request", event, request, (given) => { event.payload = changed = given; });
    return changed;
  }

  async #headers(frame, request) {
    const headers = await this.headers(frame.headers, request);
    const changed = Object.entries(headers).filter(([name, value]) => frame.headers[name] !== value);
    return changed.length ? { headers: Object.fromEntries(changed) } : {};
  }

  /** @param {any} headers @param {any} request @returns {Promise<any>} the headers of a request, as handlers change them */
  async headers(headers, request) {
    const event = { type: "before_provider_headers", headers: { ...headers } };
    await this.#each("before_provider_headers", event, request, () => undefined);
    return event.headers;
  }

  async #agentStart(frame, request) {
    for (const each of this.#bridge.extensions) each.idle = false;
    this.#selection.restore();
    this.#selection = new ToolSelection(this.#bridge);
    const options = promptOptions(this.#bridge, this.#selection);
    const given = frame.system_prompt ?? "";
    const { begins } = this.#bridge;
    this.#bridge.begins = null;
    const prompt = frame.prompt ?? "";
    const begun = begins?.text === prompt ? { messageType: "custom", message: begins.message } : { messageType: "user", prompt };
    const event = {
      type: "before_agent_start", prompt, ...begun, systemPromptOptions: options,
      get systemPrompt() { return options.forceSystemPrompt ?? [given, ...addedTo(options)].filter(Boolean).join("\n\n"); },
    };
    const messages = [];
    await this.#each("before_agent_start", event, request, ({ message, systemPrompt }) => {
      if (message) messages.push(message);
      if (systemPrompt !== undefined) options.forceSystemPrompt = systemPrompt;
    });
    this.#selection.use();
    const answer = event.systemPrompt === given ? {} : { system_prompt: event.systemPrompt };
    if (messages.length) {
      const content = messages.map((each) => textOf(each.content)).join("\n\n");
      answer.message = { content, display: messages.some((each) => each.display !== false), custom_type: messages[0].customType, details: messages[0].details };
      this.#bridge.keepDetails(messages[0], content);
    }
    return answer;
  }

  async #input(frame, request) {
    if (frame.source !== "extension" && this.#bridge.commands.has(frame.text)) return {}; // pi runs a command at once
    const person = ["rpc", "serve", "acp"].includes(frame.source) ? "rpc" : "interactive";
    const images = contentOf((frame.images ?? []).map((each) => ({ type: "image", ...each })));
    const streamingBehavior = { steer: "steer", follow_up: "followUp" }[frame.deliver_as];
    const source = frame.source === "extension" ? "extension" : person;
    const event = { type: "input", text: frame.text, images, source, ...(streamingBehavior ? { streamingBehavior } : {}) };
    let changed = false;
    const handled = await this.#each("input", event, request, ({ action, text, images }) => {
      if (action === "handled") return true;
      if (action !== "transform") return undefined;
      changed = true;
      event.text = text ?? event.text;
      event.images = images ?? event.images;
      return undefined;
    });
    if (handled) return { handled: true };
    return changed ? { text: event.text, images: blocksOf(event.images).map(({ mime_type, data }) => ({ mime_type, data })) } : {};
  }

  async #userBash(frame, request) {
    const event = { type: "user_bash", command: frame.command, excludeFromContext: frame.exclude_from_context === true, cwd: frame.cwd };
    const found = await this.#each("user_bash", event, request, (answer) => answer, (reason) => ({ refused: { block: true, reason } }));
    if (found?.refused) return found.refused;
    if (found?.result) return { output: found.result.output ?? "", exit_code: found.result.exitCode ?? 0 };
    if (!found?.operations) return {};
    const chunks = [];
    const { exitCode } = await found.operations.exec(frame.command, frame.cwd, {
      onData: (data) => chunks.push(Buffer.from(data)), signal: request.abort.signal,
    });
    return { output: Buffer.concat(chunks).toString("utf8"), exit_code: exitCode ?? 0 };
  }

  async #messageEnd(frame, request) {
    const described = this.#bridge.observed.described(frame.message);
    const message = toMessages({ time: new Date().toISOString(), ...described })[0];
    const changed = await this.#ended(message, request);
    return changed ? { message: fromMessage(changed) } : {};
  }

  /** Tells the handlers of `message_end` of a message. They return another one, or change this one.
   * @param {any} message @param {any} request @returns {Promise<any>} the changed message, or undefined */
  async #ended(message, request) {
    const event = { type: "message_end", message };
    if (message.role !== "assistant") await this.#bridge.observed.emit({ type: "message_start", message });
    const before = JSON.stringify(message);
    await this.#each("message_end", event, request, ({ message: given }, extension) => {
      if (!given) return;
      if (given.role !== event.message.role) {
        this.#bridge.report(extension, "message_end", new Error("message_end handlers must return a message with the same role"));
        return;
      }
      event.message = given;
    });
    return JSON.stringify(event.message) === before ? undefined : event.message;
  }

  async #trust(frame, request) {
    const event = { type: "project_trust", cwd: frame.cwd };
    const decided = ({ trusted }) => (trusted === "undecided" ? undefined : trusted);
    const found = await this.#each("project_trust", event, request, decided);
    if (found === true || found === "yes") return { trusted: true };
    return found === false || found === "no" ? { block: true, reason: "an extension does not trust this project" } : {};
  }

  async #session(frame, request) {
    const event = sessionEvent(frame, this.#bridge, request);
    let last = {};
    await this.#each(frame.event, event, request, (answer) => {
      last = answer;
      return answer.cancel ? true : undefined;
    });
    if (last.cancel) return { block: true, reason: "an extension has cancelled it" };
    if (last.compactedText?.trim()) {
      this.#bridge.regionLines = event.preparation.region.lines.length;
      return { summary: last.compactedText };
    }
    if (last.compaction) {
      const kept = this.#bridge.sessions.rowOf(last.compaction.firstKeptEntryId ?? "");
      return { summary: last.compaction.summary, ...(kept ? { first_kept_id: kept } : {}) };
    }
    const answer = {};
    if (last.summary) answer.summary = last.summary.summary ?? last.summary;
    if (last.customInstructions !== undefined) answer.instructions = last.customInstructions;
    if (last.label !== undefined) answer.label = last.label;
    return answer;
  }
}

/** @param {any} error of a guard @returns {string} why something is refused */
function failure(error) {
  return `Extension failed, blocking execution: ${error?.message ?? error}`;
}

function sessionEvent(frame, bridge, request) {
  const signal = request.abort.signal;
  switch (frame.event) {
    case "session_before_switch":
      return { type: frame.event, reason: frame.reason, targetSessionFile: frame.target_file || undefined };
    case "session_before_fork":
      return { type: frame.event, entryId: frame.entry, position: frame.position ?? "at" };
    case "session_before_compact": {
      const at = frame.messages.findIndex((each) => each.id === frame.first_kept_id);
      const old = at < 0 ? frame.messages : frame.messages.slice(0, at);
      const messagesToSummarize = old.flatMap((each) => toMessages(each));
      const preparation = {
        firstKeptEntryId: frame.first_kept_id ?? "", messagesToSummarize, turnPrefixMessages: [], isSplitTurn: false,
        tokensBefore: frame.tokens_before ?? 0, previousSummary: undefined,
        fileOps: { read: new Set(), written: new Set(), edited: new Set() },
        settings: { enabled: true, reserveTokens: 16384, keepRecentTokens: 20000 },
        // Atomic has extensions choose among the lines of what is compacted.
        get region() { return { lines: serializeConversation(convertToLlm(messagesToSummarize)).split("\n") }; },
      };
      const reason = frame.reason ?? "manual";
      return {
        type: frame.event, preparation, branchEntries: bridge.sessions.getBranch(), customInstructions: frame.instructions || undefined,
        reason, willRetry: reason === "overflow", signal,
      };
    }
    default: {
      const preparation = {
        targetId: frame.target_id, oldLeafId: frame.old_leaf_id || null, commonAncestorId: null,
        userWantsSummary: frame.wants_summary === true, customInstructions: frame.instructions || undefined,
        get entriesToSummarize() { return bridge.sessions.getBranch(); },
      };
      return { type: frame.event, preparation, signal };
    }
  }
}
