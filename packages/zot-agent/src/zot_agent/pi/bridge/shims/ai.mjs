// `pi-ai`: requests go to a model through zot, which has the keys.

import { textOf, usageOf } from "../events/messages.mjs";
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

/** What `model.complete` takes: text and images; calls and results of tools are told in words. */
function toTurns(messages) {
  const turns = [];
  const add = (role, text, images = []) => {
    const last = turns.at(-1);
    if (last?.role === role) {
      last.text = [last.text, text].filter(Boolean).join("\n\n");
      last.images.push(...images);
    } else turns.push({ role, text, images });
  };
  for (const message of messages.filter((each) => each.role !== "system")) {
    const blocks = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    const text = blocks.map((each) => {
      if (each.type === "text") return each.text;
      return each.type === "toolCall" ? `[calls ${each.name} ${JSON.stringify(each.arguments)}]` : "";
    }).filter(Boolean).join("\n");
    const images = blocks.filter((each) => each.type === "image").map(({ data }) => ({ data }));
    if (message.role === "assistant") add("assistant", text);
    else add("user", message.role === "toolResult" ? `[result of ${message.toolName}] ${text}` : text, images);
  }
  if (turns.at(-1)?.role === "assistant") turns.push({ role: "user", text: "Continue.", images: [] });
  return turns.map(({ images, ...turn }) => (images.length ? { ...turn, images } : turn));
}

const STOPS = { length: "length", tool_use: "toolUse" };

/** Asks a model; the events come as pi-ai has them. */
export function streamSimple(model, context, options = {}) {
  const stream = createAssistantMessageEventStream();
  const partial = emptyAnswer(model);
  const known = bridge().models.find(model.provider, model.id);
  const params = {
    messages: toTurns(context.messages), system: context.systemPrompt ?? (getCurrentSystemPrompt(context.messages) || undefined), max_tokens: options.maxTokens, stream: true,
    model: known ? `${model.provider}/${model.id}` : model.id, reasoning: options.reasoning ?? options.reasoningEffort,
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
  bridge().wire.call("model.complete", params, { signal: options.signal, onDelta }).then((answer) => {
    if (partial.content.length) stream.push({ type: "text_end", contentIndex: 0, content: answer.text, partial });
    const message = { ...partial, content: [{ type: "text", text: answer.text }], usage: usageOf(answer.usage), stopReason: STOPS[answer.stop] ?? "stop" };
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
export const supportsXhigh = () => false;
export const modelsAreEqual = (one, other) => one?.id === other?.id && one?.provider === other?.provider;

/** Sets the cost of an answer from its tokens. */
export function calculateCost(model, usage) {
  const cost = usage.cost;
  for (const name of ["input", "output", "cacheRead", "cacheWrite"]) cost[name] = ((model.cost?.[name] ?? 0) / 1_000_000) * usage[name];
  cost.total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  return cost;
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
export const validateToolArguments = (_, call) => call.arguments;

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
