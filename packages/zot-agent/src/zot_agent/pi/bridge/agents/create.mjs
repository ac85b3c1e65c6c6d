// `createAgentSession`, and pi's objects for models and keys, which are zot's models here.

import { getAgentDir, SettingsManager } from "../shims/coding-agent.mjs";
import { LEVELS } from "../shims/levels.mjs";
import { SessionManager } from "./manager.mjs";
import { DefaultResourceLoader } from "./resources.mjs";
import { AgentSession } from "./session.mjs";

const bridge = () => globalThis[Symbol.for("zot.pi.bridge")];

/** pi's keys: zot has them, and gives none out. What an extension sets is kept for it alone. */
export class AuthStorage {
  #given = new Map();

  static create() { return new AuthStorage(); }
  static inMemory() { return new AuthStorage(); }
  setRuntimeApiKey(provider, key) { this.#given.set(provider, key); }
  removeRuntimeApiKey(provider) { this.#given.delete(provider); }
  get(provider) { return this.#given.has(provider) ? { type: "api_key", key: this.#given.get(provider) } : undefined; }
  set(provider, credential) { this.#given.set(provider, credential.key); }
  has(provider) { return this.#given.has(provider); }
  list() { return [...this.#given.keys()]; }
  hasAuth(provider) { return this.has(provider) || bridge().models.list("ready").some((each) => each.provider === provider); }
  async getApiKey(provider) { return this.#given.get(provider) ?? bridge().models.registry.getApiKeyForProvider(provider); }
  reload() {}
}

/** The models of zot, with the members of `ctx.modelRegistry`. */
export class ModelRegistry {
  static create(authStorage) { return new ModelRegistry(authStorage); }
  static inMemory(authStorage) { return new ModelRegistry(authStorage); }

  constructor(authStorage = new AuthStorage()) {
    Object.assign(this, bridge().models.registry, { authStorage });
  }
}

/** The same under the names of newer versions of pi. */
export class ModelRuntime extends ModelRegistry {
  static async create() { return new ModelRuntime(); }

  getModels(provider) { return this.getAll().filter((each) => !provider || each.provider === provider); }
  getModel(provider, id) { return this.find(provider, id); }
  getPhysicalModel(provider, id) { return this.find(provider, id); }
  getAvailableSnapshot() { return this.getAvailable(); }
  getProviders() { return [...new Set(this.getAll().map((each) => each.provider))].map((id) => this.getProvider(id)); }
  async checkAuth(provider) { return this.hasConfiguredAuth(provider) ? { source: "zot" } : undefined; }
  async getAuth(given) { return this.hasConfiguredAuth(given) ? { auth: { apiKey: await this.getApiKeyForProvider(given.provider ?? given) } } : undefined; }
  isUsingSubscription() { return false; }
  registerNativeProvider(provider) { this.registerProvider(provider.id, provider); }
  async setRuntimeApiKey(provider, key) { this.authStorage.setRuntimeApiKey(provider, key); }
  async removeRuntimeApiKey(provider) { this.authStorage.removeRuntimeApiKey(provider); }
  async listCredentials() { return []; }
  async settleCredentialWrites() {}
}

/** The model that a name means, with or without its provider and a level. @param {any} options as pi has it
 * @returns {{model?: any, thinkingLevel?: string, error?: string, warning?: string}} */
export function resolveCliModel({ cliProvider, cliModel = "" }) {
  const [, name, level] = /^(.*?)(?::([a-z]+))?$/.exec(cliModel) ?? [];
  const thinkingLevel = LEVELS.includes(level) ? level : undefined;
  const whole = [cliProvider, thinkingLevel ? name : cliModel].filter(Boolean).join("/");
  const fits = (model) => [`${model.provider}/${model.id}`, model.id].includes(whole);
  const starts = (model) => `${model.provider}/${model.id}`.includes(whole);
  const lists = [bridge().models.list("ready"), bridge().models.list("all")];
  const model = [fits, starts].flatMap((test) => lists.map((list) => list.find(test))).find(Boolean);
  return model ? { model, thinkingLevel } : { error: `Model "${cliModel}" not found. Use --list-models to see available models.` };
}

/** Makes an agent in this process. @param {any} [options] as pi has it
 * @returns {Promise<{session: AgentSession, extensionsResult: any, modelFallbackMessage?: string}>} */
export async function createAgentSession(options = {}) {
  const cwd = options.cwd ?? options.sessionManager?.getCwd() ?? bridge().cwd;
  const settingsManager = options.settingsManager ?? SettingsManager.create(cwd);
  let { resourceLoader } = options;
  if (!resourceLoader) {
    resourceLoader = new DefaultResourceLoader({ cwd, agentDir: options.agentDir ?? getAgentDir(), settingsManager });
    await resourceLoader.reload();
  }
  const sessionManager = options.sessionManager ?? SessionManager.create(cwd);
  const kept = sessionManager.buildSessionContext();
  const { models } = bridge();
  const model = options.model ?? (kept.model && models.find(kept.model.provider, kept.model.modelId)) ?? models.current();
  const begun = kept.messages.length ? kept.thinkingLevel : (settingsManager.getDefaultThinkingLevel() ?? models.level());
  const thinkingLevel = model?.reasoning === false ? "off" : (options.thinkingLevel ?? begun);
  const modelRuntime = options.modelRuntime ?? options.modelRegistry ?? new ModelRuntime();
  for (const { name, config } of resourceLoader.getExtensions().runtime?.pendingProviderRegistrations ?? []) {
    if (!models.registry.getRegisteredProviderConfig(name)) modelRuntime.registerProvider(name, config);
  }
  const parts = { ...options, cwd, settingsManager, resourceLoader, sessionManager, modelRuntime, model, thinkingLevel };
  const session = new AgentSession(parts);
  return { session, extensionsResult: resourceLoader.getExtensions() };
}

/** Whatever is made with the parts of `createAgentSession` one after the other. */
export async function createAgentSessionServices({ cwd = bridge().cwd, agentDir = getAgentDir(), settingsManager, resourceLoaderOptions, modelRuntime } = {}) {
  const settings = settingsManager ?? SettingsManager.create(cwd);
  const resourceLoader = new DefaultResourceLoader({ ...resourceLoaderOptions, cwd, agentDir, settingsManager: settings });
  await resourceLoader.reload();
  return { cwd, agentDir, settingsManager: settings, resourceLoader, modelRuntime: modelRuntime ?? new ModelRuntime(), diagnostics: [] };
}

export const createAgentSessionFromServices = ({ services, ...options }) => createAgentSession({ ...services, ...options });
