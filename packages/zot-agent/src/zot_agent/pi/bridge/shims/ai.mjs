// `pi-ai`: requests go to a model through zot, which has the keys.

import { nameInZot } from "../api/names.mjs";
import { fromMessages, textOf, toMessages, usageOf } from "../events/messages.mjs";
import { checked } from "../tools/check.mjs";
import { toZot } from "./levels.mjs";
import { EventStream } from "./stream.mjs";
import { Type } from "./typebox.mjs";

export { EventStream, Type };

const bridge = () => globalThis[Symbol.for("zot.pi.bridge")];

/** A string that is one of some values, as all providers understand it. */
export function StringEnum(values, options = {}) {
  const { description, default: initial } = options;
  return Type.Unsafe({ type: "string", enum: [...values], ...(description ? { description } : {}), ...(initial ? { default: initial } : {}) });
}

/** @returns {any} a stream that ends with the event `done` or `error` */
export function createAssistantMessageEventStream() {
  return new EventStream(
    (event) => event.type === "done" || event.type === "error",
    (event) => (event.type === "done" ? event.message : event.error),
  );
}
export class AssistantMessageEventStream extends EventStream {
  constructor() {
    super((event) => event.type === "done" || event.type === "error", (event) => (event.type === "done" ? event.message : event.error));
  }
}

export function emptyAnswer(model) {
  return {
    role: "assistant", content: [], api: model.api ?? "zot", provider: model.provider, model: model.id, usage: usageOf(),
    stopReason: "stop", timestamp: Date.now(),
  };
}

/** The messages as zot takes them. What a model has broken off is left out, as pi does. @param {any[]} messages */
function toWire(messages) {
  const broken = ["error", "aborted"];
  const read = messages.filter((each) => each.role !== "system" && !(each.role === "assistant" && broken.includes(each.stopReason)));
  const found = fromMessages(read);
  return found.at(-1)?.role === "assistant" ? [...found, ...fromMessages([{ role: "user", content: "Continue." }])] : found;
}

const asked = new Set();

/** Calls a model. zot lets an extension make some calls at once; the others wait here. */
async function ask(params, options) {
  for (;;) {
    const answer = bridge().wire.call("model.complete", params, options);
    asked.add(answer);
    try {
      return await answer;
    } catch (error) {
      asked.delete(answer);
      if (error.code !== "busy" || asked.size === 0) throw error;
    } finally {
      asked.delete(answer);
    }
    await Promise.race([...asked].map((each) => each.catch(() => {})));
  }
}

/** What zot tells at the end of an answer: each block, as the parts that it would have come in. */
function* lastParts(partial, streamed) {
  for (const [contentIndex, block] of partial.content.entries()) {
    const about = { contentIndex, partial };
    if (block.type === "toolCall") {
      yield { type: "toolcall_start", ...about };
      yield { type: "toolcall_delta", ...about, delta: JSON.stringify(block.arguments) };
      yield { type: "toolcall_end", ...about, toolCall: block };
      continue;
    }
    const text = block.text ?? block.thinking;
    if (block.type !== "text" || !streamed) {
      yield { type: `${block.type}_start`, ...about };
      yield { type: `${block.type}_delta`, ...about, delta: text };
    }
    yield { type: `${block.type}_end`, ...about, content: text };
  }
}

/** Asks a model; the events come as pi-ai has them: text as it grows, the rest at the end. */
export function streamSimple(model, context, options = {}) {
  const stream = createAssistantMessageEventStream();
  const partial = emptyAnswer(model);
  const known = bridge().models.find(model.provider, model.id);
  const tools = (context.tools ?? getCurrentTools(context.messages)).map(({ name, description, parameters }) => (
    { name, description: description ?? "", schema: parameters ?? { type: "object", properties: {} } }));
  const level = options.reasoning ?? options.reasoningEffort;
  const params = {
    messages: toWire(context.messages), system: context.systemPrompt || getCurrentSystemPrompt(context.messages) || undefined,
    tools: tools.length ? tools : undefined, max_tokens: options.maxTokens, stream: true,
    model: known ? `${nameInZot(model.provider)}/${model.id}` : model.id, reasoning: toZot(level),
  };
  const onDelta = (delta) => {
    if (partial.content.length === 0) {
      partial.content.push({ type: "text", text: "" });
      stream.push({ type: "text_start", contentIndex: 0, partial });
    }
    partial.content[0].text += delta;
    stream.push({ type: "text_delta", contentIndex: 0, delta, partial });
  };
  stream.push({ type: "start", partial });
  ask(params, { signal: options.signal, onDelta }).then((answer) => {
    const meta = { api: model.api ?? "zot", provider: model.provider, model: model.id, usage: answer.usage, stop: answer.stop };
    const [message] = toMessages({ role: "assistant", content: answer.content ?? [{ type: "text", text: answer.text }], meta });
    for (const part of lastParts(message, partial.content.length > 0)) stream.push(part);
    stream.push({ type: "done", reason: message.stopReason, message });
  }, (error) => {
    const reason = options.signal?.aborted || error.code === "cancelled" ? "aborted" : "error";
    stream.push({ type: "error", reason, error: { ...partial, stopReason: reason, errorMessage: error.message } });
  });
  return stream;
}

