// The extensions of one agent in this process: their handlers, and what `pi` and `ctx` are for them.

import { execute } from "../api/api.mjs";
import { sourceOf } from "../api/registrations.mjs";

const bridge = () => globalThis[Symbol.for("zot.pi.bridge")];

const SILENT = ["notify", "setStatus", "setWidget", "setTitle", "setFooter", "setHeader", "setEditorText", "setEditorComponent", "setToolsExpanded",
  "setWorkingMessage", "setWorkingIndicator", "setWorkingVisible", "setHiddenThinkingLabel", "pasteToEditor", "addAutocompleteProvider"];
const UNASKED = { select: undefined, input: undefined, editor: undefined, custom: undefined, confirm: false };

/** A screen that shows nothing, as in pi without a terminal. */
export function noScreen() {
  const silent = Object.fromEntries(SILENT.map((name) => [name, () => {}]));
  const unasked = Object.fromEntries(Object.entries(UNASKED).map(([name, value]) => [name, async () => value]));
  return { ...silent, ...unasked, getEditorText: () => "", onTerminalInput: () => () => {}, get theme() { return bridge().ui.theme; } };
}

export class Runner {
  #session;
  #ui = noScreen();
  #onError = (failure) => console.error(failure.extensionPath, failure.event, failure.error);

  /** @param {import("./session.mjs").AgentSession} session @param {any[]} extensions of a loader */
  constructor(session, extensions) {
    this.#session = session;
    this.extensions = extensions;
    for (const each of extensions) if (each.api) Object.assign(each.api, actionsOf(session, each));
  }

  bind({ uiContext, onError, mode }) {
    if (uiContext) this.#ui = uiContext;
    if (onError) this.#onError = onError;
    this.mode = mode ?? "print";
    this.hasUI = uiContext !== undefined;
  }

  hasHandlers(type) {
    return this.extensions.some((each) => each.handlers.has(type));
  }

  getCommand(name) {
    return this.extensions.map((each) => each.commands.get(name)).find(Boolean);
  }

  createContext() {
    const session = this.#session;
    return {
      ui: this.#ui, hasUI: this.hasUI === true, mode: this.mode ?? "print", cwd: session.sessionManager.getCwd(), sessionManager: session.sessionManager,
      modelRegistry: bridge().models.registry,
      get model() { return session.model; },
      get thinkingLevel() { return session.thinkingLevel; },
      get signal() { return session.agent.signal; },
      isIdle: () => session.isIdle,
      isProjectTrusted: () => bridge().ack.project_trusted === true,
      abort: () => session.agent.abort(),
      hasPendingMessages: () => session.pendingMessageCount > 0,
      shutdown: () => session.agent.abort(),
      getContextUsage: () => session.getContextUsage(),
      compact: (wanted = {}) => { session.compact(wanted.customInstructions).then(wanted.onComplete, wanted.onError); },
      getSystemPrompt: () => session.systemPrompt,
      getSystemPromptOptions: () => ({ cwd: session.sessionManager.getCwd() }),
      waitForIdle: () => session.waitForIdle(),
    };
  }

  /** Calls the handlers of an event one after the other. @param {any} event
   * @param {(answer: any) => boolean} [take] gets each answer, and says whether no other handler is asked */
  async emit(event, take = () => false) {
    for (const extension of this.extensions) {
      for (const handler of extension.handlers.get(event.type) ?? []) {
        try {
          const answer = await handler(event, this.createContext());
          if (answer && take(answer)) return;
        } catch (error) {
          this.#onError({ extensionPath: extension.path, event: event.type, error });
          if (event.type === "tool_call") throw error; // a guard that fails refuses
        }
      }
    }
  }

  async toolCall(event) {
    let decision;
    await this.emit({ ...event, type: "tool_call" }, (answer) => {
      decision = answer;
      return answer.block === true;
    });
    return decision;
  }

  async toolResult(event) {
    const now = { ...event, type: "tool_result" };
    const changed = {};
    await this.emit(now, ({ content, details, isError }) => {
      for (const [name, value] of Object.entries({ content, details, isError })) if (value !== undefined) now[name] = changed[name] = value;
      return false;
    });
    return changed;
  }

  async context(messages) {
    const event = { type: "context", messages };
    await this.emit(event, (answer) => {
      event.messages = answer.messages ?? event.messages;
      return false;
    });
    return event.messages;
  }

  /** @param {{messageType: "user" | "custom", prompt?: string, images?: any[], message?: any}} begun @param {string} systemPrompt
   * @returns {Promise<{messages: any[], systemPrompt: string}>} */
  async beforeAgentStart(begun, systemPrompt) {
    const event = { type: "before_agent_start", ...begun, systemPrompt, systemPromptOptions: {} };
    const messages = [];
    await this.emit(event, (answer) => {
      if (answer.message) messages.push({ role: "custom", timestamp: Date.now(), ...answer.message });
      event.systemPrompt = answer.systemPrompt ?? event.systemPrompt;
      return false;
    });
    return { messages, systemPrompt: event.systemPrompt };
  }

  /** @returns {Promise<{text: string, images: any[] | undefined, handled: boolean}>} */
  async input(text, images, source) {
    const event = { type: "input", text, images, source };
    let handled = false;
    await this.emit(event, (answer) => {
      if (answer.action === "transform") Object.assign(event, { text: answer.text ?? event.text, images: answer.images ?? event.images });
      handled = answer.action === "handled";
      return handled;
    });
    return { text: event.text, images: event.images, handled };
  }
}

/** What an extension of an agent can do with it, in the place of what it could do with the person's conversation. */
function actionsOf(session, extension) {
  const { sessionManager } = session;
  return {
    getFlag: (name) => session.resourceLoader.getExtensions().runtime?.flagValues?.get(name) ?? extension.flags.get(name)?.default,
    sendMessage: (message, options) => { session.sendCustomMessage(message, options).catch((error) => console.error(error)); },
    sendUserMessage: (content, options) => { session.sendUserMessage(content, options).catch((error) => console.error(error)); },
    appendEntry: (type, data) => { sessionManager.appendCustomEntry(type, data); },
    setSessionName: (name) => session.setSessionName(name),
    getSessionName: () => sessionManager.getSessionName(),
    setLabel: (id, label) => { sessionManager.appendLabelChange(id, label); },
    exec: (command, args, options) => execute(command, args ?? [], { cwd: sessionManager.getCwd(), ...options }),
    getActiveTools: () => session.getActiveToolNames(),
    getAllTools: () => session.getAllTools(),
    setActiveTools: (names) => session.setActiveToolsByName(names),
    getCommands: () => session.extensionRunner.extensions.flatMap((each) => [...each.commands.values()].map(({ name, description }) => (
      { name, description, source: "extension", sourceInfo: sourceOf(each) }))),
    setModel: async (model) => { await session.setModel(model); return true; },
    getThinkingLevel: () => session.thinkingLevel,
    setThinkingLevel: (level) => session.setThinkingLevel(level),
    registerTool: (tool) => {
      extension.tools.set(tool.name, tool);
      session.toolsChanged(tool.name);
    },
    events: bridge().bus,
  };
}
