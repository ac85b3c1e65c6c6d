// The loop of an agent in this process: a model call, the calls of tools, and again. zot makes the model calls and runs
// its own tools; events and their order are those of `pi-agent-core`.

import { EventStream } from "../shims/stream.mjs";
import { checked } from "../tools/check.mjs";

const REFUSED = "Tool execution was blocked";

/** A run that begins with messages. @param {any[]} prompts @param {{systemPrompt?: string, messages: any[], tools?: any[]}} context
 * @param {any} config as pi has it @param {(event: any) => unknown} emit @param {AbortSignal} [signal] @param {Function} [streamFn]
 * @returns {Promise<any[]>} the messages that are new */
export async function runAgentLoop(prompts, context, config, emit, signal, streamFn) {
  const run = new Run({ ...context, messages: [...context.messages] }, config, emit, signal, streamFn);
  await emit({ type: "agent_start" });
  await emit({ type: "turn_start" });
  for (const each of prompts) await run.add(each);
  return run.go();
}

/** A run that continues after a message of the user, or results. See `runAgentLoop`. */
export async function runAgentLoopContinue(context, config, emit, signal, streamFn) {
  if (context.messages.length === 0) throw new Error("Cannot continue: no messages in context");
  if (context.messages.at(-1).role === "assistant") throw new Error("Cannot continue from message role: assistant");
  const run = new Run({ ...context, messages: [...context.messages] }, config, emit, signal, streamFn);
  await emit({ type: "agent_start" });
  await emit({ type: "turn_start" });
  return run.go();
}

/** @param {(emit: (event: any) => void) => Promise<any[]>} start @returns {any} its events, with the new messages as result */
function streamed(start) {
  const stream = new EventStream((event) => event.type === "agent_end", (event) => event.messages);
  start((event) => stream.push(event)).catch((error) => {
    console.error(error);
    stream.end([]);
  });
  return stream;
}

export const agentLoop = (prompts, context, config, signal, streamFn) =>
  streamed((emit) => runAgentLoop(prompts, context, config, emit, signal, streamFn));
export const agentLoopContinue = (context, config, signal, streamFn) =>
  streamed((emit) => runAgentLoopContinue(context, config, emit, signal, streamFn));

class Run {
  #added = [];

  constructor(context, config, emit, signal, streamFn) {
    Object.assign(this, { context, config: { ...config }, emit, signal, streamFn });
  }

  async add(message) {
    this.context.messages.push(message);
    this.#added.push(message);
    await this.emit({ type: "message_start", message });
    await this.emit({ type: "message_end", message });
  }

  async go() {
    let pending = (await this.config.getSteeringMessages?.()) ?? [];
    for (let first = true; ; first = false) {
      if (!first) await this.emit({ type: "turn_start" });
      for (const each of pending) await this.add(each);
      const turn = await this.#turn();
      const context = { ...turn, context: this.context, newMessages: this.#added };
      const failed = ["error", "aborted"].includes(turn.message.stopReason);
      const decision = failed ? undefined : (await this.config.finishTurn?.(context, this.signal))?.action;
      await this.emit({ type: "turn_end", message: turn.message, toolResults: turn.toolResults });
      if (failed || decision === "end" || (await this.config.shouldStopAfterTurn?.(context))) break;
      pending = (await this.config.getSteeringMessages?.()) ?? [];
      const goesOn = (turn.toolResults.length > 0 && !turn.terminates) || decision === "continue";
      if (!goesOn && pending.length === 0) pending = (await this.config.getFollowUpMessages?.()) ?? [];
      if (!goesOn && pending.length === 0) break;
      const update = await this.config.prepareNextTurn?.(context);
      this.#update(update);
      pending.push(...(update?.messages ?? []));
    }
    await this.emit({ type: "agent_end", messages: this.#added });
    return this.#added;
  }

  #update({ context, model, thinkingLevel } = {}) {
    if (context) this.context = { ...context, messages: [...context.messages] };
    if (model) this.config.model = model;
    if (thinkingLevel) this.config.reasoning = thinkingLevel === "off" ? undefined : thinkingLevel;
  }

  async #turn() {
    const message = await this.#answer();
    if (message.stopReason === "error" || message.stopReason === "aborted") return { message, toolResults: [] };
    const calls = message.content.filter((each) => each.type === "toolCall");
    const outcomes = await this.#runAll(calls, message);
    const toolResults = outcomes.map(({ toolCall, result, isError }) => ({
      role: "toolResult", toolCallId: toolCall.id, toolName: toolCall.name, content: result.content ?? [], details: result.details,
      isError, timestamp: Date.now(),
    }));
    for (const each of toolResults) await this.add(each);
    return { message, toolResults, terminates: outcomes.length > 0 && outcomes.every(({ result }) => result.terminate === true) };
  }

  /** Asks the model. A failure is an answer that says so. */
  async #answer() {
    const { config, context, signal } = this;
    this.#update(await config.prepareRequest?.({ context, model: config.model, thinkingLevel: config.reasoning ?? "off" }, signal));
    const shown = config.transformContext ? await config.transformContext(this.context.messages, signal) : this.context.messages;
    const messages = await config.convertToLlm(shown);
    const apiKey = (await config.getApiKey?.(config.model.provider)) ?? config.apiKey;
    const given = { systemPrompt: this.context.systemPrompt, messages, tools: this.context.tools };
    const stream = await this.streamFn(config.model, given, { ...config, apiKey, signal });
    let begun = false;
    for await (const event of stream) {
      if (event.type === "done" || event.type === "error") break;
      if (event.type === "start") begun = true;
      const message = event.partial;
      await this.emit(event.type === "start" ? { type: "message_start", message } : { type: "message_update", message, assistantMessageEvent: event });
    }
    const message = await stream.result();
    this.context.messages.push(message);
    this.#added.push(message);
    if (!begun) await this.emit({ type: "message_start", message });
    await this.emit({ type: "message_end", message });
    return message;
  }

