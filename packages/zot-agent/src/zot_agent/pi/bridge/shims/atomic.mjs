// `@bastani/atomic`: what extensions call of it is as in pi, its own files are elsewhere, and it has some functions more.

import { mkdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { builtinOf } from "../load/entries.mjs";
import { defineTool } from "./coding-agent.mjs";

export * from "./coding-agent.mjs";
export { StringEnum } from "./ai.mjs";

export const APP_NAME = "atomic";
export const APP_TITLE = APP_NAME;
export const PACKAGE_NAME = "@bastani/atomic";
export const CONFIG_DIR_NAME = ".atomic";
export const LEGACY_CONFIG_DIR_NAME = ".pi";
export const CONFIG_DIR_NAMES = [CONFIG_DIR_NAME, LEGACY_CONFIG_DIR_NAME];
export const LEGACY_ENV_PREFIX = "PI";
export const ENV_CODEX_FAST_MODE = "ATOMIC_CODEX_FAST_MODE";
export const RUNTIME_INTERCOM_GROUP_ENV = "ATOMIC_INTERCOM_RUNTIME_GROUP";
export const WORKFLOW_SESSION_METADATA_ENV = "ATOMIC_WORKFLOW_SESSION_METADATA";
export const WORKFLOW_STAGE_SUBAGENT_GUARD_ENV = "ATOMIC_WORKFLOW_STAGE_SUBAGENT_GUARD";
export const STALE_EXTENSION_CONTEXT_MARKER = "extension ctx is stale";
export const STRUCTURED_OUTPUT_TOOL_NAME = "structured_output";
export const SAFE_FS_WATCH_CANONICALIZATION_FAILED = "ERR_SAFE_FS_WATCH_CANONICALIZATION_FAILED";
export const SAFE_FS_WATCH_UNSAFE_WINDOWS_SHORT_PATH = "ERR_SAFE_FS_WATCH_UNSAFE_WINDOWS_SHORT_PATH";
export const CODEX_FAST_MODE_ORIGINATOR = "codex_cli_rs";
export const CODEX_FAST_MODE_ROUTING_HEADER = "x-codex-routing-hint";
export const CODEX_FAST_MODE_SERVICE_TIER = "priority";
export const CLOUDFLARE_GATEWAY_BINDING_AUTH_SENTINEL = "cloudflare-gateway-binding";
export const OVERLAY_ACTIVE_ROW_MARKER = "\x1b_atomic:active\x1b\\";
export const TRANSCRIPT_JUMP_TO_END_URL = "atomic-ui://transcript/jump-to-end";
export const INTERACTIVE_ENGINE_ENV_VARS = ["CHILD", "HOST_PID", "GUARD_FILE", "API_KEY"].map((each) => `ATOMIC_INTERACTIVE_ENGINE_${each}`);
export const TRUST_REQUIRING_PROJECT_CONFIG_RESOURCES = [
  "settings.json", "extensions", "skills", "prompts", "themes", "SYSTEM.md", "APPEND_SYSTEM.md",
];
/** The variables of one repository, as `git rev-parse --local-env-vars` names them. */
export const GIT_LOCAL_ENV_VARS = [
  "ALTERNATE_OBJECT_DIRECTORIES", "CONFIG", "CONFIG_PARAMETERS", "CONFIG_COUNT", "OBJECT_DIRECTORY", "DIR", "WORK_TREE", "IMPLICIT_WORK_TREE",
  "GRAFT_FILE", "INDEX_FILE", "NO_REPLACE_OBJECTS", "REPLACE_REF_BASE", "PREFIX", "SHALLOW_FILE", "COMMON_DIR", "INTERNAL_SUPER_PREFIX",
].map((each) => `GIT_${each}`);
export const isBunBinary = false;

/** A variable of Atomic may also have the name that it has in pi. @param {string} name @returns {string[]} */
export const getEnvNames = (name) => (name.startsWith("ATOMIC_") ? [name, name.replace("ATOMIC", LEGACY_ENV_PREFIX)] : [name]);
export const getEnvValue = (name) => getEnvNames(name).map((each) => process.env[each]).find((value) => value !== undefined);
export const hasEnvValue = (name) => getEnvValue(name) !== undefined;
export const setEnvValue = (name, value) => { process.env[name] = value; };
export const areExperimentalFeaturesEnabled = () => getEnvNames("ATOMIC_EXPERIMENTAL").some((each) => process.env[each] === "1");

/** @param {Record<string, string | undefined>} env @param {string[]} names @returns {any} a copy without them */
const without = (env, names) => Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
export const createChildProcessEnvironment = (more, env = process.env) => ({ ...env, ...more, AI_AGENT: APP_NAME });
export const createGitEnvironment = (more, env = process.env) => without({ ...env, ...more }, GIT_LOCAL_ENV_VARS);
export const scrubInteractiveEngineEnv = (env) => without(env, INTERACTIVE_ENGINE_ENV_VARS);
export const runtimeIntercomGroupEnvKey = (session) => `${RUNTIME_INTERCOM_GROUP_ENV}_${encodeURIComponent(session)}`;
export const readRuntimeIntercomGroup = (session) => (session && process.env[runtimeIntercomGroupEnvKey(session)]?.trim()) || undefined;

const AGENT_DIR = "ATOMIC_CODING_AGENT_DIR";
const inHome = (...parts) => path.join(os.homedir(), ...parts);

/** @returns {string} the folder of Atomic's own files */
export function getAgentDir() {
  const given = getEnvValue(AGENT_DIR);
  return given ? given.replace(/^~(?=\/|$)/, os.homedir()) : inHome(CONFIG_DIR_NAME, "agent");
}
// As that of pi, it is there when an extension starts, and empty until one writes there.
try {
  mkdirSync(getAgentDir(), { recursive: true });
} catch { /* what is confined has no home */ }
export const getLegacyAgentDir = () => inHome(LEGACY_CONFIG_DIR_NAME, "agent");
/** The folders, and paths in them, of the user, of Atomic's agent and of a project; those of Atomic come before those of pi. */
export const getAgentDirs = () => (hasEnvValue(AGENT_DIR) ? [getAgentDir()] : [getAgentDir(), getLegacyAgentDir()]);
export const getAgentConfigPaths = (...parts) => getAgentDirs().map((each) => path.join(each, ...parts));
export const getUserConfigDirs = () => CONFIG_DIR_NAMES.map((each) => inHome(each));
export const getUserConfigPaths = (...parts) => getUserConfigDirs().map((each) => path.join(each, ...parts));
export const getProjectConfigDirs = (cwd) => CONFIG_DIR_NAMES.map((each) => path.join(cwd, each));
export const getProjectConfigPaths = (cwd, ...parts) => getProjectConfigDirs(cwd).map((each) => path.join(each, ...parts));
/** The packages that Atomic brings, as far as they are here as extensions. @returns {string[]} */
export const getBuiltinPackagePaths = () => [...new Set(globalThis[Symbol.for("zot.pi.bridge")].entries.map(builtinOf).filter(Boolean))];

export const errorMessage = (error) => (error instanceof Error ? error.message : String(error));
export const isStaleExtensionContextError = (error) => error instanceof Error && error.message.includes(STALE_EXTENSION_CONTEXT_MARKER);
export const isSafeFsWatchPathError = (error) => (
  [SAFE_FS_WATCH_CANONICALIZATION_FAILED, SAFE_FS_WATCH_UNSAFE_WINDOWS_SHORT_PATH].includes(error?.code));
/** Whether a path has a short name of Windows, such as `PROGRA~1`. @param {string} given */
export const isUnsafeWindowsShortPath = (given, platform = process.platform) => platform === "win32" && /~\d+(?:[./\\]|$)/.test(given);

export const isCodexFastModeSupportedProvider = (provider) => ["openai", "openai-codex"].includes(provider);
export const isCodexFastModeCandidateModelId = (id) => isCodexFastModeSupportedProvider(id?.split("/", 1)[0]);
export const isCodexFastModeSupportedModel = ({ provider, api }) => isCodexFastModeSupportedProvider(provider) || api === "openai-codex-responses";
export const hasSupportedCodexFastModeModel = (models) => models.some(isCodexFastModeSupportedModel);
export const getCodexFastModeScope = (context) => (context?.kind === "workflow-stage" ? "workflow" : "chat");
export const isCodexFastModeEnabledForScope = (settings, scope) => settings[scope];
export const shouldApplyCodexFastModeForScope = (model, settings, scope) => isCodexFastModeSupportedModel(model) && settings[scope];
export const shouldApplyCodexFastMode = (model, settings, context) => (
  shouldApplyCodexFastModeForScope(model, settings, getCodexFastModeScope(context)));

/** Kinds of failures of a model, by what their text has; with the first of them the same model may be asked again. */
const FAILURES = [
  ["rate_limit", /\b429\b|rate.?limit|too many requests|quota/i], ["provider_unavailable", /\b5\d\d\b|overloaded|unavailable|server error/i],
  ["network_timeout", /time(?:d )?.?out|ETIMEDOUT/i], ["transport_error", /fetch failed|network|socket|ECONN|EPIPE|ENOTFOUND|terminated/i],
  ["auth_on_candidate_provider", /\b40[13]\b|api.?key|unauthori[sz]ed|forbidden|credential/i],
  ["model_unavailable", /model.*(?:not found|unavailable|not supported|does not exist)/i], ["request_incompatible", /\b400\b|context|invalid request/i],
];

/** @param {unknown} error @returns {{kind: string, message: string, source: string, name?: string}} */
export function normalizeModelFailureSignal(error) {
  const message = modelFailureMessage(error);
  const stopped = error?.name === "AbortError" || /\babort(?:ed)?\b|cancell?ed/i.test(message);
  const kind = stopped ? "cancelled" : (FAILURES.find(([, text]) => text.test(message))?.[0] ?? "unknown");
  return { kind, message, source: "string_fallback", ...(error?.name ? { name: error.name } : {}) };
}
export const modelFailureMessage = (error) => error?.errorMessage ?? error?.message ?? String(error);
const isOneOf = (kinds, error) => error !== undefined && kinds.some(([kind]) => kind === normalizeModelFailureSignal(error).kind);
export const isRetryableModelFailure = (error) => isOneOf(FAILURES, error);
export const isRetryableSameModelFailure = (error) => isOneOf(FAILURES.slice(0, 4), error);

/** @returns {{attempt: number, delayMs: number} | undefined} the next attempt and how long to wait before it */
export function nextRetryDecision(settings, spent, eligible) {
  if (!settings?.enabled || !eligible || spent >= settings.maxRetries) return undefined;
  return { attempt: spent + 1, delayMs: settings.baseDelayMs * 2 ** spent };
}

export function decideReactiveWidgetAction({ mounted, lines }, next) {
  if (!mounted) return next.length ? "mount" : "none";
  if (!next.length) return "unmount";
  return next.length === lines.length && next.every((line, at) => line === lines[at]) ? "none" : "update";
}

/** A widget that is there while it has lines, and is drawn again when a state or the time changes them. */
export function installReactiveWidget(options) {
  const { ui, key, placement, getSnapshot, getPreviewLines, render, now = Date.now, timers = globalThis } = options;
  let [shown, lines, timer, draw, over] = [false, [], undefined, () => {}, false];
  const guarded = (work) => {
    try {
      work();
    } catch (error) {
      if (!options.isStaleError?.(error)) throw error;
    }
  };
  const widget = (tui, theme) => {
    draw = () => tui.requestRender?.();
    return { render: (width) => [...render(getSnapshot(), { theme, width, now: now() })], invalidate() {} };
  };
  const mount = () => {
    try {
      ui.setWidget(key, widget, placement && { placement });
      shown = true;
    } catch (cause) {
      if (options.isStaleError?.(cause)) return;
      options.onMountError?.({ cause, message: cause.message });
      throw cause;
    }
  };
  const unmount = () => {
    ui.setWidget(key, undefined);
    shown = false;
  };
  const refresh = () => guarded(() => {
    if (over) return;
    timers.clearTimeout(timer);
    const [snapshot, time] = [getSnapshot(), now()];
    const next = getPreviewLines(snapshot, time);
    const action = decideReactiveWidgetAction({ mounted: shown, lines }, next);
    lines = next;
    if (action === "mount") mount();
    else if (action === "unmount") unmount();
    else if (action === "update") (ui.requestRender ?? draw)();
    const delay = options.getNextRefreshDelayMs?.(snapshot, time);
    if (delay !== undefined) timer = timers.setTimeout(refresh, delay);
    timer?.unref?.();
  });
  const leave = options.subscribe?.(refresh);
  refresh();
  return {
    refresh, isMounted: () => shown,
    dispose: () => guarded(() => {
      if (over) return;
      over = true;
      timers.clearTimeout(timer);
      leave?.();
      unmount();
    }),
  };
}

/** Atomic shows the callbacks that run; here they only run. */
export const runCallback = async (_, callback) => callback();
export const runSynchronousCallback = (_, callback) => callback();

const states = new WeakMap();

/** What extensions keep for as long as a session's `pi.events`. @template T @param {object} scope @param {string} key
 * @param {() => T} create @returns {T} */
export function sessionScopedExtensionState(scope, key, create) {
  if (!states.has(scope)) states.set(scope, new Map());
  const kept = states.get(scope);
  if (!kept.has(key)) kept.set(key, create());
  return kept.get(key);
}

const UNSAFE = new Set(["__proto__", "constructor", "prototype"]);

/** @param {string} key such as `a.b[0].c` @returns {(string | number)[] | undefined} its parts; undefined for a plain name */
export function parseFlattenedKeyPath(key) {
  if (!/^[^.[\]]+(?:\.[^.[\]]+|\[\d+\])+$/.test(key)) return undefined;
  return [...key.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([name, index]) => (index === undefined ? name : Number(index)));
}

/** @param {Record<string, any>} args @param {(key: string) => boolean} isPath whether a key is a path @returns {Record<string, any>} */
export function reconstructFlattenedKeys(args, isPath) {
  const whole = {};
  for (const [key, value] of Object.entries(args)) {
    const parts = (isPath(key) && parseFlattenedKeyPath(key)) || [key];
    if (parts.some((each) => UNSAFE.has(each))) continue;
    let place = whole;
    parts.slice(0, -1).forEach((part, at) => {
      if (typeof place[part] !== "object" || place[part] === null) place[part] = typeof parts[at + 1] === "number" ? [] : {};
      place = place[part];
    });
    place[parts.at(-1)] = value;
  }
  return whole;
}

/** Puts together the arguments of a model that wrote `items[0]` for the first of `items`. A dotted name is a path only where
 * the schema has an object or an array of its first part. @param {Record<string, any>} args @param {any} [schema] */
export function unflattenArgumentsWithSchema(args, schema) {
  const properties = schema?.properties ?? {};
  const isPath = (key) => !Object.hasOwn(properties, key) && (
    /\[\d+\]/.test(key) || ["object", "array"].includes(properties[key.split(".")[0]]?.type));
  return Object.keys(args).some((key) => isPath(key) && parseFlattenedKeyPath(key)) ? reconstructFlattenedKeys(args, isPath) : args;
}

export const createStructuredOutputCapture = () => ({ value: undefined, called: false });

/** A tool whose arguments are the answer. @param {{schema: any, name?: string, capture?: {value: any, called: boolean}}} options */
export function createStructuredOutputTool({ schema, name = STRUCTURED_OUTPUT_TOOL_NAME, capture }) {
  return defineTool({
    name, label: "Structured Output", description: `The final result. Call ${name} once, at the end, in place of an answer in words.`,
    parameters: schema, structuredOutput: true,
    async execute(_, value) {
      if (capture) Object.assign(capture, { value, called: true });
      return { content: [{ type: "text", text: JSON.stringify(value) }], details: value, terminate: true };
    },
  });
}
