// Models that extensions serve: `registerProvider`.

import { argumentsOf } from "../events/messages.mjs";
import { apiProviders, normalizeContext } from "../shims/ai.mjs";
import { toModel } from "./models.mjs";
import { nameInPi, nameInZot } from "./names.mjs";

const REASONS = { stop: "end_turn", toolUse: "tool_use", length: "length" };
const SECOND = 1000;

const AT_START = { ...process.env };

/** @returns {{variable?: string, key?: string}} the variable that has the key of a provider, as `$NAME`, or the key. What an
 * extension has put into a variable itself, zot does not see. */
function keyOf({ apiKey = "" }) {
  const name = /^(?:\$.+|[A-Z][A-Z0-9_]*)$/.test(apiKey) ? apiKey.replace("$", "") : "";
  if (!name) return { key: apiKey };
  return process.env[name] === AT_START[name] ? { variable: `$${name}` } : { key: process.env[name] };
}

/** The headers with a key that an extension has itself: zot keeps only keys of the person. */
function keyHeaders(api, key) {
  if (api.startsWith("anthropic")) return { "x-api-key": key };
  return api.startsWith("google") ? { "x-goog-api-key": key } : { authorization: `Bearer ${key}` };
}

/** A description for zot: what is a function stays here. */
function described(config) {
  const { streamSimple, oauth, apiKey: _, authHeader: __, ...rest } = config;
  const found = JSON.parse(JSON.stringify(rest));
  if (streamSimple) {
    found.stream = true;
    delete found.baseUrl;
    delete found.api;
  }
  const { variable, key } = keyOf(config);
  if (variable) found.apiKey = variable;
  else if (key) {
    found.auth = "none";
    if (!streamSimple) found.headers = { ...keyHeaders(config.api ?? "", key), ...found.headers };
  }
  if (oauth) found.signIn = { title: oauth.name };
  return found;
}

export class Providers {
  #bridge;
  #configs = new Map();
  #inputs = new Map();

  /** @param {import("./bridge.mjs").Bridge} bridge */
  constructor(bridge) {
    this.#bridge = bridge;
  }

  register(name, config) {
    const whole = { ...this.#configs.get(name), ...config };
    this.#configs.set(name, whole);
    this.#bridge.wire.send({ type: "register_provider", name: nameInZot(name), config: described(whole) });
    this.#bridge.models.forget();
  }

  unregister(name) {
    if (!this.#configs.delete(name)) return;
    this.#bridge.wire.send({ type: "unregister_provider", name: nameInZot(name) });
    this.#bridge.models.forget();
  }

  take(frame) {
    if (frame.type === "provider_input") return this.#inputs.get(frame.id)?.(frame.text);
    const asked = { ...frame, provider: nameInPi(frame.provider) };
    return this.#bridge.serve(frame.id, (request) =>
      (frame.type === "provider_stream" ? this.#stream(asked, request) : this.#request(asked, request)));
  }

  async #stream(frame, request) {
    const send = (event, fields) => this.#bridge.wire.send({ type: "provider_event", id: frame.id, event, ...fields });
    const config = this.#configs.get(frame.provider) ?? {};
    const stream = config.streamSimple ?? apiProviders.get(config.api)?.streamSimple;
    try {
      if (!stream) throw new Error(`no extension serves ${frame.provider} any more`);
      const { options } = frame;
      const model = this.#model(frame.provider, frame.model, config);
      const { intercepts, observed } = this.#bridge;
      const headers = await intercepts.headers(config.headers, request);
      const parts = stream(model, contextOf(frame.context, model), {
        apiKey: options.api_key || keyOf(config).key, maxTokens: options.max_tokens ?? undefined, temperature: options.temperature ?? undefined,
        reasoning: options.reasoning && options.reasoning !== "off" ? options.reasoning : undefined,
        sessionId: options.session_id, signal: request.abort.signal, headers,
        onPayload: (payload) => intercepts.payload(payload, request),
        onResponse: ({ status, headers: given }) => observed.emit({ type: "after_provider_response", status, headers: given }),
      });
      for await (const part of parts) relay(part, send);
    } catch (error) {
      send("error", { message: String(error?.message ?? error), ...(error?.status ? { status: error.status } : {}) });
    }
  }

  #model(provider, id, config) {
    const given = config.models?.find((each) => each.id === id) ?? {};
    const base = toModel({ id, provider, name: given.name });
    return { ...base, ...given, provider, api: given.api ?? config.api ?? base.api, baseUrl: given.baseUrl ?? config.baseUrl ?? "", headers: { ...config.headers, ...given.headers } };
  }

  async #request(frame, request) {
    const { wire } = this.#bridge;
    const oauth = this.#configs.get(frame.provider)?.oauth;
    try {
      if (frame.op === "models") {
        const models = this.#configs.get(frame.provider)?.models ?? [];
        wire.send({ type: "provider_result", id: frame.id, result: { models: JSON.parse(JSON.stringify(models)) } });
        return;
      }
      if (!oauth) throw new Error(`${frame.provider} has no sign-in`);
      const found = frame.op === "login" ? await oauth.login(this.#callbacks(frame, request)) : await oauth.refreshToken(fromStored(frame.credentials));
      const { access: _, refresh, expires, ...kept } = found;
      const result = { ...kept, access: oauth.getApiKey(found), refresh, pi_access: found.access };
      if (expires) result.expires = Math.floor(expires / SECOND);
      wire.send({ type: "provider_result", id: frame.id, result });
    } catch (error) {
      wire.send({ type: "provider_result", id: frame.id, error: String(error?.message ?? error) });
    } finally {
      this.#inputs.delete(frame.id);
    }
  }

  /** What a sign-in of pi shows and asks. */
  #callbacks(frame, request) {
    const { wire } = this.#bridge;
    const step = (fields) => wire.send({ type: "provider_step", id: frame.id, ...fields });
    const ask = (message) => new Promise((resolve) => {
      this.#inputs.set(frame.id, resolve);
      step({ ask: true, message });
    });
    return {
      onAuth: ({ url, instructions }) => step({ url, message: instructions ?? "" }),
      onDeviceCode: ({ userCode, verificationUri }) => step({ url: verificationUri, user_code: userCode }),
      onPrompt: ({ message }) => ask(message),
      onManualCodeInput: () => ask("the code, or the address of the page"),
      onSelect: ({ options }) => options?.[0]?.id,
      onProgress: (message) => step({ message }),
      signal: request.abort.signal,
    };
  }
}

