// Where the program of an extension begins: a file, or what a folder's `package.json` or `index.ts` says.

import fs from "node:fs";
import path from "node:path";

const ENDINGS = [".ts", ".js", ".mts", ".mjs", ".cts", ".cjs"];

/** @param {string} folder @returns {any} its package.json, or null */
export function packageOf(folder) {
  try {
    return JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
  } catch {
    return null;
  }
}

/** @param {string} folder @returns {string | undefined} */
function index(folder) {
  return ENDINGS.map((ending) => path.join(folder, `index${ending}`)).find((each) => fs.existsSync(each));
}

/** @param {string} folder @returns {string[]} the programs directly in a folder of extensions */
function inside(folder) {
  const found = [];
  for (const name of fs.readdirSync(folder).sort()) {
    const each = path.join(folder, name);
    if (ENDINGS.includes(path.extname(name)) && !name.endsWith(".d.ts")) found.push(each);
    else if (fs.statSync(each).isDirectory()) found.push(...entriesOf(each));
  }
  return found;
}

/** @param {string} given a file or folder @returns {string[]} the files to load; empty for a folder without any */
export function entriesOf(given) {
  const found = path.resolve(given);
  if (!fs.existsSync(found)) throw new Error(`${given} does not exist`);
  if (!fs.statSync(found).isDirectory()) return [found];
  const described = packageOf(found);
  const named = described?.pi?.extensions ?? described?.atomic?.extensions;
  if (Array.isArray(named)) {
    return named.flatMap((each) => {
      const target = path.resolve(found, each);
      if (!fs.existsSync(target)) throw new Error(`${each}, which ${path.join(given, "package.json")} names, does not exist`);
      if (!fs.statSync(target).isDirectory()) return [target];
      return index(target) ? [index(target)] : inside(target);
    });
  }
  const single = index(found);
  if (single) return [single];
  const conventional = path.join(found, "extensions");
  return fs.existsSync(conventional) ? inside(conventional) : [];
}

/** @param {string} entry @returns {{folder: string, described: any}} the package that a file is in; nothing without one */
function packageAbove(entry) {
  for (let folder = path.dirname(entry); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const described = packageOf(folder);
    if (described) return { folder, described };
  }
  return { folder: "", described: null };
}

/** @param {string} entry @returns {string} a short name for messages: that of its package, if it is the only file which that names */
export function nameOf(entry) {
  const { described } = packageAbove(entry);
  const named = described?.pi?.extensions ?? described?.atomic?.extensions;
  if (described?.name && named?.length === 1 && ENDINGS.includes(path.extname(named[0]))) return String(described.name);
  const base = path.basename(entry, path.extname(entry));
  return base === "index" ? path.basename(path.dirname(entry)) : base;
}

/** @param {string} entry @returns {string} the folder of its package, if that is one which Atomic brings; else empty */
export function builtinOf(entry) {
  const { folder, described } = packageAbove(entry);
  return String(described?.name).startsWith("@bastani/") ? folder : "";
}
