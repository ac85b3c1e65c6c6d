// Loads extensions from their source.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { createRegistrations } from "../api/registrations.mjs";
import { Compiled } from "./compiled.mjs";
import { entriesOf, nameOf } from "./entries.mjs";
import { hasAddedTools } from "./guards.mjs";
import { aliases, endCompiler, jitiLibrary, modulesFor, sourcesOf } from "./modules.mjs";
import { unavailable, unheard } from "./unavailable.mjs";

/** An extension that is there: what it has registered, why it cannot be used, and what it uses that is not there.
 * @typedef {import("../api/registrations.mjs").Registrations & {error: string, missing: string[]}} Loaded */

/** @param {string[]} given @returns {{entries: string[], errors: string[]}} */
export function allEntries(given) {
  const entries = [];
  const errors = [];
  for (const each of given) {
    try {
      const found = entriesOf(each);
      if (found.length === 0) errors.push(`${each} has no extension: no index.ts, and no "pi" or "atomic" in a package.json`);
      entries.push(...found);
    } catch (error) {
      errors.push(error.message);
    }
  }
  return { entries, errors };
}

/** How long the others wait for one extension, and as much longer as zot itself does where the person has asked for that. Only
 * time counts in which this process has nothing to do: compiling may take long beside busy programs. */
const LOAD_MILLISECONDS = 15_000 * (Number(process.env.ZOT_EXT_PATIENCE) || 1);
/** How long one may be at work, in time of the processor. */
const BUSY_MILLISECONDS = 4 * LOAD_MILLISECONDS;
const LOOK_MILLISECONDS = 200;

/** @template T @param {Promise<T>} loading @returns {Promise<T>} fails after the time that the others wait */
export function inTime(loading) {
  let timer;
  const late = new Promise((_, reject) => {
    const fail = (milliseconds) => reject(new Error(`it is not ready after ${milliseconds / 1000} s`));
    const [begun, before] = [process.cpuUsage(), performance.eventLoopUtilization().idle];
    timer = setInterval(() => {
      if (performance.eventLoopUtilization().idle - before >= LOAD_MILLISECONDS) fail(LOAD_MILLISECONDS);
      const { user, system } = process.cpuUsage(begun);
      if ((user + system) / 1000 >= BUSY_MILLISECONDS) fail(BUSY_MILLISECONDS);
    }, LOOK_MILLISECONDS);
  });
  return Promise.race([loading, late]).finally(() => clearInterval(timer));
}

/** Loads extensions side by side. They begin in their order, and none waits for the end of another. Each call reads their
 * modules anew. @param {string[]} entries
 * @param {(found: import("../api/registrations.mjs").Registrations) => any} apiFor what the function of an extension gets
 * @param {Set<string>} [members] what can be asked of the objects that extensions get; without it, nobody knows
 * @returns {Promise<Loaded>[]} */
export function load(entries, apiFor, members) {
  const { createJiti } = jitiLibrary();
  let begun = Promise.all([]);
  const all = entries.map(async (entry) => {
    const found = { ...createRegistrations(nameOf(entry), entry), error: "", missing: [] };
    const earlier = begun;
    let begin;
    begun = Promise.all([earlier, new Promise((resolve) => { begin = resolve; })]);
    try {
      const sources = sourcesOf(entry);
      const texts = [...sources.values()].map(({ text }) => text);
      const code = new Compiled(entry, sources);
      const factory = await inTime((async () => {
        await code.begin();
        found.addsTools = code.isNew || hasAddedTools(entry);
        const virtualModules = await modulesFor(texts, code.uses);
        found.missing = unavailable(texts, code.uses, virtualModules, members);
        const options = { moduleCache: false, fsCache: false, alias: aliases(), virtualModules, transform: (each) => code.transform(each) };
        return createJiti(fileURLToPath(import.meta.url), options).import(entry, { default: true });
      })().finally(() => code.end()));
      if (typeof factory !== "function") throw new Error("it does not export a function as default");
      await earlier;
      const beginning = inTime(Promise.resolve(factory(apiFor(found))));
      begin();
      await beginning;
      found.ownTools = found.tools.size;
    } catch (error) {
      console.error(error);
      found.error = explained(error, entry);
    }
    begin();
    found.missing.push(...unheard(found.handlers));
    return found;
  });
  Promise.all(all).then(endCompiler);
  return all;
}

/** @param {any} error @param {string} entry @returns {string} one line */
export function explained(error, entry) {
  const text = String(error?.message ?? error).split("\n")[0];
  const wanted = /Cannot find (?:module|package) '([^']+)'/.exec(text)?.[1];
  if (NATIVE.test(wanted ?? (error?.code === "ERR_DLOPEN_FAILED" ? ".node" : ""))) {
    const part = wanted ?? text;
    return `needs a native part for ${process.platform}-${process.arch}, which is not there: ${part}; it is built or fetched by a script of its package`;
  }
  if (!wanted || wanted.startsWith(".") || path.isAbsolute(wanted)) return text;
  const name = wanted.split("/").slice(0, wanted.startsWith("@") ? 2 : 1).join("/");
  if (name.startsWith("@bastani/")) return `needs ${name}, a part of Atomic's own program, which is not on npm`;
  return `needs the npm package ${name}, which is not installed: run npm install in ${path.dirname(entry)}`;
}

/** Modules that are compiled for one kind of machine. */
const NATIVE = /\.node$|[-/](?:linux|darwin|win32)-(?:x64|arm64)\b/;
