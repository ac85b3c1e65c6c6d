// The models of zot: `ctx.model`, `ctx.modelRegistry` and reasoning levels.

import { streamSimple } from "../shims/ai.mjs";
import { fromZot, mapOf, toZot } from "../shims/levels.mjs";
import { nameInPi, nameInZot } from "./names.mjs";

/** What stands for a key. Extensions get no keys; the functions of `pi-ai` send requests through zot. */
export const KEY_OF_ZOT = "zot-has-the-key";

/** @param {any} model of zot @returns {any} */
export function toModel(model) {
  return {
    id: model.id, name: model.name ?? model.id, provider: nameInPi(model.provider), api: model.api ?? "zot", baseUrl: "",
    reasoning: Boolean(model.reasoning), input: model.images ? ["text", "image"] : ["text"],
    thinkingLevelMap: model.reasoning_levels && mapOf(model.reasoning_levels),
    cost: {
      input: model.price_input ?? 0, output: model.price_output ?? 0,
      cacheRead: model.price_cache_read ?? 0, cacheWrite: model.price_cache_write ?? 0,
    },
    contextWindow: model.context_window ?? 0, maxTokens: model.max_output ?? 0,
  };
}

export class Models {
  #bridge;
  #current = null;
  #lists = new Map();
  #level = null;

  /** @param {import("./bridge.mjs").Bridge} bridge */
  constructor(bridge) {
    this.#bridge = bridge;
    this.registry = registry(this, bridge);
  }

  forget() {
    this.#current = this.#level = null;
    this.#lists.clear();
  }

  /** @param {"ready" | "all"} scope */
  list(scope) {
    if (!this.#lists.has(scope)) {
      this.#lists.set(scope, this.#bridge.wire.callNow("model.list", { scope }).models.map(toModel));
    }
    return this.#lists.get(scope);
  }

  current() {
    if (this.#current === null) {
      const now = this.#bridge.wire.callNow("model.get");
      this.#level = fromZot(now.reasoning_used);
      this.#current = this.find(now.provider, now.model)
        ?? toModel({ id: now.model, provider: now.provider, context_window: now.context_window });
    }
    return this.#current;
  }

  level() {
    this.current();
    return this.#level;
  }

  find(provider, id) {
    const name = nameInPi(provider);
    const same = (model) => model.provider === name && model.id === id;
    return this.list("ready").find(same) ?? this.list("all").find(same);
  }

  async use(model) {
    try {
      await this.#bridge.wire.call("model.set", { model: model.id, provider: nameInZot(model.provider) });
    } catch (error) {
      if (["not_found", "invalid", "unavailable", "failed", "denied"].includes(error.code)) return false;
      throw error;
    } finally {
      this.forget();
    }
    return true;
  }

  setLevel(level) {
    this.#bridge.wire.callNow("model.reasoning", { reasoning: toZot(level) });
    this.forget();
  }
}

function registry(models, bridge) {
  const same = (each, wanted) => (typeof wanted === "string" ? each.provider === wanted : each.provider === wanted?.provider && each.id === wanted.id);
  const ready = (wanted) => models.list("ready").some((each) => same(each, wanted));
  const noKey = (model) => ({ ok: false, error: `No API key found for ${model?.provider ?? "this model"}` });
  /** @param {string} id @returns {any} what sends requests to its models, through zot */
  const provider = (id) => {
    const of = (scope) => models.list(scope).filter((each) => each.provider === id);
    return of("all").length ? { id, name: id, auth: {}, getModels: () => of("all"), stream: streamSimple, streamSimple } : undefined;
  };
  return {
    refresh: async () => models.forget(),
    stream: (model, context, options) => streamSimple(model, context, options),
    streamSimple: (model, context, options) => streamSimple(model, context, options),
    complete: (model, context, options) => streamSimple(model, context, options).result(),
    completeSimple: (model, context, options) => streamSimple(model, context, options).result(),
    getProvider: provider,
    getProviderAuth: async (name) => (ready(name) ? { auth: { apiKey: KEY_OF_ZOT }, source: "zot" } : undefined),
    getRegisteredProviderIds: () => bridge.extensions.flatMap((each) => [...each.providers.keys()]),
    getRegisteredProviderConfig: (name) => bridge.extensions.map((each) => each.providers.get(name)).find(Boolean),
    getError: () => undefined,
    getAll: () => [...models.list("all")],
    getAvailable: () => [...models.list("ready")],
    find: (provider, id) => models.find(provider, id),
    hasConfiguredAuth: ready,
    getApiKeyAndHeaders: async (model) => (ready(model) ? { ok: true, apiKey: KEY_OF_ZOT, headers: {} } : noKey(model)),
    getApiKey: async (model) => (ready(model) ? KEY_OF_ZOT : undefined),
    getApiKeyForProvider: async (name) =>
      models.list("ready").some((each) => each.provider === name) ? KEY_OF_ZOT : undefined,
    getProviderAuthStatus: (name) => ({ configured: models.list("ready").some((each) => each.provider === name) }),
    getProviderDisplayName: (name) => name,
    isUsingOAuth: () => false,
    registerProvider: (name, config) => bridge.providers.register(name, config),
    unregisterProvider: (name) => bridge.providers.unregister(name),
    authStorage: { get: () => undefined, has: () => false, getApiKey: async () => undefined },
  };
}