export const stream = streamSimple;
export const completeSimple = (model, context, options) => streamSimple(model, context, options).result();
export const complete = completeSimple;

export { clampThinkingLevel, getSupportedThinkingLevels, supportsXhigh } from "./levels.mjs";
export * from "./wires.mjs";

/** Streams for other dialects, by their name. */
export const apiProviders = new Map();
export const registerApiProvider = (provider) => apiProviders.set(provider.api, provider);
export const unregisterApiProviders = () => apiProviders.clear();
export const getApiProvider = (api) => apiProviders.get(api);

export const getModels = (provider) => bridge().models.list("all").filter((each) => each.provider === provider);
export const getModel = (provider, id) => bridge().models.find(provider, id);
export const getProviders = () => [...new Set(bridge().models.list("all").map((each) => each.provider))];
export const getEnvApiKey = () => undefined;
export const modelsAreEqual = (one, other) => one?.id === other?.id && one?.provider === other?.provider;

/** Sets the cost of an answer from its tokens. */
export function calculateCost(model, usage) {
  const cost = usage.cost;
  for (const name of ["input", "output", "cacheRead", "cacheWrite"]) cost[name] = ((model.cost?.[name] ?? 0) / 1_000_000) * usage[name];
  cost.total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  return cost;
}

/** Writes escapes that JSON does not have, and line breaks in strings, as JSON has them. @param {string} text of a model */
export function repairJson(text) {
  return text.replace(/"(?:[^"\\]|\\[^])*"/g, (string) => string
    .replace(/\\(u[0-9a-fA-F]{4}|[^])/g, (escape, meant) => (meant.length > 1 || '"\\/bfnrt'.includes(meant) ? escape : `\\${escape}`))
    .replace(/[\u0000-\u001f]/g, (each) => JSON.stringify(each).slice(1, -1)));
}

/** @param {string} text of a model @returns {any} Throws a `SyntaxError`. */
export function parseJsonWithRepair(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    const repaired = repairJson(text);
    if (repaired === text) throw error;
    return JSON.parse(repaired);
  }
}

/** @param {string} text maybe cut off @returns {any} */
export function parseStreamingJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

export const isContextOverflow = (message) => /context|too long|maximum.*tokens/i.test(message.errorMessage ?? "");
/** @param {string | any[]} content @returns {string} its texts */
export const contentText = (content, separator = "\n") => (
  typeof content === "string" ? content : content.filter((each) => each.type === "text").map((each) => each.text).join(separator));
export const validateToolArguments = (tool, call) => checked(tool.parameters, call.arguments, tool.name);

/** @returns {string} an id that sorts by its time */
export function uuidv7() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const time = Date.now();
  for (let at = 0; at < 6; at += 1) bytes[at] = Math.floor(time / 2 ** (8 * (5 - at))) & 255;
  bytes[6] = (bytes[6] & 15) | 112;
  bytes[8] = (bytes[8] & 63) | 128;
  return Buffer.from(bytes).toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The first message of a transcript may have the system prompt and the tools. @param {any[]} messages */
export const getInitialSystemMessage = (messages) => (messages[0]?.role === "system" ? messages[0] : undefined);
export const withoutInitialSystemMessage = (messages) => messages.filter((each, index) => index > 0 || each.role !== "system");
export function getCurrentSystemPrompt(messages) {
  return messages.filter((each) => each.role === "system").map((each) => textOf(each.content)).filter(Boolean).join("\n\n");
}
export const getCurrentTools = (messages) => messages.flatMap((each) => (each.role === "system" ? (each.toolsAdded ?? []) : []));
export function collapseSystemMessages(context) {
  const [first, ...rest] = context.messages;
  return { ...context, messages: [first, ...rest.filter((each) => each.role !== "system")].filter(Boolean) };
}
export function normalizeContext({ systemPrompt, tools, messages }) {
  const system = { role: "system", content: systemPrompt ?? "", ...(tools?.length ? { toolsAdded: tools } : {}), timestamp: 0 };
  return { messages: systemPrompt || tools?.length ? [system, ...messages] : messages };
}

const codes = async (size) => Buffer.from(crypto.getRandomValues(new Uint8Array(size))).toString("base64url");

/** @returns {Promise<{verifier: string, challenge: string}>} for a sign-in with PKCE */
export async function generatePKCE() {
  const verifier = await codes(32);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return { verifier, challenge: Buffer.from(digest).toString("base64url") };
}

export const registerOAuthProvider = () => {};
export const getOAuthProvider = () => undefined;
export const getOAuthProviders = () => [];
