// Loads extensions from their source.

import path from "node:path";
import { fileURLToPath } from "node:url";
import { entriesOf, nameOf } from "./entries.mjs";
import { jitiLibrary, modulesFolder, modulesFor, sourcesOf } from "./modules.mjs";
import { unavailable } from "./unavailable.mjs";

/** An extension that is there.
 * @typedef {{name: string, entry: string, factory: Function | null, error: string, missing: string[]}} Loaded */

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

/** How long the others wait for one extension to be loaded. */
const LOAD_MILLISECONDS = 15_000;

/** @template T @param {Promise<T>} loading @returns {Promise<T>} fails after the time that the others wait */
export function inTime(loading) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it is not ready after ${LOAD_MILLISECONDS / 1000} s`)), LOAD_MILLISECONDS);
  });
  return Promise.race([loading, late]).finally(() => clearTimeout(timer));
}

function cacheFolder() {
  return process.env.ZOT_PI_CACHE ?? path.join(modulesFolder(), "node_modules", ".cache", "jiti");
}

/** Loads extensions one after the other. Each call reads their modules anew.
 * @param {string[]} entries @returns {Promise<Loaded[]>} */
export async function load(entries) {
  const { createJiti } = await jitiLibrary();
  const texts = entries.map((entry) => sourcesOf(entry));
  const virtualModules = await modulesFor(texts.flatMap((each) => [...each.values()]));
  const jiti = createJiti(fileURLToPath(import.meta.url), { moduleCache: false, fsCache: cacheFolder(), virtualModules });
  const found = [];
  for (const [index, entry] of entries.entries()) {
    const name = nameOf(entry);
    const missing = unavailable(texts[index].values());
    try {
      const factory = await inTime(jiti.import(entry, { default: true }));
      if (typeof factory !== "function") throw new Error("it does not export a function as default");
      found.push({ name, entry, factory, error: "", missing });
    } catch (error) {
      found.push({ name, entry, factory: null, error: explained(error, entry), missing });
    }
  }
  return found;
}

/** @param {any} error @param {string} entry @returns {string} one line */
export function explained(error, entry) {
  const text = String(error?.message ?? error).split("\n")[0];
  const wanted = /Cannot find (?:module|package) '([^']+)'/.exec(text)?.[1];
  if (wanted && !wanted.startsWith(".") && !path.isAbsolute(wanted)) {
    const name = wanted.split("/").slice(0, wanted.startsWith("@") ? 2 : 1).join("/");
    return `needs the npm package ${name}, which is not installed: run npm install in ${path.dirname(entry)}`;
  }
  return text;
}