function fromStored(credentials = {}) {
  const { pi_access: access, expires, ...rest } = credentials;
  return { ...rest, access: access ?? rest.access, ...(expires ? { expires: expires * SECOND } : {}) };
}

function contextOf(context, model) {
  const tools = (context.tools ?? []).map(({ name, description, schema }) => ({ name, description, parameters: schema }));
  const messages = context.messages.flatMap((each) => messagesOf(each, context, model));
  return { systemPrompt: context.system, tools, ...normalizeContext({ systemPrompt: context.system, tools, messages }) };
}

function block(each) {
  if (each.type === "image") return { type: "image", mimeType: each.mime_type, data: each.data };
  if (each.type === "tool_call") return { type: "toolCall", id: each.id, name: each.name, arguments: argumentsOf(each.arguments) };
  if (each.type === "thinking") return { type: "thinking", thinking: each.text ?? "", thinkingSignature: each.signature || each.encrypted || undefined, ...(each.encrypted ? { redacted: true } : {}) };
  return { type: "text", text: each.text ?? "" };
}

function messagesOf(message, context, model) {
  const timestamp = Date.now();
  if (message.role !== "tool") {
    const content = message.content.map(block);
    if (message.role === "user") return [{ role: "user", content, timestamp }];
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
    const stopReason = content.some((each) => each.type === "toolCall") ? "toolUse" : "stop";
    return [{ role: "assistant", content, api: model.api, provider: model.provider, model: model.id, usage, stopReason, timestamp }];
  }
  const names = new Map(context.messages.flatMap((each) => each.content).filter((each) => each.type === "tool_call").map((each) => [each.id, each.name]));
  return message.content.map((each) => ({
    role: "toolResult", toolCallId: each.call_id, toolName: names.get(each.call_id) ?? "", content: each.content.map(block),
    isError: each.is_error === true, timestamp,
  }));
}

function tokens({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = {}) {
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite };
}

/** Sends a part of an answer. @param {any} part of pi @param {(event: string, fields: object) => void} send */
function relay(part, send) {
  const current = part.partial?.content?.[part.contentIndex];
  switch (part.type) {
    case "text_delta":
      return send("text", { delta: part.delta });
    case "thinking_delta":
      return send("thinking", { delta: part.delta });
    case "thinking_end":
      if (current?.thinkingSignature) send("signature", current.redacted ? { encrypted: current.thinkingSignature } : { signature: current.thinkingSignature });
      return undefined;
    case "toolcall_end":
      send("tool_start", { call_id: part.toolCall.id, name: part.toolCall.name });
      return send("tool_args", { call_id: part.toolCall.id, delta: JSON.stringify(part.toolCall.arguments ?? {}) });
    case "done":
      return send("done", { stop: REASONS[part.reason] ?? "end_turn", usage: tokens(part.message.usage) });
    case "error": {
      const message = part.error?.errorMessage ?? "the request has failed";
      const status = Number(/\b(4\d\d|5\d\d)\b/.exec(message)?.[1]);
      return send("error", { message, ...(status ? { status } : {}) });
    }
  }
  return undefined;
}
