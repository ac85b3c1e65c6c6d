// `AgentSession`: an agent in this process with tools, extensions and a session of its own. Models and the tools of zot
// are those of the conversation, with its rules; what the extension that made it brings runs here.

import { textOf, usageOf } from "../events/messages.mjs";
import { completeSimple } from "../shims/ai.mjs";
import { convertToLlm, DEFAULT_COMPACTION_SETTINGS, serializeConversation, shouldCompact } from "../shims/conversation.mjs";
import { getSupportedThinkingLevels } from "../shims/levels.mjs";
import { Agent, lastTokens } from "./agent.mjs";
import { Runner } from "./runner.mjs";
import { SessionTools } from "./tools.mjs";
import { formatSkillsForPrompt } from "./resources.mjs";

const BUSY = "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";
const ROLE = "You are a coding agent. You do the task that you are given with the tools that you have, and then say in short what came of it.";
const SUMMARISE = "Summarise this conversation for an agent that continues the work: the task, what was decided and done, files, and what is left.";
const KEPT_MESSAGES = 6;
const partsOf = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content);

export class AgentSession {
  #listeners = new Set();
  #tools;
  #runner;
  #context = []; // what the next prompt brings along
  #prompt = ""; // the system prompt of this run, if handlers have changed it
  #running = null;
  #preparing = null; // handlers of `input` of the prompt that comes
  #stopped = false;
  #unsubscribe;
  #queued = { steering: [], followUp: [] };
  #turn = 0;
  #compacted = 0; // what was said before is not counted any more

