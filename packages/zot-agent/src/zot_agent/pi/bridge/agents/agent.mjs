// `Agent` of `pi-agent-core`: a conversation with an agent in this process, with queues and listeners.

import { calculateContextTokens } from "../shims/conversation.mjs";
import { emptyAnswer, streamSimple } from "../shims/ai.mjs";
import { runAgentLoop, runAgentLoopContinue } from "./loop.mjs";

const READ = new Set(["user", "assistant", "toolResult", "system"]);
const BUSY = "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.";

/** Messages that wait, all at once or one after the other. */
class Queue {
  messages = [];
  mode = "one-at-a-time";

  next() {
    return this.messages.splice(0, this.mode === "all" ? this.messages.length : 1);
  }
}

export class Agent {
  #listeners = new Set();
  #steering = new Queue();
  #followUps = new Queue();
  #run = null;

  /** @param {any} [options] */
  constructor(options = {}) {
    const { initialState = {}, streamFn, ...rest } = options;
    const { tools = [], messages = [], ...given } = initialState;
    this.state = {
      systemPrompt: "", model: undefined, thinkingLevel: "off", ...given, tools: [...tools], messages: [...messages], isStreaming: false,
      streamingMessage: undefined, pendingToolCalls: new Set(), errorMessage: undefined,
    };
    this.streamFunction = streamFn ?? streamSimple;
    this.convertToLlm = (all) => all.filter((each) => READ.has(each.role));
    Object.assign(this, rest);
    this.steeringMode = rest.steeringMode ?? "one-at-a-time";
    this.followUpMode = rest.followUpMode ?? "one-at-a-time";
  }

  get streamFn() { return this.streamFunction; }
  set streamFn(value) { this.streamFunction = value; }
  get steeringMode() { return this.#steering.mode; }
  set steeringMode(mode) { this.#steering.mode = mode; }
  get followUpMode() { return this.#followUps.mode; }
  set followUpMode(mode) { this.#followUps.mode = mode; }
  get signal() { return this.#run?.abort.signal; }

  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  steer(message) { this.#steering.messages.push(message); }
  followUp(message) { this.#followUps.messages.push(message); }
  clearSteeringQueue() { this.#steering.messages = []; }
  clearFollowUpQueue() { this.#followUps.messages = []; }
  clearAllQueues() { this.#steering.messages = this.#followUps.messages = []; }
  hasQueuedMessages() { return this.#steering.messages.length + this.#followUps.messages.length > 0; }
  peekQueuedMessages() { return [...(this.#steering.messages.length ? this.#steering : this.#followUps).messages]; }
  setSystemPrompt(text) { this.state.systemPrompt = text; }
  setModel(model) { this.state.model = model; }
  setThinkingLevel(level) { this.state.thinkingLevel = level; }
  setTools(tools) { this.state.tools = [...tools]; }
  replaceMessages(messages) { this.state.messages = [...messages]; }
  appendMessage(message) { this.state.messages = [...this.state.messages, message]; }
  abort() { this.#run?.abort.abort(); }
  async waitForIdle() { await this.#run?.done; }

  reset() {
    this.clearAllQueues();
    Object.assign(this.state, { messages: [], isStreaming: false, streamingMessage: undefined, errorMessage: undefined });
    this.state.pendingToolCalls = new Set();
  }

  /** @param {string | any} input a text, a message, or messages @param {any[]} [images] */
  async prompt(input, images) {
    if (this.#run) throw new Error(BUSY);
    const content = typeof input === "string" ? [{ type: "text", text: input }, ...(images ?? [])] : [];
    const messages = typeof input === "string" ? [{ role: "user", content, timestamp: Date.now() }] : [input].flat();
    await this.#start((...rest) => runAgentLoop(messages, ...rest));
  }

  async continue() {
    if (this.#run) throw new Error(BUSY);
    if (this.state.messages.at(-1)?.role !== "assistant") return this.#start(runAgentLoopContinue);
    const queued = this.#steering.next();
    const messages = queued.length ? queued : this.#followUps.next();
    if (messages.length === 0) throw new Error("Cannot continue from message role: assistant");
    return this.#start((...rest) => runAgentLoop(messages, ...rest));
  }

  async #start(loop) {
    const run = { abort: new AbortController(), done: null, finish: () => {} };
    run.done = new Promise((resolve) => { run.finish = () => resolve(undefined); });
    this.#run = run;
    Object.assign(this.state, { isStreaming: true, errorMessage: undefined });
    const { signal } = run.abort;
    const emit = (event) => this.#take(event, signal);
    try {
      await loop(this.#context(), this.#config(), emit, signal, this.streamFunction);
    } catch (error) {
      await this.#failed(error, signal, emit);
    } finally {
      Object.assign(this.state, { isStreaming: false, streamingMessage: undefined, pendingToolCalls: new Set() });
      this.#run = null;
      run.finish();
    }
  }

  async #failed(error, signal, emit) {
    const stopReason = signal.aborted ? "aborted" : "error";
    const message = { ...emptyAnswer(this.state.model ?? { provider: "", id: "" }), stopReason, errorMessage: String(error?.message ?? error) };
    await emit({ type: "message_start", message });
    await emit({ type: "message_end", message });
    await emit({ type: "turn_end", message, toolResults: [] });
    await emit({ type: "agent_end", messages: [message] });
  }

  #context() {
    const { systemPrompt, messages, tools } = this.state;
    return { systemPrompt, messages, tools };
  }

  #config() {
    const { model, thinkingLevel } = this.state;
    const own = ["convertToLlm", "transformContext", "getApiKey", "onPayload", "onResponse", "beforeToolCall", "afterToolCall",
      "finishTurn", "prepareRequest", "sessionId", "toolExecution", "maxTokens", "temperature"];
    return {
      ...Object.fromEntries(own.map((name) => [name, this[name]])), model, reasoning: thinkingLevel === "off" ? undefined : thinkingLevel,
      prepareNextTurn: (turn) => this.prepareNextTurnWithContext?.(turn, this.signal) ?? this.prepareNextTurn?.(this.signal),
      getSteeringMessages: async () => this.#steering.next(), getFollowUpMessages: async () => this.#followUps.next(),
    };
  }

  async #take(event, signal) {
    const { state } = this;
    if (event.type === "message_start" || event.type === "message_update") state.streamingMessage = event.message;
    else if (event.type === "message_end") {
      state.streamingMessage = undefined;
      state.messages = [...state.messages, event.message];
      if (event.message.errorMessage) state.errorMessage = event.message.errorMessage;
    } else if (event.type === "tool_execution_start") state.pendingToolCalls = new Set([...state.pendingToolCalls, event.toolCallId]);
    else if (event.type === "tool_execution_end") {
      state.pendingToolCalls = new Set([...state.pendingToolCalls].filter((each) => each !== event.toolCallId));
    }
    for (const listener of this.#listeners) await listener(event, signal);
  }
}

/** The tokens of the last request of a conversation, with its answer. @param {any[]} messages @returns {number} */
export function lastTokens(messages) {
  const last = messages.findLast((each) => each.role === "assistant" && each.usage);
  return last ? calculateContextTokens(last.usage) : 0;
}
