// `ctx`: what handlers get beside their event.

import { createApi } from "./api.mjs";
import { ToolSelection, promptOptions } from "../events/prompt.mjs";
import { shortLine, textOf } from "../events/messages.mjs";

/** @param {import("./bridge.mjs").Bridge} bridge @param {import("./registrations.mjs").Registrations} extension
 * @param {{signal?: AbortSignal}} [options] */
export function createContext(bridge, extension, options = {}) {
  const check = () => {
    if (extension.stale) throw new Error(extension.stale);
    return bridge;
  };
  return {
    get ui() { return check().ui; },
    get hasUI() { return check().hasUI; },
    get mode() { return check().mode; },
    get cwd() { return check().cwd; },
    get sessionManager() { return check().sessions; },
    get modelRegistry() { return check().models.registry; },
    get thinkingLevel() { return check().models.level(); },
    get scopedModels() { return check().models.list("ready").map((model) => ({ model })); },
    get model() { return check().models.current(); },
    get signal() { return options.signal ?? check().signal; },
    isIdle: () => check() && extension.idle,
    isProjectTrusted: () => check().ack.project_trusted === true,
    abort: () => { check().wire.call("control.abort", {}, { parent: false }).catch(() => {}); },
    hasPendingMessages: () => check().wire.callNow("control.state").queued > 0,
    shutdown: () => { check().wire.call("control.shutdown", {}, { parent: false }).catch((error) => bridge.report(extension, "shutdown", error)); },
    getContextUsage: () => usage(check()),
    compact: (wanted) => compact(check(), extension, wanted),
    getSystemPrompt: () => check().systemPrompt(),
    getSystemPromptOptions: () => promptOptions(check(), new ToolSelection(bridge)),
  };
}

function usage(bridge) {
  const { tokens, window } = bridge.wire.callNow("control.context");
  if (!window) return undefined;
  return { tokens: tokens ?? null, contextWindow: window, percent: tokens ? (tokens / window) * 100 : null };
}

function compact(bridge, extension, wanted = {}) {
  const failed = (error) => (wanted.onError ? wanted.onError(error) : bridge.report(extension, "compact", error));
  const asked = () => bridge.wire.call("control.compact", { instructions: wanted.customInstructions, wait: true }, { parent: false });
  bridge.running.asking(asked).then(({ end }) => {
    if (end !== "completed") return failed(new Error(`Compaction ended: ${end}`));
    bridge.sessions.forget();
    return wanted.onComplete?.({ summary: bridge.lastSummary, firstKeptEntryId: "", tokensBefore: 0 });
  }).catch(failed);
}

/** The context of a command, which may also change the session. */
export function createCommandContext(bridge, extension, options) {
  const context = createContext(bridge, extension, options);
  const wire = bridge.wire;
  /** Makes a change of the session; what an extension keeps from before is stale then. */
  const change = async (method, params, withSession, prompt = "") => {
    bridge.changing += 1;
    try {
      await wire.call(method, params).catch(async (error) => {
        if (error.code !== "busy") throw error;
        await wire.call("control.wait_idle"); // a run is just ending, or goes on: the session changes behind it
        await wire.call(method, params);
      });
    } catch (error) {
      if (error.code === "cancelled" || error.code === "denied") return { cancelled: true };
      throw error;
    } finally {
      bridge.changing -= 1;
    }
    await bridge.replaced();
    if (prompt && bridge.hasScreen) await wire.call("editor.set", { text: prompt });
    if (withSession) {
      const again = bridge.extensions.find((each) => each.entry === extension.entry) ?? extension;
      const fresh = createCommandContext(bridge, again, options);
      fresh.sendMessage = bridge.apis.get(again)?.sendMessage;
      fresh.sendUserMessage = bridge.apis.get(again)?.sendUserMessage;
      await withSession(fresh);
    }
    return { cancelled: false };
  };
  return Object.assign(Object.defineProperties({}, Object.getOwnPropertyDescriptors(context)), {
    waitForIdle: async () => { if (!extension.idle) await wire.call("control.wait_idle"); }, // the command itself is a run of zot
    newSession: async (wanted = {}) => {
      const written = setupRecorder(bridge);
      await wanted.setup?.(written.manager);
      const params = { messages: written.messages, parent: Boolean(wanted.parentSession) };
      return change("session.new", params, wanted.withSession);
    },
    fork: (entry, wanted = {}) => {
      const position = wanted.position ?? "before";
      const params = { entry: bridge.sessions.rowOf(entry), position };
      return change("session.fork", params, wanted.withSession, position === "before" ? promptOf(bridge, entry) : "");
    },
    navigateTree: (entry, wanted = {}) => {
      // A prompt is not a place to continue: the conversation continues before it, and it can be changed and sent again.
      const prompt = promptOf(bridge, entry);
      const place = { entry: bridge.sessions.rowOf(entry), position: prompt ? "before" : "at" };
      const more = wanted.summarize === true ? { summarise: true, instructions: wanted.customInstructions } : {};
      return change("session.navigate", { ...place, ...more, label: shortLine(wanted.label) }, undefined, prompt);
    },
    switchSession: (session, wanted = {}) => change("session.open", { session }, wanted.withSession),
    reload: () => wire.call("control.reload"),
  });
}

/** The names of all that extensions can ask of the objects that they get: `pi.NAME`, `ctx.NAME` and `ctx.ui.NAME`.
 * @param {import("./bridge.mjs").Bridge} bridge @returns {Set<string>} */
export function membersOf(bridge) {
  const objects = { "pi.": createApi(bridge, null), "ctx.": createCommandContext(bridge, null), "ctx.ui.": bridge.ui };
  return new Set(Object.entries(objects).flatMap(([before, each]) => Object.keys(each).map((name) => before + name)));
}

/** @returns {string} the text of an entry that is a prompt, else an empty text */
function promptOf(bridge, id) {
  const { type, message } = bridge.sessions.getEntry(id) ?? {};
  return type === "message" && message.role === "user" ? textOf(message.content) : "";
}

/** Records what the `setup` of a new session writes. */
function setupRecorder(bridge) {
  const messages = [];
  const add = (message) => {
    const text = typeof message.content === "string" ? message.content
      : (message.content ?? []).filter((each) => each.type === "text").map((each) => each.text).join("\n");
    messages.push({ role: message.role === "assistant" ? "assistant" : "user", text });
    return `new-${messages.length}`;
  };
  const manager = Object.create(bridge.sessions);
  manager.appendMessage = add;
  manager.appendCustomMessageEntry = (_, content) => add({ role: "user", content });
  manager.appendCustomEntry = manager.appendSessionInfo = manager.appendLabelChange = () => "";
  manager.appendModelChange = manager.appendThinkingLevelChange = () => "";
  return { messages, manager };
}