  /** @param {any} parts `model`, `thinkingLevel`, `sessionManager`, `settingsManager`, `resourceLoader`, `modelRuntime`, and what
   * `SessionTools` takes */
  constructor(parts) {
    const { sessionManager, settingsManager, resourceLoader, modelRuntime, model, thinkingLevel, sessionStartEvent, scopedModels = [] } = parts;
    Object.assign(this, { sessionManager, settingsManager, resourceLoader, modelRuntime, scopedModels });
    this.startEvent = sessionStartEvent ?? { type: "session_start", reason: "startup" };
    this.#runner = new Runner(this, resourceLoader.getExtensions().extensions);
    this.#tools = new SessionTools(parts, this.#runner);
    this.autoCompactionEnabled = settingsManager.getCompactionSettings().enabled;
    this.agent = new Agent({
      initialState: { model, thinkingLevel, messages: sessionManager.buildSessionContext().messages, tools: this.#tools.active() },
      streamFn: (...asked) => modelRuntime.streamSimple(...asked), convertToLlm, sessionId: sessionManager.getSessionId(),
      transformContext: (messages) => this.#runner.context(messages),
      beforeToolCall: ({ toolCall, args }) => this.#runner.toolCall({ toolName: toolCall.name, toolCallId: toolCall.id, input: args }),
      afterToolCall: ({ toolCall, args, result, isError }) => this.#runner.toolResult({
        toolName: toolCall.name, toolCallId: toolCall.id, input: args, content: result.content, details: result.details, isError,
      }),
      prepareRequest: ({ context }) => this.#prepared(context),
      steeringMode: settingsManager.getSteeringMode(), followUpMode: settingsManager.getFollowUpMode(),
    });
    this.agent.state.systemPrompt = this.systemPrompt;
    this.#unsubscribe = this.agent.subscribe((event) => this.#take(event));
    if (sessionManager.onAppend !== undefined) return;
    sessionManager.onAppend = (entry) => this.#tell({ type: "entry_appended", entry });
  }

  get state() { return this.agent.state; }
  get model() { return this.agent.state.model; }
  get thinkingLevel() { return this.agent.state.thinkingLevel; }
  get messages() { return this.agent.state.messages; }
  get isStreaming() { return this.agent.state.isStreaming; }
  get isIdle() { return this.#running === null && this.#preparing === null; }
  get isCompacting() { return false; }
  get isRetrying() { return false; }
  get isBashRunning() { return false; }
  get retryAttempt() { return 0; }
  get sessionFile() { return this.sessionManager.getSessionFile(); }
  get sessionId() { return this.sessionManager.getSessionId(); }
  get sessionName() { return this.sessionManager.getSessionName(); }
  get promptTemplates() { return this.resourceLoader.getPrompts().prompts; }
  get extensionRunner() { return this.#runner; }
  get steeringMode() { return this.agent.steeringMode; }
  get followUpMode() { return this.agent.followUpMode; }
  get pendingMessageCount() { return this.#queued.steering.length + this.#queued.followUp.length; }
  setSteeringMode(mode) { this.agent.steeringMode = mode; }
  setFollowUpMode(mode) { this.agent.followUpMode = mode; }
  setAutoCompactionEnabled(enabled) { this.autoCompactionEnabled = enabled; }
  setScopedModels(models) { this.scopedModels = models; }
  getSteeringMessages() { return this.#queued.steering; }
  getFollowUpMessages() { return this.#queued.followUp; }
  hasExtensionHandlers(type) { return this.#runner.hasHandlers(type); }
  getActiveToolNames() { return this.#tools.names(); }
  getCallableToolNames() { return this.#tools.names(); }
  getAllTools() { return this.#tools.all(); }
  getToolDefinition(name) { return this.#tools.find(name); }

  /** What the model is told of its work. */
  get systemPrompt() {
    if (this.#prompt) return this.#prompt;
    const { resourceLoader: loader, sessionManager } = this;
    const own = loader.getSystemPrompt() || [ROLE, ...this.#tools.guidelines()].join("\n");
    const files = loader.getAgentsFiles().agentsFiles.map(({ path, content }) => `## ${path}\n\n${content}`);
    const parts = [own, ...loader.getAppendSystemPrompt()];
    if (files.length) parts.push(`# Project Context\n\nProject-specific instructions and guidelines:\n\n${files.join("\n\n")}`);
    const skills = this.#tools.names().includes("read") ? formatSkillsForPrompt(loader.getSkills().skills) : "";
    return `${parts.filter(Boolean).join("\n\n")}${skills}\nCurrent date: ${new Date().toISOString().slice(0, 10)}\nCurrent working directory: ${sessionManager.getCwd()}`;
  }

  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(event) {
    for (const each of [...this.#listeners]) {
      try {
        each(event);
      } catch (error) {
        console.error(error);
      }
    }
  }

  /** Keeps a message, and tells of it: first the handlers of extensions, then those who have subscribed. */
  async #take(event) {
    const told = { ...event };
    if (event.type === "agent_start") this.#turn = 0;
    else if (event.type === "agent_end") told.willRetry = false;
    else if (event.type === "turn_start" || event.type === "turn_end") told.turnIndex = event.type === "turn_end" ? this.#turn++ : this.#turn;
    else if (event.type === "message_start" && event.message.role === "user") this.#unqueue(textOf(event.message.content));
    await this.#runner.emit(told, ({ message }) => {
      if (event.type === "message_end" && message?.role === event.message.role) Object.assign(event.message, message);
      return false;
    });
    this.#tell(told);
    if (event.type === "message_end") this.#keep(event.message);
  }

  #keep(message) {
    const { sessionManager } = this;
    if (message.role === "custom") sessionManager.appendCustomMessageEntry(message.customType, message.content, message.display, message.details);
    else sessionManager.appendMessage(message);
  }

  /** What the next request is made of: the tools of now, and a summary if the conversation is too long. */
  async #prepared(context) {
    const { model } = this;
    const settings = { ...DEFAULT_COMPACTION_SETTINGS, ...this.settingsManager.getCompactionSettings() };
    const tokens = lastTokens(context.messages.filter((each) => each.timestamp > this.#compacted));
    if (this.autoCompactionEnabled && model?.contextWindow && shouldCompact(tokens, model.contextWindow, settings)) {
      await this.#compact("", "threshold");
    }
    return { model, thinkingLevel: this.thinkingLevel, context: { systemPrompt: this.systemPrompt, tools: this.#tools.active(), messages: this.messages } };
  }

  /** Runs the agent. In pi too it ends after all that waits is done. @param {string} text @param {any} [options] */
  async prompt(text, options = {}) {
    const expanded = options.expandPromptTemplates !== false;
    const command = expanded ? /^\/(\S+)\s*([^]*)$/.exec(text) : null;
    const found = command && this.#runner.getCommand(command[1]);
    if (found) return void (await found.handler(command[2], this.#runner.createContext()));
    if (!this.#running) this.#stopped = false;
    this.#preparing = this.#runner.input(text, options.images, options.source ?? "interactive");
    const input = await this.#preparing;
    this.#preparing = null;
    if (input.handled) return undefined;
    const whole = expanded ? this.#expanded(input.text) : input.text;
    const content = [{ type: "text", text: whole }, ...(input.images ?? [])];
    if (this.#running) {
      if (!options.streamingBehavior) throw new Error(BUSY);
      return void this.#queue(options.streamingBehavior === "steer" ? "steer" : "followUp", whole, content);
    }
    const begun = { messageType: "user", prompt: whole, images: input.images };
    return this.#run([...this.#context.splice(0), { role: "user", content, timestamp: Date.now() }], begun);
  }

  #expanded(text) {
    const [, name, rest] = /^\/(\S+)\s*([^]*)$/.exec(text) ?? [];
    if (name === undefined) return text;
    const skill = this.resourceLoader.getSkills().skills.find((each) => name === `skill:${each.name}`);
    if (skill) return [`Read ${skill.filePath} and do what it says.`, rest].filter(Boolean).join("\n\n");
    const template = this.promptTemplates.find((each) => each.name === name);
    const words = rest.split(/\s+/).filter(Boolean);
    return template ? template.content.replace(/\$(@|ARGUMENTS|\d)/g, (_, which) => (/\d/.test(which) ? (words[Number(which) - 1] ?? "") : rest)) : text;
  }

  async #run(messages, begins) {
    if (!this.model) throw new Error("No model selected.");
    let finish = (_) => {};
    this.#running = new Promise((resolve) => { finish = resolve; });
    try {
      const begun = await this.#runner.beforeAgentStart(begins, this.systemPrompt);
      this.#prompt = begun.systemPrompt === this.systemPrompt ? "" : begun.systemPrompt;
      if (!this.#stopped) await this.agent.prompt([...messages, ...begun.messages]);
      while (!this.#stopped && this.agent.hasQueuedMessages()) await this.agent.continue();
    } finally {
      this.#prompt = "";
      this.#running = null;
      finish(undefined);
      const settled = { type: "agent_settled", aborted: this.#stopped };
      await this.#runner.emit(settled);
      this.#tell(settled);
    }
  }

  #queue(kind, text, content) {
    const message = { role: "user", content, timestamp: Date.now() };
    if (kind === "steer") this.agent.steer(message);
    else this.agent.followUp(message);
    this.#queued[kind === "steer" ? "steering" : "followUp"].push(text);
    this.#tell({ type: "queue_update", ...this.#queued });
  }

  #unqueue(text) {
    for (const list of [this.#queued.steering, this.#queued.followUp]) {
      if (!list.includes(text)) continue;
      list.splice(list.indexOf(text), 1);
      return this.#tell({ type: "queue_update", ...this.#queued });
    }
    return undefined;
  }

  async steer(text, images = []) {
    this.#queue("steer", text, [{ type: "text", text }, ...images]);
    return "queued";
  }

  async followUp(text, images = []) {
    this.#queue("followUp", text, [{ type: "text", text }, ...images]);
    return "queued";
  }

  clearQueue() {
    const cleared = this.#queued;
    this.#queued = { steering: [], followUp: [] };
    this.agent.clearAllQueues();
    return cleared;
  }

  async sendUserMessage(content, { deliverAs, expandPromptTemplates = false } = {}) {
    const parts = partsOf(content);
    const images = parts.filter((each) => each.type === "image");
    return this.prompt(textOf(parts), { images, streamingBehavior: deliverAs, expandPromptTemplates, source: "extension" });
  }

  async sendCustomMessage({ customType, content, display, details }, { triggerTurn, deliverAs } = {}) {
    const message = { role: "custom", customType, content, display, details, timestamp: Date.now() };
    if (deliverAs === "nextTurn") return void this.#context.push(message);
    if (this.#running) return deliverAs === "followUp" ? this.agent.followUp(message) : this.agent.steer(message);
    this.#stopped = false;
    if (triggerTurn) return this.#run([message], { messageType: "custom", prompt: textOf(partsOf(content)), message });
    this.agent.appendMessage(message);
    return this.#keep(message);
  }

  async abort() {
    this.#stopped = true;
    this.agent.abort();
    await this.waitForIdle();
  }

  async waitForIdle() {
    while (this.#running || this.#preparing) await (this.#running ?? this.#preparing);
  }

  async setModel(model) {
    this.agent.state.model = model;
    this.sessionManager.appendModelChange(model.provider, model.id);
  }

  setThinkingLevel(level) {
    this.agent.state.thinkingLevel = level;
    this.sessionManager.appendThinkingLevelChange(level);
    this.#tell({ type: "thinking_level_changed", level });
  }

  supportsThinking() { return this.model?.reasoning === true; }
  getAvailableThinkingLevels() { return getSupportedThinkingLevels(this.model ?? {}); }

  setActiveToolsByName(names) {
    this.#tools.choose(names);
    this.agent.setTools(this.#tools.active());
    this.agent.state.systemPrompt = this.systemPrompt;
  }

  /** An extension has registered a tool while the agent is there. @param {string} name */
  toolsChanged(name) {
    this.#tools.added(name);
    this.agent?.setTools(this.#tools.active());
  }

  setSessionName(name) {
    this.sessionManager.appendSessionInfo(name);
    this.#tell({ type: "session_info_changed", name: this.sessionName });
  }

  /** Has the extensions of this agent begin. @param {any} [bindings] */
  async bindExtensions(bindings = {}) {
    this.#runner.bind(bindings);
    await this.#runner.emit(this.startEvent);
    const found = { skillPaths: [], promptPaths: [] };
    await this.#runner.emit({ type: "resources_discover", cwd: this.sessionManager.getCwd(), reason: "startup" }, (given) => {
      for (const kind of ["skillPaths", "promptPaths"]) found[kind].push(...(given[kind] ?? []).map((each) => ({ path: each })));
      return false;
    });
    if (found.skillPaths.length || found.promptPaths.length) this.resourceLoader.extendResources(found);
    this.agent.state.systemPrompt = this.systemPrompt;
  }

  /** Replaces the older messages by a summary. @param {string} [instructions] */
  async compact(instructions = "") {
    await this.abort();
    return this.#compact(instructions, "manual");
  }

  async #compact(instructions, reason) {
    this.#tell({ type: "compaction_start", reason });
    const branch = this.sessionManager.getBranch();
    const spoken = branch.filter((each) => each.type === "message" || each.type === "custom_message");
    // A result stays with its call.
    const first = spoken.findIndex((each, at) => at >= spoken.length - KEPT_MESSAGES && each.message?.role !== "toolResult");
    const firstKeptEntryId = spoken[first]?.id ?? "";
    const tokensBefore = lastTokens(this.messages);
    const text = serializeConversation(convertToLlm(this.messages.slice(0, Math.max(0, this.messages.length - (spoken.length - first)))));
    const asked = { systemPrompt: [SUMMARISE, instructions].filter(Boolean).join("\n"), messages: [{ role: "user", content: text || "(nothing)", timestamp: Date.now() }] };
    const answer = await completeSimple(this.model, asked, { signal: this.agent.signal });
    if (answer.errorMessage) {
      this.#tell({ type: "compaction_end", reason, result: undefined, aborted: answer.stopReason === "aborted", willRetry: false, errorMessage: answer.errorMessage });
      throw new Error(answer.errorMessage);
    }
    const result = { summary: textOf(answer.content), firstKeptEntryId, tokensBefore };
    this.sessionManager.appendCompaction(result.summary, firstKeptEntryId, tokensBefore);
    this.#compacted = Date.now();
    this.agent.replaceMessages(this.sessionManager.buildSessionContext().messages);
    this.#tell({ type: "compaction_end", reason, result, aborted: false, willRetry: false });
    return result;
  }

  getContextUsage() {
    const contextWindow = this.model?.contextWindow;
    const tokens = lastTokens(this.messages);
    return contextWindow ? { tokens, contextWindow, percent: (tokens / contextWindow) * 100 } : undefined;
  }

  getSessionStats() {
    const of = (role) => this.messages.filter((each) => each.role === role);
    const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
    let cost = 0;
    for (const { usage = usageOf() } of of("assistant")) {
      for (const name of Object.keys(tokens)) tokens[name] += name === "total" ? usage.totalTokens : usage[name];
      cost += usage.cost.total;
    }
    const toolCalls = of("assistant").flatMap((each) => each.content).filter((each) => each.type === "toolCall").length;
    return {
      sessionFile: this.sessionFile, sessionId: this.sessionId, userMessages: of("user").length, assistantMessages: of("assistant").length,
      toolCalls, toolResults: of("toolResult").length, totalMessages: this.messages.length, tokens, cost, contextUsage: this.getContextUsage(),
    };
  }

  getLastAssistantText() {
    const last = this.messages.findLast((each) => each.role === "assistant" && textOf(each.content));
    return last && textOf(last.content).trim();
  }

  getUserMessagesForForking() {
    const own = this.sessionManager.getBranch().filter((each) => each.message?.role === "user");
    return own.map(({ id, message }) => ({ entryId: id, text: textOf(partsOf(message.content)) }));
  }

  dispose() {
    this.#stopped = true;
    this.agent.abort();
    this.#unsubscribe();
    this.#listeners.clear();
  }
}
