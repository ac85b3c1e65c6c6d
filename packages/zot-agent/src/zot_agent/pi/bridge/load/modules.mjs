// The modules that extensions import: pi's are the bridge's own, pi-tui and typebox the published ones.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ATOMIC_NAMES } from "./atomic-names.mjs";
import { packageOf } from "./entries.mjs";
import { absent } from "./unavailable.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const SCOPES = ["@earendil-works", "@mariozechner", "@bastani"];

/** @returns {string} the folder that holds `node_modules` */
export function modulesFolder() {
  if (process.env.ZOT_PI_MODULES) return path.resolve(process.env.ZOT_PI_MODULES);
  for (let folder = HERE; ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, "node_modules", "jiti"))) return folder;
    if (path.dirname(folder) === folder) return HERE;
  }
}

const require = createRequire(path.join(modulesFolder(), "package.json"));

/** @param {string} name of a package, maybe with a path in it @returns {string} its file */
export function resolve(name) {
  try {
    return require.resolve(name);
  } catch (error) {
    if (error.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw error;
    return fileURLToPath(import.meta.resolve(name, pathToFileURL(path.join(modulesFolder(), "x.mjs"))));
  }
}

/** Files of packages that have no entry for `require`. */
function entryOf(name) {
  const [scope, second, ...rest] = name.split("/");
  const inScope = scope.startsWith("@");
  const folder = path.join(modulesFolder(), "node_modules", scope, inScope ? second : "");
  const within = (inScope ? rest : [second, ...rest]).filter(Boolean).join("/");
  const described = packageOf(folder);
  if (described === null) throw Object.assign(new Error(`Cannot find package '${name}'`), { code: "MODULE_NOT_FOUND" });
  const exported = described.exports?.[within ? `./${within}` : "."] ?? (within ? undefined : described.exports);
  const chosen = typeof exported === "string" ? exported : (exported?.import ?? exported?.default);
  const target = typeof chosen === "string" ? chosen : (chosen?.default ?? described.module ?? described.main ?? "index.js");
  return path.join(folder, target);
}

/** Names of pi's components; without any of them the terminal library is not needed. */
const WIDGETS = /\b(DynamicBorder|BorderedLoader|CustomEditor|keyHint|keyHintIfBound|keyText|rawKeyHint|renderDiff|truncateToVisualLines|\w+MessageComponent)\b/;

/** Names of pi's agents in the process of the extension. */
const AGENTS = /\b(createAgentSession\w*|createExtensionRuntime|AgentSession|SessionManager|DefaultResourceLoader|ModelRuntime|ModelRegistry|AuthStorage|resolveCliModel|loadSkills\w*|formatSkillsForPrompt|loadProjectContextFiles|buildSessionContext|sessionEntryToContextMessages|CURRENT_SESSION_VERSION)\b/;

/** Parts of `pi-coding-agent` that few extensions need, by the names that need them. */
const PARTS = [[WIDGETS, "widgets"], [AGENTS, "agents"]];

const loaded = new Map();

/** @param {string} file */
async function loadFile(file) {
  if (!loaded.has(file)) loaded.set(file, await import(pathToFileURL(file).href));
  return loaded.get(file);
}

const shim = (name) => path.join(HERE, "..", "shims", `${name}.mjs`);

/** The modules of pi itself. */
const PI = ["coding-agent", "atomic", "ai", "agent-core"].map(shim);
const ATOMIC = shim("atomic");
const TYPEBOX = shim("typebox");

/** What each specifier leads to. */
function sources() {
  const found = new Map();
  for (const scope of SCOPES) {
    found.set(`${scope}/pi-coding-agent`, () => shim("coding-agent"));
    found.set(`${scope}/pi-ai`, () => shim("ai"));
    for (const part of ["oauth", "compat"]) found.set(`${scope}/pi-ai/${part}`, () => shim("ai"));
    found.set(`${scope}/pi-agent-core`, () => shim("agent-core"));
    found.set(`${scope}/pi-tui`, () => entryOf("@earendil-works/pi-tui"));
  }
  found.set("@bastani/atomic", () => shim("atomic"));
  for (const name of ["typebox", "@sinclair/typebox"]) {
    found.set(name, () => TYPEBOX);
    for (const part of ["value", "compile", "compiler"]) {
      found.set(`${name}/${part}`, () => entryOf(part === "compiler" ? "typebox/compile" : `typebox/${part}`));
    }
  }
  return found;
}

const SOURCES = sources();

/** The specifiers of which a text imports something. @param {string} text @returns {string[]} */
function imported(text) {
  const found = new Set();
  for (const match of text.matchAll(/\b(import|export)\s+(type\s+)?([^;"'`]*?\bfrom\s*)?["']([^"'\n]+)["']/g)) {
    if (!match[2]) found.add(match[4]);
  }
  for (const match of text.matchAll(/\b(?:import|require)\s*\(\s*["']([^"'\n]+)["']/g)) found.add(match[1]);
  return [...found];
}

const MOST_FILES = 2000;

/** Reads a file and all that it imports by relative paths.
 * @typedef {{text: string, targets: Map<string, string>}} Source its text, and the file of each path that it imports
 * @param {string} entry @returns {Map<string, Source>} by file */
export function sourcesOf(entry) {
  const found = new Map();
  const waiting = [entry];
  while (waiting.length && found.size < MOST_FILES) {
    const file = waiting.pop();
    if (found.has(file)) continue;
    let text;
    try {
      text = fs.readFileSync(file, "utf8");
    } catch {
      continue;
    }
    const named = imported(text).filter((name) => name.startsWith("."));
    const targets = new Map(named.map((name) => [name, fileOf(file, name)]).filter(([, target]) => target));
    found.set(file, { text, targets });
    waiting.push(...targets.values());
  }
  return found;
}

/** @param {string} from @param {string} name a relative path @returns {string | undefined} the file that it means */
function fileOf(from, name) {
  const target = path.resolve(path.dirname(from), name);
  const bare = target.replace(/\.(m|c)?js$/, "");
  const all = [target, `${bare}.ts`, `${target}.ts`, `${target}.mts`, path.join(target, "index.ts"), path.join(target, "index.js")];
  return all.find((each) => fs.statSync(each, { throwIfNoEntry: false })?.isFile());
}

/** Files of pi-tui that extensions name by their paths. */
export const aliases = () => Object.fromEntries(SCOPES.map((scope) => [
  `${scope}/pi-tui/dist`, path.join(modulesFolder(), "node_modules", "@earendil-works", "pi-tui", "dist"),
]));

/** Loads the bridge's modules that an extension needs.
 * @param {string[]} texts of its files @param {Set<string>} uses of its modules, as `usesOf` has them
 * @returns {Promise<Record<string, any>>} by specifier, for jiti */
export async function modulesFor(texts, uses) {
  const found = {};
  const names = new Set(texts.flatMap(imported));
  const parts = PARTS.filter(([pattern]) => texts.some((text) => pattern.test(text)));
  for (const [name, source] of SOURCES) {
    if (names.has(name)) {
      const file = source();
      let module = await loadFile(file);
      if (file === TYPEBOX && ![...uses].every((use) => !use.startsWith(`${name} `) || use.slice(name.length + 1) in module)) {
        module = await loadFile(entryOf("typebox"));
      }
      const more = PI.slice(0, 2).includes(file) ? await Promise.all(parts.map(([, part]) => loadFile(shim(part)))) : [];
      const without = PI.includes(file) ? absent(file === ATOMIC ? ATOMIC_NAMES : []) : {};
      found[name] = Object.assign(without, module, ...more);
    }
    else Object.defineProperty(found, name, { enumerable: true, configurable: true, get: () => lateModule(source()) });
  }
  return found;
}

/** A module that only a dependency of an extension imports. @param {string} file */
function lateModule(file) {
  if (loaded.has(file)) return loaded.get(file);
  if (!process.features.require_module) throw new Error(`this import needs Node 22.12 or newer: ${file}`);
  loaded.set(file, require(file));
  return loaded.get(file);
}

/** @returns {Promise<any>} the published terminal library */
export function terminalLibrary() {
  return loadFile(entryOf("@earendil-works/pi-tui"));
}

/** Loads jiti as CommonJS: as a module, Node would first search its minified text for names, which takes long.
 * @returns {any} */
export function jitiLibrary() {
  const found = require("jiti");
  return { createJiti: found.createJiti ?? found.default ?? found };
}

let compiler = null;

/** @returns {any} the compiler, which starts a process of its own when it is asked */
export const esbuildLibrary = () => (compiler ??= require("esbuild"));

/** Ends the process of the compiler; it starts again when it is asked. */
export const endCompiler = () => compiler?.stop();

/** The compiler of jiti. @param {any} options @returns {{code: string}} */
export const babel = (options) => require(path.join(modulesFolder(), "node_modules", "jiti", "dist", "babel.cjs"))(options);

/** The published typebox, at once. @returns {any} */
export function wholeTypebox() {
  return lateModule(entryOf("typebox"));
}