  async #runAll(calls, assistantMessage) {
    const { config, context, signal } = this;
    const tools = context.tools ?? [];
    const inOrder = config.toolExecution === "sequential"
      || calls.some((call) => tools.find((each) => each.name === call.name)?.executionMode === "sequential");
    const run = async (toolCall) => {
      const about = { toolCallId: toolCall.id, toolName: toolCall.name };
      await this.emit({ type: "tool_execution_start", ...about, args: toolCall.arguments });
      const onUpdate = (partialResult) => this.emit({ type: "tool_execution_update", ...about, args: toolCall.arguments, partialResult });
      const outcome = await runToolCall(toolCall, { ...config, tools, assistantMessage, context, signal, onUpdate });
      await this.emit({ type: "tool_execution_end", ...about, result: outcome.result, isError: outcome.isError });
      return outcome;
    };
    if (!inOrder) return Promise.all(calls.map(run));
    const found = [];
    for (const each of calls) found.push(await run(each));
    return found;
  }
}

const failure = (text) => ({ content: [{ type: "text", text }], details: {} });

/** Runs one call of a tool. @param {any} toolCall
 * @param {{tools: any[], assistantMessage: any, context: any, signal?: AbortSignal, onUpdate?: Function, beforeToolCall?: Function, afterToolCall?: Function}} options
 * @returns {Promise<{toolCall: any, result: any, isError: boolean}>} */
export async function runToolCall(toolCall, { tools, assistantMessage, context, signal, onUpdate, beforeToolCall, afterToolCall }) {
  const tool = tools.find((each) => each.name === toolCall.name);
  const failed = (text, more = {}) => ({ toolCall, result: { ...failure(text), ...more }, isError: true });
  if (tool === undefined) return failed(`Tool ${toolCall.name} not found`);
  let found;
  let args;
  try {
    const given = tool.prepareArguments ? tool.prepareArguments(toolCall.arguments) : toolCall.arguments;
    args = checked(tool.parameters, given ?? {}, toolCall.name);
    const decision = await beforeToolCall?.({ assistantMessage, toolCall, args, context }, signal);
    if (signal?.aborted) return failed("Operation aborted");
    if (decision?.block) return failed(decision.reason || REFUSED, { terminate: decision.terminate });
    const result = await tool.execute(toolCall.id, args, signal, onUpdate ?? (() => {}));
    found = { toolCall, result, isError: result?.isError === true };
  } catch (error) {
    found = failed(String(error?.message ?? error));
  }
  try {
    const changed = await afterToolCall?.({ assistantMessage, toolCall, args, result: found.result, isError: found.isError, context }, signal);
    const { isError = found.isError, ...fields } = changed ?? {};
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    return { toolCall, result: { ...found.result, ...given }, isError };
  } catch (error) {
    return failed(String(error?.message ?? error));
  }
}
